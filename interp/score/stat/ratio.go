package stat

import "math"

// Methods of combined intervals.
const (
	MethodRatio      = "MOVER-R"
	MethodDifference = "MOVER-D"
)

// Ratio estimates x/y from two non-negative estimates by MOVER-R (Donner and
// Zou 2012), in the form that stays finite:
//
//	A = x·y   B = lx(2x−lx)   C = uy(2y−uy)   E = ly(2y−ly)
//	L = B/(A + √(A²−BC)), 0 if lx = 0
//	U = (A + √(A²−ux(2x−ux)E))/E, ∞ if E = 0
//
// x/0 is ∞; 0/0 and parts that are n/a are n/a.
func Ratio(x, y Estimate) Estimate {
	switch {
	case !x.Defined() || !y.Defined():
		return None("a part of it is n/a")
	case x.Value == 0 && y.Value == 0:
		return None("0/0")
	}
	value := x.Value / y.Value
	switch {
	case !x.Bounded() || !y.Bounded():
		return Bare(value, "a part of it has no interval")
	case math.IsInf(x.Value, 0) || math.IsInf(y.Value, 0):
		return Bare(value, "a part of it is infinite")
	case x.Low < 0 || y.Low < 0:
		return Bare(value, "a part of it may be negative")
	}
	a := x.Value * y.Value
	b := x.Low * (2*x.Value - x.Low)
	c := y.High * (2*y.Value - y.High)
	e := y.Low * (2*y.Value - y.Low)
	low, high := 0.0, math.Inf(1)
	if x.Low > 0 {
		low = b / (a + math.Sqrt(math.Max(0, a*a-b*c)))
	}
	if e > 0 {
		high = (a + math.Sqrt(math.Max(0, a*a-x.High*(2*x.Value-x.High)*e))) / e
	}
	return Estimate{Value: value, Low: low, High: high, Method: MethodRatio}
}

// Difference estimates x − y by MOVER-D (Zou and Donner 2008); rho is the
// correlation of the two errors over tasks, see Correlation.
func Difference(x, y Estimate, rho float64) Estimate {
	if !x.Defined() || !y.Defined() {
		return None("a part of it is n/a")
	}
	value := x.Value - y.Value
	if math.IsNaN(value) {
		return None("∞ − ∞")
	}
	if !x.Bounded() || !y.Bounded() {
		return Bare(value, "a part of it has no interval")
	}
	down := spread(x.Value-x.Low, y.High-y.Value, rho)
	up := spread(x.High-x.Value, y.Value-y.Low, rho)
	return Estimate{Value: value, Low: value - down, High: value + up, Method: MethodDifference}
}

func spread(a, b, rho float64) float64 {
	return math.Sqrt(math.Max(0, a*a+b*b-2*rho*a*b))
}

// Correlation is ρ = Σe1e2/√(Σe1²·Σe2²) of two influences over the same tasks,
// 0 where either has no spread.
func Correlation(e1, e2 []float64) float64 {
	var xy, xx, yy float64
	for i := range e1 {
		xy += e1[i] * e2[i]
		xx += e1[i] * e1[i]
		yy += e2[i] * e2[i]
	}
	if xx == 0 || yy == 0 {
		return 0
	}
	return math.Max(-1, math.Min(1, xy/math.Sqrt(xx*yy)))
}

// Thin reports whether a ratio rests on too little to be read: at most two
// tasks with an event, or at most two in the denominator, on either side.
func Thin(x, y []Count) bool {
	for _, side := range [2][]Count{x, y} {
		_, _, tasks := Totals(side)
		if tasks <= 2 || EventTasks(side) <= 2 {
			return true
		}
	}
	return false
}

// Differs judges a published fraction against our counts: whether MOVER-D with
// independent errors excludes 0. A published value is itself a sample.
func Differs(ours Estimate, a, n float64) bool {
	low, high := Wilson(a, n)
	d := Difference(ours, Estimate{Value: a / n, Low: low, High: high}, 0)
	return d.Bounded() && (d.Low > 0 || d.High < 0)
}
