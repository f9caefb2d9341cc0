package eval

import (
	"fmt"
	"strings"

	"github.com/expr-lang/expr/ast"
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
