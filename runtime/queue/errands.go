package queue

import (
	"context"
	"errors"
	"fmt"
	"sync"

	"parley/runtime"
	"parley/runtime/key"
	"parley/runtime/model"
	"parley/runtime/trace"
)

// Errand is something to be asked about a stored trial: a verdict.
type Errand struct {
	Cell  int           // index of the plan
	Trial runtime.Trial // whose; its arm and key say where the calls belong
	Ask   string        // key of what is asked
	Model model.Spec    // of whom
	// Do makes the calls. An error of the calls is the verdict's own affair; what is
	// returned here ends the errand without a verdict (runtime.ErrStopped among it).
	Do func(ctx context.Context, calls runtime.Caller) (*trace.Verdict, error)
}

// Errands runs errands as Run runs trials: with the same limits, retries and
// budget, what earlier processes spent included, and a journal of paid answers.
// In the summary Total, Ran and Errored count errands.
func Errands(ctx context.Context, plans []*runtime.Plan, errands []Errand, opt Options) (Summary, error) {
	q := &queue{opt: withDefaults(opt), stop: newStopper()}
	steady := context.WithoutCancel(ctx)
	q.models = newModels(q.opt)
	var err error
	for _, e := range errands {
		if _, err := q.models.of(e.Model); err != nil {
			return Summary{}, err
		}
	}
	if q.ledger, err = newLedger(steady, q.opt, plans, q.models.paid()); err != nil {
		return Summary{}, err
	}
	if q.opt.Store != nil {
		if q.journal, err = q.opt.Store.HasAnswers(steady); err != nil {
			return Summary{}, err
		}
	}
	q.progress.Total = len(errands)
	defer q.stop.refuse()
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	next := make(chan Errand)
	var wg sync.WaitGroup
	for range min(q.errandWorkers(), len(errands)) {
		wg.Go(func() {
			for e := range next {
				if err := q.errand(ctx, e); err != nil {
					q.fail(err)
					cancel()
				}
			}
		})
	}
feed:
	for _, e := range errands {
		select {
		case <-q.opt.Drain:
			q.stop.drain(drained)
			break feed
		default:
		}
		select {
		case next <- e:
		case <-q.stop.stopping:
			break feed
		case <-ctx.Done():
			break feed
		}
	}
	close(next)
	wg.Wait()
	return q.tallied(len(errands)), errors.Join(q.failed(), ctx.Err())
}

// errandWorkers is how many errands run at a time: they wait for models that no
// plan names, so there is room for as many as one endpoint takes.
func (q *queue) errandWorkers() int {
	if q.opt.Workers > 0 {
		return q.opt.Workers
	}
	return q.opt.MaxConnections
}

func (q *queue) tallied(total int) Summary {
	q.mu.Lock()
	p := q.progress
	q.mu.Unlock()
	s := Summary{
		Total: total, Ran: p.Done, Errored: p.Errored, Stopped: q.stop.reason(),
		Calls: p.Calls, Replayed: p.Replayed, Retries: p.Retries, Complete: p.Done == total && p.Errored == 0,
	}
	if p.Done == total {
		s.Stopped = ""
	}
	s.Spent, s.USD, s.Unpriced = q.ledger.summary()
	s.Failures, s.Odd = q.remarks.lists()
	return s
}

// errand makes the calls of one errand and records its verdict.
func (q *queue) errand(ctx context.Context, e Errand) error {
	if ctx.Err() != nil || q.stop.stopped() {
		return nil
	}
	steady := context.WithoutCancel(ctx)
	// Calls of errands are journaled under a unit of their own: nobody shares them.
	u := &unit{key: key.Of("errand", e.Trial.Key, e.Ask).String(), caseKey: e.Trial.CaseKey, repeat: e.Trial.Repeat}
	d := &draws{made: map[string]*model.Response{}, used: map[string]bool{}}
	if q.journal {
		left, err := q.opt.Store.Answers(steady, u.key)
		if err != nil {
			return err
		}
		d.left, d.paid = left, len(left) > 0
	}
	c := &caller{q: q, unit: u, cell: e.Cell, trial: e.Trial, draws: d}
	q.tell(func(p *Progress) { p.Running++ })
	v, err := e.Do(ctx, c)
	if err != nil || v == nil {
		q.tell(func(p *Progress) { p.Running-- })
		if err == nil || errors.Is(err, runtime.ErrStopped) || ctx.Err() != nil {
			return nil
		}
		return fmt.Errorf("trial %.12s (%s, task %d, repeat %d): %w", e.Trial.Key, e.Trial.Arm.Name, e.Trial.Case.Row, e.Trial.Repeat, err)
	}
	if q.opt.Store != nil {
		err = q.opt.Store.PutVerdict(steady, v, c.spent(), false)
		if err == nil && d.paid && v.State != trace.VerdictFailed {
			err = q.opt.Store.DropAnswers(steady, u.key)
		}
	}
	q.told(v, c)
	return err
}

// told counts a verdict and stops when an endpoint works no more.
func (q *queue) told(v *trace.Verdict, c *caller) {
	q.tell(func(p *Progress) {
		q.settle(p, c, v.State == trace.VerdictFailed, v.Why, "verdicts in a row could not be had")
	})
}

// Revision names what answers for a model, as it enters the keys of what is asked
// of it.
func Revision(spec model.Spec, opt Options) (string, error) {
	return newModels(withDefaults(opt)).revision(spec)
}
