package ast

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
