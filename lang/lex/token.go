// Package lex turns the text of a .parley file into tokens. Comments are kept
// aside, strings are taken apart into their literal pieces and the tokens of
// their ${…}, and whatever cannot be a token is reported and kept as Illegal,
// so that the parser always sees the whole file with its brackets matched.
package lex

import (
	"parley/lang/ast"
	"parley/lang/diag"
)

// Kind says what a token is.
type Kind int8

// The kinds of tokens. Words include every keyword: which word is which is
// decided by where it stands.
const (
	EOF Kind = iota
	Word
	Number
	Duration // 30s 2m 500ms 1h
	String   // "…" or """…""", with its parts
	Element  // # or #name
	Op       // operators and punctuation, edges included
	Open     // ( [ {
	Close    // ) ] }
	Illegal  // reported already
)

// Token is one token. Start and End are byte offsets into the file; a closing
// bracket that was put in for a missing one has Start == End.
type Token struct {
	Kind       Kind
	Text       string // as written
	Start, End int
	Str        *Str // for String
	// Match is the index of the matching bracket for Open and Close.
	Match int
}

// Span returns the token's place.
func (t Token) Span() ast.Span { return ast.Span{Start: t.Start, End: t.End} }

// Is reports whether the token is that word, operator or bracket.
func (t Token) Is(text string) bool {
	return t.Text == text && (t.Kind == Word || t.Kind == Op || t.Kind == Open || t.Kind == Close)
}

// Str is a string taken apart.
type Str struct {
	Parts  []Part
	Triple bool
	// Broken says that an error in it was reported already, Unclosed that it
	// has no closing quotes.
	Broken, Unclosed bool
}

// Plain returns the text of a string without interpolation.
func (s *Str) Plain() (string, bool) {
	switch {
	case len(s.Parts) == 0:
		return "", true
	case len(s.Parts) == 1 && s.Parts[0].Tokens == nil:
		return s.Parts[0].Text, true
	}
	return "", false
}

// Part is a piece of a string: literal text with its escapes resolved, or the
// tokens between ${ and }. Start and End are where it stands, without the
// ${ and } of an interpolation.
type Part struct {
	Text       string
	Tokens     []Token // nil for literal text
	Start, End int
}

// Result is a file after lexing.
type Result struct {
	Tokens   []Token // with an EOF at the end, brackets matched
	Comments []ast.Comment
	Problems diag.List
	Stop     int // where a limit ended the reading, or 0
}

// Limits that keep any input within a known stack and memory.
const (
	MaxDepth   = 64        // brackets and ${ within one another
	MaxTokens  = 512 << 10 // tokens in a file
	MaxString  = 256 << 10 // bytes of one string
	MaxProblem = 100       // diagnostics of one file
)
