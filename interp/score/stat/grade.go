package stat

import "math"

// MethodGrade is the interval of a mean of marks.
const MethodGrade = "Wilson, effective sample size of marks"

// Grade estimates the mean of marks between 0 and 1 over tasks that stand in strata:
// Σa/Σd, where a sums a task's d marks. What differs between the strata is fixed and
// is no error, so the variance is that within them, and n* may exceed the number of
// tasks, since marks between the ends vary less than events do:
//
//	V  = Σ_h K_h/(K_h−1) · Σ(a_t − p_h·d_t)² / D²
//	n* = p(1−p)/V · (z/t_df)²,  K in place of p(1−p)/V where V is 0,  df = K − strata
//
// K counts the tasks that have a mark. A stratum of one task is measured against the
// mean of all.
func Grade(strata [][]Count) Estimate {
	var a, d float64
	tasks, groups := 0, 0
	for _, s := range strata {
		sa, sd, n := Totals(s)
		a, d, tasks = a+sa, d+sd, tasks+n
		if n > 1 {
			groups++
		}
	}
	if d == 0 {
		return None("no task is in its denominator")
	}
	p := math.Min(1, a/d) // the sum of many marks of 1 may round upwards
	df := tasks - max(1, groups)
	if df < 1 {
		return Bare(p, "one task alone has no spread")
	}
	k := float64(tasks)
	n := k
	if v := within(strata, p) / (d * d); v > 0 {
		n = p * (1 - p) / v
	}
	t := Z / TQuantile(1-Level/2, float64(df))
	low, high := wilson(p, n*t*t)
	return Estimate{Value: p, Low: low, High: high, Method: MethodGrade}
}

// within is the sum of squares of the tasks' deviations within their strata.
func within(strata [][]Count, p float64) float64 {
	var all float64
	for _, s := range strata {
		a, d, n := Totals(s)
		own, scale := p, 1.0
		if n > 1 {
			own, scale = a/d, float64(n)/float64(n-1)
		}
		var squares float64
		for _, c := range s {
			e := c.A - own*c.D
			squares += e * e
		}
		all += scale * squares
	}
	return all
}
