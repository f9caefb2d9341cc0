package eval

import (
	"context"
	"errors"
	"fmt"
)

// ErrBudget says that an evaluation took more steps than it may.
var ErrBudget = errors.New("the expression takes too many steps")

// code evaluates one part of an expression. It returns a value, or Missing.
type code func(f *frame) any

// frame is the state of one evaluation. Programs are shared, frames are not.
type frame struct {
	ctx   context.Context
	env   Env
	left  int // steps
	since int // steps since the context was looked at
	elems []element
	vars  []any
	// soft: the whole is a text, so a missing part of a template is an empty one.
	soft bool
}

// element is what `#`, `#index` and `#acc` mean in one loop.
type element struct {
	value any
	acc   any
	index int
}

// abort carries an error that ends the whole evaluation up to run. It never
// leaves the package.
type abort struct{ err error }

// contextEvery is how many steps pass between two looks at the context.
const contextEvery = 4096

// charge takes n steps off the budget.
func (f *frame) charge(n int) {
	f.left -= n
	if f.left < 0 {
		panic(abort{ErrBudget})
	}
	if f.since += n; f.since >= contextEvery {
		f.since = 0
		if err := f.ctx.Err(); err != nil {
			panic(abort{err})
		}
	}
}

// text charges for making a text of n bytes.
func (f *frame) text(n int) { f.charge(1 + n/16) }

func (p *Program) frame(ctx context.Context, env Env, b *Budget) *frame {
	f := &frame{ctx: ctx, env: env, left: DefaultSteps}
	if b != nil && b.Steps > 0 {
		f.left = b.Steps
	}
	if f.env == nil {
		f.env = Map(nil)
	}
	if p.loops > 0 {
		f.elems = make([]element, p.loops)
	}
	if p.slots > 0 {
		f.vars = make([]any, p.slots)
	}
	return f
}

// guarded runs do and turns an abort into an error. Any other panic is a fault
// of this package or of a function it was given; a trial must not die of it.
func (p *Program) guarded(ctx context.Context, do func()) (err error) {
	if err := ctx.Err(); err != nil {
		return err
	}
	defer func() {
		switch r := recover().(type) {
		case nil:
		case abort:
			err = r.err
		default:
			err = fmt.Errorf("the expression cannot be evaluated: %v", r)
		}
	}()
	do()
	return nil
}
