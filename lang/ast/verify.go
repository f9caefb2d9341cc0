package ast

// Verify is a set of predicates; Name is nil for a scenario's own.
type Verify struct {
	Span
	Name   *Ident
	Params []*Param
	Preds  []*Let
}

// ScoreSet is a set of estimates; Name is nil for a scenario's own.
type ScoreSet struct {
	Span
	Name   *Ident
	Params []*Param
	Scores []*ScoreItem
}

// ScoreItem is `rate NAME [per GROUP] [by KEY] = EXPR [given EXPR] [lower is better]`.
type ScoreItem struct {
	Span
	Kind   *Ident // rate mean median sum value
	Name   *Ident
	Per    *Expr
	By     *Expr
	Value  *Expr
	Given  *Expr
	Better *Ident // lower higher
}
