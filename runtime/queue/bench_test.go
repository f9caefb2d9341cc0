package queue_test

import (
	"context"
	"fmt"
	goruntime "runtime"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"parley/runtime"
	"parley/runtime/model"
	"parley/runtime/queue"

	"parley/runtime/trace"
)

// instant answers at once, always the same.
type instant struct{}

var canned = &model.Response{Content: strings.Repeat("reason ", 20), Finish: "stop", Usage: &model.Usage{Input: 100, Output: 20}}

func (instant) Revision() string { return "1" }

func (instant) Complete(context.Context, *model.Request) (*model.Response, error) { return canned, nil }

// empty is a runner that makes ready-made calls, so that what is left is the queue.
func empty(calls int) func(*runtime.Plan) (runtime.Runner, error) {
	return func(*runtime.Plan) (runtime.Runner, error) {
		return func(ctx context.Context, t runtime.Trial, c runtime.Caller) (*trace.Trial, error) {
			out := &trace.Trial{Key: t.Key, Arm: string(t.Arm.Name), Repeat: t.Repeat, Outcome: trace.Answered}
			out.Link()
			req := &model.Request{Messages: []model.Message{{Role: "user", Content: "x"}}}
			spec := t.Arm.Program.Models["m"]
			for i := range calls {
				res, err := c.Call(ctx, runtime.Call{Spec: spec, Request: req, Key: fmt.Sprint(t.Key, i), Position: "p", Role: "turn"})
				if err != nil {
					return nil, err
				}
				out.Answer = res.Response.Content
			}
			return out, nil
		}, nil
	}
}

// BenchmarkCall is what the queue adds to a model call, with trials of 12 calls:
// local models, and paid ones whose every answer is written down before the
// trial goes on (256 trials at a time).
func BenchmarkCall(b *testing.B) {
	for _, local := range []bool{true, false} {
		b.Run(map[bool]string{true: "local", false: "paid"}[local], func(b *testing.B) {
			r := newStore(b)
			tasks := max(1, b.N/24)
			opt := queue.Options{
				Store: r, Prepare: empty(12), Local: func(model.Spec) bool { return local },
				Providers: func(model.Spec) (model.Provider, error) { return instant{}, nil },
			}
			if !local {
				opt.MaxConnections = 256
			}
			p := plan("a", tasks, 1, false)
			b.ReportAllocs()
			b.ResetTimer()
			s, err := queue.Run(context.Background(), []*runtime.Plan{p}, opt)
			if err != nil || !s.Complete {
				b.Fatal(err, s)
			}
			b.ReportMetric(float64(s.Calls)/b.Elapsed().Seconds(), "calls/s")
		})
	}
}

// debaters is a plan of one step in which five debaters speak, twice.
func debaters(tasks int) *runtime.Plan {
	p := plan("", tasks, 1, false)
	prog := p.Arms[0].Program
	prog.Answer = runtime.Expr{Src: `last(debate).text`}
	g := runtime.Group{Name: "debater"}
	for i := 1; i <= 5; i++ {
		n := fmt.Sprintf("debater[%d]", i)
		g.Members = append(g.Members, n)
		prog.Agents = append(prog.Agents, runtime.Agent{
			Name: n, Group: "debater", Index: i, Honest: true,
			Attrs: runtime.Attrs{Model: "m", System: runtime.Expr{Src: `"You debate."`}, Prompt: runtime.Expr{Src: `render("Debate: ", (task.q))`}},
		})
	}
	for _, a := range g.Members {
		for _, c := range g.Members {
			if a != c {
				prog.Edges = append(prog.Edges, runtime.Edge{From: a, To: c})
			}
		}
	}
	prog.Groups = []runtime.Group{g}
	for _, label := range []string{"propose", "debate"} {
		prog.Turns = append(prog.Turns, runtime.Stmt{
			Kind: runtime.StepStmt, Name: label, Each: true, Many: true, Who: runtime.Expr{Src: "debater"}, At: "s:1:1", Path: label,
		})
	}
	return p
}

// BenchmarkDebate is a whole run of the engine with an instant local model: a
// debate of five agents and ten calls a trial, all recorded.
func BenchmarkDebate(b *testing.B) {
	r := newStore(b)
	opt := queue.Options{
		Store: r, Local: func(model.Spec) bool { return true },
		Providers: func(model.Spec) (model.Provider, error) { return instant{}, nil },
	}
	p := debaters(max(1, b.N/10))
	b.ReportAllocs()
	b.ResetTimer()
	s, err := queue.Run(context.Background(), []*runtime.Plan{p}, opt)
	if err != nil || !s.Complete {
		b.Fatal(err, s)
	}
	b.ReportMetric(float64(s.Calls)/b.Elapsed().Seconds(), "calls/s")
}

// BenchmarkTrialsInFlight holds 10,000 trials of the engine in the middle of a
// call, all five debaters of each waiting for 10,000 places, and measures what
// they take: MiB from the system, and MiB in use.
func BenchmarkTrialsInFlight(b *testing.B) {
	const trials = 10_000
	for b.Loop() {
		e := &endpoint{gate: make(chan struct{})}
		r := newStore(b)
		done := make(chan queue.Summary)
		var running atomic.Int64
		plans := []*runtime.Plan{debaters(trials)}
		go func() {
			s, err := queue.Run(context.Background(), plans, queue.Options{
				Store: r, Workers: trials, MaxConnections: trials,
				Providers:  func(model.Spec) (model.Provider, error) { return e, nil },
				OnProgress: func(p queue.Progress) { running.Store(int64(p.Running)) },
			})
			if err != nil {
				b.Error(err)
			}
			done <- s
		}()
		for waiting := 0; waiting < trials || running.Load() < trials; {
			time.Sleep(200 * time.Millisecond)
			e.mu.Lock()
			waiting = e.busy
			e.mu.Unlock()
		}
		var m goruntime.MemStats
		goruntime.ReadMemStats(&m)
		b.ReportMetric(float64(m.Sys)/(1<<20), "MiB")
		b.ReportMetric(float64(m.HeapAlloc+m.StackInuse)/(1<<20), "MiB-live")
		close(e.gate)
		if s := <-done; !s.Complete {
			b.Fatal(s)
		}
	}
}
