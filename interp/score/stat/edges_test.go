package stat_test

import (
	"math"
	"testing"

	"parley/interp/score/stat"
)

func TestRatesAtTheEdges(t *testing.T) {
	same := func(n int, a, d float64) []stat.Count {
		out := make([]stat.Count, n)
		for i := range out {
			out[i] = stat.Count{A: a, D: d}
		}
		return out
	}
	// All of 10 tasks × 3: K in place of the minimum, with the t factor.
	e := stat.Rate(same(10, 3, 3))
	n := 10 * math.Pow(stat.Z/stat.TQuantile(0.975, 9), 2)
	low, high := stat.Wilson(n, n)
	near(t, "low of all", e.Low, low, 1e-12)
	near(t, "high of all", e.High, high, 0)
	// No spread between tasks at p = 1/3: V = 0, so n* is D with the t factor.
	e = stat.Rate(same(10, 1, 3))
	n = 30 * math.Pow(stat.Z/stat.TQuantile(0.975, 9), 2)
	low, high = stat.Wilson(n/3, n)
	near(t, "low without spread", e.Low, low, 1e-12)
	near(t, "high without spread", e.High, high, 1e-12)
	if e = stat.Rate(same(1, 1, 3)); e.Bounded() || !e.Defined() || e.Why == "" {
		t.Errorf("one task of three trials: %+v", e)
	}
	if e = stat.Rate(same(3, 0, 0)); e.Defined() || e.Why == "" {
		t.Errorf("no chance at all: %+v", e)
	}
	low, high = stat.Wilson(0, 0)
	near(t, "nothing", low, 0, 0)
	near(t, "nothing", high, 1, 0)
	for _, x := range stat.Influence(same(3, 0, 0)) {
		near(t, "influence of nothing", x, 0, 0)
	}
}

func TestRatiosAndDifferencesAtTheEdges(t *testing.T) {
	half := stat.Rate(once(10, 20))
	na, bare := stat.None("why"), stat.Bare(0.5, "why")
	inf := stat.Estimate{Value: math.Inf(1), Low: 1, High: math.Inf(1)}
	below := stat.Estimate{Value: 0.5, Low: -1, High: 2}
	for what, c := range map[string]struct {
		e                stat.Estimate
		defined, bounded bool
	}{
		"ratio of n/a":             {stat.Ratio(na, half), false, false},
		"ratio of bare":            {stat.Ratio(bare, half), true, false},
		"ratio of infinite":        {stat.Ratio(inf, half), true, false},
		"ratio of negative":        {stat.Ratio(half, below), true, false},
		"ratio":                    {stat.Ratio(half, half), true, true},
		"difference of n/a":        {stat.Difference(half, na, 0), false, false},
		"difference of bare":       {stat.Difference(bare, half, 0), true, false},
		"difference of infinities": {stat.Difference(inf, inf, 0), false, false},
		"difference":               {stat.Difference(half, half, 0), true, true},
	} {
		if c.e.Defined() != c.defined || c.e.Bounded() != c.bounded || (c.e.Why == "") != c.bounded {
			t.Errorf("%s: %+v", what, c.e)
		}
	}
	near(t, "correlation without spread", stat.Correlation([]float64{0, 0}, []float64{1, -1}), 0, 0)
	near(t, "correlation with itself", stat.Correlation([]float64{1, -2}, []float64{1, -2}), 1, 1e-12)
}

func TestThinRatios(t *testing.T) {
	for _, c := range []struct {
		a1, n1, a2, n2 int
		thin           bool
	}{{3, 10, 3, 10, false}, {2, 10, 3, 10, true}, {3, 10, 2, 10, true}, {2, 2, 5, 10, true}, {5, 10, 0, 0, true}} {
		if got := stat.Thin(once(c.a1, c.n1), once(c.a2, c.n2)); got != c.thin {
			t.Errorf("%+v: %v", c, got)
		}
	}
}

func TestMeansAndSums(t *testing.T) {
	e := stat.Mean([]float64{1, 2, 3, 4})
	near(t, "mean", e.Value, 2.5, 0)
	near(t, "half width", e.High-e.Value, 3.182446*math.Sqrt(5.0/3/4), 1e-5) // t of 3 degrees
	s := stat.Sum([]float64{1, 2, 3, 4})
	near(t, "sum", s.Value, 10, 0)
	near(t, "its width", s.High-s.Low, 4*(e.High-e.Low), 1e-9)
	if e := stat.Mean(nil); e.Defined() {
		t.Errorf("mean of nothing: %+v", e)
	}
	if e := stat.Mean([]float64{7}); e.Value != 7 || e.Bounded() {
		t.Errorf("mean of one: %+v", e)
	}
	if e := stat.Median(nil); e.Defined() {
		t.Errorf("median of nothing: %+v", e)
	}
	inf := math.Inf(1)
	if e := stat.Median([]float64{1, 2, 3, inf, inf, inf, inf}); e.Value != inf || e.Low != 1 {
		t.Errorf("median with infinities: %+v", e)
	}
}

func TestSignTestAndQuantiles(t *testing.T) {
	near(t, "sign test", stat.SignTest(15, 5), 0.04139, 5e-6)
	near(t, "normal", stat.NormalQuantile(0.975), stat.Z, 1e-12)
	near(t, "t of infinite freedom", stat.TQuantile(0.975, math.Inf(1)), stat.Z, 1e-12)
	near(t, "I_0", stat.BetaInc(2, 3, 0), 0, 0)
	near(t, "I_1", stat.BetaInc(2, 3, 1), 1, 0)
	near(t, "kappa of one class", stat.Kappa([][]float64{{5, 0}, {0, 0}}), math.NaN(), 0)
	near(t, "safety of no attacks", stat.Safety(nil), math.NaN(), 0)
}

func TestBootstrapsThatCannotBe(t *testing.T) {
	always := func(v, se float64) stat.Sample { return func([]float64) (float64, float64) { return v, se } }
	for what, e := range map[string]stat.Estimate{
		"infinite":     stat.Bootstrap(10, 1, always(math.Inf(1), 1)),
		"few tasks":    stat.Bootstrap(5, 1, always(1, 1)),
		"no spread":    stat.Bootstrap(10, 1, always(1, 0)),
		"unstable":     stat.Bootstrap(10, 1, func(w []float64) (float64, float64) { return 1, math.Max(0, 1.5-w[0]) * (1.5 - w[1]) }),
		"without data": stat.Bootstrap(10, 1, always(math.NaN(), 1)),
	} {
		if e.Bounded() || e.Why == "" {
			t.Errorf("%s: %+v", what, e)
		}
	}
}

func TestNothingIsLeftOfTheta(t *testing.T) {
	o := stat.NewOften(1)
	for range 300 { // always, and then never: no rate fits
		o.Add(stat.Count{A: 1, D: 1})
	}
	for range 3000 {
		o.Add(stat.Count{A: 0, D: 1})
	}
	if low, high := o.Interval(); !math.IsNaN(low) || !math.IsNaN(high) {
		t.Errorf("kept %v to %v", low, high)
	}
}
