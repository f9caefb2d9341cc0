package stat

import (
	"math"
	"sort"
)

// Methods of the intervals of values per task.
const (
	MethodOrder = "order statistics"
	MethodT     = "t"
)

// Median estimates the median of per-task values; its interval is from the
// order statistics j and K+1−j, j the largest with 2·P(Bin(K,½) < j) ≤ 0.05.
// Fewer than six tasks have no interval.
func Median(xs []float64) Estimate {
	if len(xs) == 0 {
		return None("no task has a value")
	}
	s := append([]float64(nil), xs...)
	sort.Float64s(s)
	value := Middle(s)
	j := medianRank(len(s))
	if j == 0 {
		return Bare(value, "fewer than 6 tasks")
	}
	return Estimate{Value: value, Low: s[j-1], High: s[len(s)-j], Method: MethodOrder}
}

// Middle is the median of sorted values; of two middle ones the mean.
func Middle(sorted []float64) float64 {
	n := len(sorted)
	if n%2 == 1 {
		return sorted[n/2]
	}
	a, b := sorted[n/2-1], sorted[n/2]
	if a == b { // also keeps ∞ beside ∞
		return a
	}
	return a + (b-a)/2
}

func medianRank(k int) int {
	var below float64
	for j := 1; j <= k/2+1; j++ {
		below += math.Exp(logChoose(k, j-1) - float64(k)*math.Ln2)
		if 2*below > Level {
			return j - 1
		}
	}
	return 0
}

// Mean estimates the mean of per-task values with a t interval.
func Mean(xs []float64) Estimate {
	k := float64(len(xs))
	if k == 0 {
		return None("no task has a value")
	}
	m := average(xs)
	if k < 2 {
		return Bare(m, "one task alone has no spread")
	}
	var squares float64
	for _, x := range xs {
		squares += (x - m) * (x - m)
	}
	half := TQuantile(1-Level/2, k-1) * math.Sqrt(squares/(k-1)/k)
	return Estimate{Value: m, Low: m - half, High: m + half, Method: MethodT}
}

// Sum estimates the sum of per-task values: K times their mean.
func Sum(xs []float64) Estimate {
	e := Mean(xs)
	k := float64(len(xs))
	e.Value, e.Low, e.High = k*e.Value, k*e.Low, k*e.High
	return e
}

// average sums with compensation, so that the order of tasks does not show.
func average(xs []float64) float64 {
	var sum, lost float64
	for _, x := range xs {
		y := x - lost
		t := sum + y
		lost = (t - sum) - y
		sum = t
	}
	return sum / float64(len(xs))
}
