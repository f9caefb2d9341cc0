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
}

// Sweep is `sweep mode in [ … ]`, or jointly `sweep (mode, f) in [["a", 1], …]`.
type Sweep struct {
	Span
	Names []*Ident
	In    *Expr
}
