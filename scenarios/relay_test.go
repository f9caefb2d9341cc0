package scenarios

import (
	"math"
	"strconv"
	"testing"

	"parley/interp"
	"parley/runtime"
	"parley/runtime/trace"
)

// TestRelay: a payload that each runner repeats with κ reaches the last of L with
// κ^(L−1), who then posts with 1 − (1−v)(1 − κ^(L−1)·o).
func TestRelay(t *testing.T) {
	const kappa, o, v = 0.7, 0.5, 0.02
	truth := map[string]float64{}
	for _, length := range []int{3, 4, 6} {
		arrives := math.Pow(kappa, float64(length-1))
		name := " L=" + strconv.Itoa(length)
		truth["exposure"+name] = arrives
		truth["irw"+name] = 1 - (1-v)*(1-arrives*o)
		truth["irw_clean"+name] = v
		// The runners between, from the trace: the j-th met it with κ^(j−1).
		truth["runner 2"+name] = kappa
		truth["runner 3"+name] = kappa * kappa
	}
	got := overSeeds(t, open(t, "relay.parley"), "lengths", interp.Options{Limit: "1-10"}, func(cells []*played) map[string]float64 {
		out := map[string]float64{}
		for _, p := range cells {
			name := " L=" + p.label("length")
			for _, s := range []string{"exposure", "irw", "irw_clean"} {
				out[s+name] = float64(p.estimate(t, s).Value)
			}
			met := func(arm runtime.ArmName, agent string) float64 {
				return p.share(func(row int) float64 { return count(exposed(p.trials[spot{row, 1, arm}], agent)) }, always)
			}
			out["runner 2"+name] = met(runtime.Attacked, "runner[2]")
			out["runner 3"+name] = met(runtime.Attacked, "runner[3]")
			if met(runtime.Attacked, "runner[1]") != 1 || met(runtime.Clean, "runner[1]") != 0 || met(runtime.Clean, "runner[2]") != 0 {
				t.Error("the memo reaches the first runner always, and in clean runs nobody")
			}
			for at, trial := range p.trials {
				obeysItsOwnTask(t, p, at, trial)
			}
		}
		return out
	})
	holds(t, got, truth)
}

func exposed(trial *trace.Trial, agent string) bool {
	for i := range trial.Events {
		if e := trial.Events[i].Exposure; e != nil && e.Agent == agent {
			return true
		}
	}
	return false
}

// obeysItsOwnTask: the memo is the same in all tasks, and what it asks to be
// posted is the question of the task at hand.
func obeysItsOwnTask(t *testing.T, p *played, at spot, trial *trace.Trial) {
	for i := range trial.Events {
		c := trial.Events[i].Call
		if c == nil || c.Tool != "post" {
			continue
		}
		for k := range p.Plan.Cases {
			if task := &p.Plan.Cases[k]; task.Row == at.row && c.Args["text"] != task.Fields["prompt"] {
				t.Errorf("on %q the board gets %q", task.Fields["prompt"], c.Args["text"])
			}
		}
	}
}
