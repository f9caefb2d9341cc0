package build

import (
	"fmt"
	"slices"

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
	seen := map[string]bool{}
	eachAgent(v, func(m *member) {
		if !seen[m.Name] {
			seen[m.Name] = true
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

// typ is the type of the parameter where expressions of a run read it.
func (p param) typ() typ {
	switch v := p.value.(type) {
	case agentRef:
		return agentType
	case eval.Group:
		return typing.GroupOf(v.Name, len(v.Members))
	}
	if p.who {
		return withAgents(shapeType(p.shape), p.shape)
	}
	return shapeType(p.shape)
}

// withAgents is the type of a shape in which agents are agents, not their names.
func withAgents(t typ, s shape.Shape) typ {
	switch s.Kind {
	case shape.Agent:
		out := agentType
		out.Optional = s.Optional
		return out
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

// literals are the values of parameters as expressions of a run write them:
// agents by their names, `agents` by the name of the group that they are.
func (p place) literals() map[string]any {
	vars := p.sc.values()
	for name, param := range p.sc.params {
		if !param.who {
			continue
		}
		if g, ok := param.value.(eval.Group); ok {
			delete(vars, name)
			if p.u != nil {
				if group := p.u.team.roster.groupOf(name, g); group != "" {
					vars[name] = typing.Name(group)
				}
			}
			continue
		}
		vars[name] = written(param.value)
	}
	if p.u != nil {
		for name, agent := range p.u.team.roster.alias {
			if _, param := p.sc.params[name]; !param {
				vars[name] = typing.Name(agent)
			}
		}
	}
	return vars
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

// groupOf is the name of a group of just these members, of that name if there is
// one; empty: none.
func (r *roster) groupOf(name string, g eval.Group) string {
	want := agentsIn(g)
	if slices.Equal(r.groups[name], want) {
		return name
	}
	for _, other := range r.order {
		if slices.Equal(r.groups[other], want) {
			return other
		}
	}
	return ""
}
