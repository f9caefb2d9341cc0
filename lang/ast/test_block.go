package ast

// Test is a test block: a small scenario whose agents follow scripts, and its
// expectations.
type Test struct {
	Span
	Title   string
	Members []*TestMember
}

// TestMember is one item of a test's body; one pointer is set.
type TestMember struct {
	Span
	Scenario *Ref
	Task     *Task
	Model    *ModelUse
	Attack   *AttackUse
	Defense  *DefenseUse
	Script   *Script
	Expect   *Expr
	If       *If[TestMember]
}

// Script is what an agent says in a test, entry by entry.
type Script struct {
	Span
	Who     *Expr      // nil: a judge
	Judge   *JudgeName // script judge refusal
	In      *Ident     // an arm other than attacked
	Entries []*ScriptEntry
	Repeat  bool
}

// ScriptEntry is one scripted model answer.
type ScriptEntry struct {
	Span
	Reply *Expr       // a string, or a record sent as JSON
	Calls []*CallForm // several: made in one answer
	When  *Expr       // a string: `when request contains "…"`
}
