package score_test

import (
	"context"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"sync"
	"testing"

	"pgregory.net/rapid"

	"parley/interp/score"
	"parley/runtime"
	"parley/runtime/trace"
)

// outcome of one run in a drawn world.
type ran struct {
	right  bool
	ended  trace.Outcome
	tokens int
	there  bool
}

type drawn struct {
	tasks, repeats int
	runs           map[runtime.ArmName][]ran // by task × repeat
}

func drawWorld(t *rapid.T) drawn {
	d := drawn{tasks: rapid.IntRange(1, 14).Draw(t, "tasks"), repeats: rapid.IntRange(1, 3).Draw(t, "repeats"), runs: map[runtime.ArmName][]ran{}}
	one := rapid.Custom(func(t *rapid.T) ran {
		return ran{
			right:  rapid.Bool().Draw(t, "right"),
			ended:  rapid.SampledFrom([]trace.Outcome{trace.Answered, trace.Answered, trace.Answered, trace.Refused, trace.Limit, trace.Errored}).Draw(t, "ended"),
			tokens: rapid.IntRange(0, 50).Draw(t, "tokens"),
			there:  rapid.IntRange(0, 9).Draw(t, "there") > 0,
		}
	})
	for _, arm := range []runtime.ArmName{runtime.Clean, runtime.Attacked, runtime.Placebo} {
		n := d.tasks * d.repeats
		d.runs[arm] = rapid.SliceOfN(one, n, n).Draw(t, string(arm))
	}
	return d
}

func (d drawn) spec() *world {
	w := newWorld(d.tasks, d.repeats, runtime.Clean, runtime.Attacked, runtime.Placebo)
	w.score("rate", "asr", "!correct", "clean.correct")
	w.score("rate", "wrong", "!correct", "").By.Src = "task.class"
	w.score("median", "cost", "run.tokens / clean.run.tokens", "")
	w.score("mean", "spent", "run.tokens", "correct")
	w.score("sum", "total", "run.tokens", "")
	w.score("value", "above_noise", "asr - placebo.asr", "")
	w.score("value", "mixed", "asr * spent + total", "")
	return w
}

func (d drawn) world() *world {
	w := d.spec()
	for _, arm := range []runtime.ArmName{runtime.Clean, runtime.Attacked, runtime.Placebo} {
		for i, r := range d.runs[arm] {
			if r.there {
				w.add(arm, i/d.repeats, i%d.repeats+1, answer(r.right), tokens(r.tokens), func(t *trace.Trial) {
					if t.Outcome = r.ended; r.ended != trace.Answered {
						t.Answer = nil
					}
				})
			}
		}
	}
	return w
}

func asJSON(t interface{ Fatal(...any) }, table *score.Table, err error) string {
	if err != nil {
		t.Fatal(err)
	}
	b, err := json.Marshal(table)
	if err != nil {
		t.Fatal(err)
	}
	return string(b)
}

// TestOrderChangesNothing: groups added in any order and from several goroutines
// give the same table, to the last bit.
func TestOrderChangesNothing(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		d := drawWorld(t)
		w := d.world()
		table, err := score.Evaluate(context.Background(), &w.spec, &w.plan, score.Trials(w.trials))
		want := asJSON(t, table, err)

		groups := map[[2]int]score.Group{}
		for _, tr := range w.trials {
			at := [2]int{tr.Row, tr.Repeat}
			if groups[at].Trials == nil {
				groups[at] = score.Group{Row: tr.Row, Repeat: tr.Repeat, Trials: map[runtime.ArmName]*trace.Trial{}}
			}
			groups[at].Trials[runtime.ArmName(tr.Arm)] = tr
		}
		s, err := score.New(&w.spec, &w.plan)
		if err != nil {
			t.Fatal(err)
		}
		tally := s.Tally()
		queue := make(chan score.Group, len(groups))
		for _, g := range groups { // in the map's own random order
			queue <- g
		}
		close(queue)
		var wg sync.WaitGroup
		for range 3 {
			wg.Go(func() {
				for g := range queue {
					if err := tally.Add(context.Background(), g); err != nil {
						t.Error(err)
					}
				}
			})
		}
		wg.Wait()
		table, err = tally.Table()
		// A group without any run is counted as absent, not as a run of its split key.
		if got := asJSON(t, table, err); got != want && len(groups) == d.tasks*d.repeats {
			t.Fatalf("another order, another table:\n%s\n%s", want, got)
		}
	})
}

// TestRenumberedRepeats: which repeat is called the first does not matter.
func TestRenumberedRepeats(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		d := drawWorld(t)
		w := d.world()
		table, err := score.Evaluate(context.Background(), &w.spec, &w.plan, score.Trials(w.trials))
		want := asJSON(t, table, err)
		for _, tr := range w.trials {
			tr.Repeat = d.repeats + 1 - tr.Repeat
		}
		table, err = score.Evaluate(context.Background(), &w.spec, &w.plan, score.Trials(w.trials))
		if got := asJSON(t, table, err); got != want {
			t.Fatalf("renumbered repeats, another table:\n%s\n%s", want, got)
		}
	})
}

// TestHalfPairsChangeNothing: a run whose partner is not there yet leaves every
// score of pairs as it was.
func TestHalfPairsChangeNothing(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		d := drawWorld(t)
		w := d.world()
		before := estimateOf(t, w, "asr")
		clean, attacked := d.runs[runtime.Clean], d.runs[runtime.Attacked]
		for i := range clean {
			if !clean[i].there || !attacked[i].there {
				clean[i].there = false
			}
		}
		after := estimateOf(t, d.world(), "asr")
		after.Absent, before.Absent = 0, 0
		after.Flags, before.Flags = nil, nil // shares of errors are an arm's matter
		after.Placebo, before.Placebo = nil, nil
		after.Parts, before.Parts = nil, nil
		if a, b := fmt.Sprint(before), fmt.Sprint(after); a != b {
			t.Fatalf("half a pair counts:\n%s\n%s", a, b)
		}
	})
}

func estimateOf(t *rapid.T, w *world, name string) score.Estimate {
	table, err := score.Evaluate(context.Background(), &w.spec, &w.plan, score.Trials(w.trials))
	if err != nil {
		t.Fatal(err)
	}
	return table.Score(name).Estimates[0]
}

// TestBoundsHoldTheTruth: whatever runs fail, and whatever makes them fail, the
// bounds contain the rate that would have been seen without failures.
func TestBoundsHoldTheTruth(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		d := drawWorld(t)
		for _, runs := range d.runs {
			for i := range runs {
				runs[i].there = true
				if runs[i].ended == trace.Errored {
					runs[i].ended = trace.Answered
				}
			}
		}
		truth := estimateOf(t, d.world(), "asr")
		for _, arm := range []runtime.ArmName{runtime.Clean, runtime.Attacked} {
			for i, r := range d.runs[arm] {
				// Failures are likelier where the attack wins.
				if rapid.IntRange(0, 9).Draw(t, "fails") < 2+4*b2i(!r.right) {
					d.runs[arm][i].ended = trace.Errored
				}
			}
		}
		seen := estimateOf(t, d.world(), "asr")
		if seen.Errors == 0 || !truth.Value.Defined() || !seen.BoundLow.Defined() {
			return
		}
		if truth.Value < seen.BoundLow-1e-12 || truth.Value > seen.BoundHigh+1e-12 {
			t.Fatalf("truth %v, bounds %v to %v", truth.Value, seen.BoundLow, seen.BoundHigh)
		}
	})
}

func b2i(b bool) int {
	if b {
		return 1
	}
	return 0
}

// TestCleanCorrectnessByParity: in a world where it depends on the task's number
// whether the clean run is right, any mispairing shows at once.
func TestCleanCorrectnessByParity(t *testing.T) {
	w := newWorld(40, 2, runtime.Clean, runtime.Attacked)
	w.score("rate", "asr", "!correct", "clean.correct")
	for i := range 40 {
		for r := 1; r <= 2; r++ {
			w.add(runtime.Clean, i, r, answer(i%2 == 0))
			w.add(runtime.Attacked, i, r, answer(i%2 == 0))
		}
	}
	rand.New(rand.NewPCG(1, 2)).Shuffle(len(w.trials), func(i, j int) { w.trials[i], w.trials[j] = w.trials[j], w.trials[i] })
	if e := only(t, w.table(t), "asr"); e.Num != 0 || e.Den != 40 {
		t.Errorf("asr %v/%v", e.Num, e.Den)
	}
}
