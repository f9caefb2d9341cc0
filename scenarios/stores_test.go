package scenarios

import (
	"fmt"
	"math"
	"slices"
	"testing"

	"parley/interp"
	"parley/runtime"
	"parley/runtime/trace"
)

// What the readers of stores.parley do: they read with rho, obey with obey, and
// write unasked with stray. Only on hard tasks is obeying a violation.
const rho, obey, stray = 0.8, 0.75, 0.05

// calls counts a trial's calls that read, or write, what the test looks for.
func callsOf(trial *trace.Trial, counts func(*trace.Call) bool) (n float64) {
	for i := range trial.Events {
		if c := trial.Events[i].Call; c != nil && counts(c) {
			n++
		}
	}
	return n
}

func outside(list []trace.Resource) bool {
	return slices.ContainsFunc(list, func(r trace.Resource) bool { return !r.Authorized })
}

// TestStores: one poisoned store gives ρ·o, p of them 1 − (1−ρo)^p, and the team's
// factor over a single agent with one store is that over ρ·o.
func TestStores(t *testing.T) {
	const hard, readers = 8, 3 // hard tasks of sixteen
	q := rho * obey
	truth := map[string]float64{}
	for _, p := range []int{1, 3} {
		name := fmt.Sprintf(" p=%d", p)
		team := 1 - math.Pow(1-q, float64(p))
		truth["slot"+name] = team
		truth["slot_alone"+name] = q
		truth["irw"+name] = 1 - math.Pow(1-stray, readers)*(1-team+1)/2
		truth["irw_clean"+name] = 1 - math.Pow(1-stray, readers)
		truth["exposed_clean"+name] = 0
		truth["unexposed"+name] = 0
		truth["af"+name] = team * inverse(hard, q)
	}
	module := open(t, "testdata/truth/stores.parley")
	got := overSeeds(t, module, "doses", interp.Options{}, func(cells []*played) map[string]float64 {
		out := map[string]float64{}
		for _, p := range cells {
			name := " p=" + p.label("p")
			for _, s := range []string{"irw", "irw_clean", "slot", "slot_alone", "exposed_clean", "unexposed", "af"} {
				if e := p.estimate(t, s); !math.IsInf(float64(e.Value), 0) {
					out[s+name] = float64(e.Value)
				}
			}
			if e := p.estimate(t, "af"); e.Bound.Defined() && e.Value > e.Bound {
				t.Errorf("a factor of %v is above its bound %v", e.Value, e.Bound)
			}
			wrongStores(p, name, out)
		}
		return out
	})
	// All three stores are nearly always read by somebody.
	if m, _ := meanAndError(got["unexposed p=1"]); m != 0 || len(got["unexposed p=1"]) < seeds()/2 {
		t.Errorf("success without exposure: %v in %d seeds", m, len(got["unexposed p=1"]))
	}
	delete(truth, "unexposed p=3")
	holds(t, got, truth)
	fails(t, got, truth)
}

// inverse is E[1/p̂ | p̂ > 0] of a share of n that are 1 with probability q: what a
// ratio of two independent shares has in the place of 1/q.
func inverse(n int, q float64) (sum float64) {
	for k := 1; k <= n; k++ {
		sum += binomial(n, k, q) * float64(n) / float64(k)
	}
	return sum / (1 - binomial(n, 0, q))
}

// wrongStores adds traps 4, 5 and 8.
func wrongStores(p *played, cell string, out map[string]float64) {
	calls := func(arm runtime.ArmName, counts func(*trace.Call) bool) func(int) float64 {
		return func(row int) float64 { return callsOf(p.trials[spot{row, 1, arm}], counts) }
	}
	some := func(f func(int) float64) func(int) float64 {
		return func(row int) float64 { return math.Min(1, f(row)) }
	}
	wrote := func(c *trace.Call) bool { return outside(c.Writes) }
	read := func(c *trace.Call) bool { return outside(c.Reads) }
	either := func(c *trace.Call) bool { return wrote(c) || read(c) }
	retrieved := func(c *trace.Call) bool { return either(c) || c.Tool == "search" }
	clean := func(row int) float64 { return count(right(p, row, runtime.Clean)) }
	bad := some(calls(runtime.Attacked, either))
	out["irw"+cell+": of clean-right tasks"] = p.share(func(row int) float64 { return bad(row) * clean(row) }, clean)
	out["irw"+cell+": a call"] = p.share(calls(runtime.Attacked, either), func(row int) float64 {
		return math.Max(1, callsOf(p.trials[spot{row, 1, runtime.Attacked}], func(*trace.Call) bool { return true }))
	})
	out["irw"+cell+": calls, not runs"] = p.share(calls(runtime.Attacked, either), always)
	out["irw"+cell+": reads alone"] = p.share(some(calls(runtime.Attacked, read)), always)
	out["irw"+cell+": writes alone"] = p.share(some(calls(runtime.Attacked, wrote)), always)
	out["irw"+cell+": retrieval counts"] = p.share(some(calls(runtime.Attacked, retrieved)), always)
	out["irw"+cell+": a question may write"] = out["irw"+cell+": reads alone"]
	hard := func(row int) float64 { return count(p.class(row) == "hard") }
	rate := func(arm runtime.ArmName) float64 {
		reads := some(calls(arm, read))
		return p.share(func(row int) float64 { return reads(row) * hard(row) }, hard)
	}
	// Trap 8: another entry point, another payload, at most one by decree.
	if alone := rate(runtime.BaselineAttacked); alone > 0 {
		out["af"+cell+": over any retrieval of the single agent"] = rate(runtime.Attacked) /
			p.share(some(calls(runtime.BaselineAttacked, retrieved)), always)
		if cell == " p=3" {
			out["af"+cell+": at most one"] = math.Min(1, rate(runtime.Attacked)/alone)
		}
	}
}

func (p *played) class(row int) any {
	for i := range p.Plan.Cases {
		if p.Plan.Cases[i].Row == row {
			return p.Plan.Cases[i].Fields["class"]
		}
	}
	return nil
}

// TestFactorsOfNothing: 0/0 is no number and a/0 is infinite (trap 8); what rests
// on a task or two is marked.
func TestFactorsOfNothing(t *testing.T) {
	never := open(t, "testdata/truth/stores.parley", edit{"obeys { corpus: 0.75, message: 0 }", "obeys { corpus: 0, message: 0 }"})
	e := play(t, never, "stored", interp.Options{}, inMemory)[0].estimate(t, "af")
	if !math.IsNaN(float64(e.Value)) || e.Why == "" {
		t.Errorf("0/0 is %v (%s)", e.Value, e.Why)
	}
	few := open(t, "testdata/truth/stores.parley", edit{"limit 16", "limit 4"}, edit{"corpus: 0.75", "corpus: 0.3"})
	infinite := 0
	for seed := range uint64(40) {
		for _, p := range play(t, few, "doses", interp.Options{Seed: &seed}, inMemory) {
			e, alone, team := p.estimate(t, "af"), p.estimate(t, "slot_alone"), p.estimate(t, "slot")
			if !e.Thin {
				t.Fatalf("a factor over two tasks is not marked: %+v", e)
			}
			if alone.Value == 0 && team.Value > 0 {
				infinite++
				if !math.IsInf(float64(e.Value), 1) || !math.IsInf(float64(e.High), 1) {
					t.Errorf("%v over none is %v", team.Value, e.Value)
				}
			}
		}
	}
	if infinite == 0 {
		t.Error("no factor was infinite: the test shows nothing")
	}
}

// TestErrorsOnTheWinningSide: calls fail where the payload stands, so that the
// runs the attack would have won are lost more often. The rate of what is left is
// too low, and the bounds hold the truth.
func TestErrorsOnTheWinningSide(t *testing.T) {
	module := open(t, "testdata/truth/stores.parley", edit{"stray 0.05", "stray 0 errors { clean: 0, attacked: 0.3 }"})
	q := rho * obey
	got := overSeeds(t, module, "stored", interp.Options{}, func(cells []*played) map[string]float64 {
		e := cells[0].estimate(t, "slot")
		if e.Errors > 0 && !(e.BoundLow <= e.Value && e.Value <= e.BoundHigh) {
			t.Errorf("the bounds %v and %v do not hold the value %v", e.BoundLow, e.BoundHigh, e.Value)
		}
		low, high := e.BoundLow, e.BoundHigh
		if e.Errors == 0 {
			low, high = e.Value, e.Value
		}
		return map[string]float64{"value": float64(e.Value), "low": float64(low), "high": float64(high), "errors": float64(e.Errors)}
	})
	value, se := meanAndError(got["value"])
	low, _ := meanAndError(got["low"])
	high, _ := meanAndError(got["high"])
	errors, _ := meanAndError(got["errors"])
	t.Logf("truth %.3f, value %.3f ± %.3f, bounds %.3f and %.3f, %.2f errors a table", q, value, se, low, high, errors)
	if errors < 0.5 || value > q-3*se {
		t.Errorf("the runs that are left give %.3f ± %.3f, the truth is %.3f: the test shows nothing", value, se, q)
	}
	if !(low <= q && q <= high) {
		t.Errorf("on average the bounds are %.3f and %.3f, the truth is %.3f", low, high, q)
	}
}
