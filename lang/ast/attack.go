package ast

// Attack declares a level, a goal, patches, and what obeying means to the simulator.
type Attack struct {
	Span
	Name    *Ident
	Params  []*Param
	Level   *Ident // L1 L2 L3
	Members []*AttackMember
}

// AttackMember is one item of an attack's body; one pointer is set.
type AttackMember struct {
	Span
	About  *Expr
	Goal   *Expr
	Patch  *Patch
	Obeyed *Obeyed
	Verify *Verify
	If     *If[AttackMember]
}

// Patch is `replace agent.system with text when condition`.
type Patch struct {
	Span
	Op    *Ident // append prepend replace rewrite insert remove drop delay add
	Slot  *Slot  // of add: tool or agent, without an argument
	Model *Ident // rewrite SLOT with MODEL "instruction"
	Value *Expr  // nil for calls, remove, drop, delay and add
	Call  *CallForm
	Delay *Expr  // delay SLOT by 2 turns
	Unit  *Ident // turns rounds
	Tool  *Tool  // add tool
	Agent *AddAgent
	When  *Expr
}

// AddAgent is `add agent NAME like AGENT { attributes }`.
type AddAgent struct {
	Span
	Name  *Ident
	Like  *Expr
	Attrs []*Attr
}

// Slot is the place a patch changes: agent.output.answer, hole(note), corpus,
// tool(search).description, resource("file:x"), edge(a -> b).message.
type Slot struct {
	Span
	Head *Ident
	Arg  *Expr
	Edge *Edge
	Path []*Ident
}

// Obeyed says what obeying the payload means to the simulator.
type Obeyed struct {
	Span
	Call  *CallForm
	Calls *Expr // a list of records: tool, args, perhaps agent
	Reply *Expr
}

// CallForm is `call name(arg: value)`.
type CallForm struct {
	Span
	Name *Ident
	Args []*Arg
}
