package diff

import (
	"math"

	"github.com/expr-lang/expr/ast"

	"parley/runtime/eval"
)

// cond is a condition with negations moved down to its atoms. Under Kleene's
// rules that changes neither when it is true nor when it is unknown.
type cond struct {
	kind  condKind
	parts []*cond  // both, either: two; some, every: the condition on an element
	list  ast.Node // some, every
	node  ast.Node // atom
	not   bool     // atom
}

type condKind int

const (
	atom condKind = iota
	both
	either
	some
	every
)

// normal turns a tree into a condition; not asks for its opposite.
func normal(n ast.Node, not bool) *cond {
	switch t := n.(type) {
	case *ast.UnaryNode:
		if t.Operator == "!" || t.Operator == "not" {
			return normal(t.Node, !not)
		}
	case *ast.BinaryNode:
		switch t.Operator {
		case "&&", "and":
			return pair(both, either, t, not)
		case "||", "or":
			return pair(either, both, t, not)
		case "!=":
			return normal(&ast.BinaryNode{Operator: "==", Left: t.Left, Right: t.Right}, !not)
		}
	case *ast.PredicateNode:
		return normal(t.Node, not)
	case *ast.BuiltinNode:
		if c := quantified(t, not); c != nil {
			return c
		}
	}
	return &cond{kind: atom, node: n, not: not}
}

func pair(kind, opposite condKind, t *ast.BinaryNode, not bool) *cond {
	if not {
		kind = opposite
	}
	return &cond{kind: kind, parts: []*cond{normal(t.Left, not), normal(t.Right, not)}}
}

// quantified reads any, all and none; a filtered list becomes a condition more.
func quantified(t *ast.BuiltinNode, not bool) *cond {
	if len(t.Arguments) != 2 {
		return nil
	}
	list, inner := t.Arguments[0], t.Arguments[1]
	exists, negate := false, false
	switch t.Name {
	case "any":
		exists = true
	case "all":
	case "none":
		negate = true
	default:
		return nil
	}
	if not { // not any is all not
		exists, negate = !exists, !negate
	}
	kind := every
	if exists {
		kind = some
	}
	part := normal(inner, negate)
	for {
		f, ok := filtered(list)
		if !ok {
			return &cond{kind: kind, list: list, parts: []*cond{part}}
		}
		list = f.list
		if exists {
			part = &cond{kind: both, parts: []*cond{f.parts[0], part}}
		} else {
			part = &cond{kind: either, parts: []*cond{opposite(f.parts[0]), part}}
		}
	}
}

// opposite is the negation of a condition.
func opposite(c *cond) *cond {
	out := *c
	switch c.kind {
	case atom:
		out.not = !c.not
		return &out
	case both, either:
		out.kind = both + either - c.kind
	case some, every:
		out.kind = some + every - c.kind
	}
	out.parts = nil
	for _, p := range c.parts {
		out.parts = append(out.parts, opposite(p))
	}
	return &out
}

// filtered reads filter(list, condition).
func filtered(n ast.Node) (cond, bool) { return listCall(n, "filter") }

// counted reads count(list, condition) and len(filter(list, condition)).
func counted(n ast.Node) (cond, bool) {
	if t, ok := n.(*ast.BuiltinNode); ok && t.Name == "len" && len(t.Arguments) == 1 {
		return filtered(t.Arguments[0])
	}
	return listCall(n, "count")
}

func listCall(n ast.Node, name string) (cond, bool) {
	t, ok := n.(*ast.BuiltinNode)
	if !ok || t.Name != name || len(t.Arguments) != 2 {
		return cond{}, false
	}
	return cond{list: t.Arguments[0], parts: []*cond{normal(t.Arguments[1], false)}}, true
}

func constant(c *cond, value bool) bool {
	b, ok := c.node.(*ast.BoolNode)
	return c.kind == atom && ok && b.Value != c.not == value
}

// choices reads `x in [a, b]` and `x == a` with constants.
func choices(n ast.Node) (of ast.Node, list []ast.Node, ok bool) {
	t, isBinary := n.(*ast.BinaryNode)
	if !isBinary {
		return nil, nil, false
	}
	switch t.Operator {
	case "in":
		if arr, isList := t.Right.(*ast.ArrayNode); isList {
			return t.Left, arr.Nodes, true
		}
	case "==":
		if literal(t.Right) {
			return t.Left, []ast.Node{t.Right}, true
		}
		if literal(t.Left) {
			return t.Right, []ast.Node{t.Left}, true
		}
	}
	return nil, nil, false
}

func literal(n ast.Node) bool {
	switch n.(type) {
	case *ast.StringNode, *ast.IntegerNode, *ast.FloatNode, *ast.BoolNode:
		return true
	}
	return false
}

// bound is a number held to a range with one or two ends.
type bound struct {
	of            ast.Node
	low, high     float64
	lowIn, highIn bool // whether the end itself belongs to the range
}

func (b bound) lower() bool { return math.IsInf(b.high, 1) }
func (b bound) upper() bool { return math.IsInf(b.low, -1) }

// holdsAll reports that the range b holds every number of range a.
func (b bound) holdsAll(a bound) bool {
	low := a.low > b.low || a.low == b.low && (b.lowIn || !a.lowIn)
	high := a.high < b.high || a.high == b.high && (b.highIn || !a.highIn)
	return low && high
}

var turned = map[string]string{"<": ">", ">": "<", "<=": ">=", ">=": "<=", "==": "=="}

var negated = map[string]string{"<": ">=", ">": "<=", "<=": ">", ">=": "<"}

// rangeOf reads a comparison of something with a number.
func rangeOf(c *cond) (bound, bool) {
	t, ok := c.node.(*ast.BinaryNode)
	if !ok {
		return bound{}, false
	}
	op, of := t.Operator, t.Left
	v, ok := number(t.Right)
	if !ok {
		v, ok = number(t.Left)
		op, of = turned[op], t.Right
	}
	if c.not {
		op = negated[op]
	}
	b := bound{of: of, low: math.Inf(-1), high: math.Inf(1)}
	switch op {
	case "<", "<=":
		b.high, b.highIn = v, op == "<="
	case ">", ">=":
		b.low, b.lowIn = v, op == ">="
	case "==":
		b.low, b.high, b.lowIn, b.highIn = v, v, true, true
	default:
		return bound{}, false
	}
	return b, ok
}

func number(n ast.Node) (float64, bool) {
	switch t := n.(type) {
	case *ast.IntegerNode:
		return float64(t.Value), true
	case *ast.FloatNode:
		return t.Value, true
	case *ast.UnaryNode:
		v, ok := number(t.Node)
		return -v, ok && t.Operator == "-"
	}
	return 0, false
}

// replaced writes names for trees in a tree: predicates by what they say.
func replaced(src string, names map[string]ast.Node) (ast.Node, error) {
	tree, err := eval.Parse(src)
	if err != nil {
		return nil, err
	}
	v := &putIn{names: names}
	ast.Walk(&tree, v)
	return tree, nil
}

type putIn struct{ names map[string]ast.Node }

// Visit replaces one name.
func (v *putIn) Visit(n *ast.Node) {
	if id, ok := (*n).(*ast.IdentifierNode); ok {
		if tree, known := v.names[id.Value]; known {
			*n = tree
		}
	}
}

// withNames writes other names into an expression, also behind clean. and the
// other paired runs.
func withNames(src string, names map[string]string) string {
	tree, err := eval.Parse(src)
	if err != nil {
		return src
	}
	ast.Walk(&tree, &renaming{names: names})
	return eval.Format(tree)
}

type renaming struct{ names map[string]string }

// Visit renames one name.
func (v *renaming) Visit(n *ast.Node) {
	switch t := (*n).(type) {
	case *ast.IdentifierNode:
		if now, ok := v.names[t.Value]; ok {
			t.Value = now
		}
	case *ast.MemberNode:
		id, isName := t.Node.(*ast.IdentifierNode)
		p, isText := t.Property.(*ast.StringNode)
		if isName && isText && (id.Value == "clean" || id.Value == "baseline" || id.Value == "placebo" || id.Value == "undefended") {
			if now, ok := v.names[p.Value]; ok {
				p.Value = now
			}
		}
	}
}
