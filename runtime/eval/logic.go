package eval

import (
	"fmt"
	"math"
	"regexp"
	"strings"

	"github.com/expr-lang/expr/ast"
	"github.com/expr-lang/expr/vm/runtime"

	"parley/runtime/segment"
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
			if re, err = regexp.Compile(pattern); err != nil || len(pattern) > maxPattern {
				return Missing{Why: fmt.Sprintf("%s is not a pattern", short(pattern))}
			}
		}
		return re.MatchString(s)
	}}
}

// operators are those that need both sides. They return nil where the two kinds
// do not go together.
var operators = map[string]func(f *frame, x, y any) any{
	"+":          add,
	"-":          arithmetic(runtime.Subtract),
	"*":          arithmetic(runtime.Multiply),
	"/":          func(_ *frame, x, y any) any { return divide(x, y) },
	"%":          func(_ *frame, x, y any) any { return modulo(x, y) },
	"**":         power,
	"^":          power,
	"..":         upTo,
	"<":          order(func(c int) bool { return c < 0 }),
	"<=":         order(func(c int) bool { return c <= 0 }),
	">":          order(func(c int) bool { return c > 0 }),
	">=":         order(func(c int) bool { return c >= 0 }),
	"contains":   textual(strings.Contains),
	"startsWith": textual(strings.HasPrefix),
	"endsWith":   textual(strings.HasSuffix),
}

func add(f *frame, x, y any) any {
	if v := arithmetic(runtime.Add)(f, x, y); v != nil {
		return v
	}
	s, ok := x.(string)
	if t, ok2 := y.(string); ok && ok2 {
		f.text(len(s) + len(t))
		return s + t
	}
	a, ok := named(x)
	b, ok2 := named(y)
	if !ok || !ok2 {
		return nil
	}
	f.charge(len(a) + len(b))
	return segment.Concat(a, b)
}

// named is a text, or an agent's name where a text is put together.
func named(v any) (segment.Text, bool) {
	if t, ok := originOf(v); ok {
		return t, true
	}
	n, ok := nameOf(v)
	return segment.Of(n, ""), ok
}

// plainNumber turns a number into one of the two kinds that values have.
func plainNumber(v any) (any, bool) {
	switch v.(type) {
	case int, float64:
		return v, true
	}
	i, fl, whole, ok := number(v)
	if whole {
		return i, ok
	}
	return fl, ok
}

func arithmetic(op func(a, b any) any) func(f *frame, x, y any) any {
	return func(_ *frame, x, y any) any {
		a, ok := plainNumber(x)
		b, ok2 := plainNumber(y)
		if !ok || !ok2 {
			return nil
		}
		return op(a, b)
	}
}

func divide(x, y any) any {
	_, a, _, ok := number(x)
	_, b, _, ok2 := number(y)
	if !ok || !ok2 {
		return nil
	}
	if a == 0 && b == 0 {
		return Missing{Why: "0 divided by 0 has no value"}
	}
	return a / b
}

func modulo(x, y any) any {
	a, _, ok, _ := number(x)
	b, _, ok2, _ := number(y)
	switch {
	case !ok || !ok2:
		return nil
	case b == 0:
		return Missing{Why: "there is no rest of a division by 0"}
	}
	return a % b
}

func power(_ *frame, x, y any) any {
	_, a, _, ok := number(x)
	_, b, _, ok2 := number(y)
	if !ok || !ok2 {
		return nil
	}
	return math.Pow(a, b)
}

func upTo(_ *frame, x, y any) any {
	a, _, ok, _ := number(x)
	b, _, ok2, _ := number(y)
	if !ok || !ok2 {
		return nil
	}
	if b < a {
		return span{lo: a}
	}
	if n := b - a + 1; n > 0 {
		return span{lo: a, n: n}
	}
	return Missing{Why: "the range is too large"}
}

func order(holds func(c int) bool) func(f *frame, x, y any) any {
	return func(_ *frame, x, y any) any {
		c, ok := compareOrder(x, y)
		if !ok {
			return nil
		}
		return holds(c)
	}
}

// compareOrder puts two numbers or two texts in order. A value that is no
// number (0/0 that came from outside) has no order.
func compareOrder(x, y any) (int, bool) {
	if i, a, whole, ok := number(x); ok {
		j, b, whole2, ok := number(y)
		switch {
		case !ok || math.IsNaN(a) || math.IsNaN(b):
			return 0, false
		case whole && whole2:
			a, b = 0, 0
			if i < j {
				return -1, true
			} else if i > j {
				return 1, true
			}
		}
		if a < b {
			return -1, true
		} else if a > b {
			return 1, true
		}
		return 0, true
	}
	s, ok := textOf(x)
	t, ok2 := textOf(y)
	return strings.Compare(s, t), ok && ok2
}

func textual(holds func(s, part string) bool) func(f *frame, x, y any) any {
	return func(f *frame, x, y any) any {
		s, ok := textOf(x)
		part, ok2 := textOf(y)
		if !ok || !ok2 {
			return nil
		}
		f.text(len(s))
		return holds(s, part)
	}
}
