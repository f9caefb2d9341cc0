package parse

import (
	"github.com/alecthomas/participle/v2"
	"github.com/alecthomas/participle/v2/lexer"

	"parley/lang/diag"
	"parley/lang/lex"
	"parley/lang/region"
)

// The pieces below are the leaves of every grammar. They keep token indices,
// which Stream passes in Position.Line, and nothing of the tokens themselves:
// literals in grammars match by text, so a string is never unquoted before
// the grammar has been matched.

// place is embedded by grammar nodes that need their extent.
type place struct{ Tokens []lexer.Token }

// from and to are the indices of the first token and of the one behind the last.
func (p place) from() int { return p.Tokens[0].Pos.Line }
func (p place) to() int   { return p.Tokens[len(p.Tokens)-1].Pos.Line + 1 }

// fault is what a piece that began well found wrong, at a token.
type fault struct {
	at int
	region.Fault
}

func (f *fault) Error() string { return f.Message }

func kind(t *lexer.Token) lex.Kind {
	if t.EOF() {
		return lex.EOF
	}
	return lex.Kind(t.Type)
}

// word is a name: any word that is not reserved.
type word struct{ at int }

func (w *word) Parse(l *lexer.PeekingLexer) error {
	t := l.Peek()
	if kind(t) != lex.Word || lex.Reserved(t.Value) {
		return participle.NextMatch
	}
	w.at = t.Pos.Line
	l.Next()
	return nil
}

// text is one string.
type text struct{ at int }

func (s *text) Parse(l *lexer.PeekingLexer) error {
	t := l.Peek()
	if kind(t) != lex.String {
		return participle.NextMatch
	}
	s.at = t.Pos.Line
	l.Next()
	return nil
}

// expression is an unquoted expression, up to where region says it ends.
type expression struct{ from, to int }

func (e *expression) Parse(l *lexer.PeekingLexer) error {
	t := l.Peek()
	if !region.Starts(kind(t), t.Value) {
		return participle.NextMatch
	}
	e.from = t.Pos.Line
	if f := region.Read(peeking{l}); f != nil {
		return &fault{l.Peek().Pos.Line, *f}
	}
	e.to = l.Peek().Pos.Line
	return nil
}

// peeking lets region read participle's stream.
type peeking struct{ l *lexer.PeekingLexer }

func (p peeking) Peek() (lex.Kind, string) {
	t := p.l.Peek()
	return kind(t), t.Value
}

func (p peeking) Next() { p.l.Next() }

// who names an agent or a group: name, name[1..3], or (expression).
type who struct{ from, to int }

func (w *who) Parse(l *lexer.PeekingLexer) error {
	t := l.Peek()
	w.from = t.Pos.Line
	switch {
	case kind(t) == lex.Word && !lex.Reserved(t.Value):
		l.Next()
		if l.Peek().Value == "[" && kind(l.Peek()) == lex.Open {
			skip(l)
		}
	case kind(t) == lex.Open && t.Value == "(":
		skip(l)
	default:
		return participle.NextMatch
	}
	w.to = l.Peek().Pos.Line
	return nil
}

// block is { … }, whose inside is cut and parsed on its own.
type block struct{ from, to int }

func (b *block) Parse(l *lexer.PeekingLexer) error {
	t := l.Peek()
	if kind(t) != lex.Open || t.Value != "{" {
		return participle.NextMatch
	}
	b.from = t.Pos.Line
	skip(l)
	b.to = l.Peek().Pos.Line
	return nil
}

// skip passes over brackets and their inside.
func skip(l *lexer.PeekingLexer) {
	for depth := 0; !l.Peek().EOF(); {
		switch kind(l.Peek()) {
		case lex.Open:
			depth++
		case lex.Close:
			depth--
		}
		l.Next()
		if depth == 0 {
			return
		}
	}
}

// literal is a string, a number or a truth value, as types list them.
type literal struct{ from, to int }

func (n *literal) Parse(l *lexer.PeekingLexer) error {
	t := l.Peek()
	n.from = t.Pos.Line
	switch {
	case kind(t) == lex.String, kind(t) == lex.Number, kind(t) == lex.Duration,
		kind(t) == lex.Word && (t.Value == "true" || t.Value == "false"):
		l.Next()
	case kind(t) == lex.Op && t.Value == "-":
		l.Next()
		if kind(l.Peek()) != lex.Number {
			return &fault{l.Peek().Pos.Line, region.Fault{Code: diag.MissingType, Message: "a number is missing after `-`"}}
		}
		l.Next()
	default:
		return participle.NextMatch
	}
	n.to = l.Peek().Pos.Line
	return nil
}
