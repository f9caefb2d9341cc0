// Package runtime runs plans: agents speak in turn, hear each other along
// edges, act on a workspace, and everything is recorded. It knows nothing of
// .parley text; it runs a Plan, which is plain data.
package runtime

import (
	"slices"

	"parley/runtime/model"
	"parley/runtime/shape"
)

// EngineVersion enters every trial key: a change that alters what a trial does
// must raise it.
const EngineVersion = "3"

// Plan is one configuration of a scenario, compiled. Nothing changes it, and every
// machine compiles the same one, so its parts can be hashed into the keys under
// which runs are found again. Fields tagged key:"-" enter no key.
type Plan struct {
	Scenario string `key:"-"` // for people
	Cases    []Case
	Arms     []Arm
	Repeats  int
	Seed     uint64
	Shared   bool // pairs shared: equal calls of an arm pair are one draw
	// CaseFields are the task fields that non-attacked arms read; they make the case key.
	CaseFields []string
	// Unmeasured says why no trial of the plan is run: there would be no number to
	// read off it. Empty: its trials are run.
	Unmeasured string `key:"-"`
	Budget     Budget
}

// Case is one row of the task file after mapping.
type Case struct {
	Row    int            // index in the file or list, from 0
	Name   string         `key:"-"` // for people
	Fields map[string]any // string, bool, int, float64, nil, []any, map[string]any
	Allow  []Allow        // authority rows the task brings
	// Session says that this is a session: its tasks are the records of the field
	// `session`, in order, and the other fields are the last one's.
	Session bool
}

// ArmName is one of the arms.
type ArmName string

// The arms. Which ones a plan has follows from what its scores refer to.
const (
	Clean            ArmName = "clean"
	Attacked         ArmName = "attacked"
	BaselineClean    ArmName = "baseline-clean"
	BaselineAttacked ArmName = "baseline-attacked"
	Placebo          ArmName = "placebo"
	BaselinePlacebo  ArmName = "baseline-placebo"
	Undefended       ArmName = "undefended" // the clean run without its defenses
)

// ArmNames are all arms in the order of tables.
func ArmNames() [7]ArmName {
	return [...]ArmName{Clean, Attacked, Placebo, BaselineClean, BaselineAttacked, BaselinePlacebo, Undefended}
}

// Arm is the expanded program of one arm.
type Arm struct {
	Name    ArmName
	Stream  string // main, or arm/NAME where pairs are independent
	Program *Program
	// Variants are the programs of those tasks for which the arm does something else:
	// whom an attack is on can differ from task to task.
	Variants []Variant `json:",omitempty"`
	Fields   []string  // task fields this arm reads; they enter the trial key
	Scripts  []Script  // tests only: what agents say instead of their model
}

// Variant is an arm's program for some tasks, by their rows.
type Variant struct {
	Rows    []int
	Program *Program
}

// Of is the arm's program for the task of a row.
func (a *Arm) Of(row int) *Program {
	for i := range a.Variants {
		if slices.Contains(a.Variants[i].Rows, row) {
			return a.Variants[i].Program
		}
	}
	return a.Program
}

// Expr is a compiled expression's canonical source: parameters substituted,
// strings cooked, as eval.Compile takes it. The zero Expr is absent.
type Expr struct {
	Src string
	At  string `key:"-"` // file:line:column of its first character
}

// Absent reports whether there is no expression.
func (e Expr) Absent() bool { return e.Src == "" }

// Program is what one arm does: who is there, who hears whom, who speaks when,
// in which world, under which patches.
type Program struct {
	Agents    []Agent
	Groups    []Group
	Edges     []Edge
	Tools     []Tool // the workspace's, then the team's own
	Turns     []Stmt
	TurnLimit int  // 0: none
	Answer    Expr // typed by the label it reads
	World     World
	Patches   []Patch
	Defenses  []Defense
	Models    map[string]model.Spec // by name; Agent.Model points here
}

// Agent is one agent, group members expanded.
type Agent struct {
	Name   string // orchestrator, debater[2]
	Group  string // empty for a single agent
	Index  int    // from 1
	About  string
	Role   string // "orchestrator" or empty
	Honest bool   `key:"-"` // no patch of the attack names it
	// Like names the agent whose twin this one is: it joins its model's turns,
	// right after it. Empty for agents of the team's own.
	Like  string
	Attrs Attrs
}

// Group names its members in order.
type Group struct {
	Name    string
	Members []string
}

// Edge says that To hears From.
type Edge struct{ From, To string }

// Attrs are the attributes of an agent, or what a step overrides for a turn.
// Absent members keep the agent's.
type Attrs struct {
	Model       string
	Temperature *float64
	MaxTokens   int
	System      Expr
	Prompt      Expr
	Tools       *ToolUse
	Replies     *shape.Shape
	Remembers   *Remember
	Shares      string // reply text tool_results nothing
	Aside       bool
	Where       Expr // asked again, at most Try times more, until it holds
	Try         int
	WhereElse   Expr // what the agent is then told
	// Repairs is how often an unreadable reply is asked for again; nil: once.
	Repairs     *int
	RepliesElse Expr // what the agent is then told
	Handoff     Expr // whom the agent may hand over to
}

// Remember is how much of its own past an agent keeps.
type Remember struct {
	All  bool
	Last int // the newest k exchanges; 0 with All false: nothing
}

// ToolUse says which tools are offered, how many rounds, and what follows.
type ToolUse struct {
	Names []string
	Own   bool   // in a step: those that the agent has, and Names
	Limit int    // tool rounds; 0 means DefaultToolRounds
	Then  string // answer (one more call without tools), share (results are the text), stop
	Order Expr   // then answer: what the agent is told before that call
}

// DefaultToolRounds bounds a turn's tool rounds where the author sets no limit.
const DefaultToolRounds = 10

// Tool is a tool with a typed argument list and a body.
type Tool struct {
	Name   string
	About  string
	Params []shape.Field
	Reads  []Expr // string or list of strings: resource URIs
	Writes []Expr
	Class  string // read or write: write if it has writes or changes state
	Body   []Stmt
	// Payload is the patch that added the tool, and For whom it is offered to in
	// each of their turns. Empty for tools of the world and the team.
	Payload string `key:"-"`
	For     []string
}

// Stmt is one statement; Kind says which fields count.
type Stmt struct {
	Kind  StmtKind
	Path  string `key:"-"` // structural path for positions and messages
	At    string `key:"-"` // file:line:column
	Name  string // step label, let and for variable
	Each  bool   // step: lockstep
	Many  bool   // step: who is a group or each, so its label is a list
	Who   Expr   // step, say, reset
	Attrs Attrs  // step
	Expr  Expr   // count (repeat), list, condition, value, reason, text
	Until Expr   // repeat
	Else  Expr   // require
	// Target is a set's or append's path: a let name, or state/files followed by keys.
	Target      []Expr // Target[0].Src is the root's bare name
	Body, Elses []Stmt
}

// StmtKind names a statement.
type StmtKind string

// The statements of a turn program and of a tool body; return and require are a
// body's alone.
const (
	StepStmt    StmtKind = "step"
	RepeatStmt  StmtKind = "repeat"
	ForStmt     StmtKind = "for"
	IfStmt      StmtKind = "if"
	LetStmt     StmtKind = "let"
	SetStmt     StmtKind = "set"
	AppendStmt  StmtKind = "append"
	SayStmt     StmtKind = "say"
	ResetStmt   StmtKind = "reset"
	StopStmt    StmtKind = "stop"
	FailStmt    StmtKind = "fail"
	BreakStmt   StmtKind = "break"
	ReturnStmt  StmtKind = "return"
	RequireStmt StmtKind = "require"
)

// World is a workspace: initial state, files, holes, corpora and authority.
type World struct {
	State  []StateField
	Files  []File
	Mails  []Mail
	Pages  []File // their paths are addresses
	Holes  []Hole
	Corpus []Corpus
	Allow  []Allow
}

// StateField is one typed state field with its initial value.
type StateField struct {
	Name  string
	Shape shape.Shape
	Init  Expr
}

// File is a file of the workspace. Both parts may read task fields and holes.
type File struct{ Path, Text Expr }

// Mail is one mail of the workspace. Its parts may read task fields and holes.
type Mail struct{ ID, From, Subject, Body Expr }

// Hole is a named place where outsiders' text can stand.
type Hole struct {
	Name    string
	Default Expr
}

// Corpus gives each owner its own store of documents.
type Corpus struct {
	Owners   []string   // agent names
	Docs     []Document // from a file
	From     Expr       // or a list that a task field holds
	Top      int        // how many documents a retrieval returns
	Truncate int        // characters of each; 0: whole
}

// Document is one text of a corpus.
type Document struct {
	ID, Title, Text string
}

// Allow is one authority rule: recorded, not enforced.
type Allow struct {
	Write bool
	URIs  []Expr
	By    []string // agent names; empty: anybody
	When  Expr     // sees args, task, agent
}

// Patch is one change that an attack makes.
type Patch struct {
	ID     string `key:"-"` // payload id, e.g. collude/1
	Attack string `key:"-"`
	Level  string // L1 L2 L3
	Goal   string `key:"-"`
	Op     string // append prepend replace rewrite insert remove drop delay add
	Slot   SlotKind
	Agents []string // whose slot; for SlotCorpus whose store
	Name   string   // hole, tool or added agent; output field
	Value  Expr     // for rewrite what the model is told to do
	When   Expr
	URI    Expr        // SlotResource
	Edges  []Edge      // SlotEdge
	Call   *ScriptCall // SlotCalls: the call that is made
	Delay  int         // delay: for how long …
	Unit   string      // … in turns or rounds
	Model  string      // rewrite: who rewrites, by the name under Program.Models
	// Placebo: Value is rendered, then replaced by neutral filler of its length.
	Placebo bool
	Obeyed  *Obeyed // for the simulator, whose answers depend on it
}

// SlotKind names a slot. Each is offered once, at one place in the code.
type SlotKind string

// The slots that this version gives meaning to. A new slot is one line here,
// one in the compiler's slot table, and one offer in the engine.
const (
	SlotSystem SlotKind = "system"
	SlotPrompt SlotKind = "prompt"
	SlotOutput SlotKind = "output"
	SlotTask   SlotKind = "task.prompt"
	SlotHole   SlotKind = "hole"
	SlotCorpus SlotKind = "corpus"

	SlotCalls       SlotKind = "calls"
	SlotMemory      SlotKind = "memory"
	SlotSpeaker     SlotKind = "speaker"
	SlotAgent       SlotKind = "agent" // an added agent
	SlotResource    SlotKind = "resource"
	SlotDescription SlotKind = "tool.description"
	SlotResult      SlotKind = "tool.result"
	SlotTool        SlotKind = "tool" // an added tool
	SlotEdge        SlotKind = "edge.message"
)

// Obeyed is what obeying a payload means to the simulator: a call, a list of calls
// that are records of tool, args and perhaps agent, or a reply whose fields replace the
// honest ones.
type Obeyed struct {
	Tool  string
	Args  map[string]Expr
	Calls Expr // a list of records
	Reply Expr // a map
}

// Script is what agents say in a test.
type Script struct {
	Agents  []string
	Entries []ScriptEntry
	Repeat  bool
}

// ScriptEntry is one scripted answer: a reply or tool calls.
type ScriptEntry struct {
	Reply    Expr // a string, or a map sent as JSON
	Calls    []ScriptCall
	Contains Expr // used only if the request's text contains this
}

// ScriptCall is one scripted tool call.
type ScriptCall struct {
	Tool string
	Args map[string]Expr
}

// Budget bounds a run; zero members do not.
type Budget struct {
	Calls  int     `key:"-"`
	Tokens int     `key:"-"`
	USD    float64 `key:"-"`
}
