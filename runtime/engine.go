package runtime

import (
	"context"
	"fmt"

	"parley/runtime/eval"
	"parley/runtime/trace"
	"parley/runtime/world"
)

// Limits that hold whatever a scenario says, so that no plan runs for ever.
const (
	MaxTurns      = 2_000   // turns of one trial
	MaxModelCalls = 10_000  // model calls of one trial
	MaxPasses     = 100_000 // loop passes and statements of one trial
	MaxDepth      = 8       // steps in tools' bodies inside of one another
	MaxTogether   = 16      // members of one lockstep step that wait for a model at once
)

// Engine is a plan made ready to run: every expression compiled once, edges and
// attributes resolved for each agent and step. It is immutable and safe for
// concurrent use.
type Engine struct {
	Plan     *Plan
	arms     map[*Arm]*program
	variants map[*Program]*program
	byName   map[ArmName]*program
	allows   map[int][]*allowRule // a task's own rules, by row
	together int
	indexes  world.Indexes
}

// Option changes how an engine is prepared.
type Option func(*Engine)

// WithTogether sets how many members of one lockstep step may wait for a model
// at the same time; 1 asks them one after another. The results are the same.
func WithTogether(n int) Option {
	return func(e *Engine) { e.together = max(1, n) }
}

// Prepare compiles a plan. An error names the place in the source.
func Prepare(plan *Plan, options ...Option) (*Engine, error) {
	e := &Engine{
		Plan:     plan,
		arms:     map[*Arm]*program{},
		variants: map[*Program]*program{},
		byName:   map[ArmName]*program{},
		allows:   map[int][]*allowRule{},
		together: MaxTogether,
	}
	for _, o := range options {
		o(e)
	}
	c := &compiler{fns: trialFunctions(), all: map[string]*expression{}}
	for i := range plan.Arms {
		arm := &plan.Arms[i]
		p, err := c.program(arm.Program)
		if err != nil {
			return nil, fmt.Errorf("arm %s: %w", arm.Name, err)
		}
		e.arms[arm] = p
		for k := range arm.Variants {
			src := arm.Variants[k].Program
			if e.variants[src], err = c.program(src); err != nil {
				return nil, fmt.Errorf("arm %s: %w", arm.Name, err)
			}
		}
		e.byName[arm.Name] = p
	}
	for i := range plan.Cases {
		rules, err := c.allow(plan.Cases[i].Allow)
		if err != nil {
			return nil, fmt.Errorf("task %d: %w", plan.Cases[i].Row, err)
		}
		e.allows[plan.Cases[i].Row] = rules
	}
	return e, nil
}

// RunTrial runs one trial and returns its record. Whatever happens inside the
// trial is in the record, infrastructure failures included (trace.Errored); an
// error means that the trial did not end: ctx was cancelled or the caller
// returned ErrStopped.
func (e *Engine) RunTrial(ctx context.Context, t Trial, calls Caller) (*trace.Trial, error) {
	p := e.of(t.Arm, t.Case.Row)
	if p == nil {
		return nil, fmt.Errorf("the plan has no arm %q", t.Arm.Name)
	}
	r := newRun(ctx, e, p, t, calls)
	return r.trial()
}

// of is an arm's program for the task of a row; nil where the plan has no such arm.
func (e *Engine) of(arm *Arm, row int) *program {
	if p := e.variants[arm.Of(row)]; p != nil {
		return p
	}
	if p := e.arms[arm]; p != nil {
		return p
	}
	return e.byName[arm.Name]
}

// RunTrial prepares the trial's plan and runs one trial of it. Who runs many
// trials of one plan prepares once and uses Engine.RunTrial.
func RunTrial(ctx context.Context, t Trial, calls Caller) (*trace.Trial, error) {
	e, err := Prepare(t.Plan)
	if err != nil {
		return nil, err
	}
	return e.RunTrial(ctx, t, calls)
}

var _ Runner = RunTrial

// trialFunctions are the functions that need a trial; eval has the others.
func trialFunctions() map[string]eval.Func {
	fns := map[string]eval.Func{}
	for _, f := range []eval.Func{
		{Name: "exposed", Call: exposedFunc},
		{Name: "carried", Call: carriedFunc},
		{Name: "calls_of", Call: callsOfFunc},
		{Name: "chance", Call: chanceFunc},
		{Name: "retrieve", Call: retrieveFunc},
		{Name: "distance", Call: distanceFunc},
	} {
		fns[f.Name] = f
	}
	return fns
}
