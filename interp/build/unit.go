package build

import (
	"slices"
	"strings"

	"parley/lang/ast"
	"parley/lang/diag"
	"parley/runtime"
	"parley/runtime/model"
)

// unit is one program while it is compiled: a team in a world, on tasks.
type unit struct {
	c       *Compiler
	team    *team
	world   *workspace
	tasks   *taskSet
	choice  *modelChoice
	vars    map[string]typ // the environment of program expressions
	tools   []runtime.Tool
	decls   []toolDecl // as many as tools
	offered map[string]bool

	anyReply   typ
	answer     typ
	result     typ            // what any tool returns
	returned   *typ           // what the tools compiled so far return
	agent      map[string]typ // fields of an agent
	agentNames []string
	call       typ // one tool call
	resource   typ // one element of a call's reads and writes
	steps      typ // the vocabulary of labels
	toolWords  typ // the vocabulary of tools
	standIn    *standIn
	models     map[string]model.Spec
	labels     map[string]bool // step label → is a list
}

// standIn says whose store and whose place a baseline's agents take.
type standIn struct {
	roster *roster // of the team they are compared with
	corpus []string
}

type toolDecl struct {
	decl *ast.Tool
	sc   scope
}

// program compiles a team in a world on tasks into what one arm does, without
// any attack.
func (c *Compiler) program(t *team, w *workspace, tasks *taskSet, choice *modelChoice, stand *standIn) (*runtime.Program, *unit) {
	u := &unit{
		c: c, team: t, world: w, tasks: tasks, choice: choice, standIn: stand,
		offered: map[string]bool{}, models: map[string]model.Spec{}, labels: map[string]bool{},
	}
	u.agentNames = t.roster.all()
	u.declareTools()
	u.environment()
	p := &runtime.Program{Edges: t.edges, Models: u.models}
	for _, m := range t.roster.agents {
		p.Agents = append(p.Agents, m.Agent)
	}
	for _, g := range t.roster.order {
		p.Groups = append(p.Groups, runtime.Group{Name: g, Members: t.roster.groups[g]})
	}
	u.compileAgents(p)
	turns := c.place(u, t.sc, programFunctions, u.vars)
	delete(turns.vars, "heard") // it is what an agent heard, and here nobody speaks
	b := &body{c: c, u: u, lets: map[string]bool{}}
	p.Turns = b.block(turns, t.turns.Body, "")
	if t.turns.Limit != nil {
		p.TurnLimit, _ = c.constantInt(t.sc, t.turns.Limit, "the limit of turns", 1)
	}
	p.Answer, u.answer, _ = c.expr(turns, t.answer, anyWanted, "the answer")
	u.compileTools()
	u.lay()
	p.Tools = u.tools
	p.World = u.compileWorld()
	for _, st := range t.steps {
		u.labels[st.label] = st.many
	}
	return p, u
}

// compileAgents compiles each declaration once; the members of a group share it.
func (u *unit) compileAgents(p *runtime.Program) {
	compiled := map[*ast.Agent]runtime.Attrs{}
	for i, m := range u.team.roster.agents {
		attrs, done := compiled[m.decl]
		if !done {
			attrs = u.c.attrs(u, u.c.place(u, m.sc, turnFunctions, u.vars), m.decl.Attrs, nil)
			compiled[m.decl] = attrs
			u.handsToItself(m)
		}
		attrs.Model = u.choice.of(u, m)
		p.Agents[i].Attrs = attrs
		p.Agents[i].Honest = true
	}
}

// handsToItself reports a single agent that names itself after handoff.
func (u *unit) handsToItself(m *member) {
	if !m.single() {
		return // other members of the group can be meant
	}
	for _, a := range flatten(u.c, m.sc, m.decl.Attrs, attrChoice) {
		if a.Key.Name != "handoff" {
			continue
		}
		for _, e := range a.Who {
			if e.Cooked == m.Name {
				u.c.fail(m.sc.m, diag.WrongValue, e.Span, "name the others", "%s cannot hand over to itself", m.Name)
			}
		}
	}
}

// declareTools lists the workspace's tools, then the team's own.
func (u *unit) declareTools() {
	seen := map[string]bool{}
	declare := func(sc scope, decls []*ast.Tool) {
		for _, d := range decls {
			name := d.Name.Name
			if seen[name] {
				u.c.fail(sc.m, diag.DeclaredTwice, d.Name.Span, "", "a tool named %q exists already", name)
				continue
			}
			if reservedTools[name] || taken(name) || strings.HasPrefix(name, runtime.HandoffPrefix) {
				u.c.fail(sc.m, diag.NameTaken, d.Name.Span, "", "%q cannot be the name of a tool", name)
				continue
			}
			seen[name] = true
			params, _ := u.c.fieldShapes(sc, d.Params, u.team.groupMembers())
			u.tools = append(u.tools, runtime.Tool{Name: name, About: u.c.aboutTool(sc, d), Params: params, Class: classOf(d)})
			u.decls = append(u.decls, toolDecl{d, sc})
		}
	}
	declare(u.world.sc, u.world.tools)
	declare(u.team.sc, u.team.tools)
}

func (c *Compiler) aboutTool(sc scope, d *ast.Tool) string {
	if d.About == nil {
		return d.Doc
	}
	about, _ := c.constantText(sc, d.About, "a tool's about")
	return about
}

// reservedTools are the words that stand for tools of a class.
var reservedTools = set("read", "write", "all", "none", "own")

func (u *unit) hasTool(name string) bool { return u.toolNamed(name) != nil }

func (u *unit) toolNamed(name string) *runtime.Tool {
	for i := range u.tools {
		if u.tools[i].Name == name {
			return &u.tools[i]
		}
	}
	return nil
}

// compileTools compiles bodies and resources.
func (u *unit) compileTools() {
	for i := range u.tools {
		u.compileTool(i)
	}
	if u.returned != nil {
		u.result = optional(*u.returned)
	}
}

// compileTool compiles one tool's body and resources, and joins what it returns
// to what the others do.
func (u *unit) compileTool(i int) {
	t, d := &u.tools[i], u.decls[i]
	p := u.c.place(u, d.sc, toolFunctions, u.vars)
	p.vars["args"] = recordOf("set of arguments", argTypes(t.Params))
	p.vars["agent"] = agentType
	p.vars["self"] = agentType
	delete(p.vars, "heard")
	for _, f := range t.Params {
		if toolReserved[f.Name] {
			u.c.fail(d.sc.m, diag.NameTaken, paramSpan(d.decl, f.Name), "", "%q cannot be the name of an argument: it has a meaning of its own here", f.Name)
		}
		if _, known := p.vars[f.Name]; known && labelled(d.decl.Body) {
			u.c.fail(d.sc.m, diag.NameTaken, paramSpan(d.decl, f.Name), "", "%q already means something in the steps of this tool", f.Name)
		}
		p.vars[f.Name] = shapeType(f.Shape)
	}
	b := &body{c: u.c, u: u, tool: true, team: slices.Contains(u.team.tools, d.decl), lets: map[string]bool{}}
	t.Body = b.block(p, d.decl.Body, "")
	header := p.fork()
	header.vars["result"] = openType
	if b.returns > 0 {
		header.vars["result"] = b.returned
		returned := b.returned
		if u.returned != nil {
			returned = either(*u.returned, b.returned)
		}
		u.returned = &returned
	}
	t.Reads = u.resources(header, d.decl.Reads)
	t.Writes = u.resources(header, d.decl.Writes)
}

// labelled reports whether steps stand in a body.
func labelled(list []*ast.Stmt) bool {
	labels := map[string]bool{}
	labelsIn(list, labels)
	return len(labels) > 0
}

// toolReserved are the names that a tool's arguments may not hide.
var toolReserved = set("task", "args", "agent", "result", "state", "files", "mails", "pages", "hole", "self", "true", "false", "nil", "let", "if", "in", "and", "or", "not")

func paramSpan(d *ast.Tool, name string) ast.Span {
	for _, p := range d.Params {
		if p.Name.Name == name {
			return p.Name.Span
		}
	}
	return d.Name.Span
}

// resources compiles URIs: what they interpolate is percent-encoded.
func (u *unit) resources(p place, list []*ast.Expr) []runtime.Expr {
	var out []runtime.Expr
	for _, e := range list {
		x, _, ok := u.c.expr(p, e, wantURIs, "a resource")
		if ok {
			x.Src = asURI(x.Src)
			out = append(out, x)
		}
	}
	return out
}

// stepOf is what is known of a step before it is compiled; nil where expanding
// the team refused it.
func (u *unit) stepOf(decl *ast.Step) *step {
	for _, st := range u.team.steps {
		if st.decl == decl {
			return st
		}
	}
	return nil
}
