// Package judge asks models for typed verdicts on finished runs: it renders what a
// judge is shown, fences what comes from the run, reads the verdict from its
// fields, and says how far judges agree with people.
package judge

import (
	"context"
	"fmt"
	"slices"
	"sync"

	"parley/interp/score"
	"parley/runtime"
	"parley/runtime/model"
	"parley/runtime/queue"
	"parley/runtime/store"
	"parley/runtime/trace"
)

// Learn tells a simulator what is so of the run that a text shows; what it returns
// makes it forget.
type Learn func(text string, truth map[string]any) (forget func())

// Cell is one configuration.
type Cell struct {
	Plan *runtime.Plan
	Spec *score.Spec
}

// Panel is the judges of a run's configurations, with the verdicts there are. It is
// safe for concurrent use once Read has returned.
type Panel struct {
	cells []*cell

	mu   sync.Mutex
	have map[string]map[string]*trace.Verdict // by trial and ask
}

// cell is one configuration with what its judges need.
type cell struct {
	plan    *runtime.Plan
	scorer  *score.Scorer // without verdicts
	judging map[runtime.ArmName][]*score.Judge
	asks    map[askKey]string
	models  map[*score.Judge]string // revisions

	mu    sync.Mutex
	progs map[*score.Judge]programs
}

type askKey struct {
	judge *score.Judge
	row   int
}

// New prepares the judges of all cells. revision names what answers for a model.
func New(cells []Cell, revision func(model.Spec) (string, error)) (*Panel, error) {
	p := &Panel{have: map[string]map[string]*trace.Verdict{}}
	for _, c := range cells {
		s, err := score.New(c.Spec, c.Plan)
		if err != nil {
			return nil, err
		}
		k := newCell(c.Plan, s)
		k.judging = s.Judging()
		if err := k.prepare(revision); err != nil {
			return nil, err
		}
		p.cells = append(p.cells, k)
	}
	return p, nil
}

func newCell(plan *runtime.Plan, s *score.Scorer) *cell {
	return &cell{plan: plan, scorer: s, asks: map[askKey]string{}, models: map[*score.Judge]string{}, progs: map[*score.Judge]programs{}}
}

// prepare works out what is asked about each task.
func (c *cell) prepare(revision func(model.Spec) (string, error)) error {
	for _, list := range c.judging {
		for _, j := range list {
			if _, done := c.models[j]; done {
				continue
			}
			r, err := revision(j.Model)
			if err != nil {
				return fmt.Errorf("the model of judge %s: %w", j.ID, err)
			}
			c.models[j] = r
			for i := range c.plan.Cases {
				c.asks[askKey{j, c.plan.Cases[i].Row}] = c.scorer.Ask(j, r, &c.plan.Cases[i])
			}
		}
	}
	return nil
}

func (c *cell) programs(j *score.Judge) (programs, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if p, done := c.progs[j]; done {
		return p, nil
	}
	p, err := compile(c.scorer, j)
	if err == nil {
		c.progs[j] = p
	}
	return p, err
}

// Any reports whether some score reads a verdict.
func (p *Panel) Any() bool {
	return slices.ContainsFunc(p.cells, func(c *cell) bool { return len(c.models) > 0 })
}

// Specs lists the judges' models, each once.
func (p *Panel) Specs() []model.Spec {
	var out []model.Spec
	seen := map[string]bool{}
	for _, c := range p.cells {
		for _, j := range c.scorer.Judges() {
			r, read := c.models[j]
			if id := j.Model.Provider + " " + j.Model.Name + " " + j.Model.BaseURL + " " + r; read && !seen[id] {
				seen[id] = true
				out = append(out, j.Model)
			}
		}
	}
	return out
}

// Read takes over the verdicts that a run holds.
func (p *Panel) Read(ctx context.Context, run *store.Run) error {
	if !p.Any() {
		return nil
	}
	return run.Verdicts(ctx, "", func(v *trace.Verdict) error {
		v.Prompts, v.Calls, v.Seeds = nil, nil, nil // scores read none of it
		p.keep(v)
		return nil
	})
}

func (p *Panel) keep(v *trace.Verdict) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.have[v.Trial] == nil {
		p.have[v.Trial] = map[string]*trace.Verdict{}
	}
	p.have[v.Trial][v.Ask] = v
}

func (p *Panel) verdict(trial, ask string) *trace.Verdict {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.have[trial][ask]
}

// Scorer is a cell's scorer that reads the verdicts.
func (p *Panel) Scorer(cell int) *score.Scorer {
	c := p.cells[cell]
	return c.scorer.Judged(func(task *runtime.Case, t *trace.Trial, j *score.Judge) *trace.Verdict {
		if t == nil || task == nil {
			return nil
		}
		return p.verdict(t.Key, c.asks[askKey{j, task.Row}])
	})
}

// Due lists what is still to be asked about the stored trials of a run that links
// places in the plans to trials. again asks for unreadable verdicts anew too.
func (p *Panel) Due(ctx context.Context, run *store.Run, links []store.Link, again bool, learn Learn) ([]queue.Errand, error) {
	var out []queue.Errand
	seen := map[[2]string]bool{}
	for _, l := range links {
		c := p.cells[l.Cell]
		arm := armOf(c.plan, l.Arm)
		judges := c.judging[runtime.ArmName(l.Arm)]
		if arm == nil || len(judges) == 0 {
			continue
		}
		outcome, ended, err := run.Outcome(ctx, l.Trial)
		if err != nil {
			return nil, err
		}
		if !ended || outcome == trace.Errored {
			continue
		}
		for _, j := range judges {
			ask := c.asks[askKey{j, l.Row}]
			before := p.verdict(l.Trial, ask)
			if seen[[2]string{l.Trial, ask}] || before.Settled() || before != nil && before.State == trace.VerdictUnreadable && !again {
				continue
			}
			seen[[2]string{l.Trial, ask}] = true
			q := &question{cell: c, judge: j, revision: c.models[j], ask: ask, before: before, trial: runtime.Trial{
				Plan: c.plan, Arm: arm, Case: caseOf(c.plan, l.Row), Repeat: l.Repeat, Key: l.Trial, CaseKey: l.Case,
			}}
			out = append(out, queue.Errand{Cell: l.Cell, Trial: q.trial, Ask: ask, Model: j.Model, Do: p.errand(run, q, learn)})
		}
	}
	return out, nil
}

// errand asks a question about a stored trial.
func (p *Panel) errand(run *store.Run, q *question, learn Learn) func(context.Context, runtime.Caller) (*trace.Verdict, error) {
	return func(ctx context.Context, calls runtime.Caller) (*trace.Verdict, error) {
		record, err := run.Trial(context.WithoutCancel(ctx), q.trial.Key)
		if err != nil {
			return nil, err
		}
		if record == nil {
			return nil, fmt.Errorf("the trial %.12s is no longer in the run", q.trial.Key)
		}
		if q.before != nil { // with its calls, so that the record stays whole
			err = run.Verdicts(context.WithoutCancel(ctx), q.trial.Key, func(v *trace.Verdict) error {
				if v.Ask == q.ask {
					q.before = v
				}
				return nil
			})
			if err != nil {
				return nil, err
			}
		}
		v, err := q.put(ctx, record, calls, learn)
		if err == nil {
			p.keep(v)
		}
		return v, err
	}
}

func armOf(p *runtime.Plan, name string) *runtime.Arm {
	for i := range p.Arms {
		if string(p.Arms[i].Name) == name {
			return &p.Arms[i]
		}
	}
	return nil
}

func caseOf(p *runtime.Plan, row int) *runtime.Case {
	for i := range p.Cases {
		if p.Cases[i].Row == row {
			return &p.Cases[i]
		}
	}
	return nil
}
