package eval

import (
	"fmt"

	"github.com/expr-lang/expr/ast"

	"parley/runtime/segment"
)

// index reads an element: groups count from 1 and take ranges, lists count from
// 0 and from the end, records go by field.
func (f *frame) index(base, key any, part string) any {
	if s, ok := textOf(key); ok {
		if r, ok := base.(Record); ok {
			if v, ok := r.Field(s); ok {
				return v
			}
		} else if m, ok := mapOf(base); ok {
			if v, ok := m[s]; ok {
				return v
			}
		}
		return Missing{Why: fmt.Sprintf("`%s` has no `%s`", part, s)}
	}
	if base == nil {
		return Missing{Why: fmt.Sprintf("`%s` is nil", part)}
	}
	list, ok := itemsOf(base)
	if !ok {
		return Missing{Why: fmt.Sprintf("`%s` is %s and has no elements", part, kindOf(base))}
	}
	if isGroup(base) {
		return f.members(list, key, part)
	}
	i, _, whole, ok := number(key)
	if !ok || !whole {
		return Missing{Why: fmt.Sprintf("`%s` is counted by whole numbers, not by %s", part, short(key))}
	}
	at := i
	if at < 0 {
		at += list.n
	}
	if at < 0 || at >= list.n {
		return Missing{Why: fmt.Sprintf("`%s` has %d elements, none at %d", part, list.n, i)}
	}
	return list.at(at)
}

func (f *frame) members(group items, key any, part string) any {
	pick := func(k any) (any, bool) {
		i, _, whole, ok := number(k)
		if !ok || !whole || i < 1 || i > group.n {
			return Missing{Why: fmt.Sprintf("`%s` has members 1 to %d, none at %s", part, group.n, short(k))}, false
		}
		return group.at(i - 1), true
	}
	some, ok := itemsOf(key)
	if !ok {
		v, _ := pick(key)
		return v
	}
	f.charge(some.n)
	out := make([]any, 0, min(some.n, group.n))
	for i := range some.n {
		v, ok := pick(some.at(i))
		if !ok {
			return v
		}
		out = append(out, v)
	}
	return out
}

func isGroup(v any) bool {
	switch v.(type) {
	case Group, *Group:
		return true
	}
	return false
}

func (c *compiler) slice(n *ast.SliceNode) *node {
	base, part := c.node(n.Node), brief(n.Node)
	bound := func(e ast.Node) code {
		if e == nil {
			return nil
		}
		return c.node(e).eval
	}
	from, to := bound(n.From), bound(n.To)
	return &node{kids: []*node{base}, eval: func(f *frame) any {
		v := base.eval(f)
		lo, hi := any(0), any(nil)
		if from != nil {
			lo = from(f)
		}
		if to != nil {
			hi = to(f)
		}
		for _, x := range []any{v, lo, hi} {
			if isMissing(x) {
				return x
			}
		}
		return f.cut(v, lo, hi, part)
	}}
}

// cut takes a part of a list or of a text, counted from 0, the end excluded, as
// expr does; texts are cut between characters.
func (f *frame) cut(v, lo, hi any, part string) any {
	if isGroup(v) {
		return Missing{Why: fmt.Sprintf("`%s` is a group; write a range, as in %s[1..2]", part, part)}
	}
	origin, isText := originOf(v)
	list, isList := itemsOf(v)
	var runes []rune
	n := list.n
	switch {
	case isText:
		runes = []rune(origin.String())
		n = len(runes)
		f.text(n)
	case !isList:
		return Missing{Why: fmt.Sprintf("`%s` is %s and has no parts", part, kindOf(v))}
	}
	if hi == nil {
		hi = n
	}
	a, _, ok1, _ := number(lo)
	b, _, ok2, _ := number(hi)
	if !ok1 || !ok2 {
		return Missing{Why: fmt.Sprintf("`%s` is cut at whole numbers only", part)}
	}
	clamp := func(i int) int {
		if i < 0 {
			i += n
		}
		return min(max(i, 0), n)
	}
	a, b = clamp(a), clamp(b)
	a = min(a, b)
	if isText {
		return like(v, string(runes[a:b]), origin)
	}
	f.charge(b - a)
	out := make([]any, 0, b-a)
	for i := a; i < b; i++ {
		out = append(out, list.at(i))
	}
	return out
}

// like gives a derived text the kind of what it was derived from.
func like(v any, s string, origin segment.Text) any {
	if _, ok := v.(string); ok {
		return s
	}
	return segment.Whole(s, origin)
}
