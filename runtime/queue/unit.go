package queue

import (
	"context"
	"errors"
	"fmt"
	"sync"

	"parley/runtime"
	"parley/runtime/model"
	"parley/runtime/store"
	"parley/runtime/trace"
)

// draws are what the trials of a unit have in common: the answers that earlier
// processes left, and, where pairs are shared, every draw made so far.
type draws struct {
	left map[string]*model.Response // by journal key

	mu   sync.Mutex
	made map[string]*model.Response // by call key, of plans that share
	used map[string]bool            // call keys of stored trials of plans that share
	told map[string]*model.Response // what these answered: an entry of the table is drawn once
	paid bool                       // the journal has answers of this unit
}

// runUnit runs what is left of a unit. Trials that share draws run one after
// another, so that the same arm always makes the draw and the others find it.
func (q *queue) runUnit(ctx context.Context, u *unit, lanes int) error {
	tasks, _ := u.trials()
	steady := context.WithoutCancel(ctx) // the store is read and written to the end
	open, d, err := q.open(steady, u, tasks)
	if err != nil {
		return err
	}
	for _, t := range open {
		if t.Plan.Shared {
			lanes = 1
		}
	}
	bad, err := q.runTasks(ctx, u, open, d, lanes)
	if err != nil || bad {
		return err
	}
	if d.paid && q.opt.Store != nil {
		return q.opt.Store.DropAnswers(steady, u.key)
	}
	return nil
}

// open sets the stored trials aside and gathers what they leave to the others.
func (q *queue) open(ctx context.Context, u *unit, tasks []task) ([]task, *draws, error) {
	d := &draws{made: map[string]*model.Response{}, used: map[string]bool{}, told: map[string]*model.Response{}}
	if !q.resumed {
		return tasks, d, nil
	}
	if q.journal {
		left, err := q.opt.Store.Answers(ctx, u.key)
		if err != nil {
			return nil, nil, err
		}
		d.left, d.paid = left, len(left) > 0
	}
	if u.finished == 0 {
		return tasks, d, nil
	}
	var open []task
	for _, t := range tasks {
		done, err := q.done(ctx, t.Key)
		switch {
		case err != nil:
			return nil, nil, err
		case !done:
			open = append(open, t)
		case t.Plan.Shared:
			if err := q.remember(ctx, d, t.Key); err != nil {
				return nil, nil, err
			}
		}
	}
	return open, d, nil
}

// remember notes the draws that a stored trial used: who needs them next shares
// them, as it would have in an undisturbed run.
func (q *queue) remember(ctx context.Context, d *draws, trial string) error {
	t, err := q.opt.Store.Trial(ctx, trial)
	if err != nil || t == nil {
		return err
	}
	for i := range t.Events {
		if m := t.Events[i].Model; m != nil {
			d.used[m.Key], d.told[m.Key] = true, answerOf(t, m)
		}
	}
	return nil
}

// answerOf is what a stored call was answered. Counts that were our own estimates
// are left to be made again.
func answerOf(t *trace.Trial, m *trace.Model) *model.Response {
	r := &model.Response{
		Content: m.Text, Refusal: m.Refusal, Finish: m.Finish, Model: m.Answered, Reasoning: m.Reasoning, Odd: m.Odd, Simulated: t.Simulated,
	}
	for _, c := range m.Calls {
		r.ToolCalls = append(r.ToolCalls, model.ToolCall{ID: c.ID, Name: c.Name, Args: c.Args})
	}
	if !m.Estimated {
		r.Usage = &model.Usage{Input: m.Input, Output: m.Output}
	}
	return r
}

// runTasks runs trials in order, lanes of them at a time. It reports whether
// one of them did not end well: then the unit's answers are kept.
func (q *queue) runTasks(ctx context.Context, u *unit, tasks []task, d *draws, lanes int) (bad bool, err error) {
	if lanes <= 1 || len(tasks) <= 1 {
		for _, t := range tasks {
			good, err := q.runTask(ctx, u, t, d)
			if err != nil {
				return true, err
			}
			bad = bad || !good
		}
		return bad, nil
	}
	next := make(chan task)
	var mu sync.Mutex
	var wg sync.WaitGroup
	for range min(lanes, len(tasks)) {
		wg.Go(func() {
			for t := range next {
				good, e := q.runTask(ctx, u, t, d)
				mu.Lock()
				bad = bad || !good
				err = errors.Join(err, e)
				mu.Unlock()
			}
		})
	}
	for _, t := range tasks {
		next <- t
	}
	close(next)
	wg.Wait()
	return bad, err
}

// runTask runs one trial and records it. It reports whether the trial ended,
// and not in an error.
func (q *queue) runTask(ctx context.Context, u *unit, t task, d *draws) (bool, error) {
	if ctx.Err() != nil || q.stop.stopped() {
		return false, nil
	}
	c := &caller{q: q, unit: u, cell: t.cell.index, trial: t.Trial, draws: d}
	if len(t.Arm.Scripts) > 0 {
		var err error
		if c.script, err = q.opt.Script(t.Trial); err != nil {
			return false, err
		}
	}
	q.tell(func(p *Progress) { p.Running++ })
	record, err := t.cell.run(ctx, t.Trial, c)
	if err != nil {
		q.tell(func(p *Progress) { p.Running-- })
		if errors.Is(err, runtime.ErrStopped) || ctx.Err() != nil {
			return false, nil
		}
		return false, fmt.Errorf("trial %.12s (%s, task %d, repeat %d): %w", t.Key, t.Arm.Name, t.Case.Row, t.Repeat, err)
	}
	if err := q.save(context.WithoutCancel(ctx), record, c); err != nil {
		q.tell(func(p *Progress) { p.Running-- })
		return false, err
	}
	q.ended(t, record, c)
	return record.Outcome != trace.Errored, nil
}

// save hands a trial over to be recorded and does not wait for it: until it is
// committed the store has its paid answers, and it would be run again in less time
// than the commit takes.
func (q *queue) save(ctx context.Context, record *trace.Trial, c *caller) error {
	if q.opt.Store == nil {
		return nil
	}
	return q.opt.Store.PutTrial(ctx, record, c.spent(), false)
}

// ended counts a trial and stops the run when an endpoint works no more.
func (q *queue) ended(t task, record *trace.Trial, c *caller) {
	q.remarks.read(record)
	q.tell(func(p *Progress) {
		q.ran++
		q.settle(p, c, record.Outcome == trace.Errored, record.EndedBy, "trials in a row ended in an error")
	})
	if q.opt.OnTrial != nil {
		q.mu.Lock()
		defer q.mu.Unlock()
		q.opt.OnTrial(t.Trial, record)
	}
}

// settle counts what has ended, a trial or a verdict. Where too many in a row failed
// that an endpoint was asked for, nothing more is begun.
func (q *queue) settle(p *Progress, c *caller, failed bool, why, said string) {
	p.Running--
	p.Done++
	if !failed {
		q.inARow = 0
		return
	}
	p.Errored++
	if c.paid {
		q.inARow++
	}
	p.Note = store.Redact(why)
	if q.opt.StopAfter > 0 && q.inARow >= q.opt.StopAfter {
		q.stop.drain(fmt.Sprintf("%d %s, the last with: %s", q.inARow, said, p.Note))
		p.Note = q.stop.reason()
	}
}

// tell changes the progress and shows it.
func (q *queue) tell(change func(*Progress)) {
	q.mu.Lock()
	defer q.mu.Unlock()
	q.progress.Note = ""
	change(&q.progress)
	if q.opt.OnProgress != nil {
		p := q.progress
		p.Tokens, p.USD = q.ledger.totals()
		p.InFlight = q.models.inFlight()
		q.opt.OnProgress(p)
	}
}
