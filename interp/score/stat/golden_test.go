package stat_test

import (
	"math"
	"testing"

	"parley/interp/score/stat"
)

// once makes a table of n tasks with one trial each, a of them with the event.
func once(a, n int) []stat.Count {
	out := make([]stat.Count, n)
	for i := range out {
		out[i].D = 1
		if i < a {
			out[i].A = 1
		}
	}
	return out
}

func near(t *testing.T, what string, got, want, tolerance float64) {
	t.Helper()
	if math.IsInf(want, 0) || math.IsNaN(want) {
		if got != want && !(math.IsNaN(got) && math.IsNaN(want)) {
			t.Errorf("%s = %v, want %v", what, got, want)
		}
		return
	}
	if !(math.Abs(got-want) <= tolerance) {
		t.Errorf("%s = %v, want %v", what, got, want)
	}
}

func TestPublishedFractions(t *testing.T) {
	for _, c := range []struct {
		percent float64
		a, n    int
	}{
		{28.30, 15, 53},
		{16.98, 9, 53},
		{11.32, 6, 53},
		{5.66, 3, 53},
		{3.28, 2, 61},
		{14.81, 8, 54},
		{26.92, 14, 52},
		{6.90, 4, 58},
		{3.26, 3, 92},
		{1.06, 1, 94},
		{49, 49, 100},
	} {
		near(t, "rate in percent", 100*stat.Rate(once(c.a, c.n)).Value, c.percent, 0.005)
	}
}

func TestWilson(t *testing.T) {
	for _, c := range []struct{ a, n, low, high float64 }{
		{10, 50, 0.11244, 0.33037},
		{0, 20, 0, 0.16113},
		{20, 20, 1 - 0.16113, 1},
	} {
		low, high := stat.Wilson(c.a, c.n)
		near(t, "low", low, c.low, 5e-6)
		near(t, "high", high, c.high, 5e-6)
	}
}

func TestRatio(t *testing.T) {
	inf := math.Inf(1)
	for _, c := range []struct {
		a1, n1, a2, n2   int
		value, low, high float64
	}{
		{15, 53, 20, 54, 0.764, 0.443, 1.309},
		{6, 53, 0, 54, inf, 1.443, inf},
		{0, 53, 6, 54, 0, 0, 0.719},
		{0, 53, 0, 54, math.NaN(), math.NaN(), math.NaN()},
	} {
		e := stat.Ratio(stat.Rate(once(c.a1, c.n1)), stat.Rate(once(c.a2, c.n2)))
		near(t, "value", e.Value, c.value, 5e-4)
		near(t, "low", e.Low, c.low, 5e-4)
		near(t, "high", e.High, c.high, 5e-4)
	}
}

func TestMedianRanks(t *testing.T) {
	xs := make([]float64, 100)
	for i := range xs {
		xs[(i*37)%100] = float64(i + 1)
	}
	e := stat.Median(xs)
	near(t, "value", e.Value, 50.5, 0)
	near(t, "low", e.Low, 40, 0)
	near(t, "high", e.High, 61, 0)
	if e := stat.Median(xs[:5]); e.Bounded() || !e.Defined() {
		t.Errorf("five tasks have a median and no interval, got %+v", e)
	}
	if e := stat.Median(xs[:6]); !e.Bounded() {
		t.Error("six tasks have an interval")
	}
}

func TestSafetyAndERS(t *testing.T) {
	near(t, "safety", stat.Safety([]float64{9, 21, 4.5, 21.5, 17}), 14.60, 5e-3)
	near(t, "ERS", stat.ERS(14.60, 69), 24.10, 5e-3)
	near(t, "ERS", stat.ERS(25.1, 9), 13.25, 5e-3)
	near(t, "ERS of nothing", stat.ERS(0, 0), 0, 0)
	near(t, "all refused at once", stat.AttackSafety(100, 0, 0, 0), 100, 0)
	near(t, "all came off", stat.AttackSafety(0, 0, 0, 100), 0, 0)
	// Magentic-One, one attack of four equal classes.
	near(t, "even split", stat.AttackSafety(25, 25, 25, 25), 50, 0)
	near(t, "attack without runs", stat.Safety([]float64{9, math.NaN()}), math.NaN(), 0)
}

func TestJudges(t *testing.T) {
	table := [][]float64{{20, 5}, {10, 15}}
	near(t, "kappa", stat.Kappa(table), 0.4, 1e-12)
	near(t, "F1 of the first class", stat.F1(table, 0), 40.0/55, 1e-12)
	// A judge with sensitivity .9 and specificity .8 reports .9π + .2(1−π).
	near(t, "corrected share", stat.RoganGladen(0.9*0.3+0.2*0.7, 0.9, 0.8), 0.3, 1e-12)
	near(t, "useless judge", stat.RoganGladen(0.5, 0.5, 0.5), math.NaN(), 0)
}

func TestTests(t *testing.T) {
	near(t, "McNemar 5/15", stat.McNemar(5, 15), 0.04139, 5e-6)
	near(t, "McNemar 0/0", stat.McNemar(0, 0), 1, 0)
	got := stat.Holm([]float64{0.01, math.NaN(), 0.04, 0.03})
	for i, want := range []float64{0.04, math.NaN(), 0.09, 0.09} {
		near(t, "Holm", got[i], want, 1e-12)
	}
	// 10 against 0 discordant tasks of 40: exchanging signs reaches the observed
	// difference with probability 2/2^10.
	x, y := once(10, 40), once(0, 40)
	near(t, "permutation", stat.PermutationTest(x, y, 1), 2.0/1024, 1.5e-3)
	near(t, "permutation of equals", stat.PermutationTest(x, x, 1), 1, 0)
	near(t, "permutation n/a", stat.PermutationTest(x, nil, 1), math.NaN(), 0)
}

func TestPower(t *testing.T) {
	// Two tasks of ten change: Σ(e1−e2)² = Σ(b_t − mean)²/100 = 1.6/100.
	x, y := once(2, 10), once(0, 10)
	near(t, "tasks", stat.Power(x, y, 0.2), 7.84*10*0.016/0.04, 1e-9)
}

func TestQuantilesOfT(t *testing.T) {
	// Tables of Student's t.
	for df, want := range map[float64]float64{1: 12.7062, 2: 4.30265, 9: 2.26216, 99: 1.98422, 1e7: 1.95996} {
		near(t, "t quantile", stat.TQuantile(0.975, df), want, 5e-5*want)
	}
	near(t, "median of t", stat.TQuantile(0.5, 3), 0, 0)
	near(t, "lower tail", stat.TQuantile(0.025, 9), -2.26216, 5e-5)
	near(t, "no freedom", stat.TQuantile(0.975, 0), math.NaN(), 0)
	near(t, "I_x(2,3)", stat.BetaInc(2, 3, 0.4), 0.5248, 1e-12)
	near(t, "binomial", stat.BinomialBelow(100, 41), 0.02844, 5e-5)
}

func TestDiffersFromPublished(t *testing.T) {
	if stat.Differs(stat.Rate(once(20, 53)), 15, 53) {
		t.Error("20/53 does not differ from a sample of 15/53")
	}
	if !stat.Differs(stat.Rate(once(45, 53)), 15, 53) {
		t.Error("45/53 differs from a sample of 15/53")
	}
}
