package ast

// Defense declares what a team is guarded by: texts put before its agents, and
// hooks that look at what passes and may stop or change it.
type Defense struct {
	Span
	Doc     string
	Name    *Ident
	Params  []*Param
	Members []*DefenseMember
}

// DefenseMember is one item of a defense's body; one pointer is set.
type DefenseMember struct {
	Span
	About *Expr
	Agent *Agent
	Patch *Patch // append, prepend or replace at agent.system or agent.prompt
	Hook  *Hook
	If    *If[DefenseMember]
}

// Hook is `before call when condition { statements }`.
type Hook struct {
	Span
	When  *Ident // before after
	Point *Ident // task prompt tools call message answer; result reply round
	Cond  *Expr
	Body  []*Stmt
}

// DefenseUse is `defense a(args) on debater, b()` or `defense none`.
type DefenseUse struct {
	Span
	None  *Ident // the word none; then there are no items
	Items []*DefenseItem
}

// DefenseItem is one defense with the agents that it guards; without On all.
type DefenseItem struct {
	Span
	Ref *Ref
	On  *Expr
}

// Block is `block "why"`: what the hook looks at does not come to pass.
type Block struct {
	Span
	Why *Expr
}

// Swap is `replace call with …`: another thing stands in its place.
type Swap struct {
	Span
	Target *Expr // the name of what the hook looks at, or task.prompt
	Value  *Expr
}

// DropIt is `drop`: what the hook looks at disappears without a word.
type DropIt struct{ Span }

// Quarantine is `quarantine message.from`: nobody hears these agents any more.
type Quarantine struct {
	Span
	Who *Expr
}

// Approve is `approve by "treasurer"`: a person decides whether it comes to pass.
type Approve struct {
	Span
	By *Expr
}
