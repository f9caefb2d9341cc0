package runtime

// Defense is what guards a program's agents: texts put before them, hooks that
// look at what passes, and agents of its own that the hooks may ask. It is part
// of every arm. Defenses act in the order of the program, and after the attack:
// a defense sees what the attack has made.
type Defense struct {
	Name   string  `key:"-"` // as the record and people call it
	Agents []Agent // its own: nobody hears them, and no attack reaches them
	Groups []Group
	Texts  []GuardText
	Hooks  []Hook
}

// GuardText is a text that a defense puts at the system prompt or the prompt of
// the agents it guards.
type GuardText struct {
	Op     string // append prepend replace
	Slot   SlotKind
	Agents []string
	Value  Expr
	When   Expr
}

// HookPoint says what a hook looks at.
type HookPoint string

// The hook points, in the order in which a run passes them.
const (
	BeforeTask    HookPoint = "before task"
	BeforeTools   HookPoint = "before tools"
	BeforePrompt  HookPoint = "before prompt"
	BeforeCall    HookPoint = "before call"
	AfterResult   HookPoint = "after result"
	AfterReply    HookPoint = "after reply"
	BeforeMessage HookPoint = "before message"
	AfterRound    HookPoint = "after round"
	BeforeAnswer  HookPoint = "before answer"
)

// Hook runs its body where something passes its point.
type Hook struct {
	Point  HookPoint
	Agents []string // whose turns, calls, replies and messages; nil where the point is nobody's
	When   Expr
	Body   []Stmt
	At     string `key:"-"`
}

// The statements that only hooks have.
const (
	BlockStmt      StmtKind = "block"      // Expr: why
	SwapStmt       StmtKind = "replace"    // Name: what, Expr: by what
	DropStmt       StmtKind = "drop"       //
	QuarantineStmt StmtKind = "quarantine" // Who
	ApproveStmt    StmtKind = "approve"    // Name: who decides, Model: by what
)

// ApprovalProvider is the provider of people's decisions. The name of its model
// is the policy by which they are made: ask, always or never.
const ApprovalProvider = "approval"

// Roles of calls that are not the team's.
const (
	GuardRole    = "guard"    // an agent of a defense
	ApproverRole = "approver" // a person
)
