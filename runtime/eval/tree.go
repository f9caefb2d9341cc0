package eval

import (
	"reflect"

	"github.com/expr-lang/expr/ast"
)

// SameTree reports whether two trees are the same expression, places apart.
func SameTree(a, b ast.Node) bool {
	if a == nil || b == nil {
		return a == nil && b == nil
	}
	if reflect.TypeOf(a) != reflect.TypeOf(b) {
		return false
	}
	switch x := a.(type) {
	case *ast.IdentifierNode:
		return x.Value == b.(*ast.IdentifierNode).Value
	case *ast.IntegerNode:
		return x.Value == b.(*ast.IntegerNode).Value
	case *ast.FloatNode:
		return x.Value == b.(*ast.FloatNode).Value
	case *ast.BoolNode:
		return x.Value == b.(*ast.BoolNode).Value
	case *ast.StringNode:
		return x.Value == b.(*ast.StringNode).Value
	case *ast.PointerNode:
		return x.Name == b.(*ast.PointerNode).Name
	case *ast.UnaryNode:
		y := b.(*ast.UnaryNode)
		return x.Operator == y.Operator && SameTree(x.Node, y.Node)
	case *ast.BinaryNode:
		y := b.(*ast.BinaryNode)
		return x.Operator == y.Operator && SameTree(x.Left, y.Left) && SameTree(x.Right, y.Right)
	case *ast.MemberNode:
		y := b.(*ast.MemberNode)
		return x.Optional == y.Optional && x.Method == y.Method && SameTree(x.Node, y.Node) && SameTree(x.Property, y.Property)
	case *ast.BuiltinNode:
		return x.Name == b.(*ast.BuiltinNode).Name && sameChildren(a, b)
	case *ast.VariableDeclaratorNode:
		return x.Name == b.(*ast.VariableDeclaratorNode).Name && sameChildren(a, b)
	}
	return sameChildren(a, b)
}

func sameChildren(a, b ast.Node) bool {
	x, y := children(a), children(b)
	if len(x) != len(y) {
		return false
	}
	for i := range x {
		if !SameTree(x[i], y[i]) {
			return false
		}
	}
	return true
}

// children lists the parts of a node; an absent one of a slice is nil.
func children(n ast.Node) []ast.Node {
	switch n := n.(type) {
	case *ast.ChainNode:
		return []ast.Node{n.Node}
	case *ast.SliceNode:
		return []ast.Node{n.Node, n.From, n.To}
	case *ast.CallNode:
		return append([]ast.Node{n.Callee}, n.Arguments...)
	case *ast.BuiltinNode:
		return n.Arguments
	case *ast.PredicateNode:
		return []ast.Node{n.Node}
	case *ast.ConditionalNode:
		return []ast.Node{n.Cond, n.Exp1, n.Exp2}
	case *ast.VariableDeclaratorNode:
		return []ast.Node{n.Value, n.Expr}
	case *ast.SequenceNode:
		return n.Nodes
	case *ast.ArrayNode:
		return n.Nodes
	case *ast.MapNode:
		return n.Pairs
	case *ast.PairNode:
		return []ast.Node{n.Key, n.Value}
	}
	return nil
}
