package diff

import (
	"slices"

	"github.com/expr-lang/expr/ast"

	"parley/runtime/eval"
)

// Direction says how a condition changed.
type Direction int

// The directions. Unclear: neither condition follows from the other by the rules
// below, so a reader has to judge.
const (
	Same Direction = iota
	Wider
	Narrower
	Unclear
)

// maxSteps bounds the comparison of two conditions; beyond it they are Unclear.
const maxSteps = 50_000

// Conditions compares two conditions in canonical form: the new one is Wider
// where it holds whenever the old one does.
func Conditions(before, after string) Direction {
	a, errA := eval.Parse(before)
	b, errB := eval.Parse(after)
	if errA != nil || errB != nil {
		if before == after {
			return Same
		}
		return Unclear
	}
	return trees(a, b)
}

func trees(a, b ast.Node) Direction {
	if eval.SameTree(a, b) {
		return Same
	}
	p := &prover{left: maxSteps}
	x, y := normal(a, false), normal(b, false)
	grew, shrank := p.implies(x, y), p.implies(y, x)
	switch {
	case grew && shrank:
		return Same
	case grew:
		return Wider
	case shrank:
		return Narrower
	}
	return Unclear
}

// prover looks for a proof that one condition follows from another. It finds the
// changes that people make (a part dropped, a bound moved, a list grown) and says
// nothing false: what it cannot show it denies.
type prover struct{ left int }

func (p *prover) implies(a, b *cond) bool {
	if p.left--; p.left < 0 {
		return false
	}
	switch {
	case b.kind == both:
		return p.implies(a, b.parts[0]) && p.implies(a, b.parts[1])
	case a.kind == either:
		return p.implies(a.parts[0], b) && p.implies(a.parts[1], b)
	case a.kind == both && (p.implies(a.parts[0], b) || p.implies(a.parts[1], b)):
		return true
	case b.kind == either && (p.implies(a, b.parts[0]) || p.implies(a, b.parts[1])):
		return true
	case a.kind == some && b.kind == some:
		return p.within(a.list, b.list) && p.implies(a.parts[0], b.parts[0])
	case a.kind == every && b.kind == every:
		return p.within(b.list, a.list) && p.implies(a.parts[0], b.parts[0])
	case a.kind == atom && b.kind == atom:
		return p.atoms(a, b)
	}
	return constant(a, false) || constant(b, true)
}

func (p *prover) atoms(a, b *cond) bool {
	if constant(a, false) || constant(b, true) {
		return true
	}
	if a.not == b.not && eval.SameTree(a.node, b.node) {
		return true
	}
	x, okX := rangeOf(a)
	y, okY := rangeOf(b)
	if okX && okY && p.sameSubject(x, y) {
		return y.holdsAll(x)
	}
	return p.member(a, b)
}

// sameSubject reports that two bounds are about one number, or that a count under
// an upper or lower bound moved with it in the same direction.
func (p *prover) sameSubject(x, y bound) bool {
	if eval.SameTree(x.of, y.of) {
		return true
	}
	c, okC := counted(x.of)
	d, okD := counted(y.of)
	if !okC || !okD {
		return false
	}
	if x.lower() && y.lower() { // at least so many of fewer are at least so many of more
		return p.within(c.list, d.list) && p.implies(c.parts[0], d.parts[0])
	}
	return x.upper() && y.upper() && p.within(d.list, c.list) && p.implies(d.parts[0], c.parts[0])
}

// within reports that the elements of list a are all in list b.
func (p *prover) within(a, b ast.Node) bool {
	if eval.SameTree(a, b) {
		return true
	}
	if f, ok := filtered(a); ok {
		if p.within(f.list, b) {
			return true
		}
		g, ok := filtered(b)
		return ok && p.within(f.list, g.list) && p.implies(f.parts[0], g.parts[0])
	}
	x, okX := a.(*ast.ArrayNode)
	y, okY := b.(*ast.ArrayNode)
	return okX && okY && subset(x.Nodes, y.Nodes)
}

// member compares `x in […]` and `x == c` by what they let x be.
func (p *prover) member(a, b *cond) bool {
	x, inX, ok := choices(a.node)
	if !ok {
		return false
	}
	y, inY, ok := choices(b.node)
	if !ok || !eval.SameTree(x, y) {
		return false
	}
	switch {
	case !a.not && !b.not:
		return subset(inX, inY)
	case a.not && b.not:
		return subset(inY, inX)
	case b.not: // x is one of these, so it is none of those
		return !slices.ContainsFunc(inX, func(n ast.Node) bool { return contains(inY, n) })
	}
	return false
}

func subset(a, b []ast.Node) bool {
	return !slices.ContainsFunc(a, func(n ast.Node) bool { return !contains(b, n) })
}

func contains(list []ast.Node, n ast.Node) bool {
	return slices.ContainsFunc(list, func(m ast.Node) bool { return eval.SameTree(m, n) })
}
