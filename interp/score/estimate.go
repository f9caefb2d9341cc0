package score

import (
	"fmt"
	"maps"
	"math"
	"slices"
	"sort"

	"parley/interp/score/stat"
	"parley/runtime"
)

// sample is one estimate's data laid out by task, in the order of task keys, so
// that nothing depends on the order in which trials came.
type sample struct {
	kind   string
	tasks  []string
	counts []stat.Count // of a rate
	xs     []float64    // of the others: one value a task, NaN where it has none
	cell   cell         // everything added up
}

func newSample(kind string, cells map[string]*cell) *sample {
	s := &sample{kind: kind, tasks: slices.Sorted(maps.Keys(cells))}
	for _, task := range s.tasks {
		c := cells[task]
		s.cell.add(c)
		s.counts = append(s.counts, c.count)
		s.xs = append(s.xs, overRepeats(kind, c.xs))
	}
	s.cell.xs = nil
	return s
}

// counted reports the kinds that are a share of chances: of events, or of marks
// between 0 and 1.
func counted(kind string) bool { return kind == "rate" || kind == "grade" }

// overRepeats makes one value of a task's repeats and elements.
func overRepeats(kind string, xs []float64) float64 {
	if len(xs) == 0 {
		return math.NaN()
	}
	sorted := append([]float64(nil), xs...)
	sort.Float64s(sorted)
	if kind == "median" {
		return stat.Middle(sorted)
	}
	var sum float64
	for _, x := range sorted {
		sum += x
	}
	return sum / float64(len(sorted))
}

// values are the tasks' values, without the tasks that have none.
func (s *sample) values() []float64 {
	out := make([]float64, 0, len(s.xs))
	for _, x := range s.xs {
		if !math.IsNaN(x) {
			out = append(out, x)
		}
	}
	return out
}

func (s *sample) estimate() stat.Estimate {
	switch s.kind {
	case "rate":
		return stat.Rate(s.counts)
	case "grade":
		return stat.Grade([][]stat.Count{s.counts})
	case "median":
		return stat.Median(s.values())
	case "sum":
		return stat.Sum(s.values())
	}
	return stat.Mean(s.values())
}

// size is how many tasks count.
func (s *sample) size() int {
	if counted(s.kind) {
		_, _, n := stat.Totals(s.counts)
		return n
	}
	return len(s.values())
}

// report puts an estimate and what it rests on into words and numbers.
func (s *sample) report(key string) Estimate {
	e := fill(s.estimate())
	e.By = key
	e.Tasks = s.size()
	c := &s.cell
	e.Runs, e.NoAnswer, e.Errors, e.Absent, e.Unknown = c.runs, c.silent, c.errors, c.absent, c.unknown
	if c.unknown > 0 {
		e.Flags = append(e.Flags, fmt.Sprintf("%d unknown: %s", c.unknown, c.why))
	}
	if counted(s.kind) {
		e.Num, e.Den = c.count.A, c.count.D
		if (c.errors > 0 || c.unknown > 0) && !c.unsized && c.high.D > 0 && c.low.D > 0 {
			e.BoundLow, e.BoundHigh = Number(c.low.A/c.low.D), Number(c.high.A/c.high.D)
		}
	}
	return e
}

func fill(e stat.Estimate) Estimate {
	return Estimate{
		Value: Number(e.Value), Low: Number(e.Low), High: Number(e.High),
		Method: e.Method, Why: e.Why, BoundLow: NA, BoundHigh: NA, Bound: NA,
	}
}

// leaf is a score on an arm, gathered.
type leaf struct {
	it  *item
	arm runtime.ArmName
}

// gathered is all that was gathered of a configuration.
type gathered struct {
	s    *Scorer
	data map[leaf]outcomes
	// unseen is how many groups of the plan were never added.
	unseen int
	looks  *looks // of an unfinished run; nil: every trial is there
	memo   map[leaf]map[string]*sample
}

// keys are the values of `by`, sorted; one empty key where it is not split.
func (g *gathered) keys(l leaf) []string {
	if l.it.by == nil {
		return []string{""}
	}
	return slices.Sorted(maps.Keys(g.data[l]))
}

func (g *gathered) sample(l leaf, key string) *sample {
	if l.it.by == nil {
		key = ""
	}
	if g.memo[l] == nil {
		g.memo[l] = map[string]*sample{}
	}
	s := g.memo[l][key]
	if s == nil {
		s = newSample(l.it.Kind, g.data[l][key])
		g.memo[l][key] = s
	}
	return s
}

// one estimates a score that is no `value`, for one key.
func (g *gathered) one(l leaf, key string) Estimate {
	if why := g.s.absent(l.it, l.arm); why != "" {
		e := fill(stat.None(why))
		e.By = key
		return e
	}
	s := g.sample(l, key)
	e := s.report(key)
	e.Parts = &Parts{kind: l.it.Kind, Tasks: s.tasks, Counts: s.counts, Values: s.xs, low: s.cell.low, high: s.cell.high}
	g.interim(l, s, &e)
	if l.it.by == nil {
		e.Absent += g.unseen
	}
	return e
}
