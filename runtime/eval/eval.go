// Package eval evaluates expressions: expr's grammar, parser, built-ins and
// operators, with three-valued logic, a step budget and an explanation of every
// part. Expressions are typed by the interpreter before they come here.
package eval

import "context"

// Record is a value with named fields. Field answers false for a field that
// this record lacks, which makes the read unknown, never false.
type Record interface {
	Field(name string) (any, bool)
}

// Keyed values are equal when their keys are: agents, turns, calls.
type Keyed interface{ Key() string }

// Missing is the unknown value: data that is not there, a judge that failed.
type Missing struct{ Why string }

// Group is a group of agents. Its members count from 1 in expressions.
type Group struct {
	Name    string
	Members []any
}

// Env gives the values of names. A name it does not know is Missing.
type Env interface {
	Lookup(name string) (any, bool)
}

// Map is an Env over a plain map.
type Map map[string]any

// Lookup returns the named value.
func (m Map) Lookup(name string) (any, bool) { v, ok := m[name]; return v, ok }

// Truth is a value of Kleene's logic.
type Truth int8

// The three truth values.
const (
	False Truth = iota
	True
	Unknown
)

// Budget bounds one evaluation: every loop iteration and node visit costs a
// step, so a verdict never depends on the machine's speed.
type Budget struct {
	Steps int // zero means DefaultSteps
}

// DefaultSteps bounds an evaluation that has no budget of its own.
const DefaultSteps = 5_000_000

// Func is a function that expressions can call. Unknown arguments arrive as
// Missing only where Lazy is set; otherwise the call is unknown without them.
type Func struct {
	Name string
	Call func(ctx context.Context, args []any) (any, error)
	Lazy bool
	// Bound is called instead of Call where it is set: it sees the environment of
	// the evaluation, so one compiled program serves many trials.
	Bound func(ctx context.Context, env Env, args []any) (any, error)
}
