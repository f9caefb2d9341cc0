package score

import (
	"context"
	"errors"
	"fmt"
	"sync"

	"parley/runtime"
	"parley/runtime/trace"
)

// Tally gathers groups of trials as they are found, in any order and from
// several goroutines, and makes the table in the end. It keeps outcomes, not
// trials. Each group may be added once.
type Tally struct {
	s       *Scorer
	leaves  []leaf
	judging map[runtime.ArmName][]*Judge
	mu      sync.Mutex
	all     []*part
	free    []*part
}

// Tally begins to gather.
func (s *Scorer) Tally() *Tally { return &Tally{s: s, leaves: s.leaves(), judging: s.Judging()} }

// Add scores one group. Where the group does not say its task's key, trials of
// two tasks in it are an error; where it does, it may hold a trial that another
// configuration ran first under a key of its own.
func (t *Tally) Add(ctx context.Context, g Group) error {
	p := t.take()
	defer t.give(p)
	return p.add(ctx, g)
}

func (t *Tally) take() *part {
	t.mu.Lock()
	defer t.mu.Unlock()
	if n := len(t.free); n > 0 {
		p := t.free[n-1]
		t.free = t.free[:n-1]
		return p
	}
	p := newPart(t.s, t.leaves, t.judging)
	t.all = append(t.all, p)
	return p
}

func (t *Tally) give(p *part) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.free = append(t.free, p)
}

// Table makes the table of all that was added. It ends the tally: nothing may
// be added any more.
func (t *Tally) Table() (*Table, error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.s == nil {
		return nil, errors.New("this tally has given its table already")
	}
	total := newPart(t.s, t.leaves, t.judging)
	for _, p := range t.all {
		total.merge(p)
	}
	s := t.s
	t.s = nil
	total.unseen = len(s.plan.Cases)*max(1, s.plan.Repeats) - total.seen
	for _, c := range total.arms {
		c.Absent += total.unseen
	}
	return s.table(total)
}

// part is what one goroutine has gathered.
type part struct {
	s       *Scorer
	leaves  []leaf
	data    []outcomes // by leaf
	arms    map[runtime.ArmName]*ArmCount
	seen    int            // groups
	unseen  int            // groups of the plan that nothing is known of
	whole   map[string]int // by task: groups of which every arm has run
	sim     bool
	judging map[runtime.ArmName][]*Judge
	judges  judgeCounts
}

func newPart(s *Scorer, leaves []leaf, judging map[runtime.ArmName][]*Judge) *part {
	p := &part{s: s, leaves: leaves, judging: judging, judges: judgeCounts{}, data: make([]outcomes, len(leaves)), arms: map[runtime.ArmName]*ArmCount{}, whole: map[string]int{}}
	for i := range leaves {
		p.data[i] = outcomes{}
	}
	for _, arm := range armOrder {
		if s.teams[arm] != nil {
			p.arms[arm] = &ArmCount{Arm: arm}
		}
	}
	return p
}

func (p *part) add(ctx context.Context, g Group) error {
	key, whole := g.Key, 1
	for _, arm := range armOrder {
		count, t := p.arms[arm], g.Trials[arm]
		switch {
		case count == nil:
		case t == nil:
			count.Absent++
			whole = 0
		default:
			if g.Key == "" && key != "" && t.Case != "" && t.Case != key {
				return fmt.Errorf("row %d, repeat %d: the %s run is of another task than the run it is paired with", g.Row, g.Repeat, arm)
			}
			if key == "" {
				key = t.Case
			}
			p.sim = p.sim || t.Simulated
			count.add(t)
		}
	}
	p.seen++
	g.Key = key
	p.countJudges(g)
	all := p.s.observe(ctx, g)
	p.whole[all.key] += whole
	for i, l := range p.leaves {
		p.s.gather(l.it, l.arm, all, p.data[i])
	}
	return all.err
}

func (p *part) merge(q *part) {
	for i, o := range q.data {
		p.data[i].merge(o)
	}
	for arm, c := range q.arms {
		p.arms[arm].merge(c)
	}
	for task, n := range q.whole {
		p.whole[task] += n
	}
	p.judges.merge(q.judges)
	p.seen += q.seen
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
