package runtime

import (
	"context"
	"runtime"
	"strings"
	"sync"
	"testing"
)

// BenchmarkInFlight holds many trials at their longest prompts, all waiting for
// a model, and reports the memory that each takes.
func BenchmarkInFlight(b *testing.B) {
	const trials = 2000
	plan := planOf(question, map[ArmName]*Program{Attacked: attacked(searching(debate(5, 1)), poison())})
	e, err := Prepare(plan)
	if err != nil {
		b.Fatal(err)
	}
	for range b.N {
		var before, during runtime.MemStats
		runtime.GC()
		runtime.ReadMemStats(&before)
		hold := make(chan struct{})
		var waiting, done sync.WaitGroup
		waiting.Add(trials * 5)
		done.Add(trials)
		caller := callerFunc(func(ctx context.Context, c Call) (CallResult, error) {
			if strings.HasPrefix(c.Position, "debate") {
				waiting.Done()
				<-hold
			}
			return CallResult{Response: searchers(c)}, nil
		})
		for range trials {
			go func() {
				defer done.Done()
				if _, err := e.RunTrial(context.Background(), Trial{Plan: plan, Arm: &plan.Arms[0], Case: &plan.Cases[0], Repeat: 1}, caller); err != nil {
					b.Error(err)
				}
			}()
		}
		waiting.Wait()
		runtime.GC()
		runtime.ReadMemStats(&during)
		b.ReportMetric(float64(during.HeapAlloc-before.HeapAlloc+during.StackInuse-before.StackInuse)/trials/1024, "KiB/trial")
		b.ReportMetric(float64(during.StackInuse-before.StackInuse)/trials/1024, "KiB-of-stacks/trial")
		close(hold)
		done.Wait()
	}
}
