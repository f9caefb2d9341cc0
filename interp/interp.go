// Package interp gives .parley files their meaning: it resolves imports and
// names, checks types and levels, expands parameters, groups and sweeps, and
// compiles the result into plans that the runtime runs and specs that score
// them. It knows nothing of terminals, HTTP or SQL.
package interp

import (
	"parley/interp/score"
	"parley/runtime"
)

// Suite is what a run executes: one experiment, scenario or test, expanded.
type Suite struct {
	Name  string // experiment or scenario name
	File  string
	Cells []*Cell
	// Notes say where defaults came from, for `parley plan`.
	Notes []Note
}

// Cell is one configuration: a row of the result table.
type Cell struct {
	Labels []Label // sweep values and the attack, in order
	Plan   *runtime.Plan
	Spec   *score.Spec
	Data   []string // files that the tasks come from
}

// Label is one coordinate of a cell.
type Label struct{ Name, Value string }

// Note is one resolved default or choice and its source.
type Note struct{ What, Value, From string }
