package score

import (
	"context"
	"fmt"
	goruntime "runtime"
	"sync"

	"parley/runtime"
	"parley/runtime/trace"
)

// Source finds the trial of a case (an index into the plan's cases), repeat and
// arm. It returns nil for a trial that has not run, and is called by several
// goroutines at once.
type Source func(ctx context.Context, c, repeat int, arm runtime.ArmName) (*trace.Trial, error)

// Trials is a Source of trials in memory. A trial's Row is the index of its
// case in the plan.
func Trials(trials []*trace.Trial) Source {
	type at struct {
		row, repeat int
		arm         string
	}
	all := make(map[at]*trace.Trial, len(trials))
	for _, t := range trials {
		all[at{t.Row, t.Repeat, t.Arm}] = t
	}
	return func(_ context.Context, c, repeat int, arm runtime.ArmName) (*trace.Trial, error) {
		return all[at{c, repeat, string(arm)}], nil
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
	leaves := s.leaves()
	parts := make([]*part, min(max(1, goruntime.GOMAXPROCS(0)), max(1, len(s.plan.Cases))))
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	var wg sync.WaitGroup
	for w := range parts {
		p := newPart(s, leaves)
		parts[w] = p
		wg.Go(func() {
			for c := w; c < len(s.plan.Cases); c += len(parts) {
				if err := p.read(ctx, c, trials); err != nil {
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
	for _, p := range parts[1:] {
		parts[0].add(p)
	}
	return s.table(parts[0])
}

// part is what one goroutine has gathered.
type part struct {
	s      *Scorer
	leaves []leaf
	data   map[leaf]outcomes
	arms   map[runtime.ArmName]*ArmCount
	sim    bool
}

func newPart(s *Scorer, leaves []leaf) *part {
	p := &part{s: s, leaves: leaves, data: make(map[leaf]outcomes, len(leaves)), arms: map[runtime.ArmName]*ArmCount{}}
	for _, l := range leaves {
		p.data[l] = outcomes{}
	}
	for _, arm := range armOrder {
		if s.teams[arm] != nil {
			p.arms[arm] = &ArmCount{Arm: arm}
		}
	}
	return p
}

func (p *part) read(ctx context.Context, c int, trials Source) error {
	for repeat := 1; repeat <= max(1, p.s.plan.Repeats); repeat++ {
		g := Group{Case: c, Repeat: repeat, Trials: make(map[runtime.ArmName]*trace.Trial, len(p.arms))}
		key := ""
		for _, arm := range armOrder {
			count := p.arms[arm]
			if count == nil {
				continue
			}
			t, err := trials(ctx, c, repeat, arm)
			if err != nil {
				return err
			}
			if t == nil {
				count.Absent++
				continue
			}
			if key != "" && t.Case != "" && t.Case != key {
				return fmt.Errorf("case %d, repeat %d: the %s run is of another case than the run it is paired with", c+1, repeat, arm)
			}
			key = t.Case
			p.sim = p.sim || t.Simulated
			count.add(t)
			g.Trials[arm] = t
		}
		all := p.s.observe(ctx, g)
		for _, l := range p.leaves {
			p.s.gather(l.it, l.arm, all, p.data[l])
		}
		if all.err != nil {
			return all.err
		}
	}
	return ctx.Err()
}

func (p *part) add(q *part) {
	for l, o := range q.data {
		p.data[l].merge(o)
	}
	for arm, c := range q.arms {
		p.arms[arm].merge(c)
	}
	p.sim = p.sim || q.sim
}

func (a *ArmCount) add(t *trace.Trial) {
	a.Runs++
	if t.Usage.Estimated {
		a.Estimated++
	}
	switch t.Outcome {
	case trace.Refused:
		a.Refused++
	case trace.Limit:
		a.Limit++
	case trace.Errored:
		a.Errors++
	default:
		if t.Silent() {
			a.Unread++
		} else {
			a.Answered++
		}
	}
}

func (a *ArmCount) merge(b *ArmCount) {
	a.Runs += b.Runs
	a.Answered += b.Answered
	a.Unread += b.Unread
	a.Refused += b.Refused
	a.Limit += b.Limit
	a.Errors += b.Errors
	a.Absent += b.Absent
	a.Estimated += b.Estimated
}

// share is the part of the arm's runs that failed.
func (a *ArmCount) share() float64 {
	if a.Runs == 0 {
		return 0
	}
	return float64(a.Errors) / float64(a.Runs)
}
