package stat

import "math"

// Estimate is a value with its interval. A value that does not exist is NaN
// ("n/a") with the reason in Why; so are the ends of an interval that does not
// exist beside a value that does. Infinite ratios are +Inf.
type Estimate struct {
	Value, Low, High float64
	Method           string // how the interval was made
	Why              string // why there is no value or no interval
}

// None is the estimate that does not exist.
func None(why string) Estimate {
	return Estimate{Value: math.NaN(), Low: math.NaN(), High: math.NaN(), Why: why}
}

// Bare is a value without an interval.
func Bare(value float64, why string) Estimate {
	return Estimate{Value: value, Low: math.NaN(), High: math.NaN(), Why: why}
}

// Defined reports whether there is a value.
func (e Estimate) Defined() bool { return !math.IsNaN(e.Value) }

// Bounded reports whether there is an interval.
func (e Estimate) Bounded() bool { return !math.IsNaN(e.Low) && !math.IsNaN(e.High) }

// Count is one task's part of a rate: A events among D chances, over the task's
// repeats and agents.
type Count struct{ A, D float64 }

// Totals returns the events, the chances and the number of tasks that have any
// chance at all.
func Totals(counts []Count) (a, d float64, tasks int) {
	for _, c := range counts {
		if c.D > 0 {
			a, d, tasks = a+c.A, d+c.D, tasks+1
		}
	}
	return a, d, tasks
}

// EventTasks counts the tasks with at least one event.
func EventTasks(counts []Count) int {
	n := 0
	for _, c := range counts {
		if c.A > 0 {
			n++
		}
	}
	return n
}
