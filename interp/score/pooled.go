package score

import (
	"fmt"
	"maps"
	"math"
	"slices"

	"parley/interp/score/stat"
)

// pooled is a scenario's score over the rows that belong together: one row's as it
// is, several rows' tasks as one sample.
func (x *crossing) pooled(r crossRef) *crossed {
	out := &crossed{rows: map[int]counters{}}
	rows := x.a.Rows[r.scenario]
	if len(rows) == 0 {
		out.e = fill(stat.None(fmt.Sprintf("%s has no row of these labels", r.scenario)))
		return out
	}
	kind, interim := "", false
	var list []*Estimate
	for _, i := range rows {
		s := x.tables[i].Score(r.score)
		if s == nil {
			out.e = fill(stat.None(fmt.Sprintf("one of its rows has no score %s", r.score)))
			return out
		}
		e := s.By("")
		if e == nil {
			out.e = fill(stat.None("it is split by a key"))
			return out
		}
		kind, interim = s.Kind, interim || x.tables[i].Interim()
		out.rows[i] = counters{e.Tasks, e.Runs, e.NoAnswer, e.Errors, e.Absent, e.Unknown}
		list = append(list, e)
	}
	if len(list) == 1 {
		out.e = *list[0]
		out.e.Placebo, out.e.Published = nil, nil
		out.influence = influenceOf(kind, list[0].Parts)
	} else {
		out.together(kind, list)
	}
	if interim && out.e.Value.Defined() {
		out.e.Low, out.e.High, out.e.Method = NA, NA, ""
		out.e.Why = "trials are missing, and before the end what reads several rows has no interval"
	}
	return out
}

// together makes one sample of several rows.
func (c *crossed) together(kind string, list []*Estimate) {
	var parts []*Parts
	for _, e := range list {
		if e.Parts == nil {
			why := "a value has no outcomes of its own, so several rows of it cannot be pooled"
			if kind != "value" {
				why = e.Why
			}
			c.e = fill(stat.None(why))
			return
		}
		parts = append(parts, e.Parts)
	}
	s, apart := joined(kind, parts)
	c.e = fill(s.estimate())
	if kind == "grade" && apart { // tasks of different rows are strata
		strata := make([][]stat.Count, len(parts))
		for i, p := range parts {
			strata[i] = p.Counts
		}
		c.e = fill(stat.Grade(strata))
	}
	c.count()
	c.e.Tasks = s.size()
	c.influence = influenceOf(kind, &Parts{Tasks: s.tasks, Counts: s.counts, Values: s.xs})
	if !counted(kind) {
		return
	}
	c.e.Num, c.e.Den, _ = stat.Totals(s.counts)
	var low, high stat.Count
	for _, p := range parts {
		low.A, low.D = low.A+p.low.A, low.D+p.low.D
		high.A, high.D = high.A+p.high.A, high.D+p.high.D
	}
	if (c.e.Errors > 0 || c.e.Unknown > 0) && low.D > 0 && high.D > 0 {
		c.e.BoundLow, c.e.BoundHigh = Number(low.A/low.D), Number(high.A/high.D)
	}
}

// joined lays the tasks of several rows out as one sample, and reports whether no
// task is in two of them. Where one is, its chances add up, and of values the mean
// counts.
func joined(kind string, parts []*Parts) (s *sample, apart bool) {
	type task struct {
		count stat.Count
		xs    []float64
		rows  int
	}
	all := map[string]*task{}
	apart = true
	for _, p := range parts {
		for i, name := range p.Tasks {
			t := all[name]
			if t == nil {
				t = &task{}
				all[name] = t
			}
			if t.rows++; t.rows > 1 {
				apart = false
			}
			t.count.A += p.Counts[i].A
			t.count.D += p.Counts[i].D
			if !math.IsNaN(p.Values[i]) {
				t.xs = append(t.xs, p.Values[i])
			}
		}
	}
	s = &sample{kind: kind, tasks: slices.Sorted(maps.Keys(all))}
	for _, name := range s.tasks {
		s.counts = append(s.counts, all[name].count)
		s.xs = append(s.xs, overRepeats("mean", all[name].xs))
	}
	return s, apart
}

// influenceOf is each task's part in the error of a score of one kind.
func influenceOf(kind string, p *Parts) map[string]float64 {
	if p == nil {
		return nil
	}
	s := &sample{kind: kind, tasks: p.Tasks, counts: p.Counts, xs: p.Values}
	out := make(map[string]float64, len(p.Tasks))
	for i, e := range s.on(p.Tasks).influence() {
		out[p.Tasks[i]] = e
	}
	return out
}

func keysOf[V any](m map[string]V) []string { return slices.Collect(maps.Keys(m)) }
