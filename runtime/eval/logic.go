package eval

import (
	"fmt"
	"math"
	"regexp"
	"strings"

	"github.com/expr-lang/expr/ast"
)

func (c *compiler) unary(n *ast.UnaryNode) *node {
	x := c.node(n.Node)
	part := brief(n.Node)
	out := &node{kids: []*node{x}}
	switch n.Operator {
	case "!", "not":
		out.eval = func(f *frame) any {
			v := x.eval(f)
			if b, ok := v.(bool); ok {
				return !b
			}
			return noTruth(v, part)
		}
	default:
		minus := n.Operator == "-"
		out.eval = func(f *frame) any {
			v := x.eval(f)
			i, fl, whole, ok := number(v)
			switch {
			case isMissing(v):
				return v
			case !ok:
				return Missing{Why: fmt.Sprintf("`%s` is %s, not a number", part, kindOf(v))}
			case !minus:
				return v
			case whole:
				return -i
			}
			return -fl
		}
	}
	return out
}

// noTruth is the unknown that a value gives where a condition is due.
func noTruth(v any, part string) any {
	if isMissing(v) {
		return v
	}
	return Missing{Why: fmt.Sprintf("`%s` is %s, neither true nor false", part, kindOf(v))}
}

func (c *compiler) conditional(n *ast.ConditionalNode) *node {
	cond, yes, no := c.node(n.Cond), c.node(n.Exp1), c.node(n.Exp2)
	part := brief(n.Cond)
	return &node{kids: []*node{cond, yes, no}, eval: func(f *frame) any {
		v := cond.eval(f)
		switch TruthOf(v) {
		case True:
			return yes.eval(f)
		case False:
			return no.eval(f)
		}
		return noTruth(v, part)
	}}
}

func (c *compiler) binary(n *ast.BinaryNode) *node {
	switch n.Operator {
	case "matches":
		return c.matches(n)
	case "|":
		return c.fail(n, "a function call is due after |")
	}
	l, r := c.node(n.Left), c.node(n.Right)
	out := &node{kids: []*node{l, r}}
	a, b := l.eval, r.eval
	switch op := n.Operator; op {
	case "&&", "and":
		out.eval = junction(a, b, False, brief(n.Left), brief(n.Right))
	case "||", "or":
		out.eval = junction(a, b, True, brief(n.Left), brief(n.Right))
	case "??":
		out.eval = func(f *frame) any {
			if v := a(f); !absent(v) {
				return v
			}
			return b(f)
		}
	case "==", "!=":
		out.eval = equality(n, a, b, brief(n))
	case "in":
		out.eval = func(f *frame) any { return f.in(a(f), b(f), n) }
	default:
		apply := operators[op]
		if apply == nil {
			return c.fail(n, "the operator %s is not part of the language", op)
		}
		out.eval = func(f *frame) any {
			x := a(f)
			if isMissing(x) {
				return x
			}
			y := b(f)
			if isMissing(y) {
				return y
			}
			if v := apply(f, x, y); v != nil {
				return v
			}
			return Missing{Why: fmt.Sprintf("`%s` cannot be worked out: %s stands beside %s", brief(n), kindOf(x), kindOf(y))}
		}
	}
	return out
}

// junction is && with decisive False and || with decisive True. An unknown side
// does not hide a decisive other one, whichever side it stands on.
func junction(a, b code, decisive Truth, left, right string) code {
	return func(f *frame) any {
		x := a(f)
		t := TruthOf(x)
		if t == decisive {
			return x
		}
		y := b(f)
		u := TruthOf(y)
		switch {
		case u == decisive:
			return y
		case t == Unknown:
			return noTruth(x, left)
		case u == Unknown:
			return noTruth(y, right)
		}
		return y
	}
}

func equality(n *ast.BinaryNode, a, b code, whole string) code {
	negate := n.Operator == "!="
	_, leftNil := n.Left.(*ast.NilNode)
	_, rightNil := n.Right.(*ast.NilNode)
	if leftNil || rightNil {
		if leftNil {
			a = b
		}
		return func(f *frame) any { return absent(a(f)) != negate }
	}
	if lit, ok := n.Right.(*ast.StringNode); ok {
		b := b
		return func(f *frame) any {
			x := a(f)
			if s, ok := x.(string); ok {
				return (s == lit.Value) != negate
			}
			return f.compare(x, b(f), negate, whole)
		}
	}
	return func(f *frame) any { return f.compare(a(f), b(f), negate, whole) }
}

func (f *frame) compare(x, y any, negate bool, whole string) any {
	switch f.equal(x, y, 0) {
	case True:
		return !negate
	case False:
		return negate
	}
	if isMissing(x) {
		return x
	}
	if isMissing(y) {
		return y
	}
	return Missing{Why: fmt.Sprintf("`%s` compares lists of which a part is missing", whole)}
}

// in looks for an element, or for a field of a record. An element that is
// missing could be the one: the answer is then unknown, unless another is.
func (f *frame) in(x, list any, n *ast.BinaryNode) any {
	if isMissing(list) {
		return list
	}
	if isMissing(x) {
		return x
	}
	if s, ok := list.(span); ok {
		i, fl, whole, ok := number(x)
		if !whole && ok && fl == math.Trunc(fl) {
			i, whole = int(fl), true
		}
		return ok && whole && i >= s.lo && i < s.lo+s.n
	}
	if it, ok := itemsOf(list); ok {
		out := False
		for i := range it.n {
			f.charge(1)
			if out = or(out, f.equal(x, it.at(i), 0)); out == True {
				return true
			}
		}
		return valueOf(out, Missing{Why: fmt.Sprintf("a part of `%s` is missing", brief(n.Right))})
	}
	key, isText := textOf(x)
	if m, ok := mapOf(list); ok && isText {
		_, has := m[key]
		return has
	}
	if r, ok := list.(Record); ok && isText {
		_, has := r.Field(key)
		return has
	}
	if list == nil {
		return Missing{Why: fmt.Sprintf("`%s` is nil, not a list", brief(n.Right))}
	}
	return Missing{Why: fmt.Sprintf("`%s` is %s, not a list", brief(n.Right), kindOf(list))}
}

// maxPattern bounds a pattern that is made at run time.
const maxPattern = 1024

func (c *compiler) matches(n *ast.BinaryNode) *node {
	l, r := c.node(n.Left), c.node(n.Right)
	part := brief(n.Left)
	var fixed *regexp.Regexp
	if lit, ok := n.Right.(*ast.StringNode); ok {
		var err error
		if fixed, err = regexp.Compile(lit.Value); err != nil {
			return c.fail(n.Right, "this pattern cannot be read: %s", strings.TrimPrefix(err.Error(), "error parsing regexp: "))
		}
	}
	return &node{kids: []*node{l, r}, eval: func(f *frame) any {
		v, p := l.eval(f), r.eval(f)
		if isMissing(v) {
			return v
		}
		if isMissing(p) {
			return p
		}
		s, ok := textOf(v)
		pattern, ok2 := textOf(p)
		if !ok || !ok2 {
			return Missing{Why: fmt.Sprintf("`%s` is %s, and only texts match patterns", part, kindOf(v))}
		}
		f.text(len(s))
		re := fixed
		if re == nil {
			var err error
			if len(pattern) > maxPattern {
				return Missing{Why: fmt.Sprintf("%s is longer than a pattern may be", short(pattern))}
			}
			if re, err = regexp.Compile(pattern); err != nil {
				return Missing{Why: fmt.Sprintf("%s is not a pattern", short(pattern))}
			}
		}
		return re.MatchString(s)
	}}
}
