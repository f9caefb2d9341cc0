package diff

import (
	"fmt"
	"slices"
	"strings"

	"github.com/expr-lang/expr/ast"

	"parley/runtime/eval"
)

// countChanges words what a predicate or a score counts, with the predicates that
// it names put in: a score changes with them.
func countChanges(c Change, name string, old, now map[string]ast.Node) []Change {
	a, errA := replaced(orTrue(c.Before), old)
	b, errB := replaced(orTrue(c.After), now)
	d := Unclear
	if errA == nil && errB == nil && !pairedChange(a, b, old, now) {
		d = trees(a, b)
	}
	if d == Same && c.Before == c.After {
		return nil
	}
	if name == "given" && d != Same { // fewer cases to count among move a share either way
		d = Unclear
	}
	word, id, _ := strings.Cut(c.Subject, " ")
	c.ID, c.Mark = word+"-"+map[Direction]string{Wider: "widened", Narrower: "narrowed", Unclear: "changed", Same: "rewritten"}[d], directed(d, Redefines)
	how := map[Direction]string{Wider: "now counts more cases", Narrower: "now counts fewer cases", Unclear: "now counts other cases", Same: "is written in another way and counts the same"}[d]
	if name == "given" {
		c.ID += "-given"
		how = map[Direction]string{Unclear: "is now taken over other cases", Same: "is taken over the same cases, written in another way"}[d]
	}
	c.Sentence = fmt.Sprintf("the %s `%s` %s", word, id, how)
	if c.Before == c.After {
		c.Sentence += ", because of the predicates that it names"
		return []Change{c}
	}
	c.Sentence += fmt.Sprintf(" (was %s, is %s)", shown(orAlways(c.Before)), shown(orAlways(c.After)))
	return []Change{c}
}

// predicates are the trees of a side's predicates, one within the other put in.
func predicates(f *Facts) map[string]ast.Node {
	out := map[string]ast.Node{}
	var open func(name string, depth int) ast.Node
	open = func(name string, depth int) ast.Node {
		if n, done := out[name]; done || depth > 32 {
			return n
		}
		fact, ok := f.get(Fact{Subject: "predicate " + name, Name: "holds when"}.key())
		if !ok {
			return nil
		}
		tree, err := eval.Parse(fact.Value)
		if err != nil {
			return nil
		}
		within := map[string]ast.Node{}
		for _, x := range f.list {
			if other, is := strings.CutPrefix(x.Subject, "predicate "); is && other != name && mentions(tree, other) {
				if n := open(other, depth+1); n != nil {
					within[other] = n
				}
			}
		}
		if tree, err = replaced(fact.Value, within); err != nil {
			return nil
		}
		out[name] = tree
		return tree
	}
	for _, x := range f.list {
		if name, is := strings.CutPrefix(x.Subject, "predicate "); is {
			open(name, 0)
		}
	}
	return out
}

func mentions(tree ast.Node, name string) bool {
	v := &looking{name: name}
	ast.Walk(&tree, v)
	return v.found
}

type looking struct {
	name  string
	found bool
}

// Visit looks at one node.
func (v *looking) Visit(n *ast.Node) {
	if id, ok := (*n).(*ast.IdentifierNode); ok && id.Value == v.name {
		v.found = true
	}
}

// pairedChange reports that a condition reads a predicate of a paired run, such
// as clean.correct, which means another thing on the two sides.
func pairedChange(a, b ast.Node, old, now map[string]ast.Node) bool {
	if a == nil || b == nil {
		return true
	}
	v := &paired{}
	ast.Walk(&a, v)
	ast.Walk(&b, v)
	for _, name := range v.names {
		x, y := old[name], now[name]
		if x != nil && y != nil && !eval.SameTree(x, y) {
			return true
		}
	}
	return false
}

type paired struct{ names []string }

// Visit gathers NAME of clean.NAME, baseline.NAME and placebo.NAME.
func (v *paired) Visit(n *ast.Node) {
	m, ok := (*n).(*ast.MemberNode)
	if !ok {
		return
	}
	id, isName := m.Node.(*ast.IdentifierNode)
	p, isText := m.Property.(*ast.StringNode)
	if isName && isText && slices.Contains([]string{"clean", "baseline", "placebo", "undefended"}, id.Value) {
		v.names = append(v.names, p.Value)
	}
}
