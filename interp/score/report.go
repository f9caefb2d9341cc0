package score

import (
	"fmt"
	"slices"
	"strings"

	"parley/runtime"
)

// table makes the table of everything gathered.
func (s *Scorer) table(p *part) (*Table, error) {
	if s.plan.Unmeasured != "" {
		return s.unmeasured(), nil
	}
	g := &gathered{s: s, data: make(map[leaf]outcomes, len(p.leaves)), unseen: p.unseen, memo: map[leaf]map[string]*sample{}}
	for i, l := range p.leaves {
		g.data[l] = p.data[i]
	}
	for _, c := range p.arms {
		if c.Absent > 0 && g.looks == nil {
			g.looks = p.look()
		}
	}
	t := &Table{Version: TableVersion, Simulated: p.sim}
	for _, arm := range armOrder {
		if c := p.arms[arm]; c != nil {
			t.Arms = append(t.Arms, *c)
		}
	}
	t.Judges = p.judges.list()
	if len(t.Arms) > 1 {
		t.Pairs = "independent"
		if s.plan.Shared {
			t.Pairs = "shared"
		}
	}
	for _, it := range s.items {
		t.Scores = append(t.Scores, g.score(it, p.arms))
	}
	t.besides(s.spec.Published)
	if flag := unequal(s, p.arms, nil); flag != "" {
		t.Flags = append(t.Flags, flag)
	}
	for _, f := range s.fails {
		v, err := g.threshold(f)
		if err != nil {
			return nil, err
		}
		t.Fails = append(t.Fails, v)
	}
	return t, nil
}

// unmeasured is the table of a plan whose trials are not run: every score is n/a.
func (s *Scorer) unmeasured() *Table {
	why := s.plan.Unmeasured
	t := &Table{Version: TableVersion, Flags: []string{"n/a: " + why}}
	for _, it := range s.items {
		none := Estimate{Value: NA, Low: NA, High: NA, BoundLow: NA, BoundHigh: NA, Bound: NA}
		t.Scores = append(t.Scores, Score{Name: it.Name, Kind: it.Kind, Better: it.Better, Text: it.Text, At: it.At, Estimates: []Estimate{none}})
	}
	for _, f := range s.fails {
		t.Fails = append(t.Fails, Verdict{Name: f.Name, Text: f.Text, At: f.Expr.At, Holds: "unknown", Why: why})
	}
	return t
}

// score estimates one score, for every key, with its placebo value.
func (g *gathered) score(it *item, arms map[runtime.ArmName]*ArmCount) Score {
	s := Score{Name: it.Name, Kind: it.Kind, Better: it.Better, Text: it.Text, At: it.At, Split: it.by != nil}
	l := leaf{it, g.s.base}
	s.Estimates = g.estimates(l)
	s.Split = s.Split || len(s.Estimates) != 1 || s.Estimates[0].By != ""
	var placebo []Estimate
	if g.s.hasPlacebo(it) {
		placebo = g.estimates(leaf{it, runtime.Placebo})
	}
	flag := ""
	for _, u := range g.s.under(l) {
		if flag == "" {
			flag = unequal(g.s, arms, u.it.uses[u.arm])
		}
	}
	for i := range s.Estimates {
		e := &s.Estimates[i]
		if flag != "" {
			e.Flags = append(e.Flags, flag)
		}
		for j := range placebo {
			if placebo[j].By == e.By {
				e.Placebo = &placebo[j]
			}
		}
	}
	return s
}

func (g *gathered) estimates(l leaf) []Estimate {
	if l.it.Kind == "value" {
		return g.values(l)
	}
	if g.s.absent(l.it, l.arm) != "" {
		return []Estimate{g.one(l, "")}
	}
	var out []Estimate
	for _, k := range g.keys(l) {
		out = append(out, g.one(l, k))
	}
	return out
}

// unequal says that arms lost different shares of their runs to errors, which
// can bias whatever compares them; nil asks about all arms.
func unequal(s *Scorer, arms map[runtime.ArmName]*ArmCount, used []runtime.ArmName) string {
	var parts []string
	same := true
	first := -1.0
	for _, arm := range armOrder {
		c := arms[arm]
		if c == nil || used != nil && !slices.Contains(used, arm) {
			continue
		}
		if first < 0 {
			first = c.share()
		}
		same = same && c.share() == first
		parts = append(parts, fmt.Sprintf("%s %d of %d", arm, c.Errors, c.Runs))
	}
	if same {
		return ""
	}
	return "errors are unequal: " + strings.Join(parts, ", ")
}
