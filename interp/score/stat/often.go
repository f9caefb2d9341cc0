package stat

import "math"

// Often is a rate's interval that may be looked at after every task: the θ for
// which the mean over λ of Π(1 + λ(a_t − θ·d_t)/m) has stayed below 1/Level
// (after Waudby-Smith and Ramdas 2024); λ = i/(11θ) and −i/(11(1−θ)), i = 1…10.
// Tasks must come whole and in an order drawn before the run; the order in
// which they finished would let refusals in first.
type Often struct {
	m        float64
	wealth   [][20]float64 // by θ on the grid; log of each product
	excluded []bool
}

// oftenGrid is the number of steps of θ between 0 and 1.
const oftenGrid = 1000

// NewOften begins an interval for tasks of at most m chances each.
func NewOften(m float64) *Often {
	return &Often{m: m, wealth: make([][20]float64, oftenGrid+1), excluded: make([]bool, oftenGrid+1)}
}

// Add takes one task's whole block.
func (o *Often) Add(c Count) {
	for g := range o.wealth {
		if o.excluded[g] {
			continue
		}
		theta := float64(g) / oftenGrid
		x := (c.A - theta*c.D) / o.m
		switch {
		case g == 0:
			o.excluded[g] = c.A > 0
			continue
		case g == oftenGrid:
			o.excluded[g] = c.A < c.D
			continue
		}
		w := &o.wealth[g]
		var mean float64
		for i := range 10 {
			f := float64(i+1) / 11
			w[i] += math.Log1p(f / theta * x)
			w[10+i] += math.Log1p(-f / (1 - theta) * x)
			mean += math.Exp(w[i]) + math.Exp(w[10+i])
		}
		o.excluded[g] = mean/20 >= 1/Level
	}
}

// Interval returns the ends of what is still possible, one grid step wider on
// each side than the values kept, so that rounding never excludes.
func (o *Often) Interval() (low, high float64) {
	low, high = 1, 0
	for g, out := range o.excluded {
		if !out {
			theta := float64(g) / oftenGrid
			low, high = math.Min(low, theta), math.Max(high, theta)
		}
	}
	if low > high {
		return math.NaN(), math.NaN()
	}
	if low > 0 {
		low -= 1.0 / oftenGrid
	}
	if high < 1 {
		high += 1.0 / oftenGrid
	}
	return low, high
}
