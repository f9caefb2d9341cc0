// Package stat has the estimators, intervals and tests that scores use: pure
// functions over tables of outcomes, one entry a task. Tasks are the sample;
// repeats and agents within a task are not independent of each other, which
// every formula here takes into account.
package stat

import "math"

// Level is the two-sided error that every interval here allows.
const Level = 0.05

// Z is the normal quantile that belongs to Level.
const Z = 1.959963984540054

// TQuantile returns the quantile of Student's t with df degrees of freedom that
// has probability p below it, for 0 < p < 1. df may be fractional. It is NaN
// where df is not positive.
func TQuantile(p, df float64) float64 {
	switch {
	case !(df > 0) || !(p > 0 && p < 1):
		return math.NaN()
	case p == 0.5:
		return 0
	case p < 0.5:
		return -TQuantile(1-p, df)
	case math.IsInf(df, 1):
		return NormalQuantile(p)
	}
	// The tail is monotone in t: widen until it brackets, then halve.
	lo, hi := 0.0, 2.0
	for tCDF(hi, df) < p {
		lo, hi = hi, hi*2
		if math.IsInf(hi, 1) {
			return hi
		}
	}
	for range 200 {
		mid := (lo + hi) / 2
		if mid == lo || mid == hi {
			break
		}
		if tCDF(mid, df) < p {
			lo = mid
		} else {
			hi = mid
		}
	}
	return (lo + hi) / 2
}

// tCDF is P(T < t) for t ≥ 0.
func tCDF(t, df float64) float64 {
	return 1 - BetaInc(df/2, 0.5, df/(df+t*t))/2
}

// NormalQuantile returns the quantile of the standard normal distribution.
func NormalQuantile(p float64) float64 {
	return -math.Sqrt2 * math.Erfcinv(2*p)
}

// BetaInc is the regularised incomplete beta function I_x(a, b), by its
// continued fraction (modified Lentz).
func BetaInc(a, b, x float64) float64 {
	switch {
	case x <= 0:
		return 0
	case x >= 1:
		return 1
	case x > (a+1)/(a+b+2):
		return 1 - BetaInc(b, a, 1-x)
	}
	la, _ := math.Lgamma(a)
	lb, _ := math.Lgamma(b)
	lab, _ := math.Lgamma(a + b)
	front := math.Exp(lab - la - lb + a*math.Log(x) + b*math.Log1p(-x))
	const tiny = 1e-300
	c, d := 1.0, 1-(a+b)*x/(a+1)
	if math.Abs(d) < tiny {
		d = tiny
	}
	d = 1 / d
	f := d
	for m := 1.0; m <= 500; m++ {
		for _, num := range [2]float64{
			m * (b - m) * x / ((a + 2*m - 1) * (a + 2*m)),
			-(a + m) * (a + b + m) * x / ((a + 2*m) * (a + 2*m + 1)),
		} {
			if d = 1 + num*d; math.Abs(d) < tiny {
				d = tiny
			}
			if c = 1 + num/c; math.Abs(c) < tiny {
				c = tiny
			}
			d = 1 / d
			f *= d * c
		}
		if math.Abs(d*c-1) < 1e-15 {
			break
		}
	}
	return front * f / a
}

// BinomialBelow is P(Bin(n, ½) < k).
func BinomialBelow(n, k int) float64 {
	if k > n {
		return 1
	}
	var sum float64
	for i := range k {
		sum += math.Exp(logChoose(n, i) - float64(n)*math.Ln2)
	}
	return math.Min(sum, 1)
}

func logChoose(n, k int) float64 {
	a, _ := math.Lgamma(float64(n + 1))
	b, _ := math.Lgamma(float64(k + 1))
	c, _ := math.Lgamma(float64(n - k + 1))
	return a - b - c
}
