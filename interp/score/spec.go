// Package score turns recorded trials into estimates with honest intervals.
// It reads traces and never calls a model.
//
// New compiles a configuration's predicates and scores into a Scorer. A Tally
// takes the trials of one row and repeat at a time, in any order, and gives a
// Table. Names in expressions are read off the trace when they are asked for.
// What rests on a run that failed or is not there yet is unknown as a whole and
// never scored; a run without a readable answer is scored, as wrong.
package score

import "parley/runtime"

// Spec is everything that scoring needs of one configuration, beside its trials.
type Spec struct {
	Verify []Pred
	Scores []Item
	Fail   []Pred // thresholds: a run fails when one holds
	// TaskVerify holds predicates that a task brings (read as task.NAME), by row.
	TaskVerify map[int][]Pred
	// AttackVerify is read as attack.NAME.
	AttackVerify []Pred
	Attack       string // the attack's display name; empty: none
	Goal         string
	Level        string
	Groups       []runtime.Group
	Labels       map[string]bool // step label → is a list
	// Judges are asked of runs that something here reads their verdict of.
	Judges []Judge `json:",omitempty"`
	// Published are others' values for this configuration's scores.
	Published []Published `json:",omitempty"`
	// Compare names the scores that are tested between configurations.
	Compare []string `json:",omitempty"`
}

// Pred is a named predicate over one trial.
type Pred struct {
	Name string
	Expr runtime.Expr
	Text string // as written, for people
}

// Item is one score.
type Item struct {
	Kind   string // rate mean median sum value
	Name   string
	Expr   runtime.Expr
	Given  runtime.Expr
	Per    runtime.Expr // list of agents or turns: `self` is the element
	By     runtime.Expr // a key: one estimate a value
	Better string       // lower higher or empty
	Text   string       // as written
	At     string
}
