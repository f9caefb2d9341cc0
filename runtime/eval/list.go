package eval

import (
	"fmt"
	"unicode/utf8"
)

// listFuncs are the functions on lists. Elements pass through untouched, so
// texts keep their origin and agents stay agents.
var listFuncs = map[string]native{
	"len":     {min: 1, max: 1, call: length},
	"first":   {min: 1, max: 1, call: func(f *frame, args []any) any { return end(args[0], false) }},
	"last":    {min: 1, max: 1, call: func(f *frame, args []any) any { return end(args[0], true) }},
	"uniq":    {min: 1, max: 1, call: uniq},
	"reverse": {min: 1, max: 1, call: reverse},
	"take":    {min: 2, max: 2, call: take},
	"concat":  {min: 1, max: -1, call: concat},
	"flatten": {min: 1, max: 1, call: flatten},
}

func noList(v any) any {
	return Missing{Why: fmt.Sprintf("%s stands where a list is due", kindOf(v))}
}

func length(_ *frame, args []any) any {
	if s, ok := textOf(args[0]); ok {
		return utf8.RuneCountInString(s)
	}
	if it, ok := itemsOf(args[0]); ok {
		return it.n
	}
	if m, ok := mapOf(args[0]); ok {
		return len(m)
	}
	return Missing{Why: fmt.Sprintf("%s has no length", kindOf(args[0]))}
}

func end(v any, last bool) any {
	it, ok := itemsOf(v)
	switch {
	case !ok:
		return noList(v)
	case it.n == 0:
		return Missing{Why: "the list is empty"}
	case last:
		return it.at(it.n - 1)
	}
	return it.at(0)
}

// uniq keeps the first of equal elements. Where it is unknown whether two are
// equal, the result is.
func uniq(f *frame, args []any) any {
	it, ok := itemsOf(args[0])
	if !ok {
		return noList(args[0])
	}
	out := []any{}
next:
	for i := range it.n {
		e := it.at(i)
		for _, o := range out {
			f.charge(1)
			switch f.equal(e, o, 0) {
			case True:
				continue next
			case Unknown:
				return Missing{Why: fmt.Sprintf("element %d of the list is missing", i)}
			}
		}
		out = append(out, e)
	}
	return out
}

func reverse(f *frame, args []any) any {
	it, ok := itemsOf(args[0])
	if !ok {
		return noList(args[0])
	}
	f.charge(it.n)
	out := make([]any, it.n)
	for i := range it.n {
		out[it.n-1-i] = it.at(i)
	}
	return out
}

func take(f *frame, args []any) any {
	it, ok := itemsOf(args[0])
	if !ok {
		return noList(args[0])
	}
	n, _, whole, _ := number(args[1])
	if !whole || n < 0 {
		return Missing{Why: "take needs a whole number that is not negative"}
	}
	n = min(n, it.n)
	f.charge(n)
	out := make([]any, n)
	for i := range n {
		out[i] = it.at(i)
	}
	return out
}

func concat(f *frame, args []any) any {
	out := []any{}
	for _, a := range args {
		it, ok := itemsOf(a)
		if !ok {
			return noList(a)
		}
		f.charge(it.n)
		for i := range it.n {
			out = append(out, it.at(i))
		}
	}
	return out
}

func flatten(f *frame, args []any) any {
	it, ok := itemsOf(args[0])
	if !ok {
		return noList(args[0])
	}
	out := []any{}
	if !f.flatten(it, &out, 0) {
		return Missing{Why: "the list is nested too deep"}
	}
	return out
}

func (f *frame) flatten(it items, out *[]any, depth int) bool {
	if depth > maxDepth {
		return false
	}
	for i := range it.n {
		f.charge(1)
		e := it.at(i)
		inner, ok := itemsOf(e)
		if !ok {
			*out = append(*out, e)
			continue
		}
		if !f.flatten(inner, out, depth+1) {
			return false
		}
	}
	return true
}
