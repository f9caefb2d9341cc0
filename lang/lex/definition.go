package lex

import (
	"io"

	"github.com/alecthomas/participle/v2/lexer"

	"parley/lang/source"
)

// Definition is the lexer as participle sees it.
type Definition struct{}

// symbols are the token types under the names that grammars use.
var symbols = map[string]lexer.TokenType{
	"EOF": lexer.EOF, "Word": lexer.TokenType(Word), "Number": lexer.TokenType(Number),
	"Duration": lexer.TokenType(Duration), "String": lexer.TokenType(String), "Element": lexer.TokenType(Element),
	"Op": lexer.TokenType(Op), "Open": lexer.TokenType(Open), "Close": lexer.TokenType(Close),
	"Illegal": lexer.TokenType(Illegal),
}

// Symbols names the token types.
func (Definition) Symbols() map[string]lexer.TokenType { return symbols }

// Lex reads everything and lexes it. Problems do not end it: they are
// Illegal tokens.
func (Definition) Lex(name string, r io.Reader) (lexer.Lexer, error) {
	text, err := io.ReadAll(io.LimitReader(r, source.MaxBytes))
	if err != nil {
		return nil, err
	}
	return NewStream(Scan(source.New(name, string(text))).Tokens), nil
}

// Stream hands tokens to participle. In their positions Offset is the byte
// offset and Line the token's index among those given: grammars keep indices,
// and lines are derived from offsets by source.
type Stream struct {
	tokens []Token
	at     int
	base   int
}

// NewStream streams tokens; an EOF is added where they have none.
func NewStream(tokens []Token) *Stream { return &Stream{tokens: tokens} }

// StreamPart streams tokens[from:to] as if the file ended there, with the
// indices of the whole.
func StreamPart(tokens []Token, from, to int) *Stream {
	return &Stream{tokens: tokens[from:to], base: from}
}

// Next returns the next token, EOF without end.
func (s *Stream) Next() (lexer.Token, error) {
	if s.at >= len(s.tokens) || s.tokens[s.at].Kind == EOF {
		pos := lexer.Position{Line: s.base + s.at}
		if s.at > 0 {
			pos.Offset = s.tokens[s.at-1].End
		}
		return lexer.EOFToken(pos), nil
	}
	t := s.tokens[s.at]
	s.at++
	return lexer.Token{
		Type: lexer.TokenType(t.Kind), Value: t.Text,
		Pos: lexer.Position{Offset: t.Start, Line: s.base + s.at - 1},
	}, nil
}
