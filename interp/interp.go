// Package interp gives .parley files their meaning: it resolves imports and
// names, checks types and levels, expands parameters, groups and sweeps, and
// compiles the result into plans that the runtime runs and specs that score
// them. It knows nothing of terminals, HTTP or SQL.
package interp

import "parley/interp/build"

// Suite is what a run executes: one experiment, scenario or test, expanded.
type Suite struct {
	Name  string // experiment or scenario name
	File  string
	Cells []*Cell
	// Notes say where defaults came from, for `parley plan`.
	Notes []Note
}

// Cell is one configuration: a row of the result table. Its labels are the sweep
// values and the attack, in order.
type Cell = build.Cell

// Label is one coordinate of a cell.
type Label = build.Label

// Note is one resolved default or choice and its source.
type Note = build.Note
