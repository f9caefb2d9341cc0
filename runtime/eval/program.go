package eval

import (
	"context"
	"sync"

	"parley/runtime/segment"
)

// Program is a compiled expression: immutable and safe for concurrent use.
type Program struct {
	root  *node
	loops int // how deep loops nest
	slots int // how many let names are alive at once
}

// Compile turns an expression into a program. fns are the functions that need a
// trial; those that do not are always there. Errors are *SyntaxError.
func Compile(src string, fns map[string]Func) (*Program, error) {
	tree, err := Parse(src)
	if err != nil {
		return nil, err
	}
	c := &compiler{src: src, fns: fns}
	root := c.node(tree)
	if c.err != nil {
		return nil, c.err
	}
	return &Program{root: root, loops: c.maxLoops, slots: c.maxVars}, nil
}

// Eval returns the expression's value: one of the kinds that the package knows,
// Missing included. An error means that the evaluation did not end: its budget
// ran out, ctx was cancelled, or a function of the engine failed.
func (p *Program) Eval(ctx context.Context, env Env, b *Budget) (any, error) {
	var v any
	err := p.guarded(ctx, func() {
		f := p.frame(ctx, env, b)
		v = f.force(p.root.eval(f))
	})
	if err != nil {
		return nil, err
	}
	return v, nil
}

// Truth evaluates a condition. What is missing, or neither true nor false, is
// Unknown; Eval gives the reason.
func (p *Program) Truth(ctx context.Context, env Env, b *Budget) (Truth, error) {
	v, err := p.Eval(ctx, env, b)
	if err != nil {
		return Unknown, err
	}
	return TruthOf(v), nil
}

// Text evaluates a template or any other expression to a text that knows where
// its parts came from. Parts the author wrote have no source. A value that is
// missing as a whole gives an empty text; inside a template it is an empty part.
func (p *Program) Text(ctx context.Context, env Env, b *Budget) (segment.Text, error) {
	var t segment.Text
	err := p.guarded(ctx, func() {
		f := p.frame(ctx, env, b)
		f.soft = true
		t = f.render(p.root.eval(f))
	})
	return t, err
}

// Cache keeps compiled programs by their source. It belongs to whoever made it
// and is safe for concurrent use.
type Cache struct {
	fns map[string]Func
	mu  sync.RWMutex
	all map[string]*Program
}

// NewCache makes a cache of programs that may call fns.
func NewCache(fns map[string]Func) *Cache {
	return &Cache{fns: fns, all: map[string]*Program{}}
}

// Compile returns the program for src, compiled at most a few times. Errors are
// not kept.
func (c *Cache) Compile(src string) (*Program, error) {
	c.mu.RLock()
	p := c.all[src]
	c.mu.RUnlock()
	if p != nil {
		return p, nil
	}
	p, err := Compile(src, c.fns)
	if err != nil {
		return nil, err
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	if old := c.all[src]; old != nil {
		return old, nil
	}
	c.all[src] = p
	return p, nil
}
