package build

import (
	exprast "github.com/expr-lang/expr/ast"

	"parley/runtime/eval"
)

// splitPath takes a chain of member reads apart, outermost root first.
func splitPath(node exprast.Node) (keys []string, root string, ok bool) {
	switch n := node.(type) {
	case *exprast.IdentifierNode:
		return nil, n.Value, true
	case *exprast.MemberNode:
		if n.Optional || n.Method {
			return nil, "", false
		}
		keys, root, ok := splitPath(n.Node)
		return append(keys, eval.Format(n.Property)), root, ok
	}
	return nil, "", false
}
