package scenarios

import (
	"context"
	"testing"
	"time"

	"parley/interp"
	"parley/interp/score"
	"parley/runtime"
	"parley/runtime/queue"
	"parley/runtime/store"
	"parley/runtime/trace"
)

// scored are scenarios whose tables must not depend on how they are run: with
// tools, errors, shared and independent pairs.
var scored = []struct {
	file, target, pairs string
	edits               []edit
}{
	{"testdata/truth/vote.parley", "owners", "shared", nil},
	{"testdata/truth/vote.parley", "owners", "independent", nil},
	{"testdata/truth/stores.parley", "doses", "", []edit{{"stray 0.05", "stray 0.05 errors { clean: 0.05, attacked: 0.2 }"}}},
	{"relay.parley", "lengths", "", []edit{{"limit 60", "limit 8"}}},
	{"quickstart.parley", "", "", []edit{{"limit 60", "limit 12"}}},
}

// TestNothingButTheScenarioCounts: workers at a time and the order of tasks leave
// every byte of the tables as it is.
func TestNothingButTheScenarioCounts(t *testing.T) {
	for _, x := range scored {
		t.Run(x.file+" "+x.pairs, func(t *testing.T) {
			module := open(t, x.file, x.edits...)
			o := interp.Options{Pairs: x.pairs, Runs: 2}
			want := tables(t, play(t, module, x.target, o, inMemory))
			for _, q := range []queue.Options{{Workers: 2, Order: 5}, {Workers: 16, Order: 1}, {Workers: 3, Order: 99}} {
				if got := tables(t, play(t, module, x.target, o, q)); got != want {
					t.Errorf("with %d workers and order %d:\n%s\nbefore:\n%s", q.Workers, q.Order, got, want)
				}
			}
		})
	}
}

// TestResumedRunsScoreTheSame stops a stored run again and again: each process
// ends a few trials, and the last table is that of an undisturbed run. No trial
// that ended well is run twice.
func TestResumedRunsScoreTheSame(t *testing.T) {
	for _, x := range scored {
		t.Run(x.file+" "+x.pairs, func(t *testing.T) {
			module := open(t, x.file, x.edits...)
			o := interp.Options{Pairs: x.pairs}
			want := tables(t, play(t, module, x.target, o, inMemory))
			if got := stopped(t, module, x.target, o); got != want {
				t.Errorf("resumed:\n%s\nundisturbed:\n%s", got, want)
			}
		})
	}
}

func stopped(t *testing.T, module *interp.Module, target string, o interp.Options) string {
	t.Helper()
	suite, found := module.Compile(target, o)
	if found.HasErrors() {
		t.Fatal(found)
	}
	var plans []*runtime.Plan
	for _, c := range suite.Cells {
		plans = append(plans, c.Plan)
	}
	providers, err := simulators(plans)
	if err != nil {
		t.Fatal(err)
	}
	run, err := store.Create(t.TempDir(), store.Meta{Name: "stopped", Started: time.Unix(1e9, 0)})
	if err != nil {
		t.Fatal(err)
	}
	path := run.Path()
	ended := map[string]int{}
	for process := 1; ; process++ {
		drain := make(chan struct{})
		left := 5 * process
		sum, err := queue.Run(context.Background(), plans, queue.Options{
			Store: run, Providers: providers, Workers: 1 + process%3, Order: 3, Drain: drain,
			OnTrial: func(_ runtime.Trial, got *trace.Trial) {
				if got.Outcome != trace.Errored {
					ended[got.Key]++
				}
				if left--; left == 0 {
					close(drain)
				}
			},
		})
		if err != nil {
			t.Fatal(err)
		}
		if sum.Total == sum.Found+sum.Ran || process > 100 {
			if process < 3 {
				t.Fatalf("the run was not stopped: %d processes", process)
			}
			break
		}
		if err := run.Close(); err != nil {
			t.Fatal(err)
		}
		if run, err = store.Resume(path); err != nil {
			t.Fatal(err)
		}
	}
	for key, n := range ended {
		if n != 1 {
			t.Errorf("the trial %.8s ended %d times", key, n)
		}
	}
	cells := make([]*played, len(suite.Cells))
	for i, c := range suite.Cells {
		cells[i] = &played{Cell: c}
		scorer, err := score.New(c.Spec, c.Plan)
		if err != nil {
			t.Fatal(err)
		}
		tally := scorer.Tally()
		err = run.EachUnit(context.Background(), i, 2, func(u store.Unit) error {
			g := score.Group{Row: u.Row, Key: u.Case, Repeat: u.Repeat, Trials: map[runtime.ArmName]*trace.Trial{}}
			for arm, trial := range u.Arms {
				g.Trials[runtime.ArmName(arm)] = trial
			}
			return tally.Add(context.Background(), g)
		})
		if err != nil {
			t.Fatal(err)
		}
		if cells[i].table, err = tally.Table(); err != nil {
			t.Fatal(err)
		}
	}
	if err := run.Close(); err != nil {
		t.Fatal(err)
	}
	return tables(t, cells)
}
