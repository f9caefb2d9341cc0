package score

import (
	"context"
	"math"
	"slices"

	"parley/interp/score/stat"
)

// Move is one score of one configuration in two runs over the same tasks.
type Move struct {
	Score  string `json:"score"`
	By     string `json:"by,omitempty"`
	Kind   string `json:"kind"`
	Better string `json:"better,omitempty"`
	// Before and After are nil where a run has no such score or key.
	Before *Estimate `json:"before"`
	After  *Estimate `json:"after"`
	// Difference is after less before, with the interval of the paired difference.
	Difference Number `json:"difference"`
	Low        Number `json:"low"`
	High       Number `json:"high"`
	Test       string `json:"test,omitempty"`
	P          Number `json:"p"`
	Holm       Number `json:"holm"` // P adjusted for all that was compared
	Why        string `json:"why,omitempty"`
}

// Significant is the level at which a test counts, after Holm's adjustment.
const Significant = 0.05

// Moved reports whether the test found a difference.
func (m *Move) Moved() bool { return m.Holm.Defined() && m.Holm < Significant }

// Worse reports whether the score moved the wrong way. A score of which nobody said
// which way is better never does.
func (m *Move) Worse() bool {
	return m.Moved() && (m.Better == "lower" && m.Difference > 0 || m.Better == "higher" && m.Difference < 0)
}

// Moves sets two tables of one configuration side by side, score by score, and tests
// what both have. The tables are to rest on the same tasks. Family adjusts the
// p-values afterwards, over all configurations that are compared.
func Moves(before, after *Table, seed uint64) []Move {
	var out []Move
	for i := range before.Scores {
		s := &before.Scores[i]
		out = append(out, moves(before, after, s, after.Score(s.Name), seed)...)
	}
	for i := range after.Scores {
		if s := &after.Scores[i]; before.Score(s.Name) == nil {
			out = append(out, moves(before, after, nil, s, seed)...)
		}
	}
	return out
}

func moves(before, after *Table, x, y *Score, seed uint64) []Move {
	var keys []string
	head := Move{Difference: NA, Low: NA, High: NA, P: NA, Holm: NA}
	for _, s := range []*Score{x, y} {
		if s == nil {
			continue
		}
		head.Score, head.Kind, head.Better = s.Name, s.Kind, s.Better
		for i := range s.Estimates {
			keys = append(keys, s.Estimates[i].By)
		}
	}
	slices.Sort(keys)
	var out []Move
	for _, k := range slices.Compact(keys) {
		m := head
		m.By = k
		if x != nil {
			m.Before = x.By(k)
		}
		if y != nil {
			m.After = y.By(k)
		}
		switch {
		case x == nil || y == nil:
			m.Why = "one run has no such score"
		case x.Kind != y.Kind:
			m.Why = "it is a " + x.Kind + " in one run and a " + y.Kind + " in the other"
		case m.Before == nil || m.After == nil:
			m.Why = "one run has no such key"
		default:
			m.test(before.Interim() || after.Interim(), seed)
		}
		out = append(out, m)
	}
	return out
}

// test estimates the difference and tests it, unless trials are missing.
func (m *Move) test(interim bool, seed uint64) {
	c := Comparison{Difference: NA, Low: NA, High: NA, P: NA}
	switch {
	case !m.Before.Value.Defined() && !m.After.Value.Defined():
		c.Why = "it is n/a in both runs"
	case interim:
		c.Why = "trials are missing"
	default:
		c.between(m.Kind, m.After, m.Before, seed)
	}
	m.Test, m.P, m.Why = c.Test, c.P, c.Why
	m.Difference, m.Low, m.High = c.Difference, c.Low, c.High
	if d := float64(m.After.Value - m.Before.Value); !m.Difference.Defined() && !math.IsNaN(d) {
		m.Difference = Number(d)
	}
	switch {
	case interim:
	case m.Test == TestSign:
		x, y := m.After.Parts.sample(), m.Before.Parts.sample()
		m.interval(x.estimate(), y.estimate(), correlation(x, y))
	case m.After.lean != nil && m.Before.lean != nil:
		m.interval(m.After.stated(), m.Before.stated(), leaning(m.After.lean, m.Before.lean))
	}
}

// interval is MOVER-D with the correlation of the errors over tasks.
func (m *Move) interval(after, before stat.Estimate, rho float64) {
	if d := stat.Difference(after, before, rho); d.Bounded() {
		m.Low, m.High = Number(d.Low), Number(d.High)
	}
}

// sample lays parts out as they were gathered.
func (p *Parts) sample() *sample {
	return &sample{kind: p.kind, tasks: p.Tasks, counts: p.Counts, xs: p.Values}
}

func (e *Estimate) stated() stat.Estimate {
	return stat.Estimate{Value: float64(e.Value), Low: float64(e.Low), High: float64(e.High)}
}

// leaning is the correlation of two values' errors, task by task.
func leaning(a, b map[string]float64) float64 {
	var e1, e2 []float64
	for _, task := range union(keysOf(a), keysOf(b)) {
		e1, e2 = append(e1, a[task]), append(e2, b[task])
	}
	return stat.Correlation(e1, e2)
}

// lean works out each task's part in a value's error, by the value's slope in the
// scores it is made of; nil where it has none.
func (g *gathered) lean(l leaf, under []leaf, key string) map[string]float64 {
	var tasks []string
	for _, u := range under {
		tasks = union(tasks, g.sample(u, key).tasks)
	}
	ones, values, total := make([]float64, len(tasks)), make([]float64, len(under)), make([]float64, len(tasks))
	for i := range ones {
		ones[i] = 1
	}
	parts, at := make([]*aligned, len(under)), make(map[leaf]int, len(under))
	for i, u := range under {
		parts[i], at[u] = g.sample(u, key).on(tasks), i
		values[i] = parts[i].point(ones)
	}
	point := func() float64 {
		v, err := l.it.value.prog.Eval(context.Background(), valueEnv{g.s, l.arm, at, values, map[leaf]any{}}, nil)
		if f, ok := toNumber(v); err == nil && ok {
			return f
		}
		return math.NaN()
	}
	if d := spreadOf(parts, ones, values, total, point); math.IsNaN(d) || math.IsInf(d, 0) {
		return nil
	}
	out := make(map[string]float64, len(tasks))
	for i, t := range tasks {
		out[t] = total[i]
	}
	return out
}

// Family adjusts the p-values of everything that was compared together (Holm), what
// is n/a included.
func Family(list []*Move) {
	ps := make([]float64, len(list))
	for i := range list {
		ps[i] = float64(list[i].P)
	}
	for i, p := range stat.Holm(ps) {
		list[i].Holm = Number(p)
	}
}
