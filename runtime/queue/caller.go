package queue

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"time"

	"parley/runtime"
	"parley/runtime/key"
	"parley/runtime/model"
	"parley/runtime/store"
)

// caller makes the calls of one trial. Members of a lockstep step call at the
// same time.
type caller struct {
	q      *queue
	unit   *unit
	cell   int
	trial  runtime.Trial
	draws  *draws
	script Script

	mu    sync.Mutex
	known []*answering
	paid  bool // some call was not answered locally
	local map[[2]string]*store.Spend
}

// Call answers a call: from a script, from a draw that another arm made, from
// the journal, else from the model.
func (c *caller) Call(ctx context.Context, call runtime.Call) (runtime.CallResult, error) {
	if c.script != nil {
		resp, ok, err := c.script.Answer(ctx, call)
		if err != nil || ok {
			return runtime.CallResult{Response: resp}, err
		}
	}
	m, err := c.model(&call.Spec)
	if err != nil {
		return runtime.CallResult{}, err
	}
	made, shared := c.made(call.Key)
	if made != nil {
		c.q.count(func(p *Progress) { p.Shared++ })
		return runtime.CallResult{Response: made, Shared: true}, nil
	}
	var resp *model.Response
	stored := false
	if len(c.draws.left) > 0 {
		resp, stored = c.draws.left[c.journalKey(call.Key)]
	}
	switch {
	case stored:
	case shared && m.local: // made and counted by an earlier process: the same again
		resp, err = m.provider.Complete(ctx, call.Request)
	case shared && c.draws.told[call.Key] != nil: // the journal has let go of it: the trial came from another run
		resp = c.draws.told[call.Key]
	default:
		resp, err = c.ask(ctx, m, call)
	}
	if err != nil {
		return runtime.CallResult{}, err
	}
	c.keep(call.Key, resp)
	c.q.count(func(p *Progress) {
		switch {
		case shared:
			p.Shared++
		case stored:
			p.Replayed++
		}
	})
	return runtime.CallResult{Response: resp, Shared: shared, Stored: stored}, nil
}

// model finds what answers; a trial has few models and asks for them often.
func (c *caller) model(spec *model.Spec) (*answering, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	for _, m := range c.known {
		if sameModel(&m.spec, spec) {
			return m, nil
		}
	}
	m, err := c.q.models.of(*spec)
	if err != nil {
		return nil, err
	}
	c.known = append(c.known, m)
	c.paid = c.paid || !m.local
	return m, nil
}

// made finds a draw that an earlier arm of this unit made; shared without an
// answer means that a stored trial used it.
func (c *caller) made(callKey string) (resp *model.Response, shared bool) {
	if !c.trial.Plan.Shared {
		return nil, false
	}
	c.draws.mu.Lock()
	defer c.draws.mu.Unlock()
	resp = c.draws.made[callKey]
	return resp, resp != nil || c.draws.used[callKey]
}

func (c *caller) keep(callKey string, resp *model.Response) {
	if !c.trial.Plan.Shared {
		return
	}
	c.draws.mu.Lock()
	defer c.draws.mu.Unlock()
	c.draws.made[callKey] = resp
}

// journalKey tells the answers of trials apart that draw for themselves.
func (c *caller) journalKey(callKey string) string {
	if c.trial.Plan.Shared {
		return callKey
	}
	return key.Of(callKey, c.trial.Key).String()
}

// ask makes a call, again and again while the failure may pass, and puts what
// it came to on record before the trial goes on.
func (c *caller) ask(ctx context.Context, m *answering, call runtime.Call) (*model.Response, error) {
	for attempt := 1; ; attempt++ {
		resp, s, err := c.attempt(ctx, m, &call)
		switch {
		case err == nil:
			c.q.count(func(p *Progress) { p.Calls++ })
			if !m.local {
				c.q.remarks.answered(name(call.Spec), resp)
			}
			return c.record(ctx, m, &call, attempt, resp, s)
		case ctx.Err() != nil:
			return nil, ctx.Err()
		case errors.Is(err, runtime.ErrStopped), errors.Is(err, model.ErrNotYet):
			return nil, err
		}
		if err := c.failed(ctx, call, attempt, faultOf(err)); err != nil {
			return nil, err
		}
	}
}

// attempt makes a call once, when there is room for it and money left.
func (c *caller) attempt(ctx context.Context, m *answering, call *runtime.Call) (resp *model.Response, s store.Spend, err error) {
	if m.limit != nil {
		round, noRoom := m.limit.acquire(ctx)
		if noRoom != nil {
			return nil, s, noRoom
		}
		defer func() { m.limit.release(round, err != nil && overloaded(faultOf(err))) }()
	}
	if c.q.stop.refusing() {
		return nil, s, runtime.ErrStopped
	}
	if spent := c.q.ledger.begin(); spent != "" {
		c.q.stop.now(spent)
		return nil, s, runtime.ErrStopped
	}
	switch p := m.provider.(type) {
	case model.Placed:
		origin := model.Origin{Cell: c.cell, Arm: string(c.trial.Arm.Name), Case: c.trial.CaseKey, Repeat: c.trial.Repeat}
		resp, err = p.CompleteIn(ctx, origin, call.Position, call.Request)
	case model.Positioned:
		resp, err = p.CompleteAt(ctx, call.Position, call.Request)
	default:
		resp, err = p.Complete(ctx, call.Request)
	}
	if err != nil {
		c.q.ledger.end(nil)
		return nil, s, err
	}
	s = spendOf(call, resp)
	c.q.ledger.end(&s)
	return resp, s, nil
}

func (c *caller) keepBody(ctx context.Context, call *runtime.Call, attempt, status int, raw []byte) error {
	if raw == nil || c.q.opt.Store == nil {
		return nil
	}
	return c.recorded(c.q.opt.Store.PutBody(context.WithoutCancel(ctx), store.Body{
		Trial: c.trial.Key, Call: call.Key, Position: call.Position, Attempt: attempt, Status: status, Body: raw,
	}))
}

// recorded stops the run where something could not be recorded.
func (c *caller) recorded(err error) error {
	if err == nil {
		return nil
	}
	c.q.fail(err)
	c.q.stop.now("the run cannot be recorded")
	return runtime.ErrStopped
}

// record counts an answer, writes a paid one down with what the endpoint sent,
// and returns it without that.
func (c *caller) record(ctx context.Context, m *answering, call *runtime.Call, attempt int, resp *model.Response, s store.Spend) (*model.Response, error) {
	raw := resp.Raw
	if raw != nil {
		bare := *resp
		bare.Raw = nil
		resp = &bare
	}
	if m.local || c.q.opt.Store == nil {
		c.count(s)
		return resp, c.keepBody(ctx, call, attempt, 200, raw)
	}
	c.draws.mu.Lock()
	c.draws.paid = true
	c.draws.mu.Unlock()
	return resp, c.recorded(c.q.opt.Store.PutAnswer(context.WithoutCancel(ctx), store.Answer{
		Unit: c.unit.key, Key: c.journalKey(call.Key), Trial: c.trial.Key, Position: call.Position, Response: resp,
		Body: raw, Call: call.Key, Attempt: attempt,
	}, s))
}

// count adds to what the trial records when it has ended.
func (c *caller) count(s store.Spend) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.local == nil {
		c.local = map[[2]string]*store.Spend{}
	}
	k := [2]string{s.Model, s.Role}
	if c.local[k] == nil {
		c.local[k] = &store.Spend{Model: s.Model, Role: s.Role}
	}
	addTo(c.local[k], s)
}

// failed puts a failed attempt on record and waits for the next one. An error
// means that there is none.
func (c *caller) failed(ctx context.Context, call runtime.Call, attempt int, f *model.Fault) error {
	q := c.q
	text := store.Redact(f.Error())
	wait, again := q.opt.Retry.wait(call.Key, attempt, f)
	q.remarks.failed(name(call.Spec), f)
	if q.opt.Store != nil {
		err := q.opt.Store.PutAttempt(context.WithoutCancel(ctx), store.Attempt{
			At: q.opt.Now(), Trial: c.trial.Key, Call: call.Key, Position: call.Position, Attempt: attempt,
			Status: f.Status, Wait: wait, Error: text,
		})
		if err := errors.Join(c.recorded(err), c.keepBody(ctx, &call, attempt, f.Status, f.Raw)); err != nil {
			return err
		}
	}
	if again {
		q.tell(func(p *Progress) {
			p.Retries++
			p.Note = fmt.Sprintf("%s: %s; trying again in %s", name(call.Spec), text, wait.Round(100*time.Millisecond))
		})
		return q.pause(ctx, wait)
	}
	if hopeless(f) {
		q.stop.now(fmt.Sprintf("%s: %s", name(call.Spec), text))
		return runtime.ErrStopped
	}
	if attempt > 1 {
		return fmt.Errorf("%s after %d attempts: %s", name(call.Spec), attempt, text)
	}
	return fmt.Errorf("%s: %s", name(call.Spec), text)
}

// pause waits for a while, but not once the run refuses all calls.
func (q *queue) pause(ctx context.Context, d time.Duration) error {
	ctx2, cancel := context.WithCancel(ctx)
	defer cancel()
	defer context.AfterFunc(q.stop.refusal, cancel)()
	err := q.opt.Sleep(ctx2, d)
	if q.stop.refusing() && ctx.Err() == nil {
		return runtime.ErrStopped
	}
	return err
}

func name(s model.Spec) string {
	if s.Name == "" {
		return s.Provider
	}
	return s.Name
}

// spent is what the trial's local calls came to.
func (c *caller) spent() []store.Spend {
	c.mu.Lock()
	defer c.mu.Unlock()
	var list []store.Spend
	for _, s := range c.local {
		list = append(list, *s)
	}
	return list
}

// count changes the progress without showing it: trials and retries do.
func (q *queue) count(change func(*Progress)) {
	q.mu.Lock()
	defer q.mu.Unlock()
	change(&q.progress)
}

// spendOf counts an answer: the provider's tokens, else an estimate.
func spendOf(call *runtime.Call, resp *model.Response) store.Spend {
	s := store.Spend{Model: call.Spec.Name, Role: call.Role, Calls: 1}
	if resp.Usage != nil {
		s.Input, s.Output = resp.Usage.Input, resp.Usage.Output
		return s
	}
	s.Estimated = 1
	u := model.EstimateUsage(call.Request, resp)
	s.Input, s.Output = u.Input, u.Output
	return s
}
