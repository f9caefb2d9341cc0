package queue_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"sync"
	"testing"
	"time"

	"parley/runtime"
	"parley/runtime/model"
	"parley/runtime/queue"
	"parley/runtime/store"
	"parley/runtime/trace"
)

func TestDrainAndStop(t *testing.T) {
	for _, stop := range []bool{false, true} {
		e, r := &endpoint{gate: make(chan struct{})}, newStore(t)
		drain := make(chan struct{})
		ctx, cancel := context.WithCancel(context.Background())
		opt := options(e, r)
		opt.Drain = drain
		var once sync.Once
		opt.OnProgress = func(p queue.Progress) {
			if p.Running == 4 {
				once.Do(func() {
					close(drain)
					if stop {
						cancel()
					} else {
						time.AfterFunc(20*time.Millisecond, func() { close(e.gate) })
					}
				})
			}
		}
		s, err := queue.Run(ctx, []*runtime.Plan{plan("a", 10, 1, false)}, opt)
		cancel()
		want := map[bool]int{false: 4, true: 0}[stop]
		if err != nil || s.Ran != want || s.Complete || !strings.HasPrefix(s.Stopped, "interrupted") {
			t.Errorf("stop %v: %+v, %v", stop, s, err)
		}
		if st := r.State(); st.Status != store.Incomplete {
			t.Errorf("stop %v: %+v", stop, st)
		}
		e.gate = nil
		r = reopen(t, r)
		if s := run(t, []*runtime.Plan{plan("a", 10, 1, false)}, options(e, r)); !s.Complete || s.Found != want {
			t.Errorf("stop %v, resumed: %+v", stop, s)
		}
	}
}

func TestCallsInFlight(t *testing.T) {
	e := &endpoint{wait: time.Millisecond}
	opt := options(e, nil)
	opt.Workers, opt.MaxConnections = 50, 7
	run(t, []*runtime.Plan{plan("a", 50, 1, false)}, opt)
	if e.most != 7 {
		t.Errorf("%d calls at a time, want 7", e.most)
	}
}

func TestFailuresThatEndARun(t *testing.T) {
	boom := errors.New("boom")
	r := newStore(t)
	opt := options(&endpoint{}, r)
	opt.Prepare = func(*runtime.Plan) (runtime.Runner, error) { return nil, boom }
	if _, err := queue.Run(context.Background(), []*runtime.Plan{plan("", 1, 1, false)}, opt); !errors.Is(err, boom) {
		t.Errorf("prepare: %v", err)
	}
	opt = options(nil, r)
	opt.Providers = func(model.Spec) (model.Provider, error) { return nil, model.ErrNotYet }
	if _, err := queue.Run(context.Background(), []*runtime.Plan{plan("", 1, 1, false)}, opt); !errors.Is(err, model.ErrNotYet) {
		t.Errorf("providers: %v", err)
	}
	opt = options(&endpoint{}, r)
	opt.Prepare = func(*runtime.Plan) (runtime.Runner, error) {
		return func(context.Context, runtime.Trial, runtime.Caller) (*trace.Trial, error) { return nil, boom }, nil
	}
	if _, err := queue.Run(context.Background(), []*runtime.Plan{plan("", 9, 1, false)}, opt); !errors.Is(err, boom) {
		t.Errorf("runner: %v", err)
	}
	// A store that fails in the middle ends the run and is what is told.
	e := &endpoint{}
	closed := 0 // calls made when the store had failed
	e.fail = func(n int, _ *model.Request) error {
		if n == 20 {
			_ = r.Close()
			e.mu.Lock()
			closed = e.calls
			e.mu.Unlock()
		}
		return nil
	}
	opt = options(e, r)
	if _, err := queue.Run(context.Background(), []*runtime.Plan{plan("", 50, 1, false)}, opt); !errors.Is(err, store.ErrClosed) {
		t.Errorf("store: %v", err)
	}
	// While it closes, a store still takes what is handed to it.
	if e.calls > closed+8 {
		t.Errorf("%d calls were paid for and lost", e.calls-closed)
	}
}

// scripted says what a test's script says: a text for agent a.
type scripted struct{ mute bool }

func (s scripted) Answer(_ context.Context, c runtime.Call) (*model.Response, bool, error) {
	return &model.Response{Content: "scripted " + c.Agent}, !s.mute, nil
}

func TestScripts(t *testing.T) {
	p := plan("", 1, 1, false)
	p.Arms[0].Scripts = []runtime.Script{{Agents: []string{"a"}, Entries: []runtime.ScriptEntry{{Reply: runtime.Expr{Src: `"as written"`}}}, Repeat: true}}
	e := &endpoint{}
	opt := options(e, nil)
	var last *trace.Trial
	opt.OnTrial = func(_ runtime.Trial, tr *trace.Trial) { last = tr }
	if s := run(t, []*runtime.Plan{p}, opt); e.calls != 0 || s.Errored != 0 || !strings.Contains(fmt.Sprint(last.Answer), "as written") {
		t.Errorf("%d calls, %+v, %v", e.calls, s, last.Answer)
	}
	// A script that runs out is an error of the trial, and not paid for otherwise.
	p.Arms[0].Scripts[0].Repeat = false
	if s := run(t, []*runtime.Plan{p}, opt); e.calls != 0 || s.Errored != 1 || !strings.Contains(last.EndedBy, "script of a is too short") {
		t.Errorf("%d calls, %+v, %v", e.calls, s, last.EndedBy)
	}
	opt.Script = func(runtime.Trial) (queue.Script, error) { return scripted{}, nil }
	var answer any
	opt.OnTrial = func(_ runtime.Trial, tr *trace.Trial) { answer = tr.Answer }
	if s := run(t, []*runtime.Plan{p}, opt); e.calls != 0 || s.Calls != 0 || !strings.Contains(fmt.Sprint(answer), "scripted a") {
		t.Errorf("%d calls, %v", e.calls, answer)
	}
	opt.Script = func(runtime.Trial) (queue.Script, error) { return scripted{mute: true}, nil }
	if run(t, []*runtime.Plan{p}, opt); e.calls != lines {
		t.Errorf("%d calls of an agent that no script names", e.calls)
	}
}
