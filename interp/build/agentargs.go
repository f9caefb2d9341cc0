package build

import (
	"fmt"
	"slices"
	"strings"

	"parley/interp/typing"
	"parley/lang/ast"
	"parley/lang/diag"
	"parley/runtime/eval"
	"parley/runtime/shape"
)

// eachAgent visits the agents of a parameter's value, in order.
func eachAgent(v any, visit func(*member)) {
	switch x := v.(type) {
	case agentRef:
		visit(x.m)
	case eval.Group:
		for _, e := range x.Members {
			eachAgent(e, visit)
		}
	case []any:
		for _, e := range x {
			eachAgent(e, visit)
		}
	case map[string]any:
		for _, k := range keysOf(x) {
			eachAgent(x[k], visit)
		}
	}
}

// agentValue fits a value to a type that names agents, or says in what it does not.
func agentValue(v any, p *ast.Param, s shape.Shape) (any, string) {
	if !isGroupType(p.Type) {
		fitted, why := fit(spread(v, s), s)
		if why == "" && !allAgents(fitted, s) {
			why = "must name agents themselves, not a text with the name of one"
		}
		return fitted, why
	}
	if v == nil {
		return fit(v, s)
	}
	names, _, ok := agentNames(v)
	g := eval.Group{Name: p.Name.Name}
	seen := map[*member]bool{}
	eachAgent(v, func(m *member) {
		if !seen[m] {
			seen[m] = true
			g.Members = append(g.Members, agentRef{m})
		}
	})
	if list, isList := v.([]any); isList && len(list) == 0 {
		return nil, "must name at least one agent, and it names none"
	}
	if !ok || len(names) == 0 {
		return nil, "must be a set of agents, or a list of sets and agents, and it is " + nameValue(v)
	}
	return g, ""
}

// readAgents reads agents from the command line: names of sets of the main file, as
// an argument would be written.
func (c *Compiler) readAgents(text string, p *ast.Param, s shape.Shape) (any, string) {
	misfit := "must be a set of agents of the file, and it is " + nameValue(text)
	e := &ast.Expr{Text: text, Cooked: text}
	if _, err := eval.Parse(text); err != nil {
		return nil, misfit
	}
	var v any
	here := scope{m: c.prog.Main, params: map[string]param{}}
	if !c.attempt(func() { v, _ = c.constantNaming(here, e, "it", c.reachOf(here, []*ast.Expr{e})) }) {
		return nil, misfit
	}
	return agentValue(v, p, s)
}

// displayAgents writes agents for people: a set that is there whole by its name.
func displayAgents(v any, many bool) string {
	var names []string
	var set *agentSet
	eachAgent(v, func(m *member) { names, set = append(names, m.Name), m.set })
	switch {
	case set != nil && slices.Equal(names, agentsIn(set.value)):
		return set.name
	case !many:
		return names[0]
	}
	return "[" + strings.Join(names, ", ") + "]"
}

// spread puts the members of sets into the lists of agents that they stand in.
func spread(v any, s shape.Shape) any {
	switch {
	case s.Kind == shape.List && s.Elem.Kind == shape.Agent:
		if _, _, agents := agentNames(v); !agents {
			return v
		}
		out := []any{}
		eachAgent(v, func(m *member) { out = append(out, agentRef{m}) })
		return out
	case s.Kind == shape.List:
		if list, ok := v.([]any); ok {
			out := make([]any, len(list))
			for i, e := range list {
				out[i] = spread(e, *s.Elem)
			}
			return out
		}
	case s.Kind == shape.Record:
		if fields, ok := v.(map[string]any); ok {
			out := make(map[string]any, len(fields))
			for name, e := range fields {
				out[name] = e
				if f := fieldNamed(s.Fields, name); f != nil {
					out[name] = spread(e, f.Shape)
				}
			}
			return out
		}
	}
	return v
}

// allAgents reports that agents stand wherever the shape has them.
func allAgents(v any, s shape.Shape) bool {
	switch x := v.(type) {
	case string:
		return s.Kind != shape.Agent
	case []any:
		for _, e := range x {
			if s.Elem != nil && !allAgents(e, *s.Elem) {
				return false
			}
		}
	case map[string]any:
		for _, f := range s.Fields {
			if !allAgents(x[f.Name], f.Shape) {
				return false
			}
		}
	}
	return true
}

// defaultOf works out a parameter's default, which may name agents.
func (c *Compiler) defaultOf(sc scope, p *ast.Param, s shape.Shape) (any, bool) {
	what := fmt.Sprintf("the default of %q", p.Name.Name)
	if !namesAgents(p.Type) {
		return c.constantAs(sc, p.Default, s, what)
	}
	v, ok := c.constantNaming(sc, p.Default, what, c.reachOf(sc, []*ast.Expr{p.Default}))
	if !ok {
		return nil, false
	}
	v, why := agentValue(v, p, s)
	if why != "" {
		c.fail(sc.m, diag.WrongValue, p.Default.Span, "", "%s %s", what, why)
		return nil, false
	}
	return v, true
}

// typ is the type of the parameter where expressions of a run read it, and said is
// its value as they write it: agents by their names, `agents` by the name of the
// group that they are. Agents that are no group of the team are a list; ok is false
// where some of them are not in the team at all.
func (p param) typ(u *unit) (t typ, said any, ok bool) {
	if !p.who || u == nil {
		return shapeType(p.shape), p.value, !p.who
	}
	r, here := u.team.roster, true
	eachAgent(p.value, func(m *member) { here = here && r.byName[m.Name] != nil })
	switch v := p.value.(type) {
	case agentRef:
		return agentType, typing.Name(v.m.Name), here
	case eval.Group:
		if name := r.groupOf(v); name != "" {
			return typing.GroupOf(name, len(v.Members)), typing.Name(name), true
		}
		t = listOf(agentType)
		t.Why = "these agents are no group of the team, so their places do not count from 1"
		return t, written(v.Members), here
	}
	return withAgents(shapeType(p.shape), p.shape), written(p.value), here
}

// withAgents is the type of a shape in which agents are agents, not their names.
func withAgents(t typ, s shape.Shape) typ {
	switch s.Kind {
	case shape.Agent:
		t = agentType
		t.Optional = s.Optional
	case shape.List:
		elem := withAgents(shapeType(*s.Elem), *s.Elem)
		t.Elem = &elem
	case shape.Record:
		for _, f := range s.Fields {
			t.Fields[f.Name] = withAgents(t.Fields[f.Name], f.Shape)
		}
	}
	return t
}

// written puts agents' names into a value.
func written(v any) any {
	switch x := v.(type) {
	case agentRef:
		return typing.Name(x.m.Name)
	case []any:
		out := make([]any, len(x))
		for i, e := range x {
			out[i] = written(e)
		}
		return out
	case map[string]any:
		out := make(map[string]any, len(x))
		for k, e := range x {
			out[k] = written(e)
		}
		return out
	}
	return v
}

// groupOf is the name of a group of just these members, the given one's if it is
// one; empty: none.
func (r *roster) groupOf(g eval.Group) string {
	want := agentsIn(g)
	if slices.Equal(r.groups[g.Name], want) {
		return g.Name
	}
	for _, other := range r.order {
		if slices.Equal(r.groups[other], want) {
			return other
		}
	}
	return ""
}
