// Package paired compares two stored runs task by task: which scores moved, which
// cases flipped, and what the runs do not have in common. It calls no model.
package paired

import (
	"context"
	"fmt"
	"slices"
	"time"

	"parley/interp"
	"parley/interp/diff"
	"parley/interp/judge"
	"parley/interp/score"
	"parley/runtime/model"
	"parley/runtime/store"
)

// Input is one run, with its scenario as it was when the run was made.
type Input struct {
	Name  string // how a command names the run
	Run   *store.Run
	Suite *interp.Suite
	// Revision names what answered for a model in this run: verdicts are found by it.
	Revision func(model.Spec) (string, error)
}

// Report is what differs between two runs.
type Report struct {
	Version int      `json:"format_version"`
	Before  Head     `json:"before"`
	After   Head     `json:"after"`
	Notes   []string `json:"notes,omitempty"`
	// Changes are what the runs' scenarios do differently.
	Changes []diff.Change `json:"changes"`
	Cells   []*Cell       `json:"configurations"`
	// OnlyBefore and OnlyAfter are configurations that one run alone has.
	OnlyBefore []string `json:"only_before,omitempty"`
	OnlyAfter  []string `json:"only_after,omitempty"`
}

// Head says what a run is.
type Head struct {
	Run       string       `json:"run"`
	Target    string       `json:"target"`
	Started   time.Time    `json:"started"`
	Engine    string       `json:"engine"`
	Status    store.Status `json:"status"`
	Simulated bool         `json:"simulated"`
}

// Cell is one configuration that both runs have.
type Cell struct {
	Title  string `json:"title"`
	Before int    `json:"before"` // number in its run, from 1
	After  int    `json:"after"`
	// Cases and Repeats are what both runs have, and are all that is compared.
	Cases   int `json:"cases"`
	Repeats int `json:"repeats"`
	// Trials were in both runs; Equal of them have one key, so that what differs
	// between them was drawn.
	Trials     int                   `json:"trials"`
	Equal      int                   `json:"equal"`
	OnlyBefore Rest                  `json:"only_before"`
	OnlyAfter  Rest                  `json:"only_after"`
	Moves      []score.Move          `json:"moves"`
	Flips      []Flip                `json:"flips"`
	Lost       []string              `json:"predicates_lost,omitempty"` // that the later run lacks
	New        []string              `json:"predicates_new,omitempty"`
	Models     []Models              `json:"models,omitempty"`
	Judges     [2][]score.JudgeCount `json:"judges"`
	Flags      [2][]string           `json:"flags"`
	Interim    [2]bool               `json:"interim"`
}

// Rest is what one run alone has of a configuration.
type Rest struct {
	Cases   int      `json:"cases,omitempty"`
	Names   []string `json:"names,omitempty"` // of the first of these cases
	Repeats int      `json:"repeats,omitempty"`
	Trials  int      `json:"trials,omitempty"` // of the cases and repeats in common
	Arms    []string `json:"arms,omitempty"`
}

// Flip is a predicate that is another in the later run of a case.
type Flip struct {
	Predicate string `json:"predicate"`
	Arm       string `json:"arm"`
	Task      string `json:"task"`
	Repeat    int    `json:"repeat"`
	Before    string `json:"before"` // yes no unknown
	After     string `json:"after"`
	Why       string `json:"why,omitempty"` // it is unknown
	// Equal says that both trials have one key: nothing but the draw differs.
	Equal bool `json:"equal"`
	// CaseBefore and CaseAfter name the case for `parley explain`.
	CaseBefore string `json:"case_before"`
	CaseAfter  string `json:"case_after"`

	order place
}

// Models is how many trials of an arm were answered by other models than before.
type Models struct {
	Arm    string `json:"arm"`
	Before string `json:"before"`
	After  string `json:"after"`
	Trials int    `json:"trials"`
}

// Compare compares a run with an earlier one.
func Compare(ctx context.Context, before, after Input) (*Report, error) {
	r := &Report{Version: 1, Before: head(before), After: head(after), Changes: []diff.Change{}}
	pairs, gone, came, ordered := diff.Matched(before.Suite.Cells, after.Suite.Cells)
	if ordered {
		r.Notes = append(r.Notes, "configurations whose labels differ were matched by their order")
	}
	for _, i := range gone {
		r.OnlyBefore = append(r.OnlyBefore, diff.Title(before.Suite, i))
	}
	for _, i := range came {
		r.OnlyAfter = append(r.OnlyAfter, diff.Title(after.Suite, i))
	}
	r.notes()
	var two []diff.CellPair
	for _, p := range pairs {
		two = append(two, diff.CellPair{Before: before.Suite.Cells[p[0]], After: after.Suite.Cells[p[1]]})
	}
	r.Changes = append(r.Changes, diff.Cells(after.Suite.Name, two)...)
	var all []*score.Move
	for _, p := range pairs {
		c, err := compareCell(ctx, before, after, p)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", diff.Title(after.Suite, p[1]), err)
		}
		r.Cells = append(r.Cells, c)
		for i := range c.Moves {
			all = append(all, &c.Moves[i])
		}
	}
	score.Family(all)
	return r, nil
}

func head(in Input) Head {
	m := in.Run.Meta()
	return Head{
		Run: in.Name, Target: m.Target, Started: m.Started, Engine: m.Engine, Status: in.Run.State().Status, Simulated: m.Simulated,
	}
}

func (r *Report) notes() {
	if r.Before.Target != r.After.Target {
		r.Notes = append(r.Notes, fmt.Sprintf("the runs are of two scenarios: %s and %s", r.Before.Target, r.After.Target))
	}
	if r.Before.Simulated != r.After.Simulated {
		r.Notes = append(r.Notes, "one run is simulated and the other is not: what moved between them says nothing about any model")
	}
	if r.Before.Engine != r.After.Engine {
		r.Notes = append(r.Notes, fmt.Sprintf("the runs were made by two versions of the engine, %s and %s, which run trials differently", r.Before.Engine, r.After.Engine))
	}
	for _, h := range []Head{r.Before, r.After} {
		if h.Status != store.Complete {
			r.Notes = append(r.Notes, h.Run+" is not complete")
		}
	}
}

// Simulated reports whether the simulator answered in some run.
func (r *Report) Simulated() bool { return r.Before.Simulated || r.After.Simulated }

// Worse lists the scores that moved the wrong way.
func (r *Report) Worse() []string {
	var out []string
	for _, c := range r.Cells {
		for i := range c.Moves {
			if m := &c.Moves[i]; m.Worse() {
				out = append(out, c.Title+": "+Named(m))
			}
		}
	}
	return out
}

// Nothing reports that nothing differs: no change, no move, no flip, no rest.
func (r *Report) Nothing() bool {
	if len(r.Changes)+len(r.OnlyBefore)+len(r.OnlyAfter) > 0 {
		return false
	}
	return !slices.ContainsFunc(r.Cells, func(c *Cell) bool {
		moved := slices.ContainsFunc(c.Moves, func(m score.Move) bool {
			return m.Before == nil || m.After == nil || m.Difference.Defined() && m.Difference != 0
		})
		return moved || len(c.Flips)+len(c.Models)+len(c.Lost)+len(c.New) > 0 || !c.OnlyBefore.empty() || !c.OnlyAfter.empty()
	})
}

func (r Rest) empty() bool { return r.Cases+r.Repeats+r.Trials+len(r.Arms) == 0 }

// Named is a score's name, with its key where it is split.
func Named(m *score.Move) string {
	if m.By != "" {
		return m.Score + " [" + m.By + "]"
	}
	return m.Score
}

// panel is a suite's judges over the cases of one configuration that are compared,
// with the verdicts that its run holds.
func panel(ctx context.Context, in Input, c judge.Cell) (*judge.Panel, error) {
	p, err := judge.New([]judge.Cell{c}, in.Revision)
	if err != nil {
		return nil, err
	}
	return p, p.Read(ctx, in.Run)
}
