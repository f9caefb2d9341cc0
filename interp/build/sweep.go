package build

import (
	"parley/interp/load"
	"parley/lang/ast"
	"parley/lang/diag"
)

// axis is one sweep: its names and its points. The name of a clause that is swept is
// the clause's, with whom a model is for.
type axis struct {
	decl   *ast.Sweep
	names  []string
	points [][]argument
	texts  []string // a point's label for people
	clause string   // team, workspace, attack, defense or model, where one is swept
}

// axes reads the sweeps.
func (c *Compiler) axes(m *load.Module, e *experiment) ([]axis, bool) {
	ok := true
	var axes []axis
	seen := map[string]bool{}
	for _, s := range e.sweeps {
		a := axis{decl: s}
		for _, n := range s.Names {
			name := nameOfSwept(s, n)
			if seen[name] {
				c.fail(m, diag.DeclaredTwice, n.Span, "", "%q is swept twice", name)
				ok = false
			}
			seen[name] = true
			if s.Uses == nil && !c.sweepable(m, e, n) {
				ok = false
			}
			a.names = append(a.names, name)
		}
		if !c.sweptFor(m, s) || s.Uses == nil && !c.points(m, s, &a) || s.Uses != nil && !c.clausePoints(m, s, &a) {
			ok = false
		}
		axes = append(axes, a)
	}
	return axes, ok
}

// overridden leaves out of the sweeps what the command line fixes. A joint sweep
// keeps the different combinations of its other names.
func (c *Compiler) overridden(axes []axis, su *setup, o Options) []axis {
	var kept []axis
	for _, a := range axes {
		var left []int
		var gone []string
		for j, n := range a.names {
			if _, has := o.Params[n]; has && a.clause == "" || a.exchanged(n, o.Models) {
				gone = append(gone, n)
			} else {
				left = append(left, j)
			}
		}
		if len(gone) > 0 {
			su.notes.add("sweep "+list(gone), "left out", "command line")
		}
		switch {
		case len(gone) == 0:
			kept = append(kept, a)
		case len(left) > 0:
			kept = append(kept, a.project(left))
		}
	}
	return kept
}

// project is the axis over some of its names, each combination once.
func (a axis) project(names []int) axis {
	out := axis{decl: a.decl}
	for _, j := range names {
		out.names = append(out.names, a.names[j])
	}
	seen := map[string]bool{}
	for _, p := range a.points {
		var point []argument
		text := ""
		for _, j := range names {
			point = append(point, p[j])
			text += nameValue(p[j].value) + "\x00"
		}
		if !seen[text] {
			seen[text] = true
			out.points, out.texts = append(out.points, point), append(out.texts, text)
		}
	}
	return out
}

// sweepable reports a name that is no parameter of any of the scenarios.
func (c *Compiler) sweepable(m *load.Module, e *experiment, n *ast.Ident) bool {
	known := []string{"model"}
	for _, ref := range e.scenarios {
		if _, d, _ := m.Find(load.Scenario, ref.Path); d != nil {
			for _, p := range d.Scenario.Params {
				known = append(known, p.Name.Name)
			}
		}
	}
	if contains(known, n.Name) {
		return true
	}
	hint := load.Suggest(n.Name, known)
	if hint == "" {
		hint = "what can be swept here is " + list(known)
	}
	c.fail(m, diag.SweepUnknown, n.Span, hint, "no scenario of this experiment has a parameter %q", n.Name)
	return false
}

// points reads a sweep's list: values, or rows of values for a joint sweep.
func (c *Compiler) points(m *load.Module, s *ast.Sweep, a *axis) bool {
	here := scope{m: m, params: map[string]param{}}
	v, ok := c.constantNaming(here, s.In, "what a sweep runs over", c.reachOf(here, []*ast.Expr{s.In}).orNone())
	if !ok {
		return false
	}
	values, isList := v.([]any)
	if !isList || len(values) == 0 {
		c.fail(m, diag.WrongValue, s.In.Span, "write sweep f in [1, 2, 3]", "a sweep runs over a list of values")
		return false
	}
	seen := map[string]bool{}
	for i, v := range values {
		row := []any{v}
		if len(s.Names) > 1 {
			if row, isList = v.([]any); !isList || len(row) != len(s.Names) {
				c.fail(m, diag.WrongValue, s.In.Span, "write [[1, \"a\"], [2, \"b\"]]", "row %d of the sweep does not have %d values", i+1, len(s.Names))
				return false
			}
		}
		point, text := make([]argument, len(row)), ""
		for j, x := range row {
			point[j] = argument{value: x, span: s.In.Span, name: s.Names[j].Span}
			text += nameValue(x) + "\x00"
		}
		if seen[text] {
			c.fail(m, diag.SweepNoEffect, s.In.Span, "", "the sweep has the same value twice: row %d", i+1)
			return false
		}
		seen[text] = true
		a.points = append(a.points, point)
		a.texts = append(a.texts, text)
	}
	return true
}
