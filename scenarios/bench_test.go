package scenarios_test

import (
	"context"
	"os"
	"testing"
	"time"

	"parley/interp"
	"parley/runtime"
	"parley/runtime/model"
	"parley/runtime/model/sim"
	"parley/runtime/queue"
	"parley/runtime/store"
	"parley/stdlib"
)

// BenchmarkQuickstart runs the quickstart's trials on the simulator, every event
// recorded in a run file, and reports model calls a second.
func BenchmarkQuickstart(b *testing.B) {
	mod, found := interp.Project{Root: os.DirFS("."), Std: stdlib.FS}.Load("quickstart.parley")
	if found.HasErrors() {
		b.Fatal(found)
	}
	suite, found := mod.Compile("", interp.Options{Runs: 5})
	if found.HasErrors() {
		b.Fatal(found)
	}
	var plans []*runtime.Plan
	for _, c := range suite.Cells {
		plans = append(plans, c.Plan)
	}
	table, err := runtime.SimTable(plans...)
	if err != nil {
		b.Fatal(err)
	}
	provider := func(spec model.Spec) (model.Provider, error) {
		params, err := sim.ParseParams(spec.Params)
		return sim.New(table, params), err
	}
	calls := 0
	for b.Loop() {
		run, err := store.Create(b.TempDir(), store.Meta{Name: "bench", Started: time.Now()})
		if err != nil {
			b.Fatal(err)
		}
		sum, err := queue.Run(context.Background(), plans, queue.Options{Store: run, Providers: provider})
		if err != nil || !sum.Complete {
			b.Fatal(sum, err)
		}
		calls += sum.Calls
		if err := run.Close(); err != nil {
			b.Fatal(err)
		}
	}
	b.ReportMetric(float64(calls)/b.Elapsed().Seconds(), "calls/s")
}
