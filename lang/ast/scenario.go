package ast

// Scenario binds the parts.
type Scenario struct {
	Span
	Doc     string
	Name    *Ident
	Params  []*Param
	Members []*ScenarioMember
}

// ScenarioMember is one item of a scenario's body; one pointer is set.
type ScenarioMember struct {
	Span
	About     *Expr
	Team      *Ref
	Workspace *Ref
	Tasks     *Tasks
	Model     *ModelUse
	Baseline  *Baseline
	Attack    *AttackUse
	Defense   *DefenseUse
	Verify    *Verify // inline block
	VerifyRef *Ref    // verify measures.qa()
	Score     *ScoreSet
	ScoreRef  *Ref
	Budget    *Budget
	Fail      *Expr // fail when EXPR
	Judge     *Ref  // judge refusal(strict: true)
	If        *If[ScenarioMember]
}

// ModelUse is `model careful`, `model careful for orchestrator` or `model careful
// for judge refusal`.
type ModelUse struct {
	Span
	Name  *Ident
	For   *Expr
	Judge *JudgeName
}

// Baseline names the single-agent team, and whose corpus its agent gets.
type Baseline struct {
	Span
	Team   *Ref
	Corpus *Expr
}

// AttackUse is `attack a() on debater[1..3]` or `attack any a() on x, b()`.
type AttackUse struct {
	Span
	Any   bool
	Items []*AttackItem
}

// AttackItem is one attack with its targets.
type AttackItem struct {
	Span
	Ref *Ref
	On  *Expr
}

// Budget is `budget { calls 50000 tokens 20000000 usd 25 }`.
type Budget struct {
	Span
	Items []*ModelAttr
}
