package stat

import "math"

// MethodParts is the interval of a function of several estimates.
const MethodParts = "MOVER over its parts"

// Mover estimates a function of estimates by recovering the variance from each one's
// own interval (Zou and Donner 2008; for a function of several, Newcombe 2013):
//
//	L = E − √(Σ a_i² + 2·Σ_{i<j} ρ_ij·s_i·s_j·a_i·a_j),  a_i = E − f(…, x_i, …)
//
// where x_i is the end of part i that lowers f, and s_i is 1 if that is its lower
// end, −1 if its upper one; U alike with the ends that raise it. rho gives the
// correlation of two parts' errors. f may be NaN where it has no value.
func Mover(parts []Estimate, f func(values []float64) float64, rho func(i, j int) float64) Estimate {
	values := make([]float64, len(parts))
	bounded := true
	for i, p := range parts {
		if !p.Defined() {
			return None("a part of it is n/a")
		}
		values[i] = p.Value
		bounded = bounded && p.Bounded()
	}
	e := f(values)
	switch {
	case math.IsNaN(e):
		return None("a part of it is n/a")
	case math.IsInf(e, 0):
		return Bare(e, "it is infinite")
	case !bounded:
		return Bare(e, "a part of it has no interval")
	}
	down, up := make([]float64, len(parts)), make([]float64, len(parts))
	for i, p := range parts {
		values[i] = p.Low
		low := f(values)
		values[i] = p.High
		high := f(values)
		values[i] = p.Value
		if math.IsNaN(low-high) || math.IsInf(low-high, 0) {
			return Bare(e, "it has no value where a part stands at its end")
		}
		down[i], up[i] = e-low, high-e // negative where f falls as the part grows
		if low > high {
			down[i], up[i] = -(e - high), -(low - e)
		}
	}
	return Estimate{Value: e, Low: e - together(down, rho), High: e + together(up, rho), Method: MethodParts}
}

// together adds deviations, signed by their direction, under their correlations.
func together(a []float64, rho func(i, j int) float64) float64 {
	var sum float64
	for i := range a {
		sum += a[i] * a[i]
		for j := range i {
			if a[i] != 0 && a[j] != 0 {
				sum += 2 * rho(i, j) * a[i] * a[j]
			}
		}
	}
	return math.Sqrt(math.Max(0, sum))
}
