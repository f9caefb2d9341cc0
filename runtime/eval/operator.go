package eval

import (
	"math"
	"strings"

	"github.com/expr-lang/expr/vm/runtime"

	"parley/runtime/segment"
)

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
