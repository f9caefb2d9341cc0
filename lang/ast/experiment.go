package ast

// Experiment runs scenarios over sweeps.
type Experiment struct {
	Span
	Doc     string
	Name    *Ident
	Members []*ExperimentMember
}

// ExperimentMember is one item of an experiment's body; one pointer is set.
type ExperimentMember struct {
	Span
	About    *Expr
	Scenario []*Ref
	Sweep    *Sweep
	Tasks    *Tasks
	Model    *ModelUse
	Defense  *DefenseUse
	Runs     *Expr
	Pairs    *Ident // independent shared
	Seed     *Expr
	Budget   *Budget
	Fail     *Expr
	// Reference names a CSV file of published values.
	Reference *Expr
	// Compare lists the scores that are tested between configurations.
	Compare []*Ident
	Score   *Across
}

// Sweep is `sweep mode in [ … ]`, or jointly `sweep (mode, f) in [["a", 1], …]`,
// or over a clause: `sweep team in [a(), b(n: 3)]`, `sweep model for lead in [x, y]`.
type Sweep struct {
	Span
	Names []*Ident
	For   *Expr // sweep model for AGENTS
	In    *Expr // nil where the values are clauses
	Uses  []*SweptUse
}

// SweptUse is one value of a swept clause: what it names, and of an attack whom it
// is on. Without a reference it is `none`.
type SweptUse struct {
	Span
	Ref *Ref
	On  *Expr
}

// Across is `score { … }` of an experiment, or `score across domain { … }`: scores
// over its scenarios' scores, one value for each combination of the other labels.
type Across struct {
	Span
	Over   []*Ident // labels whose rows are pooled
	Scores []*ScoreItem
}
