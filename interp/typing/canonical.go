package typing

import (
	"fmt"
	"math"
	"sort"
	"strconv"
	"strings"

	exprast "github.com/expr-lang/expr/ast"

	"parley/runtime/eval"
)

// Canonical writes the expression with the given names replaced by values, and
// with what is then constant worked out. Equal meaning written with other white
// space, brackets or parameter names gives equal text, so it can be hashed.
// Values are nil, bool, int, float64, string, Name, lists and maps of these.
func (c Checked) Canonical(subst map[string]any) (string, error) {
	return c.memo.canonical(c.src, c.tree, subst)
}

func writeCanonical(tree exprast.Node, subst map[string]any) (string, error) {
	tree, err := reduceTree(tree, subst)
	if err != nil {
		return "", err
	}
	text := eval.Format(tree)
	again, err := eval.Parse(text)
	if err != nil {
		return "", fmt.Errorf("the expression is too large once its parameters are put in: %w", err)
	}
	if !eval.SameTree(tree, again) {
		return "", fmt.Errorf("the expression has no canonical form: %s", text)
	}
	return text, nil
}

// Canonical is Checked.Canonical of a source that was checked before.
func Canonical(src string, subst map[string]any) (string, error) {
	tree, err := eval.Parse(src)
	if err != nil {
		return "", err
	}
	return writeCanonical(tree, subst)
}

func reduceTree(tree exprast.Node, subst map[string]any) (exprast.Node, error) {
	r := reducer{subst: subst}
	out := r.node(tree)
	return out, r.err
}

// constant works out a part that hangs on nothing but literals and parameters.
func (k *checker) constant(n exprast.Node) (any, bool) {
	tree, err := reduceTree(n, k.env.Values)
	if err != nil {
		return nil, false
	}
	return valueOf(tree)
}

// reducer builds a new tree; the old one stays as it is.
type reducer struct {
	subst map[string]any
	bound []string // let names, which hide parameters
	err   error
}

func (r *reducer) node(n exprast.Node) exprast.Node {
	if n == nil {
		return nil
	}
	out := r.rebuild(n)
	out.SetLocation(n.Location())
	return fold(out)
}

func (r *reducer) nodes(list []exprast.Node) []exprast.Node {
	out := make([]exprast.Node, len(list))
	for i, n := range list {
		out[i] = r.node(n)
	}
	return out
}

func (r *reducer) rebuild(n exprast.Node) exprast.Node {
	switch n := n.(type) {
	case *exprast.IdentifierNode:
		return r.name(n)
	case *exprast.UnaryNode:
		return &exprast.UnaryNode{Operator: word(n.Operator), Node: r.node(n.Node)}
	case *exprast.BinaryNode:
		return &exprast.BinaryNode{Operator: word(n.Operator), Left: r.node(n.Left), Right: r.node(n.Right)}
	case *exprast.ChainNode:
		return &exprast.ChainNode{Node: r.node(n.Node)}
	case *exprast.MemberNode:
		return &exprast.MemberNode{Node: r.node(n.Node), Property: r.node(n.Property), Optional: n.Optional, Method: n.Method}
	case *exprast.SliceNode:
		return &exprast.SliceNode{Node: r.node(n.Node), From: r.node(n.From), To: r.node(n.To)}
	case *exprast.CallNode:
		return &exprast.CallNode{Callee: n.Callee, Arguments: r.nodes(n.Arguments)}
	case *exprast.BuiltinNode:
		return &exprast.BuiltinNode{Name: n.Name, Arguments: r.nodes(n.Arguments)}
	case *exprast.PredicateNode:
		return &exprast.PredicateNode{Node: r.node(n.Node)}
	case *exprast.ConditionalNode:
		return &exprast.ConditionalNode{Ternary: true, Cond: r.node(n.Cond), Exp1: r.node(n.Exp1), Exp2: r.node(n.Exp2)}
	case *exprast.VariableDeclaratorNode:
		value := r.node(n.Value)
		r.bound = append(r.bound, n.Name)
		body := r.node(n.Expr)
		r.bound = r.bound[:len(r.bound)-1]
		return &exprast.VariableDeclaratorNode{Name: n.Name, Value: value, Expr: body}
	case *exprast.ArrayNode:
		return &exprast.ArrayNode{Nodes: r.nodes(n.Nodes)}
	case *exprast.MapNode:
		return &exprast.MapNode{Pairs: r.nodes(n.Pairs)}
	case *exprast.PairNode:
		return &exprast.PairNode{Key: r.node(n.Key), Value: r.node(n.Value)}
	}
	return clone(n)
}

// clone copies a leaf, so that no two trees share one.
func clone(n exprast.Node) exprast.Node {
	switch n := n.(type) {
	case *exprast.NilNode:
		return &exprast.NilNode{}
	case *exprast.BoolNode:
		return &exprast.BoolNode{Value: n.Value}
	case *exprast.IntegerNode:
		return &exprast.IntegerNode{Value: n.Value}
	case *exprast.FloatNode:
		return &exprast.FloatNode{Value: n.Value}
	case *exprast.StringNode:
		return &exprast.StringNode{Value: n.Value}
	case *exprast.PointerNode:
		return &exprast.PointerNode{Name: n.Name}
	}
	return n
}

// word writes operators in their one form.
func word(op string) string {
	switch op {
	case "and":
		return "&&"
	case "or":
		return "||"
	case "not":
		return "!"
	case "^":
		return "**"
	}
	return op
}

func (r *reducer) name(n *exprast.IdentifierNode) exprast.Node {
	v, ok := r.subst[n.Value]
	for _, b := range r.bound {
		ok = ok && b != n.Value
	}
	if !ok {
		return &exprast.IdentifierNode{Value: n.Value}
	}
	lit, err := Literal(v)
	if err != nil && r.err == nil {
		r.err = fmt.Errorf("the value of %s cannot be written in an expression: %w", n.Value, err)
	}
	return lit
}

// Name is a value that expressions have a name for: an agent, as in debater[2],
// or a group.
type Name string

func (n Name) node() exprast.Node {
	name, index, member := strings.Cut(strings.TrimSuffix(string(n), "]"), "[")
	id := &exprast.IdentifierNode{Value: name}
	if i, err := strconv.Atoi(index); member && err == nil {
		return &exprast.MemberNode{Node: id, Property: &exprast.IntegerNode{Value: i}}
	}
	return id
}

// Literal writes a value as a tree.
func Literal(v any) (exprast.Node, error) {
	switch x := v.(type) {
	case Name:
		return x.node(), nil
	case nil:
		return &exprast.NilNode{}, nil
	case bool:
		return &exprast.BoolNode{Value: x}, nil
	case int:
		return negative(x < 0, &exprast.IntegerNode{Value: max(x, -x)}), nil
	case float64:
		if math.IsNaN(x) || math.IsInf(x, 0) {
			return &exprast.NilNode{}, fmt.Errorf("it is not finite")
		}
		if x < 0 {
			return negative(true, &exprast.FloatNode{Value: -x}), nil
		}
		return &exprast.FloatNode{Value: x}, nil
	case string:
		return &exprast.StringNode{Value: x}, nil
	case []any:
		out := &exprast.ArrayNode{Nodes: make([]exprast.Node, len(x))}
		for i, e := range x {
			n, err := Literal(e)
			if err != nil {
				return n, err
			}
			out.Nodes[i] = n
		}
		return out, nil
	case map[string]any:
		return literalMap(x)
	}
	return &exprast.NilNode{}, fmt.Errorf("it is no text, number, truth value, list or record")
}

func literalMap(m map[string]any) (exprast.Node, error) {
	names := make([]string, 0, len(m))
	for k := range m {
		names = append(names, k)
	}
	sort.Strings(names)
	out := &exprast.MapNode{Pairs: []exprast.Node{}}
	for _, k := range names {
		n, err := Literal(m[k])
		if err != nil {
			return n, err
		}
		out.Pairs = append(out.Pairs, &exprast.PairNode{Key: &exprast.StringNode{Value: k}, Value: n})
	}
	return out, nil
}

func negative(neg bool, n exprast.Node) exprast.Node {
	if neg {
		return &exprast.UnaryNode{Operator: "-", Node: n}
	}
	return n
}

// valueOf reads a tree of literals back; of a range, its two ends.
func valueOf(n exprast.Node) (any, bool) {
	if v, ok := literalOf(n); ok {
		return v, true
	}
	switch n := n.(type) {
	case *exprast.NilNode:
		return nil, true
	case *exprast.ArrayNode:
		list := make([]any, len(n.Nodes))
		for i, e := range n.Nodes {
			v, ok := valueOf(e)
			if !ok {
				return nil, false
			}
			list[i] = v
		}
		return list, true
	case *exprast.BinaryNode:
		lo, ok := n.Left.(*exprast.IntegerNode)
		hi, ok2 := n.Right.(*exprast.IntegerNode)
		if n.Operator == ".." && ok && ok2 {
			if hi.Value < lo.Value {
				return []any{}, true
			}
			return []any{lo.Value, hi.Value}, true
		}
	case *exprast.UnaryNode:
		if i, ok := n.Node.(*exprast.IntegerNode); ok && n.Operator == "-" {
			return -i.Value, true
		}
	}
	return nil, false
}
