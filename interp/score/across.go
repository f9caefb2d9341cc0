package score

import (
	"context"
	"fmt"
	"math"

	"parley/interp/score/stat"
	"parley/runtime/eval"
)

// Across is an experiment's scores over its rows' scores, for one combination of the
// labels that tell the rows apart.
type Across struct {
	Items []Item // values, which read SCENARIO.SCORE and one another
	// Rows are the places of each scenario's tables; several are pooled.
	Rows      map[string][]int
	Published []Published
	Fail      []Pred
}

// Table works the scores out of the tables of all rows. It has no arms: nothing runs
// for it.
func (a *Across) Table(tables []*Table) (*Table, error) {
	x := &crossing{a: a, tables: tables, items: map[string]*crossItem{}, done: map[crossRef]*crossed{}}
	cache := eval.NewCache(nil)
	for i := range a.Items {
		it := &a.Items[i]
		prog, err := cache.Compile(it.Expr.Src)
		if err != nil {
			return nil, fmt.Errorf("%s: %s: %w", it.Expr.At, it.Name, err)
		}
		x.items[it.Name] = &crossItem{Item: it, prog: prog}
	}
	for _, it := range x.items {
		var err error
		if it.refs, it.form, it.even, err = x.refsOf(it.Expr.Src); err != nil {
			return nil, fmt.Errorf("%s: %s: %w", it.Expr.At, it.Name, err)
		}
	}
	t := &Table{Version: TableVersion}
	for _, rows := range a.Rows {
		for _, i := range rows {
			t.Simulated = t.Simulated || tables[i].Simulated
		}
	}
	for i := range a.Items {
		it := &a.Items[i]
		e := x.value(crossRef{score: it.Name}).e
		e.Parts = nil
		t.Scores = append(t.Scores, Score{
			Name: it.Name, Kind: it.Kind, Better: it.Better, Text: it.Text, At: it.At, Share: x.share(x.items[it.Name]), Estimates: []Estimate{e},
		})
	}
	t.besides(a.Published)
	for _, f := range a.Fail {
		v, err := x.threshold(cache, t, f)
		if err != nil {
			return nil, err
		}
		t.Fails = append(t.Fails, v)
	}
	return t, nil
}

// crossing is the work on one Across.
type crossing struct {
	a      *Across
	tables []*Table
	items  map[string]*crossItem
	done   map[crossRef]*crossed
}

// crossItem is a compiled score.
type crossItem struct {
	*Item
	prog *eval.Program
	refs []crossRef
	form crossForm
	even bool // made by functions that keep shares shares
}

// crossRef names a score of a scenario, or without one another of these scores.
type crossRef struct{ scenario, score string }

func (r crossRef) String() string {
	if r.scenario == "" {
		return r.score
	}
	return r.scenario + "." + r.score
}

// crossed is a score with what is needed to combine it with others.
type crossed struct {
	e Estimate
	// influence is each task's part in its error; nil: not known.
	influence map[string]float64
	rows      map[int]counters // what it rests on, by table
}

// counters are how many tasks and runs an estimate rests on.
type counters struct{ tasks, runs, silent, errors, absent, unknown int }

func (c counters) most(d counters) counters {
	return counters{
		max(c.tasks, d.tasks), max(c.runs, d.runs), max(c.silent, d.silent),
		max(c.errors, d.errors), max(c.absent, d.absent), max(c.unknown, d.unknown),
	}
}

// value is a score of a scenario or of this Across, worked out once.
func (x *crossing) value(r crossRef) *crossed {
	if done := x.done[r]; done != nil {
		return done
	}
	var out *crossed
	if r.scenario != "" {
		out = x.pooled(r)
	} else {
		out = x.combined(x.items[r.score])
	}
	x.done[r] = out
	return out
}

// combined works out one score of its parts.
func (x *crossing) combined(it *crossItem) *crossed {
	parts := make([]*crossed, len(it.refs))
	out := &crossed{rows: map[int]counters{}}
	for i, r := range it.refs {
		parts[i] = x.value(r)
		for row, c := range parts[i].rows {
			out.rows[row] = out.rows[row].most(c)
		}
	}
	if it.form == aloneForm {
		same := *parts[0]
		return &same
	}
	estimates := make([]stat.Estimate, len(parts))
	for i, p := range parts {
		estimates[i] = stat.Estimate{Value: float64(p.e.Value), Low: float64(p.e.Low), High: float64(p.e.High)}
	}
	f := x.function(it)
	entangled := false
	rho := func(i, j int) float64 {
		c, known := parts[i].correlation(parts[j])
		entangled = entangled || !known
		return c
	}
	var e stat.Estimate
	if it.form == ratioForm && rho(0, 1) == 0 && !entangled {
		e = stat.Ratio(estimates[0], estimates[1])
	} else {
		e = stat.Mover(estimates, f, rho)
	}
	if entangled {
		e = stat.Bare(e.Value, "two of its parts rest on the same runs, and how they move together is not known")
	}
	out.e = fill(e)
	out.explain(it, parts)
	out.count()
	out.e.BoundLow, out.e.BoundHigh = boundsOf(parts, f)
	out.lean(parts, f)
	return out
}

// function is a score as a function of its parts; NaN where it has no value.
func (x *crossing) function(it *crossItem) func(values []float64) float64 {
	return func(values []float64) float64 {
		got, err := it.prog.Eval(context.Background(), crossEnv{it.refs, values}, nil)
		if err != nil {
			return math.NaN()
		}
		f, ok := toNumber(got)
		if !ok {
			return math.NaN()
		}
		return f
	}
}

// explain says which part is missing, where one is.
func (c *crossed) explain(it *crossItem, parts []*crossed) {
	for i, p := range parts {
		if !p.e.Value.Defined() && !c.e.Value.Defined() || p.e.Value.Defined() && !p.e.Low.Defined() && c.e.Value.Defined() && !c.e.Low.Defined() {
			c.e.Why = fmt.Sprintf("%s: %s", it.refs[i], p.e.Why)
			return
		}
	}
}

// count adds up what the score rests on.
func (c *crossed) count() {
	var all counters
	for _, r := range c.rows {
		all.tasks += r.tasks
		all.runs += r.runs
		all.silent += r.silent
		all.errors += r.errors
		all.absent += r.absent
		all.unknown += r.unknown
	}
	e := &c.e
	e.Tasks, e.Runs, e.NoAnswer, e.Errors, e.Absent, e.Unknown = all.tasks, all.runs, all.silent, all.errors, all.absent, all.unknown
}

// boundsOf are the score with the errors and unknowns of all parts counted one way
// and the other; n/a where no part has any.
func boundsOf(parts []*crossed, f func([]float64) float64) (low, high Number) {
	down, up, at := make([]float64, len(parts)), make([]float64, len(parts)), make([]float64, len(parts))
	some := false
	for i, p := range parts {
		at[i] = float64(p.e.Value)
	}
	for i, p := range parts {
		down[i], up[i] = at[i], at[i]
		if !p.e.BoundLow.Defined() || !p.e.BoundHigh.Defined() {
			continue
		}
		some = true
		lo, hi := float64(p.e.BoundLow), float64(p.e.BoundHigh)
		keep := at[i]
		at[i] = lo
		atLow := f(at)
		at[i] = hi
		atHigh := f(at)
		at[i] = keep
		if down[i], up[i] = lo, hi; atLow > atHigh {
			down[i], up[i] = hi, lo
		}
	}
	if !some {
		return NA, NA
	}
	return Number(f(down)), Number(f(up))
}

// lean works out each task's part in the score's error, by its slope in its parts.
func (c *crossed) lean(parts []*crossed, f func([]float64) float64) {
	at := make([]float64, len(parts))
	for i, p := range parts {
		if p.influence == nil {
			return
		}
		at[i] = float64(p.e.Value)
	}
	sum := map[string]float64{}
	for i, p := range parts {
		keep := at[i]
		h := 1e-4 * math.Max(math.Abs(keep), 0.01)
		at[i] = keep + h
		up := f(at)
		at[i] = keep - h
		slope := (up - f(at)) / (2 * h)
		at[i] = keep
		if math.IsNaN(slope) || math.IsInf(slope, 0) {
			return
		}
		for task, e := range p.influence {
			sum[task] += slope * e
		}
	}
	c.influence = sum
}

// correlation is that of the errors of two scores. It is 0 where they have no run in
// common; known is false where they have some, and one is not known by task.
func (c *crossed) correlation(d *crossed) (rho float64, known bool) {
	if c.influence == nil || d.influence == nil {
		for row := range c.rows {
			if _, both := d.rows[row]; both {
				return 0, false
			}
		}
		return 0, true
	}
	var e1, e2 []float64
	for _, task := range union(keysOf(c.influence), keysOf(d.influence)) {
		e1, e2 = append(e1, c.influence[task]), append(e2, d.influence[task])
	}
	return stat.Correlation(e1, e2), true
}
