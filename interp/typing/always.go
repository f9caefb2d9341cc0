package typing

import (
	exprast "github.com/expr-lang/expr/ast"

	"parley/lang/ast"
	"parley/runtime/eval"
)

// Always reports a condition that is the same whatever its names hold, and which it
// is. It finds what is constant as written, comparisons of a thing with itself,
// chances of 0 and 1, and one thing held against several literals: x == "a" && x ==
// "b" is never true, x != "a" || x != "b" always. It may miss others.
func (m *Memo) Always(e *ast.Expr) (value, same bool) {
	tree, err := m.Parse(e.Cooked)
	if err != nil {
		return false, false
	}
	return settled(tree)
}

func settled(n exprast.Node) (value, same bool) {
	switch n := n.(type) {
	case *exprast.BoolNode:
		return n.Value, true
	case *exprast.UnaryNode:
		if n.Operator == "!" || n.Operator == "not" {
			value, same = settled(n.Node)
			return !value, same
		}
	case *exprast.BinaryNode:
		switch n.Operator {
		case "&&", "and":
			return settledJoined(n, true)
		case "||", "or":
			return settledJoined(n, false)
		}
		return settledCompared(n)
	case *exprast.CallNode:
		if id, ok := n.Callee.(*exprast.IdentifierNode); ok && id.Value == "chance" && len(n.Arguments) == 1 {
			switch p := n.Arguments[0].(type) {
			case *exprast.IntegerNode:
				return p.Value == 1, p.Value == 0 || p.Value == 1
			case *exprast.FloatNode:
				return p.Value == 1, p.Value == 0 || p.Value == 1
			}
		}
	}
	return false, false
}

// settledCompared looks at one comparison.
func settledCompared(n *exprast.BinaryNode) (value, same bool) {
	if literals(n.Left) && literals(n.Right) {
		b, ok := worked(n).(*exprast.BoolNode)
		return ok && b.Value, ok
	}
	if eval.Format(n.Left) != eval.Format(n.Right) || draws(n.Left) {
		return false, false
	}
	switch n.Operator {
	case "==", "<=", ">=":
		return true, true
	case "!=", "<", ">":
		return false, true
	}
	return false, false
}

// draws reports that a part may be another one each time.
func draws(n exprast.Node) bool {
	found := false
	exprast.Walk(&n, visitor(func(n exprast.Node) {
		if c, ok := n.(*exprast.CallNode); ok {
			if id, ok := c.Callee.(*exprast.IdentifierNode); ok && id.Value == "chance" {
				found = true
			}
		}
	}))
	return found
}

// EmptyText reports a literal empty text.
func EmptyText(n exprast.Node) bool {
	s, ok := n.(*exprast.StringNode)
	return ok && s.Value == ""
}

type visitor func(exprast.Node)

// Visit calls the function.
func (v visitor) Visit(n *exprast.Node) { v(*n) }

// settledJoined looks at conditions joined by && (and) or ||. One part that decides is
// enough; else all parts have to be the same; else two parts may exclude each other.
func settledJoined(n *exprast.BinaryNode, and bool) (value, same bool) {
	parts := joinedParts(n, n.Operator, nil)
	neutral := 0
	for _, p := range parts {
		v, s := settled(p)
		if s && v != and {
			return !and, true
		}
		if s {
			neutral++
		}
	}
	if neutral == len(parts) {
		return and, true
	}
	operator := map[bool]string{true: "==", false: "!="}[and]
	held := map[string]any{}
	texts := map[string]bool{}
	for _, p := range parts {
		text := eval.Format(p)
		if u, ok := p.(*exprast.UnaryNode); ok && (u.Operator == "!" || u.Operator == "not") && !draws(u) {
			text = eval.Format(u.Node)
			texts["!"+text] = true
		} else if !draws(p) {
			texts[text] = true
		}
		if texts[text] && texts["!"+text] {
			return !and, true
		}
		b, ok := p.(*exprast.BinaryNode)
		if !ok || b.Operator != operator || draws(b) {
			continue
		}
		of, lit := eval.Format(b.Left), b.Right
		if _, left := literalOf(b.Left); left {
			of, lit = eval.Format(b.Right), b.Left
		}
		v, ok := literalOf(lit)
		if !ok {
			continue
		}
		if before, twice := held[of]; twice && eval.Equal(before, v) == eval.False {
			return !and, true
		}
		held[of] = v
	}
	return false, false
}

func joinedParts(n exprast.Node, operator string, out []exprast.Node) []exprast.Node {
	if b, ok := n.(*exprast.BinaryNode); ok && b.Operator == operator {
		return joinedParts(b.Right, operator, joinedParts(b.Left, operator, out))
	}
	return append(out, n)
}
