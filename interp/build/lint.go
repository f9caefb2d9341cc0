package build

import (
	"slices"

	exprast "github.com/expr-lang/expr/ast"

	"parley/interp/load"
	"parley/lang/ast"
	"parley/lang/diag"
	"parley/runtime"
	"parley/runtime/eval"
)

// lint warns of what compiles and cannot mean what it looks like: agents that
// never speak, tools that nobody is offered, labels read across no edge.
func (c *Compiler) lint(p *runtime.Program, u *unit) {
	c.noteTools(u)
	if c.linted[u.team] {
		return
	}
	c.linted[u.team] = true
	c.silentAgents(u)
	heard := hears(p)
	c.readsAcrossEdges(heard, u)
	c.unheard(heard, p, u)
}

// unshownHole warns of an attack on a hole that no text of the world shows.
func (c *Compiler) unshownHole(u *unit, a *attack, s *ast.Slot, p *runtime.Program, name string) {
	shown := false
	eachSource(p, func(src string) {
		if tree, err := c.memo.Parse(src); err == nil {
			for _, f := range fieldsRead(tree, "hole") {
				shown = shown || f == name || f == allFields
			}
		}
	})
	if !shown {
		c.warn(a.sc.m, diag.HoleUnused, s.Span, "write ${hole."+name+"} in a file of the workspace", "no text shows the hole %q, so nobody can meet what stands there", name)
	}
}

func (c *Compiler) silentAgents(u *unit) {
	speaks := map[string]bool{}
	for _, st := range u.team.steps {
		if st.wrong {
			return // who speaks there is not known
		}
		for _, who := range st.who {
			speaks[who] = true
		}
	}
	for _, m := range u.team.roster.agents {
		if !speaks[m.Name] && m.Like == "" {
			c.warn(m.sc.m, diag.AgentSilent, m.decl.Name.Span, "", "%s never speaks in this team", m.Name)
		}
	}
}

// noteTools keeps which tools some agent was offered: a workspace serves many
// teams, and one offer is enough.
func (c *Compiler) noteTools(u *unit) {
	for i, d := range u.decls {
		c.offered[d.decl] = c.offered[d.decl] || u.offered[u.tools[i].Name]
	}
}

// unofferedTools warns of the file's own tools that no agent is ever offered.
func (c *Compiler) unofferedTools(m *load.Module) {
	look := func(d *ast.Tool) {
		if offered, compiled := c.offered[d]; compiled && !offered {
			c.warn(m, diag.ToolUnoffered, d.Name.Span, "name it after tools, or write tools all", "no agent is offered the tool %q", d.Name.Name)
		}
	}
	for _, d := range m.File.Decls {
		switch {
		case d.Team != nil:
			for _, x := range d.Team.Members {
				if x.Tool != nil {
					look(x.Tool)
				}
			}
		case d.Workspace != nil:
			for _, x := range d.Workspace.Members {
				if x.Tool != nil {
					look(x.Tool)
				}
			}
		}
	}
}

// hears says whose messages reach whom.
func hears(p *runtime.Program) map[string]map[string]bool {
	from := map[string]map[string]bool{}
	for _, e := range p.Edges {
		if from[e.To] == nil {
			from[e.To] = map[string]bool{}
		}
		from[e.To][e.From] = true
	}
	return from
}

// readsAcrossEdges warns where a step's texts read a label of agents that the
// speaker does not hear: the template is an edge that the plan does not show.
func (c *Compiler) readsAcrossEdges(heard map[string]map[string]bool, u *unit) {
	for _, st := range u.team.steps {
		for _, a := range flatten(c, u.team.sc, st.decl.Attrs, attrChoice) {
			if a.Key.Name != "prompt" && a.Key.Name != "system" || a.Value == nil {
				continue
			}
			for _, name := range c.namesIn(a.Value) {
				other := u.team.stepNamed(name)
				if other == nil || other == st {
					continue
				}
				if reader, speaker, missing := unconnected(heard, st.who, other.who); missing {
					c.warn(u.team.sc.m, diag.ReadWithoutEdge, c.spanOf(a.Value, name), "write "+bareName(speaker)+" -> "+bareName(reader),
						"step %q reads what %s said in step %q, and no edge leads from there to %s", st.label, speaker, name, reader)
				}
			}
		}
	}
}

// unconnected finds a reader that hears none of the speakers.
func unconnected(heard map[string]map[string]bool, readers, speakers []string) (reader, speaker string, missing bool) {
	for _, r := range readers {
		reached := false
		for _, s := range speakers {
			if r == s || heard[r][s] {
				reached = true
			}
		}
		if !reached && len(speakers) > 0 {
			return r, speakers[0], true
		}
	}
	return "", "", false
}

func bareName(agent string) string {
	for i := range len(agent) {
		if agent[i] == '[' {
			return agent[:i]
		}
	}
	return agent
}

func (t *team) stepNamed(label string) *step {
	for _, st := range t.steps {
		if st.label == label {
			return st
		}
	}
	return nil
}

// unheard warns of prompts that place heard messages where none can arrive:
// no edge leads to the speaker and nobody speaks as the user.
func (c *Compiler) unheard(heard map[string]map[string]bool, p *runtime.Program, u *unit) {
	if saysAnything(p.Turns) {
		return
	}
	for _, st := range u.team.steps {
		for _, a := range flatten(c, u.team.sc, st.decl.Attrs, attrChoice) {
			if a.Value == nil || !contains(c.namesIn(a.Value), "heard") {
				continue
			}
			deaf := slices.DeleteFunc(slices.Clone(st.who), func(who string) bool { return len(heard[who]) > 0 })
			if len(deaf) > 0 && len(deaf) == len(st.who) { // in a graph some may have no neighbour
				c.warn(u.team.sc.m, diag.HeardEmpty, c.spanOf(a.Value, "heard"), "", "%s hears nobody, so heard is always empty here", deaf[0])
			}
		}
	}
}

func saysAnything(list []runtime.Stmt) bool {
	for i := range list {
		if list[i].Kind == runtime.SayStmt || saysAnything(list[i].Body) || saysAnything(list[i].Elses) {
			return true
		}
	}
	return false
}

// asURI turns the templates of a resource into URIs: what they put in is
// percent-encoded.
func asURI(src string) string {
	tree, err := eval.Parse(src)
	if err != nil {
		return src
	}
	if !encode(tree) {
		return src
	}
	return eval.Format(tree)
}

func encode(node exprast.Node) bool {
	switch n := node.(type) {
	case *exprast.CallNode:
		id, ok := n.Callee.(*exprast.IdentifierNode)
		if ok && id.Value == "render" {
			id.Value = "uri"
			return true
		}
	case *exprast.ConditionalNode:
		a, b := encode(n.Exp1), encode(n.Exp2)
		return a || b
	case *exprast.ArrayNode:
		changed := false
		for _, e := range n.Nodes {
			changed = encode(e) || changed
		}
		return changed
	}
	return false
}
