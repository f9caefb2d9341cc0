package stat

import (
	"math"
	"math/rand/v2"
	"sort"
)

// McNemar is the exact two-sided p-value of b against c discordant pairs. It is
// for one trial a task and equal denominators.
func McNemar(b, c int) float64 {
	return math.Min(1, 2*BinomialBelow(b+c, min(b, c)+1))
}

// SignTest is the exact two-sided p-value that a paired value goes up as often
// as down; ties do not count.
func SignTest(ups, downs int) float64 { return McNemar(ups, downs) }

// Permutations is how many random exchanges a permutation test makes.
const Permutations = 9999

// PermutationTest compares the rates of two configurations over the same tasks:
// their counts are exchanged within random tasks, on the studentised difference
// |p1−p2|/√Σ(e1−e2)² (Chung and Romano 2013). NaN where a rate is n/a.
func PermutationTest(x, y []Count, seed uint64) float64 {
	observed := studentised(x, y)
	if math.IsNaN(observed) {
		return observed
	}
	rng := rand.New(rand.NewPCG(seed, 0x9e3779b97f4a7c15))
	u, v := make([]Count, len(x)), make([]Count, len(y))
	atLeast := 1
	for range Permutations {
		var bits uint64
		for i := range x {
			if i%64 == 0 {
				bits = rng.Uint64()
			}
			u[i], v[i] = x[i], y[i]
			if bits&1 == 1 {
				u[i], v[i] = v[i], u[i]
			}
			bits >>= 1
		}
		// Equal statistics may differ in their last bits.
		if s := studentised(u, v); s >= observed*(1-1e-12) {
			atLeast++
		}
	}
	return float64(atLeast) / (Permutations + 1)
}

func studentised(x, y []Count) float64 {
	ax, dx, _ := Totals(x)
	ay, dy, _ := Totals(y)
	if dx == 0 || dy == 0 {
		return math.NaN()
	}
	diff := math.Abs(ax/dx - ay/dy)
	ex, ey := Influence(x), Influence(y)
	var v float64
	for i := range ex {
		v += (ex[i] - ey[i]) * (ex[i] - ey[i])
	}
	switch {
	case diff == 0:
		return 0
	case v == 0:
		return math.Inf(1)
	}
	return diff / math.Sqrt(v)
}

// Holm adjusts the p-values of comparisons that were declared before the run.
// NaN stands for a comparison that is n/a: it keeps its place in the count and
// stays NaN.
func Holm(ps []float64) []float64 {
	out := append([]float64(nil), ps...)
	order := make([]int, 0, len(ps))
	for i, p := range ps {
		if !math.IsNaN(p) {
			order = append(order, i)
		}
	}
	sort.SliceStable(order, func(a, b int) bool { return ps[order[a]] < ps[order[b]] })
	worst := 0.0
	for rank, i := range order {
		worst = math.Max(worst, math.Min(1, float64(len(ps)-rank)*ps[i]))
		out[i] = worst
	}
	return out
}

// Power returns how many tasks show a difference of d in 80 % of runs at the
// 5 % level, from a pilot on the same tasks: K = 7.84·K₀·Σ(e1−e2)²/d².
func Power(x, y []Count, d float64) float64 {
	ex, ey := Influence(x), Influence(y)
	var v float64
	for i := range ex {
		v += (ex[i] - ey[i]) * (ex[i] - ey[i])
	}
	return 7.84 * float64(len(x)) * v / (d * d)
}
