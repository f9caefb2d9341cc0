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
	AgentSet   *AgentSet
	Team       *Team
	Workspace  *Workspace
	Tasks      *Tasks
	Task       *Task
	Attack     *Attack
	Defense    *Defense
	Verify     *Verify
	Score      *ScoreSet
	Scenario   *Scenario
	Experiment *Experiment
	Test       *Test
	Judge      *Judge
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
