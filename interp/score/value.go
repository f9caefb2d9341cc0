package score

import (
	"context"
	"fmt"
	"hash/fnv"
	"math"
	"slices"
	"strings"

	"parley/interp/score/stat"
	"parley/runtime"
	"parley/runtime/eval"
)

// refs are the names in a value's or threshold's expression, as scores on arms.
func (s *Scorer) refs(src string, arm runtime.ArmName) ([]leaf, error) {
	found, err := names(src, arm)
	if err != nil {
		return nil, err
	}
	var out []leaf
	for _, n := range found {
		root, _, _ := strings.Cut(n.text, ".")
		if it := s.byName[root]; it != nil {
			out = append(out, leaf{it, n.arm})
		}
	}
	return out, nil
}

// under follows a value's references down to scores with outcomes of their own.
// Each is visited once: values may share what they are made of.
func (s *Scorer) under(l leaf) []leaf {
	var out []leaf
	seen := map[leaf]bool{}
	var visit func(l leaf)
	visit = func(l leaf) {
		if seen[l] {
			return
		}
		seen[l] = true
		if l.it.Kind != "value" {
			out = append(out, l)
			return
		}
		refs, err := s.refs(l.it.Expr.Src, l.arm)
		if err != nil {
			return
		}
		for _, r := range refs {
			visit(r)
		}
	}
	visit(l)
	return out
}

// leaves lists everything to gather: each score on its own arm and on every arm
// that a value, a threshold or the placebo column exchanges it for.
func (s *Scorer) leaves() []leaf {
	var out []leaf
	add := func(l leaf) {
		for _, u := range s.under(l) {
			if s.absent(u.it, u.arm) == "" && !slices.Contains(out, u) {
				out = append(out, u)
			}
		}
	}
	for _, it := range s.items {
		add(leaf{it, s.base})
		if s.hasPlacebo(it) {
			add(leaf{it, runtime.Placebo})
		}
	}
	for _, f := range s.fails {
		refs, err := s.refs(f.Expr.Src, s.base)
		if err != nil {
			continue
		}
		for _, r := range refs {
			add(r)
		}
	}
	return out
}

// hasPlacebo reports whether a placebo value stands beside the score: where
// placebo runs exist, for what reads the attacked run and not the placebo's.
func (s *Scorer) hasPlacebo(it *item) bool {
	if s.teams[runtime.Placebo] == nil || s.base != runtime.Attacked {
		return false
	}
	reads := false
	for _, l := range s.under(leaf{it, s.base}) {
		if l.arm == "" || l.arm == runtime.Placebo || l.arm == runtime.BaselinePlacebo {
			return false
		}
		for _, u := range l.it.uses[l.arm] {
			switch u {
			case runtime.Attacked, runtime.BaselineAttacked:
				reads = true
			case runtime.Placebo, runtime.BaselinePlacebo:
				return false
			}
		}
	}
	for _, l := range s.under(leaf{it, runtime.Placebo}) {
		reads = reads && s.absent(l.it, l.arm) == ""
	}
	return reads
}

// values estimates a `value`, one estimate for every key of the split scores it
// is made of.
func (g *gathered) values(l leaf) []Estimate {
	under := g.s.under(l)
	keys := []string{""}
	split := false
	for _, u := range under {
		if u.it.by == nil {
			continue
		}
		if !split {
			keys, split = nil, true
		}
		for _, k := range g.keys(u) {
			if !slices.Contains(keys, k) {
				keys = append(keys, k)
			}
		}
	}
	slices.Sort(keys)
	out := make([]Estimate, len(keys))
	for i, k := range keys {
		out[i] = g.value(l, under, k)
	}
	return out
}

func (g *gathered) value(l leaf, under []leaf, key string) Estimate {
	if n, ok := lone(l.it.Expr.Src, l.arm); ok && len(under) > 0 {
		if it := g.s.byName[n.text]; it.Kind == "value" {
			return g.value(leaf{it, n.arm}, under, key)
		}
		e := g.one(under[0], key)
		e.By = key
		return e
	}
	for _, u := range under {
		if why := g.s.absent(u.it, u.arm); why != "" {
			e := fill(stat.None(fmt.Sprintf("%s: %s", u.it.Name, why)))
			e.By = key
			return e
		}
	}
	e, ok := g.formula(l, key)
	if !ok {
		e = fill(g.bootstrap(l, under, key))
	}
	e.lean = g.lean(l, under, key)
	g.interim(l, nil, &e)
	e.By = key
	for i, u := range under {
		s := g.sample(u, key)
		if i == 0 || s.size() < e.Tasks {
			e.Tasks = s.size()
		}
		e.Errors = max(e.Errors, s.cell.errors)
		e.Absent = max(e.Absent, s.cell.absent)
		e.Unknown = max(e.Unknown, s.cell.unknown)
		e.NoAnswer = max(e.NoAnswer, s.cell.silent)
		e.Runs = max(e.Runs, s.cell.runs)
	}
	return e
}

// formula handles one difference and one ratio of two scores.
func (g *gathered) formula(l leaf, key string) (Estimate, bool) {
	op, xn, yn, ok := operands(l.it.Expr.Src, l.arm)
	if !ok {
		return Estimate{}, false
	}
	xi, yi := g.s.byName[xn.text], g.s.byName[yn.text]
	if xi == nil || yi == nil || xi.Kind == "value" || yi.Kind == "value" {
		return Estimate{}, false
	}
	x, y := g.sample(leaf{xi, xn.arm}, key), g.sample(leaf{yi, yn.arm}, key)
	a, b := x.estimate(), y.estimate()
	if op == "-" {
		return fill(stat.Difference(a, b, correlation(x, y))), true
	}
	if a.Bounded() && a.Low < 0 || b.Bounded() && b.Low < 0 {
		return Estimate{}, false // the formula is for what cannot be negative
	}
	e := fill(stat.Ratio(a, b))
	if counted(x.kind) && counted(y.kind) {
		e.Thin = stat.Thin(x.counts, y.counts)
		if b.Defined() && b.Value > 0 {
			e.Bound = Number(1 / b.Value)
		}
	} else {
		e.Thin = x.size() <= 2 || y.size() <= 2
	}
	return e, true
}

func correlation(x, y *sample) float64 {
	tasks := union(x.tasks, y.tasks)
	return stat.Correlation(x.on(tasks).influence(), y.on(tasks).influence())
}

// bootstrap is for every other expression.
func (g *gathered) bootstrap(l leaf, under []leaf, key string) stat.Estimate {
	var tasks []string
	for _, u := range under {
		tasks = union(tasks, g.sample(u, key).tasks)
	}
	parts := make([]*aligned, len(under))
	at := make(map[leaf]int, len(under))
	for i, u := range under {
		parts[i], at[u] = g.sample(u, key).on(tasks), i
	}
	values := make([]float64, len(under))
	point := func() float64 {
		v, err := l.it.value.prog.Eval(context.Background(), valueEnv{g.s, l.arm, at, values, map[leaf]any{}}, nil)
		if err != nil {
			return math.NaN()
		}
		f, ok := toNumber(v)
		if !ok {
			return math.NaN()
		}
		return f
	}
	total := make([]float64, len(tasks))
	return stat.Bootstrap(len(tasks), seedOf(l.it.Name, key), func(w []float64) (float64, float64) {
		for i, p := range parts {
			values[i] = p.point(w)
		}
		v := point()
		if math.IsNaN(v) || math.IsInf(v, 0) {
			return v, math.NaN()
		}
		return v, spreadOf(parts, w, values, total, point)
	})
}

// spreadOf is the standard error of a function of scores, by its slope in each
// of them and the tasks' influence on each.
// total is room to work in.
func spreadOf(parts []*aligned, w, values, total []float64, point func() float64) float64 {
	clear(total)
	for i, p := range parts {
		keep := values[i]
		h := 1e-4 * math.Max(math.Abs(keep), 0.01)
		values[i] = keep + h
		up := point()
		values[i] = keep - h
		down := point()
		values[i] = keep
		if slope := (up - down) / (2 * h); slope != 0 {
			p.addInfluence(total, w, keep, slope)
		}
	}
	var k, v float64
	for t, e := range total {
		k += w[t]
		v += w[t] * e * e
	}
	return math.Sqrt(k / (k - 1) * v)
}

// valueEnv gives scores by name as numbers, for a value's expression.
type valueEnv struct {
	s      *Scorer
	arm    runtime.ArmName
	at     map[leaf]int
	values []float64
	known  map[leaf]any // values of other values, worked out once
}

// Lookup gives a score's value, or the scores of another arm.
func (v valueEnv) Lookup(name string) (any, bool) {
	if siblingWord(name) {
		v.arm = sibling(v.arm, name)
		return v, true
	}
	it := v.s.byName[name]
	if it == nil {
		return nil, false
	}
	if it.Kind == "value" {
		if got, ok := v.known[leaf{it, v.arm}]; ok {
			return got, true
		}
		got, err := it.value.prog.Eval(context.Background(), v, nil)
		if err == nil {
			v.known[leaf{it, v.arm}] = got
		}
		return got, err == nil
	}
	i, ok := v.at[leaf{it, v.arm}]
	if !ok || math.IsNaN(v.values[i]) {
		return eval.Missing{Why: name + " is n/a"}, true
	}
	return v.values[i], true
}

// Field is Lookup behind `baseline` and `placebo`.
func (v valueEnv) Field(name string) (any, bool) { return v.Lookup(name) }

// seedOf fixes a bootstrap's draws by the score's name: the same table always
// gives the same interval.
func seedOf(name, key string) uint64 {
	h := fnv.New64a()
	fmt.Fprintf(h, "%d:%s%s", len(name), name, key)
	return h.Sum64()
}

func union(a, b []string) []string {
	out := append(append([]string(nil), a...), b...)
	slices.Sort(out)
	return slices.Compact(out)
}
