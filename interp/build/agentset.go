package build

import (
	"fmt"
	"slices"

	"parley/interp/load"
	"parley/lang/ast"
	"parley/lang/diag"
	"parley/runtime/eval"
)

// agentSet is a declared set of agents, with its groups numbered. It is made
// once, so that equal arguments name the same agents.
type agentSet struct {
	name   string
	m      *load.Module
	roster *roster
	value  eval.Group // all its agents, as static expressions see them
	stands bool       // it stands in for a set that a team is looked at without
}

// agentSet expands a declared set; nil where something in it is wrong.
func (c *Compiler) agentSet(m *load.Module, decl *ast.AgentSet) *agentSet {
	if set, done := c.agents[decl]; done {
		return set
	}
	c.agents[decl] = nil
	name := decl.Name.Name
	if taken(name) {
		c.fail(m, diag.NameTaken, decl.Name.Span, "", "%q cannot be the name of a set of agents: %s", name, takenWhy(name))
		return nil
	}
	if len(decl.Agents) == 0 {
		c.fail(m, diag.ClauseMissing, decl.Name.Span, "declare one: agent reader { … }", "the set %q has no agents", name)
		return nil
	}
	for _, a := range decl.Agents {
		if a.Name.Name == name {
			c.fail(m, diag.NameTaken, a.Name.Span, "", "%q is the name of the set already", name)
			return nil
		}
	}
	set := &agentSet{name: name, m: m, value: eval.Group{Name: name}}
	set.roster = c.roster(scope{m: m, params: map[string]param{}}, decl.Agents)
	for i, a := range set.roster.agents {
		a.set = set
		if a.single() {
			a.Group, a.Index = name, i+1
		}
		set.value.Members = append(set.value.Members, agentRef{a})
	}
	c.agents[decl] = set
	return set
}

// group is a numbered group inside of the set.
func (s *agentSet) group(name string) eval.Group {
	g := eval.Group{Name: name}
	for _, n := range s.roster.groups[name] {
		g.Members = append(g.Members, agentRef{s.roster.byName[n]})
	}
	return g
}

// joinSets brings the agents that a team's arguments name into the team, after
// its own: each once, in the order of the parameters. Sets, their groups and the
// parameters are groups of the team, so groups may overlap.
func (c *Compiler) joinSets(t *team) bool {
	by := map[*agentSet]*ast.Param{} // which parameter brought a set first
	for _, p := range t.decl.Params {
		bound := t.sc.params[p.Name.Name]
		if !bound.who {
			continue
		}
		var here []*member
		eachAgent(bound.value, func(m *member) { here = append(here, m) })
		for _, m := range here {
			if by[m.set] == nil {
				by[m.set] = p
			}
			if !c.joinAgent(t, p, m) {
				return false
			}
		}
		switch v := bound.value.(type) {
		case agentRef:
			if t.roster.alias == nil {
				t.roster.alias = map[string]string{}
			}
			t.roster.alias[p.Name.Name] = v.m.Name
		case eval.Group:
			t.roster.addGroup(p.Name.Name, v)
		}
	}
	return c.joinGroups(t, by)
}

// joinAgent adds one agent of a set, if it is not there yet.
func (c *Compiler) joinAgent(t *team, p *ast.Param, m *member) bool {
	if there := t.roster.byName[m.Name]; there != nil && there.set == m.set {
		return true
	}
	if len(t.roster.agents) >= MaxAgents {
		c.fail(t.sc.m, diag.PlanTooLarge, p.Span, "", "a team has at most %d agents", MaxAgents)
		return false
	}
	name := m.Name
	if !m.single() {
		name = m.Group
	}
	if why := t.nameOf(name, m.set); why != "" && !m.set.stands {
		c.fail(t.from, diag.NameTaken, t.argument(p), "rename one of the two", "the agent %q of the set %q cannot join the team %q: %s of that name", name, m.set.name, t.name, why)
		return false
	}
	joined := *m
	t.roster.add(&joined)
	return true
}

// joinGroups makes groups of the sets, and of the groups inside of them, that take
// part whole: of others, the places of their members would be in doubt.
func (c *Compiler) joinGroups(t *team, by map[*agentSet]*ast.Param) bool {
	seen := map[*agentSet]bool{}
	for _, m := range t.roster.agents {
		if m.set == nil || m.set.stands || seen[m.set] {
			continue
		}
		seen[m.set] = true
		at := t.argument(by[m.set])
		for _, inner := range m.set.roster.order {
			g := m.set.group(inner)
			some := slices.ContainsFunc(agentsIn(g), func(n string) bool { return t.roster.byName[n] != nil })
			if some && !t.roster.whole(g) {
				c.fail(t.from, diag.WrongValue, at, fmt.Sprintf("pass all of %s", inner), "only a part of the group %q of the set %q takes part in the team %q", inner, m.set.name, t.name)
				return false
			}
			if some {
				t.roster.addGroup(inner, g)
			}
		}
		if !t.roster.whole(m.set.value) {
			if t.roster.parts == nil {
				t.roster.parts = map[string]bool{}
			}
			t.roster.parts[m.set.name] = true
			continue
		}
		if other, clash := t.roster.groups[m.set.name]; clash && slices.Equal(other, agentsIn(m.set.value)) {
			continue // the parameter has the set's name
		}
		if why := t.nameOf(m.set.name, nil); why != "" {
			c.fail(t.from, diag.NameTaken, at, "rename one of the two", "the set %q cannot join the team %q: %s of that name", m.set.name, t.name, why)
			return false
		}
		t.roster.addGroup(m.set.name, m.set.value)
	}
	return true
}

// argument is where a parameter's argument stands.
func (t *team) argument(p *ast.Param) ast.Span {
	for _, a := range t.ref.Args {
		if a.Name != nil && a.Name.Name == p.Name.Name {
			return a.Span
		}
	}
	return t.ref.Span
}

// nameOf says what a name is in the team already; empty: nothing. The names of
// from itself do not count.
func (t *team) nameOf(name string, from *agentSet) string {
	for _, m := range t.roster.agents {
		if m.Name != name && (m.single() || m.Group != name) {
			continue
		}
		switch {
		case m.set == nil:
			return "the team has an agent"
		case m.set != from:
			return fmt.Sprintf("the set %q has an agent", m.set.name)
		}
	}
	if _, param := t.sc.params[name]; param {
		return "the team has a parameter"
	}
	if t.roster.groups[name] != nil && from == nil {
		return "there is a group"
	}
	if t.bound[name] {
		return "its turns have a label or a variable"
	}
	return ""
}

func (r *roster) addGroup(name string, g eval.Group) {
	r.groups[name] = agentsIn(g)
	r.order = append(r.order, name)
}

// whole reports that all members of a group are in the team.
func (r *roster) whole(g eval.Group) bool {
	for _, n := range agentsIn(g) {
		if r.byName[n] == nil {
			return false
		}
	}
	return true
}

// agentsIn are the names of a group's members.
func agentsIn(g eval.Group) []string {
	names := make([]string, len(g.Members))
	for i, m := range g.Members {
		names[i] = m.(agentRef).m.Name
	}
	return names
}

// boundIn collects the labels, loop variables and let names of a turn program.
func boundIn(body []*ast.Stmt, names map[string]bool) {
	for _, s := range body {
		switch {
		case s.Step != nil:
			names[s.Step.Label.Name] = true
		case s.Let != nil:
			names[s.Let.Name.Name] = true
		case s.Repeat != nil:
			boundIn(s.Repeat.Body, names)
		case s.For != nil:
			names[s.For.Var.Name] = true
			boundIn(s.For.Body, names)
		case s.If != nil:
			boundIn(s.If.Then, names)
			boundIn(s.If.Else, names)
		}
	}
}
