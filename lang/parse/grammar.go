package parse

import (
	"sync"

	"github.com/alecthomas/participle/v2"
	"github.com/alecthomas/participle/v2/lexer"

	"parley/lang/lex"
)

// root is the shape of every grammar's root: one item that may be missing. A
// repetition or option at the root, with long look-ahead, is what makes
// participle report the deepest place it reached.
type root[T any] struct {
	Item *T `parser:"@@?"`
}

// grammar is the parser of one kind of item, built when first used.
type grammar[T any] struct {
	parser func() *participle.Parser[root[T]]
}

func grammarOf[T any]() grammar[T] {
	return grammar[T]{sync.OnceValue(func() *participle.Parser[root[T]] {
		return participle.MustBuild[root[T]](participle.Lexer(lex.Definition{}), participle.UseLookahead(participle.MaxLookahead))
	})}
}

// match parses one item at the beginning of the stream and leaves the stream
// behind it; nil where none is whole.
func (g grammar[T]) match(l *lexer.PeekingLexer) *T {
	r, err := g.parser().ParseFromLexer(l, participle.AllowTrailing(true))
	if err != nil || r == nil {
		return nil
	}
	return r.Item
}

// explain parses tokens[from:to], of which match did not make one whole item,
// for the error at the deepest place.
func (g grammar[T]) explain(tokens []lex.Token, from, to int) error {
	l, err := lexer.Upgrade(lex.StreamPart(tokens, from, to))
	if err != nil {
		return err
	}
	_, err = g.parser().ParseFromLexer(l)
	return err
}

// String is the grammar in EBNF.
func (g grammar[T]) String() string { return g.parser().String() }
