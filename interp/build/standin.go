package build

import (
	"strconv"

	"parley/lang/ast"
	"parley/runtime/eval"
)

// someAgents is how many agents stand in for a set that nobody has given.
const someAgents = 3

// standIns gives agents to the parameters of a team that is looked at by itself:
// agents without attributes, numbered under the parameter's name. A number in
// place of a set says how many. A list without a default is empty.
func (c *Compiler) standIns(params []*ast.Param, given map[string]argument) map[string]argument {
	out := make(map[string]argument, len(params))
	for name, a := range given {
		out[name] = a
	}
	for _, p := range params {
		if p.Type == nil {
			continue
		}
		if _, has := given[p.Name.Name]; !has && p.Type.Kind == ast.TypeList && p.Default == nil {
			out[p.Name.Name] = argument{value: []any{}, span: p.Span, name: p.Name.Span} // of what, only a user knows
			continue
		}
		if p.Type.Kind != ast.TypeName || !namesAgents(p.Type) {
			continue
		}
		n := someAgents
		if a, has := given[p.Name.Name]; has {
			number := 0
			if a.text != nil {
				number, _ = strconv.Atoi(*a.text)
			}
			if number < 1 || number > MaxAgents || !isGroupType(p.Type) {
				continue
			}
			n = number
		} else if p.Default != nil {
			continue
		}
		out[p.Name.Name] = argument{value: c.standIn(p, n), span: p.Span, name: p.Name.Span}
	}
	return out
}

// standIn makes the agents that stand in for a parameter: one of its name, or a
// group of n.
func (c *Compiler) standIn(p *ast.Param, n int) any {
	set := &agentSet{name: p.Name.Name, stands: true, roster: &roster{byName: map[string]*member{}, groups: map[string][]string{}}, value: eval.Group{Name: p.Name.Name}}
	here := scope{m: c.prog.Main, params: map[string]param{}}
	decl := &ast.Agent{Span: p.Span, Name: p.Name}
	if !isGroupType(p.Type) {
		m := &member{decl: decl, sc: here, set: set}
		m.Name = p.Name.Name
		set.roster.add(m)
		return agentRef{m}
	}
	for i := 1; i <= n; i++ {
		m := &member{decl: decl, sc: here, set: set}
		m.Name, m.Group, m.Index = memberName(p.Name.Name, i), p.Name.Name, i
		set.roster.add(m)
		set.value.Members = append(set.value.Members, agentRef{m})
	}
	return set.value
}
