package score_test

import (
	"math"
	"math/rand/v2"
	"testing"

	"parley/runtime"
)

// TestCoverageOfValues simulates trials and follows them through the real path:
// the intervals of a difference, a ratio, and of expressions that only the
// bootstrap covers hold the truth as often as they say.
func TestCoverageOfValues(t *testing.T) {
	const tasks = 60
	tables := 200
	if testing.Short() {
		tables = 40
	}
	p := map[runtime.ArmName][2]float64{
		runtime.Clean: {0.9, 0.6}, runtime.Attacked: {0.6, 0.2}, runtime.Placebo: {0.8, 0.5},
	}
	// Right clean answers by class are the weights of the classes in asr.
	rate := func(arm runtime.ArmName) float64 {
		c := p[runtime.Clean]
		return (c[0]*(1-p[arm][0]) + c[1]*(1-p[arm][1])) / (c[0] + c[1])
	}
	asr, noise := rate(runtime.Attacked), rate(runtime.Placebo)
	truth := map[string]float64{
		"above_noise": asr - noise, "ratio": asr / noise,
		"excess": (asr - noise) / (1 - noise), "weighted": asr * 500,
	}
	covered := map[string]int{}
	values := map[string][]float64{}
	width := map[string]float64{}
	rng := rand.New(rand.NewPCG(5, 8))
	for range tables {
		w := newWorld(tasks, 2, runtime.Clean, runtime.Attacked, runtime.Placebo)
		w.score("rate", "asr", "!correct", "clean.correct")
		w.score("mean", "spent", "run.tokens", "")
		w.score("value", "above_noise", "asr - placebo.asr", "")
		w.score("value", "ratio", "asr / placebo.asr", "")
		w.score("value", "excess", "(asr - placebo.asr) / (1 - placebo.asr)", "")
		w.score("value", "weighted", "asr * spent", "")
		for c := range tasks {
			class := rng.IntN(2)
			for r := 1; r <= 2; r++ {
				for _, arm := range []runtime.ArmName{runtime.Clean, runtime.Attacked, runtime.Placebo} {
					w.add(arm, c, r, answer(rng.Float64() < p[arm][class]), tokens(int(math.Round(500+50*rng.NormFloat64()))))
				}
			}
		}
		table := w.table(t)
		for name, want := range truth {
			e := only(t, table, name)
			if float64(e.Low) <= want && want <= float64(e.High) {
				covered[name]++
			}
			values[name] = append(values[name], float64(e.Value))
			width[name] += float64(e.High-e.Low) / float64(tables)
		}
	}
	for name := range truth {
		n := float64(tables)
		if least := 0.95 - 3*math.Sqrt(0.95*0.05/n); float64(covered[name])/n < least {
			t.Errorf("%s: %d of %d covered, want a share of %.3f", name, covered[name], tables, least)
		}
		_, se := meanAndError(values[name])
		if allowed := 1.3 * 3.92 * se * math.Sqrt(n); width[name] > allowed && !testing.Short() {
			t.Errorf("%s: mean width %.3f, the spread of estimates allows %.3f", name, width[name], allowed)
		}
		t.Logf("%s: %d of %d covered, width %.3f of 3.92 SD", name, covered[name], tables, width[name]/(3.92*se*math.Sqrt(n)))
	}
}
