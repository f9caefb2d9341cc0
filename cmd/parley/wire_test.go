package main

import (
	"context"
	"encoding/json"
	"net/http"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"parley/interp"
	"parley/lang/diag"
	"parley/runtime/model"
	"parley/runtime/model/openai"
	"parley/runtime/model/serve"
	"parley/runtime/queue"
	"parley/runtime/store"
	"parley/runtime/trace"
	"parley/stdlib"
)

// compiled is a scenario of a project, as the command compiles it.
func compiled(t *testing.T, root, file string, o interp.Options) *interp.Suite {
	t.Helper()
	p := interp.Project{Root: os.DirFS(root), Std: stdlib.FS, Getenv: func(string) string { return "" }}
	mod, found := p.Load(file)
	var suite *interp.Suite
	if !found.HasErrors() {
		var more diag.List
		suite, more = mod.Compile("", o)
		found = append(found, more...)
	}
	if found.HasErrors() {
		t.Fatal(found)
	}
	return suite
}

// listening serves a handler on this machine until the test ends.
func listening(t *testing.T, h http.Handler) string {
	t.Helper()
	l, err := serve.Listen("127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(context.Background())
	ended := make(chan error, 1)
	go func() { ended <- serve.Serve(ctx, l, h) }()
	t.Cleanup(func() {
		cancel()
		if err := <-ended; err != nil {
			t.Error(err)
		}
	})
	return "http://" + l.Addr().String() + "/v1"
}

// simulated serves a suite's simulator.
func simulatedBy(t *testing.T, suite *interp.Suite) http.Handler {
	t.Helper()
	models, err := served(suite)
	if err != nil {
		t.Fatal(err)
	}
	return serve.Handler(models, func() time.Time { return time.Unix(1e9, 0) })
}

func newRun(t *testing.T) *store.Run {
	t.Helper()
	r, err := store.Create(t.TempDir(), store.Meta{Name: "wire", Started: time.Unix(1e9, 0), Options: json.RawMessage("{}")})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = r.Close() })
	return r
}

// played runs a suite into a store and returns its tables as JSON.
func played(t *testing.T, suite *interp.Suite, run *store.Run, opt queue.Options) (queue.Summary, string) {
	t.Helper()
	ctx := context.Background()
	opt.Store = run
	sum, err := queue.Run(ctx, plansOf(suite), opt)
	if err != nil {
		t.Fatal(err)
	}
	if err := run.Flush(ctx); err != nil {
		t.Fatal(err)
	}
	tables, err := scoreStored(ctx, suite, run, nil)
	if err != nil {
		t.Fatal(err)
	}
	b, err := json.MarshalIndent(tables, "", " ")
	if err != nil {
		t.Fatal(err)
	}
	return sum, string(b)
}

// happened is what a store holds of each cell's trials, without what names
// times and keys.
func happened(t *testing.T, run *store.Run, cells int) map[string]*trace.Trial {
	t.Helper()
	ctx := context.Background()
	out := map[string]*trace.Trial{}
	for i := range cells {
		links, err := run.Links(ctx, i)
		if err != nil {
			t.Fatal(err)
		}
		for _, l := range links {
			one, err := run.Trial(ctx, l.Trial)
			if err != nil || one == nil {
				t.Fatal(l, err)
			}
			one.Key = ""
			for k := range one.Events {
				if m := one.Events[k].Model; m != nil {
					m.Key = ""
				}
			}
			l.Trial = ""
			at, err := json.Marshal(l)
			if err != nil {
				t.Fatal(err)
			}
			out[string(at)] = one
		}
	}
	return out
}

// TestWireEqualsProcess holds that a scenario gives the same through requests
// over HTTP as with the simulator in this process: scores, and every event but
// for keys.
func TestWireEqualsProcess(t *testing.T) {
	root, err := filepath.Abs("../..")
	if err != nil {
		t.Fatal(err)
	}
	const file = "scenarios/quickstart.parley"
	here := compiled(t, root, file, interp.Options{Limit: "4"})
	wired := compiled(t, root, file, interp.Options{Limit: "4", Models: map[string]string{"": "openai/sim"}})

	inProcess := newRun(t)
	_, want := played(t, here, inProcess, queue.Options{Providers: providers(plansOf(here), nil)})

	ends := openai.New(openai.Config{Env: map[string]string{"OPENAI_BASE_URL": listening(t, simulatedBy(t, here))}, Timeout: time.Minute})
	defer ends.Close()
	overWire := newRun(t)
	sum, got := played(t, wired, overWire, queue.Options{Providers: func(s model.Spec) (model.Provider, error) { return ends.Provider(s) }})
	if !sum.Complete || len(sum.Failures)+len(sum.Odd) > 0 {
		t.Errorf("%+v", sum)
	}
	if d := cmp.Diff(want, got); d != "" {
		t.Errorf("scores (-in process +over the wire):\n%s", d)
	}
	a, b := happened(t, inProcess, len(here.Cells)), happened(t, overWire, len(wired.Cells))
	if len(a) != len(b) || len(a) < 4*7 {
		t.Fatalf("%d and %d trials", len(a), len(b))
	}
	calls := 0
	for at, one := range a {
		other := b[at]
		if other == nil {
			t.Errorf("%s did not happen over the wire", at)
			continue
		}
		x, y := encoded(t, one), encoded(t, other)
		if d := cmp.Diff(x, y); d != "" {
			t.Fatalf("%s:\n%s", at, d)
		}
		calls += one.Usage.Calls
	}
	if calls < 100 {
		t.Errorf("only %d calls were compared", calls)
	}
}

func encoded(t *testing.T, one *trace.Trial) string {
	t.Helper()
	b, err := trace.Encode(one)
	if err != nil {
		t.Fatal(err)
	}
	return string(b)
}

// TestReplaysAgree holds that two replays of a run give what it gave, and that
// the model behind is not needed.
func TestReplaysAgree(t *testing.T) {
	root, err := filepath.Abs("../..")
	if err != nil {
		t.Fatal(err)
	}
	suite := compiled(t, root, "scenarios/quickstart.parley", interp.Options{Limit: "2"})
	first := newRun(t)
	if cells, err := storedCells(suite); err != nil {
		t.Fatal(err)
	} else if err := first.PutCells(context.Background(), cells); err != nil {
		t.Fatal(err)
	}
	_, want := played(t, suite, first, queue.Options{Providers: providers(plansOf(suite), nil)})
	events := happened(t, first, len(suite.Cells))
	if err := first.Close(); err != nil {
		t.Fatal(err)
	}
	for range 2 {
		w := wire{replay: first.Path()}
		others, err := w.open(context.Background(), 0, func(string) {}, host{})
		if err != nil {
			t.Fatal(err)
		}
		again := newRun(t)
		sum, got := played(t, suite, again, queue.Options{Providers: w.providers(plansOf(suite), others), Local: w.local()})
		if !sum.Complete || got != want {
			t.Errorf("%+v\n%s", sum, cmp.Diff(want, got))
		}
		for at, one := range happened(t, again, len(suite.Cells)) {
			if d := cmp.Diff(encoded(t, events[at]), encoded(t, one)); d != "" {
				t.Fatalf("%s:\n%s", at, d)
			}
		}
		w.close()
	}
}
