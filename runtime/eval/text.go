package eval

import (
	"fmt"
	"strings"
	"unicode/utf8"

	"github.com/expr-lang/expr/builtin"

	"parley/runtime/segment"
)

// textFuncs are the functions on texts. What is made from a text with an origin
// has that origin as a whole; joining keeps the origin of each part.
var textFuncs = map[string]native{
	"render":      {min: 0, max: -1, call: func(f *frame, args []any) any { return f.renderAll(args) }},
	"uri":         {min: 1, max: -1, call: nil}, // compiled apart: it tells literals from values
	"string":      {min: 1, max: 1, call: toText},
	"lower":       texts(1, 1, func(a []string) any { return strings.ToLower(a[0]) }),
	"upper":       texts(1, 1, func(a []string) any { return strings.ToUpper(a[0]) }),
	"trim":        texts(1, 2, expr("trim")),
	"trimPrefix":  texts(1, 2, expr("trimPrefix")),
	"trimSuffix":  texts(1, 2, expr("trimSuffix")),
	"hasPrefix":   texts(2, 2, func(a []string) any { return strings.HasPrefix(a[0], a[1]) }),
	"hasSuffix":   texts(2, 2, func(a []string) any { return strings.HasSuffix(a[0], a[1]) }),
	"indexOf":     texts(2, 2, func(a []string) any { return runeIndex(a[0], strings.Index(a[0], a[1])) }),
	"lastIndexOf": texts(2, 2, func(a []string) any { return runeIndex(a[0], strings.LastIndex(a[0], a[1])) }),
	"split":       {min: 2, max: 3, call: split},
	"replace":     {min: 3, max: 4, call: replace},
	"join":        {min: 1, max: 2, call: join},
	"lines":       {min: 1, max: 1, call: lines},
	"fold":        texts(1, 1, func(a []string) any { return Fold(a[0]) }),
}

// texts wraps a function whose arguments are all texts.
func texts(lo, hi int, do func(args []string) any) native {
	return native{min: lo, max: hi, call: func(f *frame, args []any) any {
		plain := make([]string, len(args))
		for i, a := range args {
			s, ok := textOf(a)
			if !ok {
				return Missing{Why: fmt.Sprintf("%s stands where a text is due", kindOf(a))}
			}
			f.text(len(s))
			plain[i] = s
		}
		return marked(do(plain), args)
	}}
}

// expr runs one of expr's own functions on texts of the right number.
func expr(name string) func(args []string) any {
	call := builtin.Builtins[builtin.Index[name]].Func
	return func(args []string) any {
		list := make([]any, len(args))
		for i, a := range args {
			list[i] = a
		}
		v, err := call(list...)
		if err != nil {
			return Missing{Why: err.Error()}
		}
		return v
	}
}

// runeIndex turns a byte offset into a count of characters; -1 stays.
func runeIndex(s string, at int) int {
	if at < 0 {
		return -1
	}
	return utf8.RuneCountInString(s[:at])
}

func toText(f *frame, args []any) any {
	t := f.render(args[0])
	if t.Plain() {
		return t.String()
	}
	return t
}

func split(f *frame, args []any) any {
	s, ok := textOf(args[0])
	sep, ok2 := textOf(args[1])
	n := -1
	if len(args) == 3 {
		var ok3 bool
		if n, _, ok3, _ = number(args[2]); !ok3 {
			return Missing{Why: "split takes a whole number as its third argument"}
		}
	}
	if !ok || !ok2 {
		return Missing{Why: fmt.Sprintf("%s cannot be split", kindOf(args[0]))}
	}
	f.text(len(s))
	parts := strings.SplitN(s, sep, n)
	f.charge(len(parts))
	out := make([]any, len(parts))
	for i, p := range parts {
		out[i] = marked(p, args)
	}
	return out
}

func replace(f *frame, args []any) any {
	var s [3]string
	for i := range s {
		var ok bool
		if s[i], ok = textOf(args[i]); !ok {
			return Missing{Why: fmt.Sprintf("%s stands where a text is due", kindOf(args[i]))}
		}
	}
	n := -1
	if len(args) == 4 {
		var ok bool
		if n, _, ok, _ = number(args[3]); !ok {
			return Missing{Why: "replace takes a whole number as its fourth argument"}
		}
	}
	f.text(len(s[0]))
	times := strings.Count(s[0], s[1])
	if n >= 0 {
		times = min(times, n)
	}
	f.text(times * len(s[2]))
	return marked(strings.Replace(s[0], s[1], s[2], n), args)
}

func join(f *frame, args []any) any {
	sep := any("")
	if len(args) == 2 {
		sep = args[1]
	}
	between, ok := originOf(sep)
	if !ok {
		return Missing{Why: fmt.Sprintf("%s stands where a text is due", kindOf(sep))}
	}
	return f.joined(args[0], between)
}

func lines(f *frame, args []any) any { return f.joined(args[0], segment.Of("\n", "")) }

// joined writes the elements of a list with something between them.
func (f *frame) joined(v any, between segment.Text) any {
	it, ok := itemsOf(v)
	if !ok {
		return Missing{Why: fmt.Sprintf("%s stands where a list is due", kindOf(v))}
	}
	var out segment.Text
	for i := range it.n {
		e := it.at(i)
		if isMissing(e) {
			return e
		}
		if i > 0 {
			out = append(out, between...)
		}
		t := f.render(e)
		f.charge(1 + len(t))
		out = append(out, t...)
	}
	if out.Plain() {
		return out.String()
	}
	return out.Merge()
}
