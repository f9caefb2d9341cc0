package score

import (
	"fmt"
	"math"
	"slices"
	"strconv"

	"parley/interp/score/stat"
	"parley/runtime"
	"parley/runtime/eval"
	"parley/runtime/segment"
)

// outcomes is one score on one arm: what every task gave, by the value of `by`
// (empty where the score is not split).
type outcomes map[string]map[string]*cell

// cell is one task's part of a score.
type cell struct {
	count   stat.Count
	low     stat.Count // with every error and unknown counted against the event
	high    stat.Count // and for it
	xs      []float64  // values of mean, median and sum: one a repeat and element
	runs    int        // scored runs
	silent  int        // of these, with no readable answer
	errors  int        // runs dropped for an error in a run they need
	absent  int        // runs not there yet
	unknown int        // values or conditions that were unknown
	why     string     // of the first unknown
	unsized bool       // an error hid how many elements there were
}

func (o outcomes) cell(key, task string) *cell {
	tasks := o[key]
	if tasks == nil {
		tasks = map[string]*cell{}
		o[key] = tasks
	}
	c := tasks[task]
	if c == nil {
		c = &cell{}
		tasks[task] = c
	}
	return c
}

// merge adds other's cells; o takes them over.
func (o outcomes) merge(other outcomes) {
	for key, tasks := range other {
		for task, c := range tasks {
			o.cell(key, task).add(c)
		}
	}
}

func (c *cell) add(d *cell) {
	for _, p := range [3][2]*stat.Count{{&c.count, &d.count}, {&c.low, &d.low}, {&c.high, &d.high}} {
		p[0].A += p[1].A
		p[0].D += p[1].D
	}
	c.xs = append(c.xs, d.xs...)
	c.runs += d.runs
	c.silent += d.silent
	c.errors += d.errors
	c.absent += d.absent
	c.unknown += d.unknown
	if c.why == "" || d.why != "" && d.why < c.why {
		c.why = d.why
	}
	c.unsized = c.unsized || d.unsized
}

// unknownKey is the key of runs whose own key is unknown.
const unknownKey = "unknown"

// gather scores one run: the score it on arm, in the group all.
func (s *Scorer) gather(it *item, arm runtime.ArmName, all *observed, into outcomes) {
	o := s.run(all, arm)
	for _, used := range it.uses[arm] {
		if s.run(all, used).fault == missing {
			into.cell(s.keyOf(it, o, o), all.key).absent++
			return
		}
	}
	g := gathering{s: s, it: it, o: o, into: into}
	g.faulty = s.faulty(all, it.uses[arm]) != nil
	if it.per == nil {
		g.element(o)
	} else if !g.elements() {
		return
	}
	g.close()
}

// gathering is the scoring of one run while it goes on.
type gathering struct {
	s      *Scorer
	it     *item
	o      *observation
	into   outcomes
	faulty bool // a run that the score needs failed
	slots  []slot
	first  [1]slot // room for the score that is not split
}

// slot is what the run has given to one key so far.
type slot struct {
	key    string
	cell   *cell
	sum    float64
	scored bool
	failed bool // a part is lost
}

func (g *gathering) slot(key string) *slot {
	for i := range g.slots {
		if g.slots[i].key == key {
			return &g.slots[i]
		}
	}
	if g.slots == nil {
		g.slots = g.first[:0]
	}
	g.slots = append(g.slots, slot{key: key, cell: g.into.cell(key, g.o.all.key)})
	return &g.slots[len(g.slots)-1]
}

// elements goes through the list that `per` names.
func (g *gathering) elements() bool {
	v := g.s.value(g.it.per, g.o, g.o, true)
	var list []any
	switch x := v.(type) {
	case []any:
		list = x
	case eval.Group:
		list = x.Members
	default:
		c := g.slot(g.s.keyOf(g.it, g.o, g.o)).cell
		c.unsized = true
		if g.faulty {
			c.errors++
		} else {
			c.unknown++
			c.note(v)
		}
		return false
	}
	for _, self := range list {
		env := within{g.o, self}
		if !g.faulty || !g.ruledOut(env) {
			g.element(env)
		}
	}
	return true
}

// ruledOut reports whether the plan alone keeps the element out, so that a run
// that failed does not widen the bounds by what never counts.
func (g *gathering) ruledOut(env eval.Env) bool {
	for _, p := range g.it.foreknown {
		if eval.TruthOf(g.o.eval(p.prog, env)) == eval.False {
			return true
		}
	}
	return false
}

// element scores one element, or the run where there is no `per`.
func (g *gathering) element(env eval.Env) {
	given := eval.True
	var why any
	if g.it.given != nil {
		why = g.s.value(g.it.given, g.o, env, false)
		given = eval.TruthOf(why)
	}
	if given == eval.False {
		if g.it.Kind == "sum" { // the run counts, with nothing to add
			g.slot(g.s.keyOf(g.it, g.o, env)).scored = true
		}
		return
	}
	at := g.slot(g.s.keyOf(g.it, g.o, env))
	value := g.s.value(g.it.value, g.o, env, false)
	if g.it.Kind == "rate" {
		if truth := eval.TruthOf(value); given == eval.Unknown || truth == eval.Unknown || g.faulty {
			g.lost(at, given, why, value)
			at.cell.bound(given, truth)
		} else {
			at.cell.event(truth == eval.True)
			at.scored = true
		}
		return
	}
	x, ok := toNumber(value)
	switch {
	case g.it.Kind == "grade":
		g.mark(at, given, why, value)
		return
	case given == eval.Unknown || !ok || math.IsInf(x, 0) && g.it.Kind != "median":
		g.lost(at, given, why, value)
		return
	case g.it.Kind == "sum":
		at.sum += x
	default:
		at.cell.xs = append(at.cell.xs, x)
	}
	at.scored = true
}

// mark counts a mark between 0 and 1; anything else is unknown.
func (g *gathering) mark(at *slot, given eval.Truth, why, value any) {
	x, ok := toNumber(value)
	if ok && (x < 0 || x > 1) {
		ok, value = false, eval.Missing{Why: fmt.Sprintf("a mark lies between 0 and 1, and it is %v", x)}
	}
	if given == eval.Unknown || !ok || g.faulty {
		g.lost(at, given, why, value)
		at.cell.bound(given, eval.Unknown)
		return
	}
	for _, n := range [3]*stat.Count{&at.cell.count, &at.cell.low, &at.cell.high} {
		n.A, n.D = n.A+x, n.D+1
	}
	at.scored = true
}

// event counts a chance.
func (c *cell) event(happened bool) {
	for _, n := range [3]*stat.Count{&c.count, &c.low, &c.high} {
		n.D++
		if happened {
			n.A++
		}
	}
}

// bound counts a chance that is unknown, for the bounds alone: it takes whichever
// value moves the rate most, and is left out where that moves it more.
func (c *cell) bound(given, happened eval.Truth) {
	if happened != eval.False {
		c.high.A++
		c.high.D++
	} else if given == eval.True {
		c.high.D++
	}
	if happened != eval.True {
		c.low.D++
	} else if given == eval.True {
		c.low.A++
		c.low.D++
	}
}

// lost counts an element that cannot be scored: once a run if a run failed.
func (g *gathering) lost(at *slot, given eval.Truth, why, value any) {
	first := !at.failed
	at.failed = true
	if g.faulty {
		if first {
			at.cell.errors++
		}
		return
	}
	at.cell.unknown++
	if given == eval.Unknown {
		value = why
	}
	at.cell.note(value)
}

func (c *cell) note(v any) {
	why := "it is not a number"
	if m, ok := v.(eval.Missing); ok {
		why = m.Why
	}
	if c.why == "" || why < c.why {
		c.why = why
	}
}

// close counts the run, once for every key that it gave a value to. A sum with
// an unknown part is not a sum.
func (g *gathering) close() {
	silent := g.o.trial != nil && g.o.trial.Silent() && slices.Contains(g.it.uses[g.o.arm], g.o.arm)
	for i := range g.slots {
		at := &g.slots[i]
		if !at.scored || at.failed && g.it.Kind == "sum" {
			continue
		}
		if g.it.Kind == "sum" {
			at.cell.xs = append(at.cell.xs, at.sum)
		}
		at.cell.runs++
		if silent {
			at.cell.silent++
		}
	}
}

// value evaluates a part of a score. A part that rests on a run that failed is
// unknown; list keeps a group's members countable even then.
func (s *Scorer) value(p *pred, o *observation, env eval.Env, list bool) any {
	if bad := s.faulty(o.all, p.uses[o.arm]); bad != nil && !list {
		return bad
	}
	return o.eval(p.prog, env)
}

func (s *Scorer) keyOf(it *item, o *observation, env eval.Env) string {
	if it.by == nil {
		return ""
	}
	switch v := s.value(it.by, o, env, false).(type) {
	case string:
		return v
	case segment.Text:
		return v.String()
	case bool:
		return strconv.FormatBool(v)
	case int:
		return strconv.Itoa(v)
	case float64:
		return strconv.FormatFloat(v, 'g', -1, 64)
	case interface{ Field(string) (any, bool) }:
		if n, ok := v.Field("name"); ok {
			if name, ok := n.(string); ok {
				return name
			}
		}
	}
	return unknownKey
}

// task is the identity of the task: the case key, so that duplicate rows are
// one task.
func (g *Group) task() string {
	if g.Key != "" {
		return g.Key
	}
	return "row " + strconv.Itoa(g.Row)
}

func toNumber(v any) (float64, bool) {
	switch x := v.(type) {
	case int:
		return float64(x), true
	case float64:
		return x, !math.IsNaN(x)
	case bool:
		if x {
			return 1, true
		}
		return 0, true
	}
	return 0, false
}
