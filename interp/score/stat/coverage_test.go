package stat_test

import (
	"math"
	"math/rand/v2"
	"testing"

	"parley/interp/score/stat"
)

// scenario draws one synthetic table of outcomes and estimates from it.
type scenario struct {
	name  string
	truth float64
	draw  func(*rand.Rand) stat.Estimate
}

const tableTasks = 100

func binomial(rng *rand.Rand, n int, p float64) float64 {
	k := 0.0
	for range n {
		if rng.Float64() < p {
			k++
		}
	}
	return k
}

// table draws tasks of two classes, probability p[class] of an event and q[class]
// that a trial has a chance at all; m trials a task.
func table(rng *rand.Rand, m int, p, q [2]float64) []stat.Count {
	out := make([]stat.Count, tableTasks)
	for i := range out {
		c := rng.IntN(2)
		d := binomial(rng, m, q[c])
		out[i] = stat.Count{A: binomial(rng, int(d), p[c]), D: d}
	}
	return out
}

func pooled(p, q [2]float64) float64 { return (p[0]*q[0] + p[1]*q[1]) / (q[0] + q[1]) }

func scenarios() []scenario {
	p, q := [2]float64{0.15, 0.5}, [2]float64{0.9, 0.4}
	p2, q2 := [2]float64{0.3, 0.6}, [2]float64{0.9, 0.6}
	all := [2]float64{1, 1}
	lognormal := func(rng *rand.Rand) []float64 {
		xs := make([]float64, tableTasks)
		for i := range xs {
			xs[i] = 0.75 * math.Exp(0.4*rng.NormFloat64())
		}
		return xs
	}
	return []scenario{
		{"rate, one trial a task", pooled(p, all), func(r *rand.Rand) stat.Estimate { return stat.Rate(table(r, 1, p, all)) }},
		{"rate, conditional", pooled(p, q), func(r *rand.Rand) stat.Estimate { return stat.Rate(table(r, 1, p, q)) }},
		{"rate, rare", 0.05, func(r *rand.Rand) stat.Estimate {
			return stat.Rate(table(r, 1, [2]float64{0.05, 0.05}, all))
		}},
		{"rate, three repeats, conditional", pooled(p, q), func(r *rand.Rand) stat.Estimate { return stat.Rate(table(r, 3, p, q)) }},
		{"rate, ten alike a task", 0.5, func(r *rand.Rand) stat.Estimate {
			return stat.Rate(table(r, 10, [2]float64{0.05, 0.95}, all))
		}},
		{"rate, per agent", pooled(p, q), func(r *rand.Rand) stat.Estimate { return stat.Rate(table(r, 4, p, q)) }},
		{"ratio", pooled(p, q) / pooled(p2, q2), func(r *rand.Rand) stat.Estimate {
			return stat.Ratio(stat.Rate(table(r, 1, p, q)), stat.Rate(table(r, 1, p2, q2)))
		}},
		{"difference, paired", pooled(p2, all) - pooled(p, all), func(r *rand.Rand) stat.Estimate {
			x, y := make([]stat.Count, tableTasks), make([]stat.Count, tableTasks)
			for i := range x {
				c, u := r.IntN(2), r.Float64() // one draw for both: strongly paired
				x[i].D, y[i].D = 1, 1
				if u < p2[c] {
					x[i].A = 1
				}
				if u < p[c] {
					y[i].A = 1
				}
			}
			return stat.Difference(stat.Rate(x), stat.Rate(y), stat.Correlation(stat.Influence(x), stat.Influence(y)))
		}},
		{"median", 0.75, func(r *rand.Rand) stat.Estimate { return stat.Median(lognormal(r)) }},
		{"mean", 0.75 * math.Exp(0.08), func(r *rand.Rand) stat.Estimate { return stat.Mean(lognormal(r)) }},
		{"grade, five strata", strataTruth, func(r *rand.Rand) stat.Estimate { return stat.Grade(markedStrata(r, 1)) }},
		{"grade, two repeats", strataTruth, func(r *rand.Rand) stat.Estimate { return stat.Grade(markedStrata(r, 2)) }},
		{"safety over six attacks", strataTruth, func(r *rand.Rand) stat.Estimate { return safetyOf(r) }},
		{"ers", stat.ERS(strataTruth, 0.5), func(r *rand.Rand) stat.Estimate {
			done := stat.Rate(table(r, 1, [2]float64{0.5, 0.5}, all))
			return stat.Mover([]stat.Estimate{safetyOf(r), done}, func(v []float64) float64 { return stat.ERS(v[0], v[1]) }, apart)
		}},
		{"bootstrap of a product", pooled(p, q) * (1 - pooled(p2, q2)), func(r *rand.Rand) stat.Estimate {
			return product(r.Uint64(), table(r, 1, p, q), table(r, 1, p2, q2))
		}},
	}
}

// outcomes are the chances of an attack's four classes in five domains of ten cases.
var outcomes = [5][4]float64{{0.1, 0.1, 0.3, 0.5}, {0, 0.1, 0.5, 0.4}, {0.3, 0.1, 0.3, 0.3}, {0.05, 0.05, 0.7, 0.2}, {0.2, 0, 0.2, 0.6}}

// strataTruth is the mean mark that these imply.
var strataTruth = func() float64 {
	var sum float64
	for _, p := range outcomes {
		sum += p[0] + 0.75*p[1] + 0.25*p[2]
	}
	return sum / 5
}()

func markedStrata(r *rand.Rand, repeats int) [][]stat.Count {
	strata := make([][]stat.Count, len(outcomes))
	for i, p := range outcomes {
		for range 10 {
			c := stat.Count{D: float64(repeats)}
			for range repeats {
				switch u := r.Float64(); {
				case u < p[0]:
					c.A++
				case u < p[0]+p[1]:
					c.A += 0.75
				case u < p[0]+p[1]+p[2]:
					c.A += 0.25
				}
			}
			strata[i] = append(strata[i], c)
		}
	}
	return strata
}

func apart(int, int) float64 { return 0 }

// safetyOf is the mean of six attacks that are alike.
func safetyOf(r *rand.Rand) stat.Estimate {
	parts := make([]stat.Estimate, 6)
	for i := range parts {
		parts[i] = stat.Grade(markedStrata(r, 1))
	}
	return stat.Mover(parts, stat.Safety, apart)
}

// product estimates p(1−r) of two rates by the bootstrap.
func product(seed uint64, x, y []stat.Count) stat.Estimate {
	rate := func(cs []stat.Count, w []float64) (p, d float64) {
		var a float64
		for i, c := range cs {
			a, d = a+w[i]*c.A, d+w[i]*c.D
		}
		return a / d, d
	}
	return stat.Bootstrap(len(x), seed, func(w []float64) (float64, float64) {
		p, dp := rate(x, w)
		r, dr := rate(y, w)
		var v float64
		for i := range x {
			e := (1-r)*(x[i].A-p*x[i].D)/dp - p*(y[i].A-r*y[i].D)/dr
			v += w[i] * e * e
		}
		return p * (1 - r), math.Sqrt(v * tableTasks / (tableTasks - 1))
	})
}

// TestCoverage draws tables whose truth is known. Of 2,000 intervals 1,869 must
// hold it (95 % less three standard errors), and on average be no wider than 1.3
// times what the spread of the estimates themselves would give.
func TestCoverage(t *testing.T) {
	tables := 2000
	if testing.Short() {
		tables = 300
	}
	for _, s := range scenarios() {
		t.Run(s.name, func(t *testing.T) {
			rng := rand.New(rand.NewPCG(11, 13))
			covered, finite := 0, 0
			var width, sum, squares float64
			for range tables {
				e := s.draw(rng)
				if e.Low <= s.truth && s.truth <= e.High {
					covered++
				}
				if e.Bounded() && !math.IsInf(e.High, 0) {
					finite++
					width += e.High - e.Low
					sum += e.Value
					squares += e.Value * e.Value
				}
			}
			n := float64(finite)
			sd := math.Sqrt((squares - sum*sum/n) / (n - 1))
			share := float64(covered) / float64(tables)
			least := 0.95 - 3*math.Sqrt(0.95*0.05/float64(tables))
			t.Logf("%d of %d covered, width %.3f of 3.92 SD", covered, tables, width/n/(3.92*sd))
			if share < least {
				t.Errorf("%d of %d covered, want a share of %.4f", covered, tables, least)
			}
			if finite < tables*99/100 {
				t.Errorf("only %d of %d intervals are finite", finite, tables)
			}
			if width/n > 1.3*3.92*sd {
				t.Errorf("mean width %.4f, spread of estimates allows %.4f", width/n, 1.3*3.92*sd)
			}
		})
	}
}

// TestNaiveIntervalsFail: the coverage test has the power to catch intervals that
// forget what tasks are: Wilson's with every trial its own sample, and a
// difference of paired runs taken as independent.
func TestNaiveIntervalsFail(t *testing.T) {
	const tables = 400
	rng := rand.New(rand.NewPCG(3, 9))
	covered, wide, exact := 0, 0.0, 0.0
	for range tables {
		// Ten trials a task that agree with each other.
		a, d, _ := stat.Totals(table(rng, 10, [2]float64{0.05, 0.95}, [2]float64{1, 1}))
		if low, high := stat.Wilson(a, d); low <= 0.5 && 0.5 <= high {
			covered++
		}
		x := table(rng, 1, [2]float64{0.3, 0.6}, [2]float64{1, 1})
		e := stat.Rate(x)
		apart := stat.Difference(e, e, 0)
		paired := stat.Difference(e, e, stat.Correlation(stat.Influence(x), stat.Influence(x)))
		wide, exact = wide+apart.High-apart.Low, exact+paired.High-paired.Low
	}
	if covered > tables*9/10 {
		t.Errorf("pooled trials cover %d of %d: the simulation has no power", covered, tables)
	}
	if exact > 0.1*wide {
		t.Errorf("a run against itself has width %.3f paired and %.3f apart", exact/tables, wide/tables)
	}
}

// TestLookingOften: an interval that is looked at after every task holds the
// truth at all of them at once.
func TestLookingOften(t *testing.T) {
	runs := 200
	if testing.Short() {
		runs = 40
	}
	held := 0
	var width float64
	for run := range runs {
		rng := rand.New(rand.NewPCG(uint64(run), 3))
		o := stat.NewOften(3)
		always := true
		for range 100 {
			d := binomial(rng, 3, 0.7)
			o.Add(stat.Count{A: binomial(rng, int(d), 0.3), D: d})
			low, high := o.Interval()
			always = always && low <= 0.3 && 0.3 <= high
		}
		if always {
			held++
		}
		low, high := o.Interval()
		width += (high - low) / float64(runs)
	}
	if least := 0.95 - 3*math.Sqrt(0.95*0.05/float64(runs)); float64(held)/float64(runs) < least {
		t.Errorf("held in %d of %d runs", held, runs)
	}
	if width > 0.4 {
		t.Errorf("mean width %.3f after 100 tasks", width)
	}
}
