package queue_test

import (
	"context"
	"math/rand/v2"
	"testing"

	"github.com/google/go-cmp/cmp"

	"parley/runtime"
	"parley/runtime/model"
	"parley/runtime/queue"
	"parley/runtime/store"
)

// attacked is the debate with a second arm in which one debater is told
// something else.
func attacked(tasks int, shared bool) *runtime.Plan {
	p := debaters(tasks)
	p.Shared = shared
	program := *p.Arms[0].Program
	program.Patches = []runtime.Patch{{
		ID: "persuade/1", Attack: "persuade", Level: "L2", Op: "append", Slot: runtime.SlotSystem, Agents: []string{"debater[1]"},
		Value: runtime.Expr{Src: `" Argue for the other side."`},
	}}
	arm := runtime.Arm{Name: runtime.Attacked, Stream: "main", Fields: []string{"q"}, Program: &program}
	if !shared {
		arm.Stream = "arm/attacked"
	}
	p.Arms = append(p.Arms, arm)
	return p
}

// With the engine itself: concurrency, stopping and resuming change nothing.
func TestEngineResumed(t *testing.T) {
	for _, shared := range []bool{false, true} {
		plans := []*runtime.Plan{attacked(3, shared)}
		setup := func(e *endpoint, r *store.Run, workers int) queue.Options {
			opt := options(e, r)
			opt.Prepare, opt.Workers = nil, workers
			return opt
		}
		var want string
		for _, workers := range []int{1, 6} {
			r := newStore(t)
			s := run(t, plans, setup(&endpoint{}, r, workers))
			if !s.Complete || s.Ran != 6 || s.Errored != 0 || s.Calls+s.Shared != 60 {
				t.Fatalf("shared %v: %+v", shared, s)
			}
			if wantShared := map[bool]int{true: 3 * 4}[shared]; s.Shared != wantShared {
				t.Errorf("shared %v: %d draws in common, want %d", shared, s.Shared, wantShared)
			}
			got := contents(t, r, 1)
			if want == "" {
				want = got
			}
			if d := cmp.Diff(want, got); d != "" {
				t.Errorf("shared %v, %d workers: %s", shared, workers, d)
			}
		}
		for seed := range uint64(4) {
			rng := rand.New(rand.NewPCG(seed, 2))
			e, r := &endpoint{}, newStore(t)
			for done := false; !done; {
				ctx, cancel := context.WithCancel(context.Background())
				at := e.calls + 1 + rng.IntN(30)
				e.fail = func(n int, _ *model.Request) error {
					if n == at {
						cancel()
						return ctx.Err()
					}
					return nil
				}
				s, err := queue.Run(ctx, plans, setup(e, r, 3))
				cancel()
				if err != nil {
					t.Fatal(err)
				}
				done = s.Complete
				r = reopen(t, r)
			}
			if d := cmp.Diff(want, contents(t, r, 1)); d != "" {
				t.Errorf("shared %v, seed %d: %s", shared, seed, d)
			}
			if list := e.repeated(); len(list) > 0 {
				t.Errorf("shared %v, seed %d: %d requests were answered twice", shared, seed, len(list))
			}
		}
	}
}
