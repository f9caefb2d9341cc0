// Package vacuity asks whether tests would notice that a predicate is wrong: it
// changes each predicate a little, in the ways in which people err, and looks
// which changes no test of it notices. A predicate that no test makes true, or
// none false, is vacuous: nobody has seen it work.
package vacuity

import (
	"fmt"
	"math"

	"github.com/expr-lang/expr/ast"

	"parley/runtime/eval"
)

// Mutant is a changed predicate.
type Mutant struct {
	Name string // what was changed, the same as long as the predicate is
	Src  string // the changed expression, canonical
}

// Mutants lists the mutants of a predicate in canonical form, each change once:
// parts negated, conjuncts and disjuncts dropped, `any` for `all`, bounds widened.
func Mutants(src string) ([]Mutant, error) {
	tree, err := eval.Parse(src)
	if err != nil {
		return nil, err
	}
	m := &maker{seen: map[string]bool{eval.Format(tree): true}, root: tree, counts: map[string]int{}}
	m.condition(&m.root)
	return m.out, nil
}

// maker walks a tree and writes the whole tree down with one place changed.
type maker struct {
	root   ast.Node
	seen   map[string]bool
	counts map[string]int
	// negated: the condition that comes next stands behind a not.
	negated bool
	out     []Mutant
}

// try puts another node at a place for a moment.
func (m *maker) try(at *ast.Node, other ast.Node, name string) {
	old := *at
	*at = other
	src := eval.Format(m.root)
	*at = old
	if m.seen[src] {
		return
	}
	m.seen[src] = true
	if m.counts[name]++; m.counts[name] > 1 {
		name = fmt.Sprintf("%s (%d)", name, m.counts[name])
	}
	m.out = append(m.out, Mutant{Name: name, Src: src})
}

// condition mutates a place where a truth value stands, and what it is made of.
func (m *maker) condition(at *ast.Node) {
	negated := m.negated // then its negation was tried above
	m.negated = false
	negate := func() {
		if !negated {
			m.try(at, &ast.UnaryNode{Operator: "!", Node: *at}, "negate "+short(*at))
		}
	}
	switch n := (*at).(type) {
	case *ast.UnaryNode:
		if n.Operator == "!" || n.Operator == "not" {
			m.try(at, n.Node, "drop not")
			m.negated = true
			m.condition(&n.Node)
			return
		}
	case *ast.BinaryNode:
		if m.binary(at, n, negate) {
			return
		}
	case *ast.ConditionalNode:
		m.condition(&n.Cond)
		m.condition(&n.Exp1)
		m.condition(&n.Exp2)
		return
	case *ast.PredicateNode:
		m.condition(&n.Node)
		return
	case *ast.SequenceNode:
		if len(n.Nodes) > 0 {
			m.condition(&n.Nodes[len(n.Nodes)-1])
		}
		return
	case *ast.VariableDeclaratorNode:
		m.value(&n.Value)
		m.condition(&n.Expr)
		return
	case *ast.BoolNode:
		m.try(at, &ast.BoolNode{Value: !n.Value}, "negate")
		return
	case *ast.BuiltinNode:
		m.quantifier(at, n)
	}
	negate()
	m.value(at)
}

// binary mutates a binary condition; false where its operator makes no parts.
func (m *maker) binary(at *ast.Node, n *ast.BinaryNode, negate func()) bool {
	switch n.Operator {
	case "&&", "and", "||", "or":
		word, swap := "conjunct", "||"
		if n.Operator == "||" || n.Operator == "or" {
			word, swap = "disjunct", "&&"
		}
		m.try(at, n.Right, "drop "+word+" "+short(n.Left))
		m.try(at, n.Left, "drop "+word+" "+short(n.Right))
		m.try(at, &ast.BinaryNode{Operator: swap, Left: n.Left, Right: n.Right}, n.Operator+" → "+swap)
		m.condition(&n.Left)
		m.condition(&n.Right)
		return true
	case "<", ">", "<=", ">=":
		m.bound(at, n)
		negate()
		m.value(&n.Left)
		m.value(&n.Right)
		return true
	}
	return false
}

// bound lets a comparison hold one further than it did.
func (m *maker) bound(at *ast.Node, n *ast.BinaryNode) {
	wider := map[string]string{"<": "<=", ">": ">="}
	if op := wider[n.Operator]; op != "" {
		m.try(at, &ast.BinaryNode{Operator: op, Left: n.Left, Right: n.Right}, n.Operator+" → "+op)
		return
	}
	step := 1
	if n.Operator == ">=" {
		step = -1
	}
	if i, ok := n.Right.(*ast.IntegerNode); ok && i.Value > math.MinInt+1 && i.Value < math.MaxInt-1 {
		m.try(at, &ast.BinaryNode{Operator: n.Operator, Left: n.Left, Right: &ast.IntegerNode{Value: i.Value + step}}, fmt.Sprintf("%d → %d", i.Value, i.Value+step))
	}
}

var others = map[string]string{"any": "all", "all": "any", "none": "all", "one": "any"}

func (m *maker) quantifier(at *ast.Node, n *ast.BuiltinNode) {
	other, ok := others[n.Name]
	if !ok || len(n.Arguments) != 2 {
		return
	}
	m.try(at, &ast.BuiltinNode{Name: other, Arguments: n.Arguments}, n.Name+" → "+other)
}

// value looks for conditions inside of a value: those over the elements of lists.
func (m *maker) value(at *ast.Node) {
	switch n := (*at).(type) {
	case *ast.BuiltinNode:
		for i := range n.Arguments {
			if p, ok := n.Arguments[i].(*ast.PredicateNode); ok {
				if conditional[n.Name] {
					m.condition(&p.Node)
				} else {
					m.value(&p.Node)
				}
				continue
			}
			m.value(&n.Arguments[i])
		}
	case *ast.CallNode:
		for i := range n.Arguments {
			m.value(&n.Arguments[i])
		}
	case *ast.BinaryNode:
		m.value(&n.Left)
		m.value(&n.Right)
	case *ast.UnaryNode:
		m.value(&n.Node)
	case *ast.MemberNode:
		m.value(&n.Node)
	case *ast.ConditionalNode:
		m.condition(&n.Cond)
		m.value(&n.Exp1)
		m.value(&n.Exp2)
	case *ast.VariableDeclaratorNode:
		m.value(&n.Value)
		m.value(&n.Expr)
	case *ast.ArrayNode:
		for i := range n.Nodes {
			m.value(&n.Nodes[i])
		}
	}
}

// conditional are the functions whose second argument is a condition.
var conditional = map[string]bool{
	"any": true, "all": true, "none": true, "one": true, "count": true, "filter": true,
	"find": true, "findLast": true, "findIndex": true, "findLastIndex": true,
}

func short(n ast.Node) string { return eval.OneLine(eval.Format(n), 40) }
