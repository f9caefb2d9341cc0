package stat

import (
	"math"
	"math/rand/v2"
	"sort"
)

// MethodBootstrap is the interval of a value that no formula here covers.
const MethodBootstrap = "studentised bootstrap over tasks"

// Resamples is how many samples of tasks a bootstrap draws.
const Resamples = 999

// Sample computes a statistic and its standard error on tasks drawn with
// replacement: weights[i] says how often task i was drawn. Either is NaN where
// the sample has none.
type Sample func(weights []float64) (value, se float64)

// Bootstrap makes a studentised interval over tasks: the quantiles of
// (θ*−θ)/se* turned round at θ. The same seed gives the same interval.
func Bootstrap(tasks int, seed uint64, sample Sample) Estimate {
	weights := make([]float64, tasks)
	for i := range weights {
		weights[i] = 1
	}
	value, se := sample(weights)
	switch {
	case math.IsNaN(value):
		return None("a part of it is n/a")
	case math.IsInf(value, 0):
		return Bare(value, "it is infinite")
	case tasks < 6:
		return Bare(value, "fewer than 6 tasks")
	case !(se > 0):
		return Bare(value, "no spread between tasks")
	}
	rng := rand.New(rand.NewPCG(seed, 0xd1342543de82ef95))
	ts := make([]float64, 0, Resamples)
	for range Resamples {
		clear(weights)
		for range tasks {
			weights[rng.IntN(tasks)]++
		}
		v, s := sample(weights)
		if math.IsNaN(v) || math.IsInf(v, 0) || !(s > 0) {
			continue
		}
		ts = append(ts, (v-value)/s)
	}
	if len(ts) < Resamples*9/10 {
		return Bare(value, "too many resamples have no value or no spread")
	}
	sort.Float64s(ts)
	return Estimate{
		Value: value, Method: MethodBootstrap,
		Low:  value - quantile(ts, 1-Level/2)*se,
		High: value - quantile(ts, Level/2)*se,
	}
}

// quantile takes the order statistic at p(n+1).
func quantile(sorted []float64, p float64) float64 {
	i := int(math.Round(p*float64(len(sorted)+1))) - 1
	return sorted[max(0, min(i, len(sorted)-1))]
}
