package build

import (
	exprast "github.com/expr-lang/expr/ast"

	"parley/lang/ast"
	"parley/runtime/eval"
)

// canonical is an expression's canonical form: white space and superfluous
// brackets gone, and parameters replaced by their values, so that a name that
// only the author sees changes no key.
func (c *Compiler) canonical(p place, e *ast.Expr) string {
	tree, err := eval.Parse(e.Cooked)
	if err != nil {
		return e.Cooked // said when the file was parsed
	}
	exprast.Walk(&tree, substitution(p.sc.params))
	return tree.String()
}

type substitution map[string]param

// Visit puts a parameter's value in place of its name.
func (s substitution) Visit(node *exprast.Node) {
	id, ok := (*node).(*exprast.IdentifierNode)
	if !ok {
		return
	}
	if p, bound := s[id.Value]; bound {
		exprast.Patch(node, literal(p.value))
	}
}

// literal is a value as a tree.
func literal(v any) exprast.Node {
	switch x := v.(type) {
	case bool:
		return &exprast.BoolNode{Value: x}
	case int:
		if x < 0 {
			return &exprast.UnaryNode{Operator: "-", Node: &exprast.IntegerNode{Value: -x}}
		}
		return &exprast.IntegerNode{Value: x}
	case float64:
		if x < 0 {
			return &exprast.UnaryNode{Operator: "-", Node: &exprast.FloatNode{Value: -x}}
		}
		return &exprast.FloatNode{Value: x}
	case string:
		return &exprast.StringNode{Value: x}
	case []any:
		nodes := make([]exprast.Node, len(x))
		for i, e := range x {
			nodes[i] = literal(e)
		}
		return &exprast.ArrayNode{Nodes: nodes}
	case map[string]any:
		m := &exprast.MapNode{}
		for _, k := range keysOf(x) {
			m.Pairs = append(m.Pairs, &exprast.PairNode{Key: &exprast.StringNode{Value: k}, Value: literal(x[k])})
		}
		return m
	}
	return &exprast.NilNode{}
}
