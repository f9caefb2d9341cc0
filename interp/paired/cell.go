package paired

import (
	"cmp"
	"context"
	"fmt"
	goruntime "runtime"
	"slices"
	"strings"
	"sync"

	"parley/interp/diff"
	"parley/interp/score"
	"parley/runtime"
	"parley/runtime/store"
	"parley/runtime/trace"
)

// compareCell compares one configuration of both runs over what both have of it.
func compareCell(ctx context.Context, before, after Input, p [2]int) (*Cell, error) {
	m, err := match(ctx, before, after, p)
	if err != nil {
		return nil, err
	}
	c := &Cell{
		Title: diff.Title(after.Suite, p[1]), Before: p[0] + 1, After: p[1] + 1,
		Cases: len(m.rows[0]), Repeats: m.repeats, OnlyBefore: m.rest[0], OnlyAfter: m.rest[1], Flips: []Flip{},
	}
	var sides [2]*side
	var tables [2]*score.Table
	for i, in := range []Input{before, after} {
		s, err := newSide(ctx, in, p[i], m, i)
		if err != nil {
			return nil, err
		}
		if tables[i], err = s.read(ctx); err != nil {
			return nil, err
		}
		sides[i] = s
		c.Judges[i], c.Flags[i], c.Interim[i] = tables[i].Judges, tables[i].Flags, tables[i].Interim()
	}
	seed := before.Suite.Cells[p[0]].Plan.Seed ^ after.Suite.Cells[p[1]].Plan.Seed // the same, whichever run is the first
	c.Moves = score.Moves(tables[0], tables[1], seed)
	c.flip(sides)
	c.predicates(sides)
	if m.named > 0 {
		c.Flags[1] = append(c.Flags[1], fmt.Sprintf("%d tasks read otherwise than in the first run were matched by their names", m.named))
	}
	return c, nil
}

// side is one configuration of one run while it is read.
type side struct {
	in     Input
	cell   int
	rows   map[int]string
	names  map[int]string // of the tasks, for people
	limit  int            // repeats
	scorer *score.Scorer
	preds  []string
	whose  bool // models are to be looked up: some did not simulate

	mu    sync.Mutex
	cases map[where]*seen
}

// where is a trial as both runs know it: n tells equal tasks apart.
type where struct {
	task   string
	n      int
	repeat int
	arm    runtime.ArmName
}

// seen is what is kept of a trial.
type seen struct {
	key, task, place string
	row              int
	holds            map[string]score.Verdict
	models           string
}

func newSide(ctx context.Context, in Input, cell int, m *matching, i int) (*side, error) {
	c := m.restricted(in.Suite.Cells[cell], i)
	p, err := panel(ctx, in, c)
	if err != nil {
		return nil, err
	}
	s := &side{
		in: in, cell: cell, rows: m.rows[i], names: map[int]string{}, limit: m.repeats, scorer: p.Scorer(0),
		whose: !in.Run.Meta().Simulated, cases: map[where]*seen{},
	}
	for k := range c.Plan.Cases {
		s.names[c.Plan.Cases[k].Row] = taskName(&c.Plan.Cases[k])
	}
	for _, v := range c.Spec.Verify {
		s.preds = append(s.preds, v.Name)
	}
	return s, nil
}

// read scores what both runs have, and keeps what is said of each trial.
func (s *side) read(ctx context.Context) (*score.Table, error) {
	tally := s.scorer.Tally()
	order := s.ordinals()
	err := s.in.Run.EachUnit(ctx, s.cell, goruntime.GOMAXPROCS(0), func(u store.Unit) error {
		task, both := s.rows[u.Row]
		if !both || u.Repeat > s.limit {
			return nil
		}
		g := score.Group{Row: u.Row, Key: task, Repeat: u.Repeat, Trials: map[runtime.ArmName]*trace.Trial{}}
		for arm, t := range u.Arms {
			g.Trials[runtime.ArmName(arm)] = t
		}
		for arm := range g.Trials {
			if err := s.keep(ctx, g, arm, where{task, order[u.Row], u.Repeat, arm}); err != nil {
				return err
			}
		}
		return tally.Add(ctx, g)
	})
	if err != nil {
		return nil, err
	}
	return tally.Table()
}

// ordinals counts rows of one task.
func (s *side) ordinals() map[int]int {
	var rows []int
	for r := range s.rows {
		rows = append(rows, r)
	}
	slices.Sort(rows)
	of, out := map[string]int{}, map[int]int{}
	for _, r := range rows {
		out[r] = of[s.rows[r]]
		of[s.rows[r]]++
	}
	return out
}

func (s *side) keep(ctx context.Context, g score.Group, arm runtime.ArmName, at where) error {
	t := g.Trials[arm]
	x := &seen{key: t.Key, row: g.Row, task: s.names[g.Row], place: fmt.Sprintf("%d/%s/%d#%d", s.cell+1, arm, g.Row, g.Repeat), holds: map[string]score.Verdict{}}
	verdicts, err := s.scorer.Verdicts(ctx, g, arm)
	if err != nil {
		return err
	}
	for _, v := range verdicts {
		x.holds[v.Name] = v
	}
	if s.whose {
		whole, err := s.in.Run.Trial(ctx, t.Key)
		if err != nil {
			return err
		}
		x.models = modelsOf(whole)
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.cases[at] = x
	return nil
}

// modelsOf names what answered in a trial, as the endpoints said.
func modelsOf(t *trace.Trial) string {
	var names []string
	for i := range t.Events {
		m := t.Events[i].Model
		if m == nil {
			continue
		}
		if name := cmp.Or(m.Answered, m.Model); !slices.Contains(names, name) {
			names = append(names, name)
		}
	}
	slices.Sort(names)
	return strings.Join(names, ", ")
}

// flip lists the predicates that came out differently, and counts what both have.
func (c *Cell) flip(sides [2]*side) {
	models := map[Models]int{}
	for at, x := range sides[0].cases {
		y := sides[1].cases[at]
		if y == nil {
			c.OnlyBefore.miss(at.arm)
			continue
		}
		c.Trials++
		equal := x.key == y.key
		if equal {
			c.Equal++
		}
		if x.models != y.models && x.models != "" && y.models != "" {
			models[Models{Arm: string(at.arm), Before: x.models, After: y.models}]++
		}
		for name, v := range x.holds {
			w, both := y.holds[name]
			if !both || v.Holds == w.Holds {
				continue
			}
			c.Flips = append(c.Flips, Flip{
				Predicate: name, Arm: string(at.arm), Task: y.task, Repeat: at.repeat, Before: v.Holds, After: w.Holds,
				Why: v.Why + w.Why, Equal: equal, CaseBefore: x.place, CaseAfter: y.place, order: place{slices.Index(sides[1].preds, name), string(at.arm), y.row, at.repeat},
			})
		}
	}
	for at := range sides[1].cases {
		if sides[0].cases[at] == nil {
			c.OnlyAfter.miss(at.arm)
		}
	}
	slices.SortFunc(c.Flips, func(a, b Flip) int { return a.order.compare(b.order) })
	for m, n := range models {
		m.Trials = n
		c.Models = append(c.Models, m)
	}
	slices.SortFunc(c.Models, func(a, b Models) int {
		return strings.Compare(a.Arm+"\x00"+a.Before+"\x00"+a.After, b.Arm+"\x00"+b.Before+"\x00"+b.After)
	})
}

// miss counts a trial that the other run lacks, unless it has no such arm at all.
func (r *Rest) miss(arm runtime.ArmName) {
	if !slices.Contains(r.Arms, string(arm)) {
		r.Trials++
	}
}

// place orders flips: by predicate as the later run has them, arm, row, repeat.
type place struct {
	predicate int
	arm       string
	row       int
	repeat    int
}

func (p place) compare(q place) int {
	return cmp.Or(cmp.Compare(p.predicate, q.predicate), cmp.Compare(p.arm, q.arm), cmp.Compare(p.row, q.row), cmp.Compare(p.repeat, q.repeat))
}

// predicates notes those that one run alone has.
func (c *Cell) predicates(sides [2]*side) {
	for _, name := range sides[0].preds {
		if !slices.Contains(sides[1].preds, name) {
			c.Lost = append(c.Lost, name)
		}
	}
	for _, name := range sides[1].preds {
		if !slices.Contains(sides[0].preds, name) {
			c.New = append(c.New, name)
		}
	}
}
