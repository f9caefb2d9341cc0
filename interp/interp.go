// Package interp gives .parley files their meaning: it resolves imports and
// names, checks types and levels, expands parameters, groups and sweeps, and
// compiles the result into plans that the runtime runs and specs that score
// them. It knows nothing of terminals, HTTP or SQL.
package interp

import (
	"parley/interp/build"
	"parley/interp/judge"
	"parley/interp/score"
	"parley/runtime/model"
)

// Suite is what a run executes: one experiment, scenario or test, expanded.
type Suite struct {
	Name  string // experiment or scenario name
	File  string
	Cells []*Cell
	// Across are an experiment's own scores, over those of its rows.
	Across []*Across
	// Notes say where defaults came from, for `parley plan`.
	Notes []Note
}

// Cell is one configuration: a row of the result table. Its labels are the sweep
// values and the attack, in order.
type Cell = build.Cell

// Across is an experiment's scores over its scenarios' scores, for one combination of
// labels.
type Across = build.Across

// AcrossTables works out the experiment's own scores, a table for each combination,
// from the tables of all its rows.
func (s *Suite) AcrossTables(tables []*score.Table) ([]*score.Table, error) {
	out := make([]*score.Table, len(s.Across))
	for i, a := range s.Across {
		var err error
		if out[i], err = a.Table(tables); err != nil {
			return nil, err
		}
	}
	return out, nil
}

// Label is one coordinate of a cell.
type Label = build.Label

// Note is one resolved default or choice and its source.
type Note = build.Note

// Panel prepares the judges of the suite. revision names what answers for a model.
func (s *Suite) Panel(revision func(model.Spec) (string, error)) (*judge.Panel, error) {
	cells := make([]judge.Cell, len(s.Cells))
	for i, c := range s.Cells {
		cells[i] = judge.Cell{Plan: c.Plan, Spec: c.Spec}
	}
	return judge.New(cells, revision)
}
