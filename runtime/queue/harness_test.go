package queue_test

import (
	"context"
	"encoding/json"
	"fmt"
	"sort"
	"strings"
	"sync"
	"testing"
	"time"

	"go.uber.org/goleak"

	"parley/runtime"
	"parley/runtime/key"
	"parley/runtime/model"
	"parley/runtime/queue"
	"parley/runtime/store"
	"parley/runtime/trace"
)

func TestMain(m *testing.M) {
	if helped() {
		return
	}
	goleak.VerifyTestMain(m)
}

// lines is a stub of the engine: an agent is asked as many times as the program
// says, each time shown what it said before. From the third call on an
// attacked arm shows it something else, so that two calls of a pair are equal.
const lines = 5

func stub(*runtime.Plan) (runtime.Runner, error) { return talk, nil }

func talk(ctx context.Context, t runtime.Trial, calls runtime.Caller) (*trace.Trial, error) {
	table := key.Table{Seed: t.Plan.Seed, Stream: t.Arm.Stream, Case: t.CaseKey, Repeat: t.Repeat}
	out := &trace.Trial{
		Key: t.Key, Case: t.CaseKey, Row: t.Case.Row, Arm: string(t.Arm.Name), Repeat: t.Repeat, Stream: t.Arm.Stream,
		Outcome: trace.Answered,
	}
	out.Link()
	said := fmt.Sprint(t.Case.Fields["q"])
	spec := t.Arm.Program.Models["m"]
	for i := range lines {
		pos := key.Position{Path: fmt.Sprint("say#", i), Agent: "a", Role: "turn"}.String()
		if i == 2 && t.Arm.Program.Answer.Src != "" {
			said += " " + t.Arm.Program.Answer.Src
		}
		req := &model.Request{
			Model: spec.Name, Messages: []model.Message{{Role: "user", Content: said}},
			Seed: table.ProviderSeed(pos), User: table.User("a"),
		}
		k := table.Call(pos, &spec, t.Revisions["m"], req).String()
		res, err := calls.Call(ctx, runtime.Call{
			Spec: spec, Request: req, Key: k, Position: pos, Agent: "a", Role: "turn", Script: t.Arm.Scripts,
		})
		if stop := ctx.Err(); stop != nil {
			return nil, stop
		}
		if err == runtime.ErrStopped {
			return nil, err
		}
		if err != nil {
			out.Outcome, out.EndedBy = trace.Errored, err.Error()
			return out, nil
		}
		said += " " + res.Response.Content
		out.Usage.Calls++
		out.Append(trace.Event{Kind: trace.KindModel, Model: &trace.Model{
			Agent: "a", Position: pos, Key: k, Text: res.Response.Content, Shared: res.Shared,
		}})
	}
	out.Answer = said
	return out, nil
}

// endpoint answers with a hash of the request; it counts, and fails on demand.
type endpoint struct {
	mu       sync.Mutex
	requests map[string]int
	calls    int
	busy     int
	most     int // calls at the same time
	fail     func(n int, req *model.Request) error
	version  func(n int) string // what answers the nth call says it is
	wait     time.Duration
	gate     chan struct{} // closed: calls may be answered
}

func (e *endpoint) Revision() string { return "1" }

func (e *endpoint) Complete(ctx context.Context, req *model.Request) (*model.Response, error) {
	b, _ := json.Marshal(req)
	e.mu.Lock()
	e.calls++
	n := e.calls
	e.busy++
	e.most = max(e.most, e.busy)
	fail := e.fail
	e.mu.Unlock()
	defer func() {
		e.mu.Lock()
		e.busy--
		e.mu.Unlock()
	}()
	if e.gate != nil {
		select {
		case <-e.gate:
		case <-ctx.Done():
			return nil, ctx.Err()
		}
	}
	if e.wait > 0 {
		select {
		case <-time.After(e.wait):
		case <-ctx.Done():
			return nil, ctx.Err()
		}
	}
	if fail != nil {
		if err := fail(n, req); err != nil {
			return nil, err
		}
	}
	e.mu.Lock()
	defer e.mu.Unlock()
	if e.requests == nil {
		e.requests = map[string]int{}
	}
	e.requests[string(b)]++
	resp := &model.Response{Content: key.Of(string(b)).Short(), Usage: &model.Usage{Input: 10, Output: 2}}
	if e.version != nil {
		resp.Model = e.version(n)
	}
	return resp, nil
}

// repeated lists requests that were answered more than once.
func (e *endpoint) repeated() []string {
	var list []string
	for r, n := range e.requests {
		if n > 1 {
			list = append(list, r)
		}
	}
	return list
}

// plan is a pair of arms over some tasks; an empty attack leaves the clean arm.
func plan(attack string, tasks, repeats int, shared bool) *runtime.Plan {
	p := &runtime.Plan{Scenario: "s", Repeats: repeats, Seed: 7, Shared: shared, CaseFields: []string{"q"}}
	for i := range tasks {
		p.Cases = append(p.Cases, runtime.Case{Row: i, Fields: map[string]any{"q": fmt.Sprint("task ", i), "unread": i}})
	}
	models := map[string]model.Spec{"m": {Provider: "test", Name: "big"}}
	p.Arms = append(p.Arms, runtime.Arm{Name: runtime.Clean, Stream: "main", Fields: []string{"q"}, Program: &runtime.Program{Models: models}})
	if attack != "" {
		stream := "arm/" + attack
		if shared {
			stream = "main"
		}
		p.Arms = append(p.Arms, runtime.Arm{
			Name: runtime.Attacked, Stream: stream, Fields: []string{"q"},
			Program: &runtime.Program{Models: models, Answer: runtime.Expr{Src: attack}},
		})
	}
	return p
}

func options(e *endpoint, r *store.Run) queue.Options {
	return queue.Options{
		Store: r, Prepare: stub, Workers: 4,
		Providers: func(model.Spec) (model.Provider, error) { return e, nil },
		Sleep:     func(ctx context.Context, _ time.Duration) error { return ctx.Err() },
	}
}

func newStore(t testing.TB) *store.Run {
	t.Helper()
	r, err := store.Create(t.TempDir(), store.Meta{Name: "test", Started: time.Unix(1e9, 0)})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = r.Close() })
	return r
}

// reopen closes a run and goes on with it, as a later process does.
func reopen(t testing.TB, r *store.Run) *store.Run {
	t.Helper()
	if err := r.Close(); err != nil {
		t.Fatal(err)
	}
	again, err := store.Resume(r.Path())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = again.Close() })
	return again
}

func run(t testing.TB, plans []*runtime.Plan, opt queue.Options) queue.Summary {
	t.Helper()
	s, err := queue.Run(context.Background(), plans, opt)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// contents is everything that scoring sees of a run, in one text.
func contents(t testing.TB, r *store.Run, cells int) string {
	t.Helper()
	ctx := context.Background()
	var b strings.Builder
	for c := range cells {
		links, err := r.Links(ctx, c)
		if err != nil {
			t.Fatal(err)
		}
		for _, l := range links {
			fmt.Fprintf(&b, "%+v\n", l)
		}
	}
	keys, err := r.Keys(ctx, "", 0)
	if err != nil {
		t.Fatal(err)
	}
	sort.Strings(keys)
	for _, k := range keys {
		one, err := r.Trial(ctx, k)
		if err != nil {
			t.Fatal(err)
		}
		text, err := trace.Encode(one)
		if err != nil {
			t.Fatal(err)
		}
		b.Write(text)
		b.WriteByte('\n')
	}
	spent, err := r.Spent(ctx)
	if err != nil {
		t.Fatal(err)
	}
	fmt.Fprintln(&b, spent)
	return b.String()
}
