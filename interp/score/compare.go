package score

import (
	"math"
	"slices"

	"parley/interp/score/stat"
)

// Parts are what each task gave to an estimate, sorted by task.
type Parts struct {
	Tasks  []string
	Counts []stat.Count // of a rate
	Values []float64    // of the others, NaN: none

	kind      string     // of the score whose outcomes these are: a value can be one score alone
	low, high stat.Count // a share with all errors and unknowns counted against and for it
}

// Comparison is the test of one score between two configurations.
type Comparison struct {
	Score string `json:"score"`
	By    string `json:"by,omitempty"`
	A     int    `json:"a"` // places of the tables
	B     int    `json:"b"`
	// Difference is A less B.
	Difference Number `json:"difference"`
	Low        Number `json:"low"`
	High       Number `json:"high"`
	Test       string `json:"test,omitempty"`
	P          Number `json:"p"`
	// Holm is P adjusted for all declared comparisons, those that are n/a included.
	Holm Number `json:"holm"`
	Why  string `json:"why,omitempty"` // why there is no test
	// Need is how many tasks would show a difference of this size in 80 % of runs,
	// taking this run for a pilot; n/a where it shows none.
	Need Number `json:"need"`
}

// Names of the tests.
const (
	TestMcNemar     = "exact McNemar"
	TestPermutation = "permutation within tasks"
	TestSign        = "sign test"
)

// Compare tests each named score between each pair of tables, and adjusts all
// p-values together (Holm). Which pairs and scores is to be declared before the
// run; an interim table is not tested.
func Compare(tables []*Table, pairs [][2]int, scores []string, seed uint64) []Comparison {
	var out []Comparison
	for _, name := range scores {
		for _, p := range pairs {
			out = append(out, compareScore(tables, p, name, seed)...)
		}
	}
	holm(out)
	return out
}

// AgainstPlacebo tests each named score of each table against the same score of
// its placebo runs, over the same tasks: whether the attack does more than filler
// in its place. Holm adjusts over all of them.
func AgainstPlacebo(tables []*Table, scores []string, seed uint64) []Comparison {
	var out []Comparison
	for _, name := range scores {
		for i, t := range tables {
			s := t.Score(name)
			if s == nil {
				continue
			}
			for j := range s.Estimates {
				e := &s.Estimates[j]
				if e.Placebo == nil {
					continue
				}
				c := Comparison{Score: name, By: e.By, A: i, B: i, Difference: NA, Low: NA, High: NA, P: NA, Holm: NA, Need: NA}
				if t.Interim() {
					c.Why = "trials are missing"
				} else {
					c.between(s.Kind, e, e.Placebo, seed)
				}
				out = append(out, c)
			}
		}
	}
	holm(out)
	return out
}

// holm adjusts the p-values of one family of comparisons.
func holm(list []Comparison) {
	ps := make([]float64, len(list))
	for i := range list {
		ps[i] = float64(list[i].P)
	}
	for i, p := range stat.Holm(ps) {
		list[i].Holm = Number(p)
	}
}

// compareScore compares every key of a score that either side has.
func compareScore(tables []*Table, pair [2]int, name string, seed uint64) []Comparison {
	x, y := tables[pair[0]].Score(name), tables[pair[1]].Score(name)
	none := Comparison{Score: name, A: pair[0], B: pair[1], Difference: NA, Low: NA, High: NA, P: NA, Holm: NA, Need: NA}
	if x == nil || y == nil {
		none.Why = "one side has no such score"
		return []Comparison{none}
	}
	var keys []string
	for _, s := range []*Score{x, y} {
		for _, e := range s.Estimates {
			keys = append(keys, e.By)
		}
	}
	slices.Sort(keys)
	var out []Comparison
	for _, k := range slices.Compact(keys) {
		c := none
		c.By = k
		a, b := x.By(k), y.By(k)
		switch {
		case a == nil || b == nil:
			c.Why = "one side has no such key"
		case tables[pair[0]].Interim() || tables[pair[1]].Interim():
			c.Why = "trials are missing"
		default:
			c.between(x.Kind, a, b, seed)
		}
		out = append(out, c)
	}
	return out
}

// between tests two estimates of a kind.
func (c *Comparison) between(kind string, a, b *Estimate, seed uint64) {
	switch {
	case a.Parts == nil || b.Parts == nil:
		c.Why = "only scores with outcomes of their own are tested"
		return
	case !a.Value.Defined() || !b.Value.Defined():
		c.Why = "one side is n/a"
		return
	case a.Parts.kind != b.Parts.kind:
		c.Why = "one side is a " + a.Parts.kind + " and the other a " + b.Parts.kind
		return
	case kind == "value":
		kind = a.Parts.kind
	}
	tasks := union(a.Parts.Tasks, b.Parts.Tasks)
	if len(tasks) == len(a.Parts.Tasks)+len(b.Parts.Tasks) {
		c.Why = "no task is in both"
		return
	}
	if !counted(kind) {
		c.signs(a, b, tasks)
		return
	}
	x, y := a.Parts.on(tasks), b.Parts.on(tasks)
	ex, ey := stat.Influence(x), stat.Influence(y)
	estimate := stat.Rate
	if kind == "grade" {
		estimate = func(counts []stat.Count) stat.Estimate { return stat.Grade([][]stat.Count{counts}) }
	}
	d := stat.Difference(estimate(x), estimate(y), stat.Correlation(ex, ey))
	c.Difference, c.Low, c.High = Number(d.Value), Number(d.Low), Number(d.High)
	if up, down, ok := discordant(x, y); ok && kind == "rate" {
		c.Test, c.P = TestMcNemar, Number(stat.McNemar(up, down))
	} else {
		c.Test, c.P = TestPermutation, Number(stat.PermutationTest(x, y, seed))
	}
	if d.Value != 0 && !math.IsNaN(d.Value) {
		if n := stat.Power(x, y, d.Value); n > 0 {
			c.Need = Number(math.Ceil(n))
		}
	}
}

// signs compares the tasks' values of two medians or means.
func (c *Comparison) signs(a, b *Estimate, tasks []string) {
	if d := float64(a.Value - b.Value); !math.IsNaN(d) {
		c.Difference = Number(d)
	}
	ups, downs := 0, 0
	for _, t := range tasks {
		i, inA := slices.BinarySearch(a.Parts.Tasks, t)
		j, inB := slices.BinarySearch(b.Parts.Tasks, t)
		if !inA || !inB {
			continue
		}
		switch d := a.Parts.Values[i] - b.Parts.Values[j]; {
		case d > 0:
			ups++
		case d < 0:
			downs++
		}
	}
	c.Test, c.P = TestSign, Number(stat.SignTest(ups, downs))
}

// on lays the counts out over tasks, which are sorted and contain the parts' own.
func (p *Parts) on(tasks []string) []stat.Count {
	out := make([]stat.Count, len(tasks))
	for i, t := range tasks {
		if at, ok := slices.BinarySearch(p.Tasks, t); ok {
			out[i] = p.Counts[at]
		}
	}
	return out
}

// discordant counts the tasks in which one side alone has the event, where every
// task has at most one trial and the same one on both sides.
func discordant(x, y []stat.Count) (up, down int, ok bool) {
	for i := range x {
		if x[i].D > 1 || x[i].D != y[i].D {
			return 0, 0, false
		}
		switch {
		case x[i].A > y[i].A:
			up++
		case x[i].A < y[i].A:
			down++
		}
	}
	return up, down, true
}

// Interim reports whether trials of the table are missing.
func (t *Table) Interim() bool {
	return slices.ContainsFunc(t.Arms, func(a ArmCount) bool { return a.Absent > 0 })
}
