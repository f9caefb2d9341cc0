package typing

import (
	exprast "github.com/expr-lang/expr/ast"

	"parley/lang/diag"
	"parley/runtime/eval"
)

// overLists are the functions that look at a list element by element: whether
// they ask a condition of each, and what they give for elements and bodies.
var overLists = map[string]struct {
	asks  bool
	gives func(list, body Type) Type
}{
	"all":           {true, func(Type, Type) Type { return BoolType }},
	"any":           {true, func(Type, Type) Type { return BoolType }},
	"none":          {true, func(Type, Type) Type { return BoolType }},
	"one":           {true, func(Type, Type) Type { return BoolType }},
	"count":         {true, func(Type, Type) Type { return IntType }},
	"findIndex":     {true, func(Type, Type) Type { return IntType }},
	"findLastIndex": {true, func(Type, Type) Type { return IntType }},
	"filter":        {true, func(list, _ Type) Type { return ListOf(list.elem()) }},
	"find":          {true, func(list, _ Type) Type { return list.elem().Maybe() }},
	"findLast":      {true, func(list, _ Type) Type { return list.elem().Maybe() }},
	"map":           {false, func(_, body Type) Type { return ListOf(body) }},
	"sortBy":        {false, func(list, _ Type) Type { return ListOf(list.elem()) }},
	"sum":           {false, func(_, body Type) Type { return body }},
	"reduce":        {false, func(_, body Type) Type { return body }},
}

func (k *checker) overList(n *exprast.BuiltinNode) Type {
	k.calls[n.Name] = true
	list := k.infer(n.Arguments[0])
	switch {
	case list.Kind == Open || isList(list):
	case list.Kind == Unknown:
		k.lost(n.Arguments[0], n.Arguments[0], list)
		list = ListOf(OpenType)
	default:
		k.fail(n.Arguments[0], diag.ExprArgument, "", "%s looks at a list, and `%s` is %s", n.Name, eval.Format(n.Arguments[0]), list)
		list = ListOf(OpenType)
	}
	how := overLists[n.Name]
	var acc Type
	if n.Name == "reduce" {
		acc = list.elem()
		if len(n.Arguments) > 2 {
			acc = k.infer(n.Arguments[2])
		}
	}
	body, at := list.elem(), n.Arguments[0]
	if len(n.Arguments) > 1 {
		body, at = k.body(n.Arguments[1], list.elem(), acc)
	}
	switch {
	case how.asks:
		k.need(at, body, Bool, "for each element")
	case n.Name == "sum":
		k.need(at, body, Number, "for each element")
		body = numeric(body)
	case n.Name == "reduce":
		body = Either(acc, body)
	case n.Name == "sortBy":
		k.sorted(n, at, body)
	}
	return how.gives(list, body)
}

// body types what is said of each element.
func (k *checker) body(n exprast.Node, elem, acc Type) (Type, exprast.Node) {
	k.elems, k.accs = append(k.elems, elem), append(k.accs, acc)
	if p, ok := n.(*exprast.PredicateNode); ok {
		n = p.Node
	}
	t := k.infer(n)
	k.elems, k.accs = k.elems[:len(k.elems)-1], k.accs[:len(k.accs)-1]
	return t, n
}

func numeric(t Type) Type {
	if t.Kind == Int {
		return IntType
	}
	return NumberType
}

func (k *checker) sorted(n *exprast.BuiltinNode, at exprast.Node, key Type) {
	if key.Kind != Open && key.Kind != String && !isNumeric(key.Kind) {
		k.fail(at, diag.ExprArgument, "", "sortBy goes by numbers or texts, and `%s` is %s", eval.Format(at), key)
	}
	if len(n.Arguments) > 2 {
		k.infer(n.Arguments[2])
		k.vocabulary(Vocabulary("order", []string{"asc", "desc"}), n.Arguments[2])
	}
}
