package eval

import (
	"fmt"
	"sort"

	"github.com/expr-lang/expr/ast"
)

// loop is a function that looks at a list element by element.
type loop struct {
	name string
	list *node
	body *node // nil: the element itself
	init *node // reduce: the first #acc; sortBy: the order
	at   int   // place of the element in the frame
	cost int   // steps of one round
	part string
}

// loopNames are the functions whose second argument is looked at once an element.
var loopNames = map[string]func(l *loop, f *frame, it items) any{
	"all":           quantifier(False, False, true),
	"any":           quantifier(True, True, false),
	"none":          quantifier(True, False, true),
	"one":           one,
	"count":         count,
	"filter":        filter,
	"map":           mapped,
	"find":          finder(false, true),
	"findLast":      finder(true, true),
	"findIndex":     finder(false, false),
	"findLastIndex": finder(true, false),
	"sum":           sum,
	"reduce":        reduce,
	"sortBy":        sortBy,
}

func (c *compiler) looped(n *ast.BuiltinNode) *node {
	run := loopNames[n.Name]
	l := &loop{name: n.Name, part: brief(n.Arguments[0])}
	l.list = c.node(n.Arguments[0])
	if len(n.Arguments) > 1 {
		pred, ok := n.Arguments[1].(*ast.PredicateNode)
		if !ok {
			return c.fail(n, "%s takes a condition over the elements", n.Name)
		}
		l.at = c.loops
		c.loops++
		c.maxLoops = max(c.maxLoops, c.loops)
		l.body = c.node(pred.Node)
		c.loops--
		l.cost = 1 + size(pred.Node)
	} else {
		l.at = c.loops
		c.maxLoops = max(c.maxLoops, c.loops+1)
		l.cost = 1
	}
	if len(n.Arguments) > 2 {
		l.init = c.node(n.Arguments[2])
	}
	return &node{loop: l, eval: func(f *frame) any {
		v := l.list.eval(f)
		it, ok := itemsOf(v)
		switch {
		case ok:
			return run(l, f, it)
		case isMissing(v):
			return v
		}
		return Missing{Why: fmt.Sprintf("`%s` is %s, not a list", l.part, kindOf(v))}
	}}
}

// round evaluates the body for one element.
func (l *loop) round(f *frame, v any, i int) any {
	f.charge(l.cost)
	if l.body == nil {
		return v
	}
	e := &f.elems[l.at]
	e.value, e.index = v, i
	return l.body.eval(f)
}

// unclear is the unknown of a whole loop that some element made unknown.
func (l *loop) unclear(v any, i int) any {
	if m, ok := v.(Missing); ok {
		return Missing{Why: fmt.Sprintf("element %d of `%s`: %s", i, l.part, m.Why)}
	}
	return Missing{Why: fmt.Sprintf("element %d of `%s` gives %s, neither true nor false", i, l.part, kindOf(v))}
}

// quantifier stops at the first element whose truth is decisive and then gives
// found; else it is unknown if some element was, else rest.
func quantifier(decisive, found Truth, rest bool) func(l *loop, f *frame, it items) any {
	return func(l *loop, f *frame, it items) any {
		var unknown any
		for i := range it.n {
			v := l.round(f, it.at(i), i)
			switch t := TruthOf(v); {
			case t == decisive:
				return found == True
			case t == Unknown && unknown == nil:
				unknown = l.unclear(v, i)
			}
		}
		if unknown != nil {
			return unknown
		}
		return rest
	}
}

// one is false as soon as two elements hold, whatever the others are.
func one(l *loop, f *frame, it items) any {
	var unknown any
	held := 0
	for i := range it.n {
		v := l.round(f, it.at(i), i)
		switch TruthOf(v) {
		case True:
			if held++; held > 1 {
				return false
			}
		case Unknown:
			if unknown == nil {
				unknown = l.unclear(v, i)
			}
		}
	}
	if unknown != nil {
		return unknown
	}
	return held == 1
}

func count(l *loop, f *frame, it items) any {
	n := 0
	for i := range it.n {
		v := l.round(f, it.at(i), i)
		switch TruthOf(v) {
		case True:
			n++
		case Unknown:
			return l.unclear(v, i)
		}
	}
	return n
}

// filter is unknown as a whole where it is unknown whether an element belongs:
// a list that may lack an element would make `none` and `len` over it lie.
func filter(l *loop, f *frame, it items) any {
	out := []any{}
	for i := range it.n {
		e := it.at(i)
		v := l.round(f, e, i)
		switch TruthOf(v) {
		case True:
			out = append(out, e)
		case Unknown:
			return l.unclear(v, i)
		}
	}
	return out
}

// mapped keeps a missing element in its place: only what looks at it is unknown.
func mapped(l *loop, f *frame, it items) any {
	f.charge(it.n)
	out := make([]any, it.n)
	for i := range it.n {
		out[i] = f.force(l.round(f, it.at(i), i))
	}
	return out
}

// finder gives the first element that holds, unless one before it is unknown.
func finder(backward, element bool) func(l *loop, f *frame, it items) any {
	return func(l *loop, f *frame, it items) any {
		for k := range it.n {
			i := k
			if backward {
				i = it.n - 1 - k
			}
			e := it.at(i)
			v := l.round(f, e, i)
			switch TruthOf(v) {
			case True:
				if element {
					return e
				}
				return i
			case Unknown:
				return l.unclear(v, i)
			}
		}
		if element {
			return nil
		}
		return -1
	}
}

func sum(l *loop, f *frame, it items) any {
	var total any = 0
	for i := range it.n {
		v := l.round(f, it.at(i), i)
		if isMissing(v) {
			return l.unclear(v, i)
		}
		next := arithmetic2(total, v)
		if next == nil {
			return Missing{Why: fmt.Sprintf("element %d of `%s` is %s, not a number", i, l.part, kindOf(v))}
		}
		total = next
	}
	return total
}

func reduce(l *loop, f *frame, it items) any {
	start := 0
	var acc any
	switch {
	case l.init != nil:
		acc = f.force(l.init.eval(f))
	case it.n == 0:
		return Missing{Why: fmt.Sprintf("`%s` is empty", l.part)}
	default:
		acc, start = it.at(0), 1
	}
	for i := start; i < it.n; i++ {
		f.elems[l.at].acc = acc
		acc = f.force(l.round(f, it.at(i), i))
	}
	return acc
}

func sortBy(l *loop, f *frame, it items) any {
	desc := false
	if l.init != nil {
		o := l.init.eval(f)
		switch s, _ := textOf(o); s {
		case "asc":
		case "desc":
			desc = true
		default:
			return Missing{Why: "the order of sortBy is \"asc\" or \"desc\""}
		}
	}
	f.charge(it.n * 4)
	list, keys, index := make([]any, it.n), make([]any, it.n), make([]int, it.n)
	for i := range it.n {
		list[i], index[i] = it.at(i), i
		keys[i] = l.round(f, list[i], i)
		if isMissing(keys[i]) {
			return l.unclear(keys[i], i)
		}
		if _, ok := compareOrder(keys[0], keys[i]); !ok {
			return Missing{Why: fmt.Sprintf("element %d of `%s` has no order beside the others", i, l.part)}
		}
	}
	sort.SliceStable(index, func(a, b int) bool {
		c, _ := compareOrder(keys[index[a]], keys[index[b]])
		if desc {
			return c > 0
		}
		return c < 0
	})
	out := make([]any, it.n)
	for i, k := range index {
		out[i] = list[k]
	}
	return out
}

// size counts the parts of a tree.
func size(n ast.Node) int {
	c := counter(0)
	ast.Walk(&n, &c)
	return int(c)
}

type counter int

// Visit counts one part.
func (c *counter) Visit(*ast.Node) { *c++ }
