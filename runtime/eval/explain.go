package eval

import "context"

// Node explains one part of an expression: what it is, what it came to, and why.
type Node struct {
	Text  string // canonical source
	Value any
	Truth Truth
	Why   string // the reason, where the value is missing
	Parts []*Node
	// Decided lists the elements that made a loop come out as it did: for any
	// and none those that hold, for all those that do not, else those that hold;
	// where the outcome is unknown, the unknown ones.
	Decided []Element
	// More is how many further elements decided the same way.
	More int
}

// Element is one element of a list and what the loop's condition said of it.
type Element struct {
	Index int // from 0
	Value any
	Body  *Node
}

// maxDecided bounds how many elements an explanation shows.
const maxDecided = 10

// Explain evaluates like Eval and keeps what every part came to. Parts that the
// evaluation did not need are explained all the same.
func (p *Program) Explain(ctx context.Context, env Env, b *Budget) (*Node, error) {
	var out *Node
	err := p.guarded(ctx, func() {
		f := p.frame(ctx, env, b)
		out = f.explain(p.root)
	})
	if err != nil {
		return nil, err
	}
	return out, nil
}

func (f *frame) explain(n *node) *Node {
	v := f.force(n.eval(f))
	if _, ok := v.(broken); ok {
		v = nil
	}
	out := &Node{Text: Format(n.ast), Value: v, Truth: TruthOf(v)}
	if m, ok := v.(Missing); ok {
		out.Why = m.Why
	}
	for _, k := range n.kids {
		out.Parts = append(out.Parts, f.explain(k))
	}
	if n.loop != nil {
		n.loop.explain(f, out)
	}
	return out
}

// explain looks again for the elements that decided.
func (l *loop) explain(f *frame, out *Node) {
	out.Parts = append(out.Parts, f.explain(l.list))
	it, ok := itemsOf(l.list.eval(f))
	if !ok {
		return
	}
	var want Truth
	switch l.name {
	case "all":
		want = False
	case "any", "none", "one", "count", "filter", "find", "findIndex", "findLast", "findLastIndex":
		want = True
	default:
		return
	}
	if out.Value != nil && isMissing(out.Value) {
		want = Unknown
	}
	for i := range it.n {
		v := l.round(f, it.at(i), i)
		if TruthOf(v) != want {
			continue
		}
		if len(out.Decided) == maxDecided {
			out.More++
			continue
		}
		e := Element{Index: i, Value: it.at(i)}
		if l.body != nil {
			e.Body = f.explain(l.body)
		}
		out.Decided = append(out.Decided, e)
	}
}
