package build

import (
	"maps"

	"parley/lang/ast"
	"parley/lang/diag"
	"parley/runtime"
)

// twin is an agent that an attack adds beside another.
type twin struct {
	agent runtime.Agent // its attributes are those in which it differs
	like  string
}

// addTool compiles a tool that an attack adds. The unit knows it from then on, so
// that obeying, scripts and predicates can name it.
func (c *Compiler) addTool(u *unit, a *attack, d *ast.Tool, set *patchSet, id string, out *runtime.Patch) bool {
	m, name := a.sc.m, d.Name.Name
	if u.hasTool(name) {
		c.fail(m, diag.DeclaredTwice, d.Name.Span, "", "a tool named %q exists already", name)
		return false
	}
	if reservedTools[name] || taken(name) {
		c.fail(m, diag.NameTaken, d.Name.Span, "", "%q cannot be the name of a tool", name)
		return false
	}
	offered := u.team.roster.all()
	if len(a.targets) > 0 && u.standIn == nil {
		offered, a.hit = a.targets, true
	}
	params, _ := c.fieldShapes(a.sc, d.Params, u.team.groupMembers())
	u.tools = append(u.tools[:len(u.tools):len(u.tools)], runtime.Tool{
		Name: name, About: c.aboutTool(a.sc, d), Params: params, Class: classOf(d), Payload: id, For: offered,
	})
	u.decls = append(u.decls[:len(u.decls):len(u.decls)], toolDecl{d, a.sc})
	u.offered[name] = true
	u.compileTool(len(u.tools) - 1)
	if u.returned != nil {
		u.result = optional(*u.returned)
	}
	u.lay()
	set.tools = append(set.tools, u.tools[len(u.tools)-1])
	out.Name, out.Agents = name, nil
	return true
}

// addAgent compiles a twin. The unit knows its name from then on; the group of
// its model does not, so that what a score counts stays what it was.
func (c *Compiler) addAgent(u *unit, a *attack, d *ast.AddAgent, set *patchSet, id string, out *runtime.Patch) bool {
	m, name := a.sc.m, d.Name.Name
	like, ok := c.modelOfTwin(u, a, d)
	if !ok {
		return false
	}
	if _, param := a.sc.params[name]; param || u.team.roster.taken(name) || taken(name) || u.labels[name] {
		c.fail(m, diag.NameTaken, d.Name.Span, "", "%q is the name of something else already", name)
		return false
	}
	knows := u.models
	u.models = set.models // whatever model a twin has is no part of the team
	attrs := c.attrs(u, c.place(u, a.sc, turnFunctions, u.vars), d.Attrs, nil)
	attrs.Model = ""
	for _, x := range flatten(c, a.sc, d.Attrs, attrChoice) {
		switch x.Key.Name {
		case "model":
			if spec, ok := c.modelNamed(m, x.Word); ok {
				attrs.Model = u.know(spec)
			}
		case "role":
			c.fail(m, diag.NotHere, x.Span, "", "a twin has no role of its own")
			ok = false
		}
	}
	u.models = knows
	model := u.team.roster.byName[like]
	agent := runtime.Agent{
		Name: name, Group: model.Group, Index: len(u.team.roster.groups[model.Group]) + 1, About: model.About, Like: like, Attrs: attrs,
	}
	if !attrs.System.Absent() {
		set.add(a, id, runtime.Patch{Op: "replace", Slot: runtime.SlotSystem, Agents: []string{name}, Value: attrs.System})
		agent.Attrs.System = runtime.Expr{}
	}
	set.twins = append(set.twins, twin{agent: agent, like: like})
	u.meet(agent, model.decl)
	out.Name, out.Agents = name, []string{name}
	return ok
}

// modelOfTwin is whom a twin is like: one agent that leads nobody.
func (c *Compiler) modelOfTwin(u *unit, a *attack, d *ast.AddAgent) (string, bool) {
	m := a.sc.m
	names := a.targets
	if d.Like.Cooked == "agent" {
		if !a.aimed(c, d.Like.Span, "whose twin is added") {
			return "", false
		}
		a.hit = true
	} else {
		var ok bool
		if names, _, ok = c.pick(a.sc, u.team.roster, d.Like, "like"); !ok {
			return "", false
		}
	}
	if len(names) != 1 {
		c.fail(m, diag.WrongValue, d.Like.Span, "", "a twin is like one agent, and this names %d", len(names))
		return "", false
	}
	if u.team.roster.byName[names[0]].Role == "orchestrator" {
		c.fail(m, diag.LevelMismatch, d.Like.Span, "", "a twin joins the agents of L2, and %s is the orchestrator", names[0])
		return "", false
	}
	return names[0], true
}

// meet makes an added agent known to the unit: other units of its team do not
// know it.
func (u *unit) meet(agent runtime.Agent, decl *ast.Agent) {
	t, r := *u.team, *u.team.roster
	agent.Group = ""
	r.agents = append(r.agents[:len(r.agents):len(r.agents)], &member{Agent: agent, decl: decl, sc: u.team.sc})
	r.byName = make(map[string]*member, len(u.team.roster.byName)+1)
	for name, m := range u.team.roster.byName {
		r.byName[name] = m
	}
	r.byName[agent.Name] = r.agents[len(r.agents)-1]
	t.roster = &r
	u.team = &t
	u.agentNames = r.all()
	u.lay()
}

// join puts an attack's tools, models and twins into a program that is a copy.
func (s *patchSet) join(p *runtime.Program) {
	p.Tools = append(p.Tools[:len(p.Tools):len(p.Tools)], s.tools...)
	if len(s.models) > 0 {
		own := p.Models
		p.Models = maps.Clone(s.models)
		maps.Copy(p.Models, own)
	}
	for _, t := range s.twins {
		t.join(p)
	}
}

// join puts a twin right after its model, into its groups, onto its edges and
// beside its store.
func (t twin) join(p *runtime.Program) {
	i := 0
	for p.Agents[i].Name != t.like {
		i++
	}
	agent := t.agent
	agent.Attrs = over(p.Agents[i].Attrs, t.agent.Attrs)
	p.Agents = append(p.Agents[:i+1:i+1], append([]runtime.Agent{agent}, p.Agents[i+1:]...)...)
	p.Groups = append([]runtime.Group(nil), p.Groups...)
	var group []string
	for k := range p.Groups {
		if g := &p.Groups[k]; contains(g.Members, t.like) {
			group = append(group[:len(group):len(group)], g.Members...)
			g.Members = append(g.Members[:len(g.Members):len(g.Members)], agent.Name)
		}
	}
	p.Edges = t.edges(p.Edges, group)
	p.World.Corpus = append([]runtime.Corpus(nil), p.World.Corpus...)
	for k := range p.World.Corpus {
		if c := &p.World.Corpus[k]; contains(c.Owners, t.like) {
			c.Owners = append(c.Owners[:len(c.Owners):len(c.Owners)], agent.Name)
		}
	}
}

// edges gives a twin its model's edges, and one with its model where members of
// their groups hear each other.
func (t twin) edges(team []runtime.Edge, group []string) []runtime.Edge {
	g := newEdges()
	for _, e := range team {
		g.add(e.From, e.To)
	}
	for _, e := range team {
		switch {
		case e.From == t.like:
			g.add(t.agent.Name, e.To)
			if contains(group, e.To) {
				g.add(t.like, t.agent.Name)
			}
		case e.To == t.like:
			g.add(e.From, t.agent.Name)
			if contains(group, e.From) {
				g.add(t.agent.Name, t.like)
			}
		}
	}
	return g.list
}

// over are attributes with those of another set in their place where it has some.
func over(base, own runtime.Attrs) runtime.Attrs {
	out := base
	if own.Model != "" {
		out.Model = own.Model
	}
	if own.Temperature != nil {
		out.Temperature = own.Temperature
	}
	if own.MaxTokens != 0 {
		out.MaxTokens = own.MaxTokens
	}
	if !own.Prompt.Absent() {
		out.Prompt = own.Prompt
	}
	if own.Tools != nil {
		out.Tools = own.Tools
	}
	if own.Replies != nil {
		out.Replies = own.Replies
	}
	if own.Remembers != nil {
		out.Remembers = own.Remembers
	}
	if own.Shares != "" {
		out.Shares = own.Shares
	}
	if !own.Where.Absent() {
		out.Where, out.Try = own.Where, own.Try
	}
	return out
}
