// Package ast is the syntax tree of a .parley file: what stands where, with
// byte offsets into the source, and nothing about what it means. Every node
// embeds Span; every declaration keeps the comment above it as Doc.
package ast

// Span is a half-open range of byte offsets [Start, End) in one file.
type Span struct{ Start, End int }

// Range returns the span itself, so that every node answers to one interface.
func (s Span) Range() Span { return s }

// Node is anything that has a place in the file.
type Node interface{ Range() Span }

// Ident is a word used as a name.
type Ident struct {
	Span
	Name string
}

// Expr is an expression as the author wrote it, unquoted, together with the
// form that expr's parser takes. Strings are expressions too: an interpolated
// string cooks into a call render("text", part, ...), which keeps provenance.
type Expr struct {
	Span
	// Text is the source text, trimmed, exactly as written.
	Text string
	// Cooked is what expr parses: strings re-quoted, templates as render(...),
	// durations as their seconds.
	Cooked string
	// Map leads offsets in Cooked back to offsets in the file.
	Map PosMap
}

// PosMap maps positions of a cooked expression to the file. Each entry says:
// from byte Cooked of the cooked text on, byte File of the file corresponds,
// byte for byte while Exact, else the whole piece stands for File..FileEnd.
type PosMap []PosEntry

// PosEntry is one piece of a PosMap.
type PosEntry struct {
	Cooked, File, FileEnd int
	Exact                 bool
}

// File is one parsed source file.
type File struct {
	Name     string
	Language *int // nil where the file does not say; 1 is meant
	Uses     []*Use
	Decls    []*Decl
	Comments []Comment
}

// Comment is a // comment, kept for documentation and the formatter.
type Comment struct {
	Span
	Text string // without the slashes
}

// Use imports a file of declarations under a name.
type Use struct {
	Span
	Path string
	As   *Ident // nil: the last path element without ".parley"
}

// Decl is one top-level declaration; exactly one of the pointers is set.
type Decl struct {
	Span
	Doc        string
	Model      *Model
	Team       *Team
	Workspace  *Workspace
	Tasks      *Tasks
	Task       *Task
	Attack     *Attack
	Verify     *Verify
	Score      *ScoreSet
	Scenario   *Scenario
	Experiment *Experiment
	Test       *Test
}

// Param is a declared parameter: name, type, optional default.
type Param struct {
	Span
	Name    *Ident
	Type    *Type
	Default *Expr
}

// TypeKind says which alternative of the type grammar a Type is.
type TypeKind string

// The type grammar: one everywhere (parameters, replies, tool arguments, state).
const (
	TypeName   TypeKind = "name"   // int number bool string duration agent agents, or a group's name
	TypeOpt    TypeKind = "opt"    // T?
	TypeList   TypeKind = "list"   // [T]
	TypeRecord TypeKind = "record" // { field: T = default }
	TypeUnion  TypeKind = "union"  // "a" | "b" | 3
)

// Type is a type expression.
type Type struct {
	Span
	Kind     TypeKind
	Name     *Ident   // TypeName
	Elem     *Type    // TypeOpt, TypeList
	Fields   []*Param // TypeRecord
	Literals []*Expr  // TypeUnion: string, number, bool literals
}

// Ref names a declaration, perhaps in an imported file, with named arguments:
// debate.standard(n: 5).
type Ref struct {
	Span
	Path []*Ident
	Args []*Arg
}

// Arg is one named argument. Name is nil for a positional one.
type Arg struct {
	Span
	Name  *Ident
	Value *Expr
}

// Model declares a provider, a name and its sampling attributes.
type Model struct {
	Span
	Name  *Ident
	Attrs []*ModelAttr
}

// ModelAttr is one attribute of a model: provider sim, knows 0.7,
// obeys { task: 0.2 }, base_url env("X").
type ModelAttr struct {
	Span
	Key   *Ident
	Value *Expr
}

// Team declares agents, edges, tools of its own, a turn order and its answer.
type Team struct {
	Span
	Name    *Ident
	Params  []*Param
	Members []*TeamMember
}

// TeamMember is one item of a team's body; exactly one pointer is set.
type TeamMember struct {
	Span
	About  *Expr
	Agent  *Agent
	Edge   *Edge
	Graph  *Graph
	Tool   *Tool
	Turns  *Turns
	Answer *Expr
	If     *If[TeamMember]
}

// If is a static choice between members: by parameters, before anything runs.
type If[T any] struct {
	Span
	Cond *Expr
	Then []*T
	Else []*T
}

// Agent declares one agent, or with Count a group of them numbered from 1.
type Agent struct {
	Span
	Doc   string
	Name  *Ident
	Count *Expr
	Attrs []*Attr
}

// Attr is an attribute of an agent or of a step. Key says which; the value
// stands in the field that fits the key. A step takes every agent attribute.
type Attr struct {
	Span
	// Key is one of: about role model temperature max_tokens system prompt
	// tools replies remembers shares aside where if.
	Key   *Ident
	Value *Expr     // about temperature max_tokens system prompt where; role and model as a name
	Tools *ToolUse  // tools
	Type  *Type     // replies
	Word  *Ident    // remembers: all nothing last; shares: reply text tool_results nothing; role, model
	Last  *Expr     // remembers last k
	Try   *Expr     // where EXPR try N
	If    *If[Attr] // if
}

// ToolUse is `tools read, search limit 15 then answer`.
type ToolUse struct {
	Span
	Names []*Ident // tool names, or the classes read, write, all, none
	Limit *Expr
	Then  *Ident // answer share stop
}

// Edge says who hears whom: From -> To, or both ways.
type Edge struct {
	Span
	From, To *Expr // agent, group, group[1..2]
	Both     bool
}

// Graph is a graph maker: ring(g) chain(g) star(a, g) complete(g) tree(g) random(g, p, seed).
type Graph struct {
	Span
	Kind *Ident
	Args []*Expr
}

// Turns is the program that says who speaks when.
type Turns struct {
	Span
	Limit *Expr
	Body  []*Stmt
}

// Stmt is one statement of a turn program or a tool body; one pointer is set.
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

// Stop ends the run with a reason.
type Stop struct {
	Span
	Reason *Expr
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

// Workspace declares the world that agents act on and who may touch what.
type Workspace struct {
	Span
	Name    *Ident
	Params  []*Param
	Members []*WorkspaceMember
}

// WorkspaceMember is one item of a workspace's body; one pointer is set.
type WorkspaceMember struct {
	Span
	About  *Expr
	State  *State
	File   *FileItem
	Mail   *MailItem
	Page   *FileItem // its path is an address
	Hole   *Hole
	Corpus *Corpus
	Tool   *Tool
	Allow  *Allow
	If     *If[WorkspaceMember]
}

// State declares typed state with initial values.
type State struct {
	Span
	Fields []*Param
}

// FileItem is `file "path" = text`. Path may interpolate task fields.
type FileItem struct {
	Span
	Path, Text *Expr
}

// MailItem is `mail "inbox/1" { from: …, subject: …, body: … }`.
type MailItem struct {
	Span
	ID     *Expr
	Fields []*Arg
}

// Hole is a named place where outsiders' text can stand, with its benign default.
type Hole struct {
	Span
	Name    *Ident
	Default *Expr
}

// Corpus gives each agent of Owner its own store of documents.
type Corpus struct {
	Span
	Owner    *Expr // group or agent name; nil: every agent
	From     *Expr // a file's path, or a list of documents such as task.documents
	Top      *Expr
	Truncate *Expr
}

// Allow is one authority rule.
type Allow struct {
	Span
	Write bool // else read
	URIs  []*Expr
	By    *Expr
	When  *Expr
}

// Tasks is a tasks clause: a file with mapping, or a list of named tasks.
type Tasks struct {
	Span
	Name   *Ident   // a top-level declaration's name
	Path   *Expr    // a string literal
	Names  []*Ident // tasks bill, rent
	Map    []*Let   // prompt = row.question
	Where  *Expr
	Limit  *Expr // 10, or 10..20
	Sample *Expr
	Seed   *Expr
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
	Reply *Expr
}

// CallForm is `call name(arg: value)`.
type CallForm struct {
	Span
	Name *Ident
	Args []*Arg
}

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
	Verify    *Verify // inline block
	VerifyRef *Ref    // verify measures.qa()
	Score     *ScoreSet
	ScoreRef  *Ref
	Budget    *Budget
	Fail      *Expr // fail when EXPR
	If        *If[ScenarioMember]
}

// ModelUse is `model careful` or `model careful for orchestrator`.
type ModelUse struct {
	Span
	Name *Ident
	For  *Expr
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

// Test is a scenario with scripted agents and what must hold.
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
	Script   *Script
	Expect   *Expr
	If       *If[TestMember]
}

// Script is what an agent says in a test, entry by entry.
type Script struct {
	Span
	Who     *Expr
	In      *Ident // an arm other than attacked
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
