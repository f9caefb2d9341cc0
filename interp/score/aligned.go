package score

import (
	"math"
	"sort"

	"parley/interp/score/stat"
)

// aligned is a sample laid out over a list of tasks that other samples share.
type aligned struct {
	kind   string
	counts []stat.Count
	xs     []float64 // NaN: the task has no value
	order  []int     // tasks with a value, by their value; for medians
	scale  float64   // a median's standard error times √K
}

// on lays the sample out over tasks, which are sorted and contain its own.
func (s *sample) on(tasks []string) *aligned {
	a := &aligned{kind: s.kind, counts: make([]stat.Count, len(tasks)), xs: make([]float64, len(tasks)), scale: 1}
	next := 0
	for i, t := range tasks {
		a.xs[i] = math.NaN()
		if next < len(s.tasks) && s.tasks[next] == t {
			a.counts[i], a.xs[i] = s.counts[next], s.xs[next]
			next++
		}
		if !math.IsNaN(a.xs[i]) {
			a.order = append(a.order, i)
		}
	}
	if s.kind == "median" {
		sort.SliceStable(a.order, func(x, y int) bool { return a.xs[a.order[x]] < a.xs[a.order[y]] })
		if e := s.estimate(); e.Bounded() && e.High > e.Low && !math.IsInf(e.High-e.Low, 0) {
			a.scale = (e.High - e.Low) / (2 * stat.Z) * math.Sqrt(float64(len(a.order)))
		}
	}
	return a
}

// point is the score's value where task i counts w[i] times.
func (a *aligned) point(w []float64) float64 {
	if counted(a.kind) {
		var num, den float64
		for i, c := range a.counts {
			num, den = num+w[i]*c.A, den+w[i]*c.D
		}
		return num / den
	}
	var n, sum float64
	for _, i := range a.order {
		n, sum = n+w[i], sum+w[i]*a.xs[i]
	}
	switch {
	case n == 0:
		return math.NaN()
	case a.kind == "sum":
		return sum
	case a.kind == "mean":
		return sum / n
	}
	return a.middle(w, n)
}

// middle is the weighted median: the value, or the mean of the two values, at
// the middle of n draws.
func (a *aligned) middle(w []float64, n float64) float64 {
	var below float64
	low := math.NaN()
	for _, i := range a.order {
		below += w[i]
		if math.IsNaN(low) && below >= n/2 && w[i] > 0 {
			low = a.xs[i]
		}
		if below > n/2 {
			if a.xs[i] == low {
				return low
			}
			return (low + a.xs[i]) / 2
		}
	}
	return low
}

// influence is each task's part in the score's error.
func (a *aligned) influence() []float64 {
	w := make([]float64, len(a.xs))
	for i := range w {
		w[i] = 1
	}
	e := make([]float64, len(a.xs))
	if m := a.point(w); !math.IsNaN(m) {
		a.addInfluence(e, w, m, 1)
	}
	return e
}

// addInfluence adds slope times each task's influence to e; m is the point at w.
func (a *aligned) addInfluence(e, w []float64, m, slope float64) {
	if counted(a.kind) {
		var den float64
		for i := range a.counts {
			den += w[i] * a.counts[i].D
		}
		for i := range a.counts {
			e[i] += slope / den * (a.counts[i].A - m*a.counts[i].D)
		}
		return
	}
	var n float64
	for _, i := range a.order {
		n += w[i]
	}
	for _, i := range a.order {
		switch d := a.xs[i] - m; a.kind {
		case "mean":
			e[i] += slope * d / n
		case "sum":
			e[i] += slope * (a.xs[i] - m/n)
		default: // the median's error goes by the sign alone
			if d > 0 {
				e[i] += slope * a.scale / n
			} else if d < 0 {
				e[i] -= slope * a.scale / n
			}
		}
	}
}
