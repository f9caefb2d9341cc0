package eval

import (
	"fmt"
	"strings"

	"github.com/expr-lang/expr/ast"

	"parley/runtime/segment"
)

// node is one compiled part. kids and loop serve explanations only.
type node struct {
	eval code
	ast  ast.Node
	kids []*node
	loop *loop
}

// compiler turns a tree into closures. Loops and let names get fixed places in
// the frame, so that evaluation looks nothing up by name but the environment.
type compiler struct {
	src      string
	fns      map[string]Func
	err      error
	loops    int
	maxLoops int
	vars     []string
	maxVars  int
}

func (c *compiler) fail(n ast.Node, format string, args ...any) *node {
	if c.err == nil {
		loc := n.Location()
		c.err = &SyntaxError{
			Message: fmt.Sprintf(format, args...),
			Start:   byteOffset(c.src, loc.From), End: byteOffset(c.src, loc.To),
		}
	}
	return &node{ast: n, eval: func(*frame) any { return nil }}
}

func (c *compiler) node(n ast.Node) *node {
	out := c.compile(n)
	out.ast = n
	return out
}

func (c *compiler) compile(n ast.Node) *node {
	switch n := n.(type) {
	case *ast.NilNode:
		return constant(nil)
	case *ast.IntegerNode:
		return constant(n.Value)
	case *ast.FloatNode:
		return constant(n.Value)
	case *ast.BoolNode:
		return constant(n.Value)
	case *ast.StringNode:
		return constant(n.Value)
	case *ast.IdentifierNode:
		return c.name(n)
	case *ast.PointerNode:
		return c.pointer(n)
	case *ast.UnaryNode:
		return c.unary(n)
	case *ast.BinaryNode:
		return c.binary(n)
	case *ast.ChainNode:
		return c.chain(n)
	case *ast.MemberNode:
		return c.member(n)
	case *ast.SliceNode:
		return c.slice(n)
	case *ast.CallNode:
		return c.call(n)
	case *ast.BuiltinNode:
		return c.builtin(n)
	case *ast.ConditionalNode:
		return c.conditional(n)
	case *ast.VariableDeclaratorNode:
		return c.let(n)
	case *ast.ArrayNode:
		return c.array(n)
	case *ast.MapNode:
		return c.mapping(n)
	case *ast.SequenceNode:
		return c.fail(n, "one expression is due here, not several")
	case *ast.BytesNode:
		return c.fail(n, "byte strings are not part of the language")
	}
	return c.fail(n, "this form is not part of the language")
}

func constant(v any) *node { return &node{eval: func(*frame) any { return v }} }

func (c *compiler) name(n *ast.IdentifierNode) *node {
	name := n.Value
	for i := len(c.vars) - 1; i >= 0; i-- {
		if c.vars[i] == name {
			return &node{eval: func(f *frame) any { return f.vars[i] }}
		}
	}
	if strings.HasPrefix(name, "$") {
		return c.fail(n, "a name cannot begin with $")
	}
	var unknown any = Missing{Why: fmt.Sprintf("`%s` is not there", name)}
	return &node{eval: func(f *frame) any {
		v, ok := f.env.Lookup(name)
		if !ok {
			return unknown
		}
		return v
	}}
}

func (c *compiler) pointer(n *ast.PointerNode) *node {
	at := c.loops - 1
	if at < 0 {
		return c.fail(n, "# stands for an element and needs a list around it, as in filter(list, #)")
	}
	switch n.Name {
	case "":
		return &node{eval: func(f *frame) any { return f.elems[at].value }}
	case "index":
		return &node{eval: func(f *frame) any { return f.elems[at].index }}
	case "acc":
		return &node{eval: func(f *frame) any { return f.elems[at].acc }}
	}
	return c.fail(n, "#%s is not known; there are #, #index and, in reduce, #acc", n.Name)
}

func (c *compiler) let(n *ast.VariableDeclaratorNode) *node {
	slot := len(c.vars)
	c.vars = append(c.vars, "") // taken, but not yet a name
	c.maxVars = max(c.maxVars, len(c.vars))
	value := c.node(n.Value)
	c.vars[slot] = n.Name
	body := c.node(n.Expr)
	c.vars = c.vars[:slot]
	return &node{kids: []*node{value, body}, eval: func(f *frame) any {
		f.vars[slot] = value.eval(f)
		return body.eval(f)
	}}
}

func (c *compiler) array(n *ast.ArrayNode) *node {
	parts := make([]code, len(n.Nodes))
	for i, e := range n.Nodes {
		parts[i] = c.node(e).eval
	}
	return &node{eval: func(f *frame) any {
		f.charge(len(parts))
		list := make([]any, len(parts))
		for i, p := range parts {
			list[i] = f.force(p(f))
		}
		return list
	}}
}

func (c *compiler) mapping(n *ast.MapNode) *node {
	type pair struct{ key, value code }
	pairs := make([]pair, len(n.Pairs))
	for i, e := range n.Pairs {
		p, ok := e.(*ast.PairNode)
		if !ok {
			return c.fail(e, "a field is due here")
		}
		pairs[i] = pair{c.node(p.Key).eval, c.node(p.Value).eval}
	}
	return &node{eval: func(f *frame) any {
		f.charge(len(pairs))
		m := make(map[string]any, len(pairs))
		for _, p := range pairs {
			k := p.key(f)
			if isMissing(k) {
				return k
			}
			m[f.render(k).String()] = f.force(p.value(f))
		}
		return m
	}}
}

// broken is what `a?.b` gives where a is not there: the whole chain is nil.
type broken struct{}

func (c *compiler) chain(n *ast.ChainNode) *node {
	inner := c.node(n.Node)
	return &node{eval: func(f *frame) any {
		v := inner.eval(f)
		if _, ok := v.(broken); ok {
			return nil
		}
		return v
	}}
}

func (c *compiler) member(n *ast.MemberNode) *node {
	base := c.node(n.Node)
	read := c.reader(n)
	if !n.Optional {
		return &node{kids: []*node{base}, eval: func(f *frame) any {
			v := base.eval(f)
			if _, ok := v.(broken); ok {
				return v
			}
			return read(f, v)
		}}
	}
	return &node{kids: []*node{base}, eval: func(f *frame) any {
		v := base.eval(f)
		if _, ok := v.(broken); ok || absent(v) {
			return broken{}
		}
		if v = read(f, v); isMissing(v) {
			return broken{}
		}
		return v
	}}
}

// reader reads a field or an index of a value.
func (c *compiler) reader(n *ast.MemberNode) func(f *frame, base any) any {
	whole, part := brief(n), brief(n.Node)
	if name, ok := n.Property.(*ast.StringNode); ok {
		field := name.Value
		var (
			gone  any = Missing{Why: fmt.Sprintf("`%s` is missing", whole)}
			isNil any = Missing{Why: fmt.Sprintf("`%s` is nil, so `%s` cannot be read", part, whole)}
		)
		return func(_ *frame, base any) any {
			switch x := base.(type) {
			case nil:
				return isNil
			case Missing:
				return x
			case Record:
				if v, ok := x.Field(field); ok {
					return v
				}
				return gone
			}
			if m, ok := mapOf(base); ok {
				if v, ok := m[field]; ok {
					return v
				}
				return gone
			}
			return Missing{Why: fmt.Sprintf("`%s` is %s and has no field `%s`", part, kindOf(base), field)}
		}
	}
	key := c.node(n.Property)
	return func(f *frame, base any) any {
		if isMissing(base) {
			return base
		}
		k := key.eval(f)
		if isMissing(k) {
			return k
		}
		return f.index(base, k, part)
	}
}

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
