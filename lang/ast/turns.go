package ast

// Turns is the program that says who speaks when.
type Turns struct {
	Span
	Limit *Expr
	Body  []*Stmt
}

// Stmt is one statement of a turn program, a tool body or a hook; one pointer is set.
type Stmt struct {
	Span
	Step    *Step
	Repeat  *Repeat
	For     *For
	If      *IfStmt
	Let     *Let
	Set     *Set
	Say     *Say
	Stop    *Stop
	Return  *Return
	Require *Require
	Break   *Break
	Reset   *Reset
	// In hooks of defenses.
	Block      *Block
	Swap       *Swap
	Drop       *DropIt
	Quarantine *Quarantine
	Approve    *Approve
}

// Step is `label: who { attributes }`.
type Step struct {
	Span
	Label *Ident
	Each  bool
	Who   *Expr // agent, group, group[1..2], or (expression)
	Attrs []*Attr
}

// Repeat is `repeat n`, `repeat until e`, `repeat n until e`.
type Repeat struct {
	Span
	Count, Until *Expr
	Body         []*Stmt
}

// For is `for x in list { … }`.
type For struct {
	Span
	Var  *Ident
	List *Expr
	Body []*Stmt
}

// IfStmt is a choice at run time; Else may hold one IfStmt for `else if`.
type IfStmt struct {
	Span
	Cond       *Expr
	Then, Else []*Stmt
}

// Let binds a name for the rest of the block.
type Let struct {
	Span
	Name  *Ident
	Value *Expr
}

// Set is `set path = value` or, with Append, `append path = value`.
type Set struct {
	Span
	Append bool
	Target *Expr // a let name, state.field, state.field.sub, files[expr]
	Value  *Expr
}

// Say is a message without a model call.
type Say struct {
	Span
	Who  *Expr
	Text *Expr
}

// Stop ends the run with a reason; with Fail there is no answer.
type Stop struct {
	Span
	Fail   bool
	Reason *Expr
}

// Reset makes agents forget.
type Reset struct {
	Span
	Who []*Expr // agent, group, group[1..2], or (expression)
}

// Break leaves the innermost repeat or for.
type Break struct{ Span }

// Return ends a tool body with its result.
type Return struct {
	Span
	Value *Expr
}

// Require ends a tool body with an error result unless Cond holds.
type Require struct {
	Span
	Cond, Else *Expr
}

// Tool is a tool with a body in Parley.
type Tool struct {
	Span
	Doc    string
	Name   *Ident
	Params []*Param
	About  *Expr   // the description a model sees; default: Doc
	Reads  []*Expr // resource URIs: a string or a list of strings each
	Writes []*Expr
	Body   []*Stmt
}
