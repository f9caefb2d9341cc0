package stat

import "math"

// Methods of a rate's interval.
const (
	MethodWilson = "Wilson"
	MethodKorn   = "Wilson, effective sample size"
)

// Wilson is the score interval of a events among n chances; n need not be whole.
// With n = 0 it is [0, 1].
func Wilson(a, n float64) (low, high float64) {
	if !(n > 0) {
		return 0, 1
	}
	return wilson(a/n, n)
}

func wilson(p, n float64) (low, high float64) {
	z2 := Z * Z / n
	centre := (p + z2/2) / (1 + z2)
	half := Z / (1 + z2) * math.Sqrt(p*(1-p)/n+z2/(4*n))
	low, high = math.Max(0, centre-half), math.Min(1, centre+half)
	if p == 0 {
		low = 0
	}
	if p == 1 {
		high = 1
	}
	return low, high
}

// Rate estimates Σa/Σd over tasks: conditional, per agent and repeated rates
// alike. With at most one chance a task the interval is Wilson's. Otherwise it
// is Wilson's with the effective sample size of Korn and Graubard (1998):
//
//	V  = K/(K−1) · Σ(a_t − p·d_t)² / D²
//	n* = min(D, p(1−p)/V) · (z/t_{K−1})²,  K in place of the minimum where p is 0 or 1
//
// where K counts the tasks that have a chance. No chance at all is n/a.
func Rate(counts []Count) Estimate {
	a, d, tasks := Totals(counts)
	if d == 0 {
		return None("no task is in its denominator")
	}
	p := a / d
	single := true
	for _, c := range counts {
		single = single && c.D <= 1
	}
	if single {
		low, high := wilson(p, d)
		return Estimate{Value: p, Low: low, High: high, Method: MethodWilson}
	}
	if tasks < 2 {
		return Bare(p, "one task alone has no spread")
	}
	low, high := wilson(p, effective(counts, p, d, tasks))
	return Estimate{Value: p, Low: low, High: high, Method: MethodKorn}
}

func effective(counts []Count, p, d float64, tasks int) float64 {
	k := float64(tasks)
	n := k
	if p > 0 && p < 1 {
		var squares float64
		for _, c := range counts {
			e := c.A - p*c.D
			squares += e * e
		}
		v := k / (k - 1) * squares / (d * d)
		n = math.Min(d, p*(1-p)/v) // v = 0 gives +Inf, hence d
	}
	t := Z / TQuantile(1-Level/2, k-1)
	return n * t * t
}

// Influence returns each task's part in the error of the rate:
// e_t = (a_t − p·d_t)/D. All zero where the rate is n/a.
func Influence(counts []Count) []float64 {
	e := make([]float64, len(counts))
	a, d, _ := Totals(counts)
	if d == 0 {
		return e
	}
	for i, c := range counts {
		e[i] = (c.A - a/d*c.D) / d
	}
	return e
}
