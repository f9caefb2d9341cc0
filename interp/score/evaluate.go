package score

import (
	"context"
	goruntime "runtime"
	"sync"

	"parley/runtime"
	"parley/runtime/trace"
)

// Source finds the trial of a case (by its row), repeat and arm. It returns nil for a trial that has not run, and is called by several
// goroutines at once.
type Source func(ctx context.Context, row, repeat int, arm runtime.ArmName) (*trace.Trial, error)

// Trials is a Source of trials in memory.
func Trials(trials []*trace.Trial) Source {
	type at struct {
		row, repeat int
		arm         string
	}
	all := make(map[at]*trace.Trial, len(trials))
	for _, t := range trials {
		all[at{t.Row, t.Repeat, t.Arm}] = t
	}
	return func(_ context.Context, row, repeat int, arm runtime.ArmName) (*trace.Trial, error) {
		return all[at{row, repeat, string(arm)}], nil
	}
}

// Evaluate scores a configuration: it reads each case's trials once, holds few
// of them at a time, and calls no model. Results do not depend on the order in
// which trials ran or are found.
func Evaluate(ctx context.Context, spec *Spec, plan *runtime.Plan, trials Source) (*Table, error) {
	s, err := New(spec, plan)
	if err != nil {
		return nil, err
	}
	return s.Score(ctx, trials)
}

// Score is Evaluate for a scorer that exists already.
func (s *Scorer) Score(ctx context.Context, trials Source) (*Table, error) {
	t := s.Tally()
	workers := min(max(1, goruntime.GOMAXPROCS(0)), max(1, len(s.plan.Cases)))
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	var wg sync.WaitGroup
	for w := range workers {
		wg.Go(func() {
			for c := w; c < len(s.plan.Cases); c += workers {
				if err := t.read(ctx, s.plan.Cases[c].Row, trials); err != nil {
					cancel(err)
					return
				}
			}
		})
	}
	wg.Wait()
	if err := context.Cause(ctx); err != nil {
		return nil, err
	}
	return t.Table()
}

// read adds every repeat of a case.
func (t *Tally) read(ctx context.Context, row int, trials Source) error {
	for repeat := 1; repeat <= max(1, t.s.plan.Repeats); repeat++ {
		g := Group{Row: row, Repeat: repeat, Trials: make(map[runtime.ArmName]*trace.Trial, len(t.s.teams))}
		for arm := range t.s.teams {
			trial, err := trials(ctx, row, repeat, arm)
			if err != nil {
				return err
			}
			if trial != nil {
				g.Trials[arm] = trial
			}
		}
		if err := t.Add(ctx, g); err != nil {
			return err
		}
	}
	return ctx.Err()
}
