package scenarios

import (
	"math"
	"testing"

	"parley/interp"
	"parley/runtime"
	"parley/runtime/trace"
)

// TestTurncoats: honest debaters that were right and give in, after one round,
// against the closed form. Attackers that are wrong from the start are counted
// among the voices; those that turn later begin as honest voices.
func TestTurncoats(t *testing.T) {
	const n, gives = 5, 0.6
	lose := func(others int) float64 {
		sum := func(k float64) (p float64) {
			for r := 0; float64(r) < float64(n-2)/2; r++ {
				p += binomial(others, r, k)
			}
			return k * p
		}
		return gives * classes(sum) / classes(func(k float64) float64 { return k })
	}
	truth := map[string]float64{
		"early 1": lose(n - 2), "early 2": lose(n - 3), // who hears f wrong voices hears n−1−f of its own kind
		"late 1": lose(n - 1), "late 2": lose(n - 1),
	}
	module := open(t, "testdata/truth/debate.parley")
	got := overSeeds(t, module, "hostile", interp.Options{}, func(cells []*played) map[string]float64 {
		out := map[string]float64{}
		for _, p := range cells {
			name := p.Spec.Attack + " " + p.label("f")
			out[name] = float64(p.estimate(t, "c2w").Value)
			wrongTurncoats(p, name+": ", out)
		}
		return out
	})
	holds(t, got, truth)
	// An early attacker is never right at first, so counting it changes nothing.
	for _, name := range []string{"early 1: attackers count", "early 2: attackers count"} {
		delete(got, name)
	}
	fails(t, got, truth)
}

// wrongTurncoats adds trap 6.
func wrongTurncoats(p *played, name string, out map[string]float64) {
	type counts struct{ lost, right float64 }
	per := func(row int, attackers bool, start runtime.ArmName) (c counts) {
		trial := p.trials[spot{row, 1, runtime.Attacked}]
		for _, a := range trial.Agents {
			if !attackers && !a.Honest {
				continue
			}
			turns := turnsOf(trial, a.Name)
			begun := turnsOf(p.trials[spot{row, 1, start}], a.Name)
			if said(begun[0]) == p.answer(row) {
				c.right++
				c.lost += count(said(turns[len(turns)-1]) != p.answer(row))
			}
		}
		return c
	}
	pooled := func(attackers bool, start runtime.ArmName) float64 {
		return p.share(func(row int) float64 { return per(row, attackers, start).lost },
			func(row int) float64 { return per(row, attackers, start).right })
	}
	out[name+"attackers count"] = pooled(true, runtime.Attacked)
	out[name+"the clean run's start"] = pooled(false, runtime.Clean)
	var sum, tasks float64
	for i := range p.Plan.Cases {
		if c := per(p.Plan.Cases[i].Row, false, runtime.Attacked); c.right > 0 {
			sum, tasks = sum+c.lost/c.right, tasks+1
		}
	}
	out[name+"averaged over tasks"] = sum / tasks
}

// TestCost: a run's tokens are its calls, so that the ratios are known: 10/4 on
// short tasks, 7/8 on middle ones, 8/12 on long ones.
func TestCost(t *testing.T) {
	const truth = 7.0 / 8
	p := play(t, open(t, "testdata/truth/cost.parley"), "paced", interp.Options{}, inMemory)[0]
	if got := float64(p.estimate(t, "cost").Value); math.Abs(got-truth) > 0.002 {
		t.Errorf("cost is %v, want %v", got, truth)
	}
	tokens := func(row int, arm runtime.ArmName, counts func(*trace.Model) bool) (sum float64) {
		trial := p.trials[spot{row, 1, arm}]
		for i := range trial.Events {
			if m := trial.Events[i].Model; m != nil && counts(m) {
				sum += float64(m.Input + m.Output)
			}
		}
		return sum
	}
	all := func(*trace.Model) bool { return true }
	ratios := func(counts func(*trace.Model) bool) (out []float64) {
		for i := range p.Plan.Cases {
			row := p.Plan.Cases[i].Row
			out = append(out, tokens(row, runtime.Attacked, counts)/tokens(row, runtime.Clean, counts))
		}
		return out
	}
	spent := func(arm runtime.ArmName) (out []float64) {
		for i := range p.Plan.Cases {
			out = append(out, tokens(p.Plan.Cases[i].Row, arm, all))
		}
		return out
	}
	if m := median(ratios(all)); math.Abs(m-truth) > 0.002 {
		t.Fatalf("the traces' own ratios have the median %v", m)
	}
	mean, _ := meanAndError(ratios(all))
	for trap, wrong := range map[string]float64{ // trap 7
		"mean ratio":         mean,
		"ratio of medians":   median(spent(runtime.Attacked)) / median(spent(runtime.Clean)),
		"ratio of sums":      p.share(func(row int) float64 { return tokens(row, runtime.Attacked, all) }, func(row int) float64 { return tokens(row, runtime.Clean, all) }),
		"never below 1":      math.Max(1, median(ratios(all))),
		"without the leader": median(ratios(func(m *trace.Model) bool { return m.Agent != "foreman" })),
	} {
		if math.Abs(wrong-truth) <= 0.02 {
			t.Errorf("the wrong formula passes: %s is %v", trap, wrong)
		}
	}
}
