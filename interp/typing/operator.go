package typing

import (
	"fmt"
	"regexp"
	"strings"

	exprast "github.com/expr-lang/expr/ast"

	"parley/lang/diag"
	"parley/runtime/eval"
)

func (k *checker) unary(n *exprast.UnaryNode) Type {
	t := k.infer(n.Node)
	switch n.Operator {
	case "!", "not":
		k.need(n.Node, t, Bool, "after "+n.Operator)
		return BoolType
	}
	k.need(n.Node, t, Number, "after "+n.Operator)
	if t.Kind == Int {
		return IntType
	}
	return NumberType
}

func (k *checker) binary(n *exprast.BinaryNode) Type {
	l, r := k.infer(n.Left), k.infer(n.Right)
	switch op := n.Operator; op {
	case "&&", "||", "and", "or":
		k.need(n.Left, l, Bool, "beside "+op)
		k.need(n.Right, r, Bool, "beside "+op)
		return BoolType
	case "==", "!=":
		return k.equality(n, l, r)
	case "<", "<=", ">", ">=":
		return k.order(n, l, r)
	case "in":
		return k.in(n, l, r)
	case "matches", "contains", "startsWith", "endsWith":
		k.need(n.Left, l, String, "beside "+op)
		k.need(n.Right, r, String, "beside "+op)
		if lit, fixed := n.Right.(*exprast.StringNode); fixed && op == "matches" {
			if _, err := regexp.Compile(lit.Value); err != nil {
				k.fail(n.Right, diag.WrongValue, "", "this pattern cannot be read: %s", strings.TrimPrefix(err.Error(), "error parsing regexp: "))
			}
		}
		return BoolType
	case "..":
		k.need(n.Left, l, Int, "in a range")
		k.need(n.Right, r, Int, "in a range")
		return ListOf(IntType)
	case "??":
		t := Either(l.sure(), r)
		t.Optional = r.Optional || r.Kind == Nil
		return t
	case "+":
		return k.sum(n, l, r)
	default:
		return k.arithmetic(n, l, r)
	}
}

func (k *checker) arithmetic(n *exprast.BinaryNode, l, r Type) Type {
	want := Number
	if n.Operator == "%" {
		want = Int
	}
	k.need(n.Left, l, want, "beside "+n.Operator)
	k.need(n.Right, r, want, "beside "+n.Operator)
	if n.Operator == "%" || (n.Operator == "-" || n.Operator == "*") && l.Kind == Int && r.Kind == Int {
		return IntType
	}
	return NumberType
}

func (k *checker) sum(n *exprast.BinaryNode, l, r Type) Type {
	textual := func(t Type) bool { return t.Kind == String || t.Kind == Agent }
	switch {
	case isNumeric(l.Kind) && isNumeric(r.Kind):
		if l.Kind == Int && r.Kind == Int {
			return IntType
		}
		return NumberType
	case textual(l) && textual(r):
		return StringType
	case l.Kind == Open && (r.Kind == Open || isNumeric(r.Kind) || textual(r)), r.Kind == Open && (isNumeric(l.Kind) || textual(l)):
		return OpenType
	case l.Kind == Unknown:
		return k.lost(n.Left, n.Left, l)
	case r.Kind == Unknown:
		return k.lost(n.Right, n.Right, r)
	}
	hint := ""
	if textual(l) || textual(r) {
		hint = `a template joins them: "${…}${…}"`
	}
	return k.fail(n, diag.ExprOperand, hint, "+ adds numbers or joins texts, and here it stands between %s and %s", l, r)
}

func (k *checker) order(n *exprast.BinaryNode, l, r Type) Type {
	switch {
	case l.Kind == Unknown:
		k.lost(n.Left, n.Left, l)
	case r.Kind == Unknown:
		k.lost(n.Right, n.Right, r)
	case l.Kind == Open || r.Kind == Open:
	case isNumeric(l.Kind) && isNumeric(r.Kind), l.Kind == String && r.Kind == String:
	case k.estimate(n.Left, l) || k.estimate(n.Right, r):
	default:
		k.fail(n, diag.ExprCompare, "", "%s puts numbers or texts in order, and here it stands between %s and %s", n.Operator, l, r)
	}
	return BoolType
}

// estimate reports a score that stands where one of its numbers is due.
func (k *checker) estimate(n exprast.Node, t Type) bool {
	if t.Kind != Record || t.Name != "score" {
		return false
	}
	text := eval.Format(n)
	k.fail(n, diag.ExprCompare, fmt.Sprintf("write %s.value, %s.low or %s.high", text, text, text), "a score is an estimate with an interval, and `%s` does not say which of its numbers is meant", text)
	return true
}

// equality refuses what can never be equal, and literals that the other side
// can never be.
func (k *checker) equality(n *exprast.BinaryNode, l, r Type) Type {
	switch {
	case l.Kind == Nil || r.Kind == Nil:
		return BoolType
	case isNumeric(r.Kind) && k.estimate(n.Left, l) || isNumeric(l.Kind) && k.estimate(n.Right, r):
		return BoolType
	case l.Kind == Unknown:
		return k.lostCompare(n.Left, l)
	case r.Kind == Unknown:
		return k.lostCompare(n.Right, r)
	case !comparable(l, r):
		k.fail(n, diag.ExprCompare, "", "%s compares %s with %s, which are never equal", n.Operator, l, r)
		return BoolType
	}
	if !k.vocabulary(l, n.Right) && !k.vocabulary(r, n.Left) && disjoint(l, r) {
		k.fail(n, diag.ExprCompare, "", "`%s` and `%s` have no value in common", eval.Format(n.Left), eval.Format(n.Right))
	}
	return BoolType
}

func (k *checker) lostCompare(of exprast.Node, t Type) Type {
	hint := "same(…) compares any value as text"
	if t.Why != "" {
		hint = t.Why + "; " + hint
	}
	k.fail(of, diag.ExprTypeLost, hint, "`%s` is of no known type, so nothing can be compared with it", eval.Format(of))
	return BoolType
}

// comparable reports whether values of the two types can be equal.
func comparable(a, b Type) bool {
	switch {
	case a.Kind == Open || b.Kind == Open || a.Kind == Nil || b.Kind == Nil:
		return true
	case isNumeric(a.Kind) && isNumeric(b.Kind):
		return true
	case isList(a) && isList(b):
		return a.elem().Kind == Unknown || b.elem().Kind == Unknown || comparable(a.elem(), b.elem())
	case a.Kind == Agent && b.Kind == String || a.Kind == String && b.Kind == Agent:
		return true
	case a.Kind == Record && b.Kind == Table || a.Kind == Table && b.Kind == Record:
		return true
	case a.Kind == Record && b.Kind == Record:
		return a.Name == b.Name || a.Name == "" || b.Name == ""
	}
	return a.Kind == b.Kind && a.Kind != Unknown
}

func disjoint(a, b Type) bool {
	if a.Values == nil || b.Values == nil {
		return false
	}
	for _, v := range a.Values {
		if among(v, b.Values) {
			return false
		}
	}
	return true
}

// vocabulary holds a literal against the values that its other side can have.
// It reports whether the node is a literal that was looked at.
func (k *checker) vocabulary(of Type, n exprast.Node) bool {
	switch n := n.(type) {
	case *exprast.ConditionalNode:
		a, b := k.vocabulary(of, n.Exp1), k.vocabulary(of, n.Exp2)
		return a || b
	case *exprast.ArrayNode:
		if of.Kind == List && of.Elem != nil {
			for _, e := range n.Nodes {
				k.vocabulary(*of.Elem, e)
			}
		}
		return false
	case *exprast.MapNode:
		for _, p := range n.Pairs {
			if pair, ok := p.(*exprast.PairNode); ok && of.Kind == Record {
				if name, ok := pair.Key.(*exprast.StringNode); ok {
					k.vocabulary(of.Fields[name.Value], pair.Value)
				}
			}
		}
		return false
	}
	v, ok := literalOf(n)
	if !ok {
		return false
	}
	k.noteWords(n, of)
	values, name := of.Values, of.Name
	if of.Kind == Agent {
		values, name = nil, "agent"
		for _, a := range k.env.Agents {
			values = append(values, a)
		}
	}
	if values == nil || among(v, values) {
		return true
	}
	words := Type{Values: values}.words()
	s, isText := v.(string)
	hint := ""
	if isText {
		hint = near(s, words)
	}
	if hint == "" && len(values) > 0 {
		hint = "there is " + some(written(values))
	}
	if name == "" {
		k.fail(n, diag.ExprVocabulary, hint, "%s is none of the values it can have here", eval.Format(n))
	} else if len(values) == 0 {
		k.fail(n, diag.ExprVocabulary, "", "no %s is called %s: there is none at all", name, eval.Format(n))
	} else {
		k.fail(n, diag.ExprVocabulary, hint, "no %s is called %s", name, eval.Format(n))
	}
	return true
}

func literalOf(n exprast.Node) (any, bool) {
	switch n := n.(type) {
	case *exprast.StringNode:
		return n.Value, true
	case *exprast.IntegerNode:
		return n.Value, true
	case *exprast.FloatNode:
		return n.Value, true
	case *exprast.BoolNode:
		return n.Value, true
	case *exprast.UnaryNode:
		v, ok := literalOf(n.Node)
		if !ok || n.Operator != "-" {
			return nil, false
		}
		switch x := v.(type) {
		case int:
			return -x, true
		case float64:
			return -x, true
		}
	}
	return nil, false
}

// in types membership: of a list, of a group, or of a record's field names.
func (k *checker) in(n *exprast.BinaryNode, l, r Type) Type {
	switch {
	case r.Kind == Open || l.Kind == Open && r.Kind != Unknown:
		return BoolType
	case r.Kind == Unknown:
		k.lost(n.Right, n.Right, r)
	case r.Kind == Table || r.Kind == Record:
		k.need(n.Left, l, String, "as a field's name")
	case !isList(r):
		k.fail(n.Right, diag.ExprOperand, "", "`in` looks into a list, and `%s` is %s", eval.Format(n.Right), r)
	case l.Kind == Unknown:
		k.lostCompare(n.Left, l)
	case r.elem().Kind == Unknown:
		k.lostCompare(n.Right, r.elem())
	case !comparable(l, r.elem()):
		k.fail(n, diag.ExprCompare, "", "`in` looks for %s among elements that are each %s", l, r.elem())
	default:
		k.vocabulary(r.elem(), n.Left)
		if list, ok := n.Right.(*exprast.ArrayNode); ok {
			for _, e := range list.Nodes {
				k.vocabulary(l, e)
			}
		}
	}
	return BoolType
}
