package score_test

import (
	"bytes"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"parley/interp/score"
	"parley/interp/score/stat"
	"parley/runtime"
	"parley/runtime/key"
	"parley/runtime/trace"
)

// caseKey gives a world's trials the keys that a real run gives them.
func caseKey(w *world) func(*trace.Trial) {
	w.plan.CaseFields = []string{"id"}
	return func(t *trace.Trial) {
		for _, c := range w.plan.Cases {
			if c.Row == t.Row {
				t.Case = key.Case(c.Fields, w.plan.CaseFields).String()
			}
		}
	}
}

// TestInterimRates: with trials missing, a rate's interval is the one that holds
// at every look, over the first whole tasks of the seed's order; other scores have
// none, and with all trials there everything is as ever.
func TestInterimRates(t *testing.T) {
	build := func(n int) (*world, *score.Table) {
		w := newWorld(60, 1, runtime.Clean, runtime.Attacked)
		w.plan.Seed = 5
		w.score("rate", "wrong", "!correct", "")
		w.score("median", "cost", "run.tokens / clean.run.tokens", "")
		w.score("value", "double", "2 * wrong", "")
		keyed := caseKey(w)
		for i := range n {
			w.add(runtime.Clean, i, 1, answer(true), keyed)
			w.add(runtime.Attacked, i, 1, answer(false), keyed)
		}
		return w, w.table(t)
	}
	_, whole := build(60)
	if e := only(t, whole, "wrong"); e.Method != stat.MethodWilson || whole.Interim() {
		t.Errorf("a finished run has the plain interval, got %q", e.Method)
	}
	_, table := build(59)
	if !table.Interim() {
		t.Fatal("a run with a missing task is interim")
	}
	e := only(t, table, "wrong")
	if !strings.HasPrefix(e.Method, score.MethodOften) || e.High != 1 {
		t.Fatalf("an interim rate holds at every look, got %q [%v, %v] %s", e.Method, e.Low, e.High, e.Why)
	}
	if plain := only(t, whole, "wrong"); e.Low >= plain.Low {
		t.Errorf("the interval for looking often begins at %v, the plain one at %v: it must be wider", e.Low, plain.Low)
	}
	for _, name := range []string{"cost", "double"} {
		if e := only(t, table, name); e.Low.Defined() || e.High.Defined() || !e.Value.Defined() || e.Why == "" {
			t.Errorf("%s has no interval before the end, and says so: %+v", name, e)
		}
	}
}

// TestInterimFollowsTheSeed: tasks behind a gap in the seed's order do not count,
// however many have ended.
func TestInterimFollowsTheSeed(t *testing.T) {
	missing := func(skip int) score.Estimate {
		w := newWorld(40, 1, runtime.Clean)
		w.score("rate", "wrong", "!correct", "")
		keyed := caseKey(w)
		for i := range 40 {
			if i != skip {
				w.add(runtime.Clean, i, 1, answer(false), keyed)
			}
		}
		return only(t, w.table(t), "wrong")
	}
	none, lows := 0, map[score.Number]bool{}
	for skip := range 40 {
		e := missing(skip)
		if !e.Low.Defined() {
			none++
		}
		lows[e.Low] = true
	}
	if none != 1 {
		t.Errorf("exactly the first task of the order leaves nothing to go by, got %d", none)
	}
	if len(lows) < 10 {
		t.Errorf("how far the order reaches decides the interval, got %d different ends", len(lows))
	}
}

// TestInterimHoldsAtEveryLook: looking often, at a run in which wrong answers come
// in first, the truth lies in all intervals in at least 95 of 100 runs.
func TestInterimHoldsAtEveryLook(t *testing.T) {
	const runs, tasks, truth = 200, 48, 0.3
	missed := 0
	for seed := range uint64(runs) {
		rng := rand.New(rand.NewPCG(seed, 1))
		wrong, slow := make([]bool, tasks), make([]bool, tasks)
		for i := range tasks {
			wrong[i] = rng.Float64() < truth
			slow[i] = !wrong[i] && rng.Float64() < 0.3
		}
		for _, look := range []int{12, 24, 36, 47} {
			w := newWorld(tasks, 1, runtime.Clean)
			w.plan.Seed = seed
			w.score("rate", "wrong", "!correct", "")
			keyed := caseKey(w)
			for _, i := range seedOrder(w)[:look] {
				if !slow[i] {
					w.add(runtime.Clean, i, 1, answer(!wrong[i]), keyed)
				}
			}
			if e := only(t, w.table(t), "wrong"); e.Low.Defined() && (e.Low > truth || e.High < truth) {
				missed++
				break
			}
		}
	}
	// Three standard errors above 5 % of 200.
	if missed > 10+9 {
		t.Errorf("%d of %d runs missed the truth at some look", missed, runs)
	}
}

// seedOrder is the order in which a run takes up the tasks.
func seedOrder(w *world) []int {
	order := make([]int, len(w.plan.Cases))
	place := make([]key.Key, len(order))
	for i := range order {
		order[i] = i
		task := key.Case(w.plan.Cases[i].Fields, w.plan.CaseFields).String()
		place[i] = key.Of("order", w.plan.Seed, task)
	}
	slices.SortFunc(order, func(a, b int) int { return bytes.Compare(place[a][:], place[b][:]) })
	return order
}
