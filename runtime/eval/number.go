package eval

import (
	"fmt"
	"math"
	"sort"
	"strconv"
	"strings"

	"github.com/expr-lang/expr/vm/runtime"
)

// numberFuncs are the functions on numbers. min, max, mean and median take
// numbers, or lists of numbers.
var numberFuncs = map[string]native{
	"abs":    numeric(func(v any) any { return absolute(v) }),
	"ceil":   numeric(func(v any) any { return math.Ceil(runtime.ToFloat64(v)) }),
	"floor":  numeric(func(v any) any { return math.Floor(runtime.ToFloat64(v)) }),
	"round":  numeric(func(v any) any { return math.Round(runtime.ToFloat64(v)) }),
	"int":    {min: 1, max: 1, call: toInt},
	"float":  {min: 1, max: 1, call: toFloat},
	"min":    {min: 1, max: -1, call: extreme(func(c int) bool { return c < 0 })},
	"max":    {min: 1, max: -1, call: extreme(func(c int) bool { return c > 0 })},
	"mean":   {min: 1, max: -1, call: average(mean)},
	"median": {min: 1, max: -1, call: average(median)},

	"harmonic": {min: 1, max: -1, call: average(harmonic)},
}

func numeric(do func(v any) any) native {
	return native{min: 1, max: 1, call: func(_ *frame, args []any) any {
		v, ok := plainNumber(args[0])
		if !ok {
			return Missing{Why: fmt.Sprintf("%s stands where a number is due", kindOf(args[0]))}
		}
		return do(v)
	}}
}

func absolute(v any) any {
	if i, ok := v.(int); ok {
		return max(i, -i)
	}
	return math.Abs(runtime.ToFloat64(v))
}

// arithmetic2 adds two numbers, or gives nil.
func arithmetic2(x, y any) any { return arithmetic(runtime.Add)(nil, x, y) }

// toInt cuts a number's fraction off, or reads a text.
func toInt(_ *frame, args []any) any {
	if s, ok := textOf(args[0]); ok {
		i, err := strconv.Atoi(strings.TrimSpace(s))
		if err != nil {
			return Missing{Why: fmt.Sprintf("%s is not a whole number", short(s))}
		}
		return i
	}
	i, fl, whole, ok := number(args[0])
	switch {
	case whole:
		return i
	case ok && math.Abs(fl) < 1<<62:
		return int(fl)
	}
	return Missing{Why: fmt.Sprintf("%s is not a number that a whole one can be made of", short(args[0]))}
}

func toFloat(_ *frame, args []any) any {
	if s, ok := textOf(args[0]); ok {
		fl, err := strconv.ParseFloat(strings.TrimSpace(s), 64)
		if err != nil || math.IsNaN(fl) {
			return Missing{Why: fmt.Sprintf("%s is not a number", short(s))}
		}
		return fl
	}
	_, fl, _, ok := number(args[0])
	if !ok {
		return Missing{Why: fmt.Sprintf("%s is not a number", short(args[0]))}
	}
	return fl
}

// numbersOf lays numbers and lists of numbers out; why is set where something
// else is among them.
func (f *frame) numbersOf(args []any) (out []any, why any) {
	for _, a := range args {
		it, ok := itemsOf(a)
		if !ok {
			it = items{list: []any{a}, n: 1}
		}
		f.charge(it.n)
		for i := range it.n {
			e := it.at(i)
			if isMissing(e) {
				return nil, e
			}
			v, ok := plainNumber(e)
			if !ok {
				return nil, Missing{Why: fmt.Sprintf("%s stands where a number is due", kindOf(e))}
			}
			out = append(out, v)
		}
	}
	if out == nil {
		return nil, Missing{Why: "the list is empty"}
	}
	return out, nil
}

func extreme(better func(c int) bool) func(f *frame, args []any) any {
	return func(f *frame, args []any) any {
		list, why := f.numbersOf(args)
		if why != nil {
			return why
		}
		best := list[0]
		for _, v := range list[1:] {
			c, ok := compareOrder(v, best)
			if !ok {
				return Missing{Why: "a number without a value is in the list"}
			}
			if better(c) {
				best = v
			}
		}
		return best
	}
}

func average(of func(list []float64) float64) func(f *frame, args []any) any {
	return func(f *frame, args []any) any {
		list, why := f.numbersOf(args)
		if why != nil {
			return why
		}
		floats := make([]float64, len(list))
		for i, v := range list {
			floats[i] = runtime.ToFloat64(v)
		}
		return of(floats)
	}
}

func mean(list []float64) float64 {
	sum := 0.0
	for _, v := range list {
		sum += v
	}
	return sum / float64(len(list))
}

// harmonic is the harmonic mean: 0 as soon as one number is.
func harmonic(list []float64) float64 {
	sum := 0.0
	for _, v := range list {
		if v == 0 {
			return 0
		}
		sum += 1 / v
	}
	return float64(len(list)) / sum
}

func median(list []float64) float64 {
	sort.Float64s(list)
	n := len(list)
	if n%2 == 1 {
		return list[n/2]
	}
	return (list[n/2-1] + list[n/2]) / 2
}
