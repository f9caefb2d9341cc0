package eval

import (
	"errors"
	"fmt"
	"strings"
	"unicode/utf8"

	"github.com/expr-lang/expr/ast"
	"github.com/expr-lang/expr/conf"
	"github.com/expr-lang/expr/file"
	"github.com/expr-lang/expr/parser"
)

// Limits on a source text, looked at before the parser runs: the parser is
// recursive and would take the process down with it.
const (
	MaxSource  = 1 << 20 // bytes, string literals included
	MaxCode    = 16 << 10
	MaxNesting = 64
	MaxNodes   = 4096
)

// SyntaxError says why a source text is not an expression of the language. Start
// and End are byte offsets into the source.
type SyntaxError struct {
	Message    string
	Start, End int
}

// Error returns the message.
func (e *SyntaxError) Error() string { return e.Message }

// Parse reads an expression with expr's own parser, within the limits. Typing
// and evaluation see the same tree because both come through here.
func Parse(src string) (ast.Node, error) {
	if err := guard(src); err != nil {
		return nil, err
	}
	tree, err := parser.ParseWithConfig(src, config())
	if err != nil {
		return nil, syntaxError(src, err)
	}
	if tree.Node == nil {
		return nil, &SyntaxError{Message: "an expression is missing here", End: len(src)}
	}
	return tree.Node, nil
}

// config holds what the parser looks at and no more: the library's own table of
// built-ins is costly to copy and is for its type checker. It is made anew for
// each parse, since the type cache inside is not to be shared.
func config() *conf.Config {
	return &conf.Config{MaxNodes: MaxNodes, DisableIfOperator: true}
}

// guard measures without recursion: strings are skipped, brackets counted.
func guard(src string) error {
	if len(src) > MaxSource {
		return &SyntaxError{Message: fmt.Sprintf("the expression is longer than %d bytes", MaxSource), End: len(src)}
	}
	if !utf8.ValidString(src) {
		return &SyntaxError{Message: "the expression is not valid UTF-8", End: len(src)}
	}
	depth, code := 0, 0
	for i := 0; i < len(src); i++ {
		switch c := src[i]; c {
		case '"', '\'', '`':
			i = skipString(src, i)
		case '(', '[', '{':
			if depth++; depth > MaxNesting {
				return &SyntaxError{Message: fmt.Sprintf("brackets are nested more than %d deep", MaxNesting), Start: i, End: i + 1}
			}
		case ')', ']', '}':
			depth--
		}
		if code++; code > MaxCode {
			return &SyntaxError{Message: fmt.Sprintf("the expression has more than %d characters besides its strings", MaxCode), Start: i, End: len(src)}
		}
	}
	return nil
}

func skipString(src string, i int) int {
	quote := src[i]
	for i++; i < len(src) && src[i] != quote; i++ {
		if src[i] == '\\' && quote != '`' {
			i++
		}
	}
	return i
}

// syntaxError puts the parser's complaint into plain words and byte offsets.
func syntaxError(src string, err error) error {
	var fe *file.Error
	if !errors.As(err, &fe) {
		return &SyntaxError{Message: "this expression cannot be read", End: len(src)}
	}
	start, end := byteOffset(src, fe.From), byteOffset(src, fe.To)
	if end <= start {
		end = min(start+1, len(src))
	}
	return &SyntaxError{Message: plainSyntax(fe.Message, src[start:end]), Start: start, End: end}
}

func plainSyntax(msg, at string) string {
	switch {
	case strings.Contains(msg, "EOF"), strings.HasPrefix(msg, "unexpected end"):
		return "the expression ends too early"
	case strings.HasPrefix(msg, "unexpected token"):
		return fmt.Sprintf("`%s` cannot stand here", at)
	case strings.HasPrefix(msg, "expected name"):
		return "a name is due after the dot"
	case strings.Contains(msg, "not terminated"):
		return "this string has no end"
	case strings.Contains(msg, "cannot be mixed"):
		return "brackets are needed where ?? stands beside another operator"
	case strings.Contains(msg, "maximum allowed nodes"):
		return fmt.Sprintf("the expression has more than %d parts", MaxNodes)
	case strings.HasPrefix(msg, "expected at least"):
		return "an argument is missing here"
	case strings.HasPrefix(msg, "unrecognized character"):
		return fmt.Sprintf("`%s` is not part of the language", at)
	case strings.Contains(msg, "number"), strings.Contains(msg, "literal"):
		return "this number cannot be read"
	case strings.Contains(msg, "escape"):
		return "this escape in a string is not known"
	case strings.HasPrefix(msg, "a map key"):
		return "a field's name is due here"
	}
	return "this expression cannot be read"
}

// byteOffset turns the parser's count of characters into bytes.
func byteOffset(src string, runes int) int {
	for i := range src {
		if runes == 0 {
			return i
		}
		runes--
	}
	return len(src)
}
