package build

import (
	"parley/interp/load"
	"parley/lang/ast"
	"parley/lang/diag"
	"parley/runtime"
	"parley/runtime/model"
)

// defenseChoice is a defense clause and where it stands.
type defenseChoice struct {
	sc   scope
	use  *ast.DefenseUse
	from string // scenario, experiment, test, sweep
}

// defense is one defense with its parameters bound and its choices taken, before
// it is compiled for a team.
type defense struct {
	sc      scope
	from    scope // where it is used
	item    *ast.DefenseItem
	name    string
	display string
	decl    *ast.Defense
	agents  []*ast.Agent
	texts   []*ast.Patch
	hooks   []*ast.Hook
}

// armed is a defense as compiled for one program, and what the simulator can make
// of it.
type armed struct {
	runtime.Defense
	acts   bool     // it stops, withholds or takes away something, and does not only add words
	asked  []asked  // its agents' steps
	people []string // who has to approve
	unit   *unit    // of its agents
}

// defenses expands a defense clause; none for the word none, or no clause.
func (c *Compiler) defenses(choice *defenseChoice) ([]*defense, bool) {
	if choice == nil || choice.use == nil {
		return nil, true
	}
	var out []*defense
	ok := true
	for _, item := range choice.use.Items {
		d := c.defenseOf(choice.sc, item)
		ok = ok && d != nil
		if d != nil {
			out = append(out, d)
		}
	}
	return out, ok
}

func (c *Compiler) defenseOf(from scope, item *ast.DefenseItem) *defense {
	m, decl := c.find(from.m, load.Defense, item.Ref.Path)
	if decl == nil {
		return nil
	}
	sc, ok := c.bind(m, "defense "+refName(item.Ref), decl.Defense.Params, from, item.Ref)
	if !ok {
		return nil
	}
	d := c.expandDefense(sc, decl.Defense)
	d.from, d.item, d.display = from, item, displayRef(item.Ref, sc)
	return d
}

func (c *Compiler) expandDefense(sc scope, decl *ast.Defense) *defense {
	c.unused(sc.m, "defense "+decl.Name.Name, decl.Params, decl.Members)
	d := &defense{sc: sc, name: decl.Name.Name, display: decl.Name.Name, decl: decl}
	for _, m := range flatten(c, sc, decl.Members, func(m *ast.DefenseMember) *ast.If[ast.DefenseMember] { return m.If }) {
		switch {
		case m.About != nil:
			c.constantText(sc, m.About, "what a defense is about")
		case m.Agent != nil:
			d.agents = append(d.agents, m.Agent)
		case m.Patch != nil:
			d.texts = append(d.texts, m.Patch)
		case m.Hook != nil:
			d.hooks = append(d.hooks, m.Hook)
		}
	}
	if len(d.texts)+len(d.hooks) == 0 {
		c.warn(sc.m, diag.AttackHasNoPatch, decl.Name.Span, "", "the defense %q does nothing", d.name)
	}
	return d
}

// arm compiles a defense for the program of a unit.
func (c *Compiler) arm(u *unit, d *defense) (*armed, bool) {
	covered, ok := c.guardedBy(u, d)
	if !ok {
		return nil, false
	}
	g, ok := c.guardUnit(u, d)
	if !ok {
		return nil, false
	}
	out := &armed{unit: g}
	out.Name = d.display
	before := len(c.diags) + c.muted
	c.guardAgents(g, out)
	for _, p := range d.texts {
		if text, good := c.guardText(g, d, p, covered); good {
			out.Texts = append(out.Texts, text)
		}
	}
	for i, h := range d.hooks {
		out.Hooks = append(out.Hooks, c.hook(g, d, h, covered, i, out))
	}
	return out, len(c.diags)+c.muted == before
}

// guardedBy are the agents that a defense guards: those after `on`, or all. A
// single agent that stands in for a team is guarded whole.
func (c *Compiler) guardedBy(u *unit, d *defense) ([]string, bool) {
	if d.item == nil || d.item.On == nil || u.standIn != nil {
		return u.team.roster.all(), true
	}
	names, _, ok := c.pick(d.from, u.team.roster, d.item.On, "on")
	return names, ok
}

// guardUnit is the unit in which a defense is compiled: the team of its own agents,
// who see what the guarded team's program does, but not what a defense could not
// know: whom the attack has reached.
func (c *Compiler) guardUnit(u *unit, d *defense) (*unit, bool) {
	g := *u
	t := &team{sc: d.sc, name: d.name, roster: c.roster(d.sc, d.agents), labels: map[string]bool{}}
	clean := true
	for _, m := range t.roster.agents {
		m.Role = runtime.GuardRole
	}
	for _, name := range t.roster.names() {
		if u.team.roster.taken(name) || u.team.labels[name] {
			c.fail(d.sc.m, diag.NameTaken, d.decl.Name.Span, "give it another name", "the agent %q of the defense %q has the name of something in the team", name, d.name)
			clean = false
		}
	}
	for _, h := range d.hooks {
		labelsIn(h.Body, t.labels)
		stepsIn(h.Body, func(s *ast.Step) {
			for _, n := range c.namesIn(s.Who) {
				if u.team.roster.taken(n) && !t.roster.taken(n) {
					c.fail(d.sc.m, diag.NotHere, s.Who.Span, "", "the steps of a defense are its own agents', and %q is the team's", n)
					clean = false
				}
			}
		})
	}
	if !clean {
		return nil, false
	}
	for _, h := range d.hooks {
		c.collectSteps(t, h.Body, map[string]bool{})
	}
	for _, st := range t.steps {
		if u.team.roster.taken(st.label) || u.team.labels[st.label] {
			c.fail(d.sc.m, diag.NameTaken, st.decl.Label.Span, "", "%q cannot label a step: it is already the name of something in the team", st.label)
			clean = false
		}
	}
	g.team, g.tools, g.decls, g.labels, g.standIn = t, nil, nil, map[string]bool{}, nil
	g.models = map[string]model.Spec{}
	g.offered = map[string]bool{}
	g.agentNames = append(append([]string(nil), u.agentNames...), t.roster.all()...)
	g.agent = copyVars(u.agent, nil)
	delete(g.agent, "honest")
	g.vars = copyVars(u.vars, nil)
	delete(g.vars, "heard")
	g.addTeam(g.vars)
	return &g, clean && !t.broken
}

// stepsIn visits the steps of a body.
func stepsIn(body []*ast.Stmt, visit func(*ast.Step)) {
	for _, s := range body {
		switch {
		case s.Step != nil:
			visit(s.Step)
		case s.Repeat != nil:
			stepsIn(s.Repeat.Body, visit)
		case s.For != nil:
			stepsIn(s.For.Body, visit)
		case s.If != nil:
			stepsIn(s.If.Then, visit)
			stepsIn(s.If.Else, visit)
		}
	}
}

// guardAgents compiles the agents of a defense.
func (c *Compiler) guardAgents(g *unit, out *armed) {
	for _, name := range g.team.roster.order {
		out.Groups = append(out.Groups, runtime.Group{Name: name, Members: g.team.roster.groups[name]})
	}
	for _, m := range g.team.roster.agents {
		a := m.Agent
		a.Attrs = c.attrs(g, c.place(g, g.team.sc, hookFunctions, g.vars), m.decl.Attrs, nil)
		c.noTools(g.team.sc, m.decl.Attrs)
		a.Attrs.Model = g.choice.of(g, m)
		a.Honest = true
		out.Agents = append(out.Agents, a)
	}
}

// noTools refuses tools: guards judge, and do not act on the world.
func (c *Compiler) noTools(sc scope, attrs []*ast.Attr) {
	for _, a := range flatten(c, sc, attrs, attrChoice) {
		if a.Key.Name == "tools" {
			c.fail(sc.m, diag.NotHere, a.Span, "", "an agent of a defense has no tools")
		}
	}
}

// guardText compiles a text that a defense puts before agents.
func (c *Compiler) guardText(g *unit, d *defense, p *ast.Patch, covered []string) (out runtime.GuardText, ok bool) {
	m, op := d.sc.m, p.Op.Name
	slot := ""
	if p.Slot.Head.Name == "agent" && p.Slot.Arg == nil && p.Slot.Edge == nil && len(p.Slot.Path) == 1 {
		slot = p.Slot.Path[0].Name
	}
	kind := map[string]runtime.SlotKind{"system": runtime.SlotSystem, "prompt": runtime.SlotPrompt}[slot]
	switch {
	case kind == "":
		c.fail(m, diag.NoSuchSlot, p.Slot.Span, "hooks look at everything else", "a defense puts texts at agent.system and agent.prompt")
		return out, false
	case p.Call != nil || p.Value == nil:
		c.fail(m, diag.OperationSlot, p.Op.Span, "write "+op+" agent.system with \"…\"", "a text is due here")
		return out, false
	}
	where := c.place(g, d.sc, hookFunctions, g.vars)
	where.vars["self"], where.vars["step"], where.vars["heard"] = agentType, g.steps, listOf(g.messageType())
	out = runtime.GuardText{Op: op, Slot: kind, Agents: covered}
	out.Value, _, ok = c.expr(where, p.Value, wantText, "what the defense puts there")
	if p.When != nil {
		var good bool
		out.When, _, good = c.expr(where, p.When, wantBool, "when")
		ok = ok && good
	}
	return out, ok
}
