package score

import (
	"bytes"
	"fmt"
	"math"
	"slices"
	"sort"

	"parley/interp/score/stat"
	"parley/runtime"
	"parley/runtime/key"
)

// Whoever looks at numbers while a run goes on, and stops when they please, needs
// wider intervals than the final ones. A rate gets one that holds at every look:
// over the first whole tasks of the order that the seed drew before the run, never
// of the order in which tasks finish. Other scores get none.

// MethodOften names the interval of an interim rate.
const MethodOften = "valid at every look"

// looks is how far each task of the plan has come, in the seed's order.
type looks struct {
	tasks []string       // whole tasks, as far as they stand without a gap
	rows  map[string]int // rows of the plan that are this task
}

// taskOrder is the order in which a run takes up the plan's tasks.
func taskOrder(plan *runtime.Plan) (tasks []string, rows map[string]int) {
	place := map[string]key.Key{}
	rows = map[string]int{}
	for i := range plan.Cases {
		task := key.Case(plan.Cases[i].Fields, plan.CaseFields).String()
		if rows[task]++; rows[task] == 1 {
			tasks = append(tasks, task)
			place[task] = key.Of("order", plan.Seed, task)
		}
	}
	sort.SliceStable(tasks, func(i, j int) bool {
		x, y := place[tasks[i]], place[tasks[j]]
		return bytes.Compare(x[:], y[:]) < 0
	})
	return tasks, rows
}

// look finds the tasks that are whole: every repeat of every arm has run.
func (p *part) look() *looks {
	order, rows := taskOrder(p.s.plan)
	l := &looks{rows: rows}
	for _, task := range order {
		if p.whole[task] < rows[task]*max(1, p.s.plan.Repeats) {
			break
		}
		l.tasks = append(l.tasks, task)
	}
	return l
}

// interim gives an unfinished estimate the interval that may be looked at, or
// takes away the one that may not.
func (g *gathered) interim(l leaf, s *sample, e *Estimate) {
	if !g.missing(l) {
		return
	}
	e.Low, e.High, e.Method = NA, NA, ""
	if !e.Value.Defined() {
		return
	}
	most := g.s.most(l)
	switch {
	case !counted(l.it.Kind):
		e.Why = "trials are missing, and before the end only rates and grades have an interval"
		return
	case most == 0:
		e.Why = "trials are missing, and how often a task can count is not known before the end"
		return
	}
	often, n := stat.NewOften(1), 0
	for _, task := range g.looks.tasks {
		c := stat.Count{}
		if at, ok := slices.BinarySearch(s.tasks, task); ok {
			c = s.counts[at]
		}
		m := most * float64(g.looks.rows[task])
		if c.D > m {
			return
		}
		often.Add(stat.Count{A: c.A / m, D: c.D / m})
		n++
	}
	low, high := often.Interval()
	if n == 0 || math.IsNaN(low) {
		e.Why = "no task is whole yet"
		return
	}
	e.Low, e.High = Number(low), Number(high)
	e.Method = fmt.Sprintf("%s, first %d whole tasks of the seed's order", MethodOften, n)
}

// missing reports whether runs that a score needs are not there yet.
func (g *gathered) missing(l leaf) bool {
	if g.looks == nil {
		return false
	}
	for _, u := range g.s.under(l) {
		if g.unseen > 0 {
			return true
		}
		for _, tasks := range g.data[u] {
			for _, c := range tasks {
				if c.absent > 0 {
					return true
				}
			}
		}
	}
	return false
}

// most is how often one row can count in a rate, known before the run: once a
// repeat, times the members of the group that `per` names; 0: not known.
func (s *Scorer) most(l leaf) float64 {
	n := float64(max(1, s.plan.Repeats))
	if l.it.per == nil {
		return n
	}
	t := s.teams[l.arm]
	if t == nil {
		return 0
	}
	return n * float64(len(t.groups[l.it.Per.Src]))
}
