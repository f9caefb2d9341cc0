package ast

// Tasks is a tasks clause: a file with mapping, or a list of named tasks.
type Tasks struct {
	Span
	Name  *Ident   // a top-level declaration's name
	Path  *Expr    // a string literal
	Names []*Ident // tasks bill, rent
	// Paths are the same names as they are written, an import's name before: bank.rent.
	Paths []*Ref
	Map   []*Let // prompt = row.question
	Where *Expr
	// Session is what the tasks of one session have in common.
	Session *Expr
	Limit   *Expr // 10, or 10..20
	Sample  *Expr
	Seed    *Expr
}

// Task is an inline task.
type Task struct {
	Span
	Name   *Ident // nil inside a test
	Fields []*Let // prompt "…" answer "…": any word with an expression
	Record *Expr  // the record form { a: …, b: … } in tests and experiments
	Allow  []*Allow
	Verify *Verify
}
