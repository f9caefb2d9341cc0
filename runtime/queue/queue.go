// Package queue runs plans: it expands them into trials, runs equal trials
// once, skips those that are stored, makes their model calls (with limits,
// retries, budgets, shared draws and a journal of paid answers), and stops so
// that the run can be resumed at any moment.
package queue

import (
	"context"
	"errors"
	"fmt"
	goruntime "runtime"
	"sync"
	"time"

	"parley/runtime"
	"parley/runtime/model"
	"parley/runtime/store"
	"parley/runtime/trace"
)

// Options say how plans are run. Providers is needed, the rest has defaults.
type Options struct {
	// Store records the run. Nil keeps nothing: no journal, no resuming.
	Store *store.Run
	// Providers gives what answers for a model; it is asked once per model.
	Providers func(model.Spec) (model.Provider, error)
	// Prepare makes a plan ready; nil: the engine of package runtime.
	Prepare func(*runtime.Plan) (runtime.Runner, error)
	// Script answers calls of an arm with scripts, and is asked once per trial;
	// nil: package runtime's reading of them.
	Script func(runtime.Trial) (Script, error)
	// Local says that a model answers in this process, for nothing, and the same
	// each time; nil: sim, script and replay do.
	Local func(model.Spec) bool

	Workers        int // trials at a time; 0: the cores where all models are local, else MaxConnections
	MaxConnections int // calls in flight per endpoint; 0: DefaultConnections
	Retry          Retry
	Budget         runtime.Budget   // beside the plans' own: the smallest of each holds
	Prices         map[string]Price // by model name
	Order          uint64           // seed of the order of tasks
	StopAfter      int              // trials failed in a row that stop the run; 0: DefaultStopAfter

	// Drain, once closed, lets the trials in flight finish and starts no more.
	// Cancelling the context stops at once. Both leave a run to be resumed.
	Drain <-chan struct{}

	OnProgress func(Progress)                             // one call at a time; must return soon
	OnTrial    func(runtime.Trial, *trace.Trial)          // after a trial is recorded; one call at a time
	Now        func() time.Time                           // nil: the clock
	Sleep      func(context.Context, time.Duration) error // nil: a timer
}

// Defaults of Options.
const (
	DefaultConnections = 16
	DefaultStopAfter   = 20
)

// Script answers the calls of agents that a test scripted. It reports false
// for an agent that no script names.
type Script interface {
	Answer(ctx context.Context, c runtime.Call) (*model.Response, bool, error)
}

// Summary is what a run came to. Counts of trials are of different trials.
type Summary struct {
	Total    int           // trials that the plans need
	Found    int           // of these, stored before this process began
	Ran      int           // ended in this process, errors included
	Errored  int           // stand as errors now
	Complete bool          // every trial has ended, none in an error
	Stopped  string        // why it ended early; empty: it did not
	Calls    int           // model calls made by this process and answered
	Shared   int           // calls that an other arm's draw answered, in this process
	Replayed int           // calls that the journal answered
	Retries  int           // attempts after a first one
	Spent    []store.Spend // by all processes of this run, by model and role
	USD      float64       // of these, by the price table
	Unpriced []string      // models that cost something unknown
	Failures []Remark      // attempts of this process that failed, by model and kind
	Odd      []Remark      // what was unusual about answers and turns of this process
}

// Progress is a run at one moment.
type Progress struct {
	Total, Done, Found, Errored      int // trials; Done counts Found
	Running                          int // trials in flight
	InFlight                         int // calls in flight
	Calls, Shared, Replayed, Retries int
	Tokens                           int // of all processes of the run
	USD                              float64
	Note                             string // what just went wrong or why the run stops; empty: nothing
}

// queue is one call of Run.
type queue struct {
	opt    Options
	plans  []*cell
	models *models
	ledger *ledger
	stop   *stopper

	remarks remarks

	resumed bool // the store held trials or answers when we began
	journal bool // and answers among them

	mu       sync.Mutex
	progress Progress
	ran      int
	inARow   int // errors
	failure  error
}

// Run runs all trials of the plans, which are the cells of one run, in order.
// An error means that the run cannot go on (a full disk, a plan that does not
// compile, a provider that cannot be had); stopping early is not an error.
func Run(ctx context.Context, plans []*runtime.Plan, opt Options) (Summary, error) {
	q := &queue{opt: withDefaults(opt), stop: newStopper()}
	units, err := q.prepare(context.WithoutCancel(ctx), plans)
	if err != nil {
		return Summary{}, err
	}
	defer q.stop.refuse()
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	var watch sync.WaitGroup
	watch.Go(func() {
		select {
		case <-q.opt.Drain:
			q.stop.drain(drained)
		case <-ctx.Done():
		}
	})
	q.runUnits(ctx, cancel, units)
	interrupted := ctx.Err() != nil && q.failed() == nil
	cancel()
	watch.Wait()
	if interrupted {
		q.stop.now("interrupted")
	}
	return q.finish(context.WithoutCancel(ctx))
}

func withDefaults(o Options) Options {
	if o.Prepare == nil {
		local, many := o.Local, max(o.Workers, o.MaxConnections) >= crowd
		o.Prepare = func(p *runtime.Plan) (runtime.Runner, error) { return prepareEngine(p, local, many) }
	}
	if o.Script == nil {
		o.Script = func(t runtime.Trial) (Script, error) { return runtime.NewScripted(context.Background(), t) }
	}
	if o.Local == nil {
		o.Local = isLocal
	}
	if o.MaxConnections <= 0 {
		o.MaxConnections = DefaultConnections
	}
	if o.StopAfter == 0 {
		o.StopAfter = DefaultStopAfter
	}
	if o.Now == nil {
		o.Now = time.Now
	}
	if o.Sleep == nil {
		o.Sleep = sleep
	}
	o.Retry = o.Retry.withDefaults()
	return o
}

func isLocal(s model.Spec) bool {
	return s.Provider == "sim" || s.Provider == "script" || s.Provider == "replay" ||
		s.Provider == runtime.ApprovalProvider && s.Name != "ask"
}

// crowd is how many trials at a time make it pointless that the members of a
// lockstep step wait together: there are calls enough, and each that waits takes
// memory.
const crowd = 1000

// prepareEngine lets the members of a lockstep step wait together only where
// there is something to wait for and room to do it.
func prepareEngine(p *runtime.Plan, local func(model.Spec) bool, many bool) (runtime.Runner, error) {
	if local == nil {
		local = isLocal
	}
	var options []runtime.Option
	if many || allLocal(p, local) {
		options = append(options, runtime.WithTogether(1))
	}
	e, err := runtime.Prepare(p, options...)
	if err != nil {
		return nil, err
	}
	return e.RunTrial, nil
}

func allLocal(p *runtime.Plan, local func(model.Spec) bool) bool {
	for _, arm := range p.Arms {
		for _, spec := range arm.Program.Models {
			if !local(spec) {
				return false
			}
		}
	}
	return true
}

func sleep(ctx context.Context, d time.Duration) error {
	t := time.NewTimer(d)
	defer t.Stop()
	select {
	case <-t.C:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

// workers is how many trials run at a time.
func (q *queue) workers() int {
	if q.opt.Workers > 0 {
		return q.opt.Workers
	}
	for _, c := range q.plans {
		if !allLocal(c.plan, q.opt.Local) {
			return q.opt.MaxConnections
		}
	}
	return goruntime.GOMAXPROCS(0)
}

// drained is why a run that was asked to drain ended.
const drained = "interrupted; the trials in flight were finished"

// runUnits hands the units to the workers, in order, until all are done or the
// run stops.
func (q *queue) runUnits(ctx context.Context, cancel context.CancelFunc, units []*unit) {
	workers := q.workers()
	lanes := max(1, workers/max(1, len(units))) // trials of one unit at a time
	next := make(chan *unit)
	var wg sync.WaitGroup
	for range min(workers, len(units)) {
		wg.Go(func() {
			for u := range next {
				if err := q.runUnit(ctx, u, lanes); err != nil {
					q.fail(err)
					cancel()
				}
			}
		})
	}
feed:
	for _, u := range units {
		select {
		case <-q.opt.Drain: // before a worker is free to take more
			q.stop.drain(drained)
			break feed
		default:
		}
		select {
		case next <- u:
		case <-q.stop.stopping:
			break feed
		case <-ctx.Done():
			break feed
		}
	}
	close(next)
	wg.Wait()
}

// fail keeps the first error that the run cannot go on with.
func (q *queue) fail(err error) {
	q.mu.Lock()
	defer q.mu.Unlock()
	if q.failure == nil {
		q.failure = err
	}
}

func (q *queue) failed() error {
	q.mu.Lock()
	defer q.mu.Unlock()
	return q.failure
}

// finish counts and records how the run stands.
func (q *queue) finish(ctx context.Context) (Summary, error) {
	q.mu.Lock()
	p := q.progress
	s := Summary{
		Total: p.Total, Found: p.Found, Ran: q.ran, Errored: p.Errored, Stopped: q.stop.reason(),
		Calls: p.Calls, Shared: p.Shared, Replayed: p.Replayed, Retries: p.Retries,
	}
	q.mu.Unlock()
	s.Spent, s.USD, s.Unpriced = q.ledger.summary()
	s.Failures, s.Odd = q.remarks.lists()
	s.Complete = p.Done == p.Total && p.Errored == 0
	if p.Done == p.Total {
		s.Stopped = "" // whatever stopped it came too late
	}
	err := q.failed()
	if q.opt.Store == nil {
		return s, err
	}
	state := store.State{Status: store.Complete, Ended: q.opt.Now(), Note: s.Stopped}
	if !s.Complete {
		state.Status = store.Incomplete
		if state.Note == "" && s.Errored > 0 {
			state.Note = fmt.Sprintf("%d trials ended in an error", s.Errored)
		}
	}
	if err != nil {
		state.Note = err.Error()
		_ = q.opt.Store.SetState(ctx, state) // the store may be what failed
		return s, err
	}
	return s, errors.Join(q.opt.Store.SetState(ctx, state), q.opt.Store.Flush(ctx))
}
