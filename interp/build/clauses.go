package build

import (
	"strings"

	"parley/interp/load"
	"parley/lang/ast"
	"parley/lang/diag"
)

// overrides are the clauses that a sweep decides in place of a scenario's own.
// What they name is looked for where the experiment stands.
type overrides struct {
	sc      scope
	team    *ast.Ref
	world   *ast.Ref
	attack  *ast.SweptUse
	defense *ast.SweptUse
}

// any reports whether a clause is decided.
func (o *overrides) any() bool {
	return o.team != nil || o.world != nil || o.attack != nil || o.defense != nil
}

// nameOfSwept is the label of what a sweep names: `model for lead` is another one
// than `model`.
func nameOfSwept(s *ast.Sweep, n *ast.Ident) string {
	if s.For == nil {
		return n.Name
	}
	return n.Name + " for " + strings.Join(strings.Fields(s.For.Text), " ")
}

// sweptFor reports a `for` behind anything but a model.
func (c *Compiler) sweptFor(m *load.Module, s *ast.Sweep) bool {
	if s.For == nil || s.Names[0].Name == "model" {
		return true
	}
	c.fail(m, diag.NotHere, s.For.Span, "", "only a model is chosen for some agents, and this sweeps %s", s.Names[0].Name)
	return false
}

// exchanged reports whether the command line chooses the models that an axis
// sweeps.
func (a axis) exchanged(name string, models map[string]string) bool {
	who, some := strings.CutPrefix(name, "model for ")
	if name != "model" && !some || a.decl.For == nil && name != "model" {
		return false
	}
	return models[""] != "" || some && models[who] != ""
}

// clausePoints reads the values of a swept clause. Each is labelled by its name, and
// by how it is written where two have one name.
func (c *Compiler) clausePoints(m *load.Module, s *ast.Sweep, a *axis) bool {
	a.clause = s.Names[0].Name
	names, seen := map[string]int{}, map[string]bool{}
	for _, u := range s.Uses {
		names[useName(u)]++
	}
	for _, u := range s.Uses {
		if !c.clauseValue(m, a.clause, u) {
			return false
		}
		label := useName(u)
		if names[label] > 1 {
			label = useWritten(u)
		}
		if seen[label] {
			c.fail(m, diag.SweepNoEffect, u.Span, "", "the sweep has the same value twice: %s", label)
			return false
		}
		seen[label] = true
		a.points = append(a.points, []argument{{value: label, span: u.Span, name: s.Names[0].Span, use: u}})
		a.texts = append(a.texts, label)
	}
	return true
}

// useName is the bare name of a clause's value.
func useName(u *ast.SweptUse) string {
	if u.Ref == nil {
		return "none"
	}
	return u.Ref.Path[len(u.Ref.Path)-1].Name
}

// useWritten is the value with its arguments and targets, as it is written.
func useWritten(u *ast.SweptUse) string {
	if u.Ref == nil {
		return "none"
	}
	text := writtenRef(u.Ref)
	if u.On != nil {
		text += " on " + u.On.Text
	}
	return text
}

// clauseValue looks at one value by itself.
func (c *Compiler) clauseValue(m *load.Module, clause string, u *ast.SweptUse) bool {
	switch {
	case u.On != nil && clause != "attack" && clause != "defense":
		c.fail(m, diag.NotHere, u.On.Span, "", "only an attack or a defense is on agents, and this sweeps %s", clause)
	case u.Ref == nil && clause != "attack" && clause != "defense":
		c.fail(m, diag.WrongValue, u.Span, "", "a scenario has a %s in any case; an attack or a defense can be none", clause)
	case clause == "model" && (len(u.Ref.Path) != 1 || len(u.Ref.Args) > 0):
		c.fail(m, diag.WrongValue, u.Span, "write sweep model in [careful, gpt]", "a sweep over models names them")
	default:
		return true
	}
	return false
}

// decide takes a value of a swept clause for a scenario.
func (o *overrides) decide(clause string, u *ast.SweptUse) {
	switch clause {
	case "team":
		o.team = u.Ref
	case "workspace":
		o.world = u.Ref
	case "attack":
		o.attack = u
	case "defense":
		o.defense = u
	}
}

// override puts what the experiment sweeps in the place of the scenario's clauses.
func (s *scenario) override(o *overrides) {
	if o.team != nil {
		s.team, s.teamFrom = o.team, o.sc
	}
	if o.world != nil {
		s.world, s.worldFrom = o.world, o.sc
	}
	if u := o.defense; u != nil {
		use := &ast.DefenseUse{Span: u.Span}
		if u.Ref != nil {
			use.Items = []*ast.DefenseItem{{Span: u.Span, Ref: u.Ref, On: u.On}}
		}
		s.sweptDefense = &defenseChoice{sc: o.sc, use: use, from: "sweep"}
	}
	if u := o.attack; u != nil {
		s.attack, s.attackFrom = nil, o.sc
		if u.Ref != nil {
			item := &ast.AttackItem{Span: u.Span, Ref: u.Ref, On: u.On}
			s.attack = &ast.AttackUse{Span: u.Span, Items: []*ast.AttackItem{item}}
		}
	}
}
