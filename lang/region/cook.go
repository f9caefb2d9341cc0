package region

import (
	"fmt"
	"strings"

	"parley/lang/ast"
	"parley/lang/lex"
)

// MaxCode is how long an expression may be in bytes, texts in it not counted.
const MaxCode = 16 << 10

// Cook writes the expression tokens as expr's parser takes it: white space
// made uniform, strings quoted anew in ASCII, templates as render("text",
// (value), …), durations as seconds. Where the text has no meaning for white
// space, neither has the cooked form: equal expressions cook alike.
func Cook(src string, tokens []lex.Token) *ast.Expr {
	c := &cook{}
	c.all(tokens)
	e := &ast.Expr{Cooked: c.out.String(), Map: c.posMap}
	if len(tokens) > 0 {
		e.Start, e.End = tokens[0].Start, tokens[len(tokens)-1].End
		e.Text = src[e.Start:e.End]
	}
	return e
}

// cook is the writing of one expression.
type cook struct {
	out    strings.Builder
	posMap ast.PosMap
	// skip holds the starts of interpolations that are written as nil,
	// because what is wrong with them was reported.
	skip map[int]bool
}

// all writes tokens with one space between them where one may stand.
func (c *cook) all(tokens []lex.Token) {
	complete := false // an operand ends at the token before
	for i, t := range tokens {
		if i > 0 && spaced(tokens[i-1], t, complete, prefixBefore(tokens, i)) {
			c.out.WriteByte(' ')
		}
		c.token(t)
		complete = completes(tokens, i)
	}
}

// completes reports whether an operand ends at tokens[i].
func completes(tokens []lex.Token, i int) bool {
	t := tokens[i]
	switch t.Kind {
	case lex.Word:
		if i > 0 && tokens[i-1].Kind == lex.Op && (tokens[i-1].Text == "." || tokens[i-1].Text == "?.") {
			return true
		}
		return !lex.BinaryWord(t.Text) && t.Text != "not" && t.Text != "let"
	case lex.Number, lex.Duration, lex.String, lex.Element, lex.Close, lex.Illegal:
		return true
	}
	return false
}

// prefixBefore reports whether the token before i is a sign before an operand.
func prefixBefore(tokens []lex.Token, i int) bool {
	t := tokens[i-1]
	if t.Kind != lex.Op || t.Text != "!" && t.Text != "-" && t.Text != "+" {
		return false
	}
	return i == 1 || !completes(tokens, i-2)
}

// spaced decides on a space before t.
func spaced(before, t lex.Token, complete, prefix bool) bool {
	switch {
	case before.Kind == lex.Open, t.Kind == lex.Close:
		return false
	case t.Kind == lex.Op && (t.Text == "," || t.Text == ";"):
		return false
	case before.Kind == lex.Op && (before.Text == "." || before.Text == "?."):
		return false
	case t.Kind == lex.Op && (t.Text == "." || t.Text == "?."):
		return !complete
	case t.Kind == lex.Open && t.Text != "{":
		return !complete && !prefix
	case prefix:
		return t.Kind == lex.Op
	}
	return true
}

// token writes one token and where it stands in the file.
func (c *cook) token(t lex.Token) {
	switch t.Kind {
	case lex.String:
		c.str(t)
	case lex.Duration:
		c.piece(lex.Seconds(t.Text), t.Start, t.End, false)
	default:
		c.piece(t.Text, t.Start, t.End, true)
	}
}

func (c *cook) piece(text string, start, end int, exact bool) {
	c.posMap = append(c.posMap, ast.PosEntry{Cooked: c.out.Len(), File: start, FileEnd: end, Exact: exact})
	c.out.WriteString(text)
}

// str writes a string, or the call that renders a template.
func (c *cook) str(t lex.Token) {
	if text, ok := t.Str.Plain(); ok {
		c.piece(Quote(text), t.Start, t.End, false)
		return
	}
	c.piece("render(", t.Start, t.End, false)
	for i, p := range t.Str.Parts {
		if i > 0 {
			c.piece(", ", p.Start, p.Start, false)
		}
		switch {
		case p.Tokens == nil:
			c.piece(Quote(p.Text), p.Start, p.End, false)
		case c.skip[p.Start]:
			c.piece("nil", p.Start, p.End, false)
		default:
			c.piece("(", p.Start, p.Start, false)
			c.all(p.Tokens)
			c.piece(")", p.End, p.End+1, false)
		}
	}
	c.piece(")", t.End-1, t.End, false)
}

// Quote writes text as a double-quoted literal of expr in ASCII alone.
func Quote(text string) string {
	var b strings.Builder
	b.Grow(len(text) + 2)
	b.WriteByte('"')
	for _, r := range text {
		switch {
		case r == '"' || r == '\\':
			b.WriteByte('\\')
			b.WriteRune(r)
		case r == '\n':
			b.WriteString(`\n`)
		case r == '\t':
			b.WriteString(`\t`)
		case r == '\r':
			b.WriteString(`\r`)
		case r >= 0x20 && r < 0x7f:
			b.WriteRune(r)
		case r > 0xffff:
			fmt.Fprintf(&b, `\U%08X`, r)
		default:
			fmt.Fprintf(&b, `\u%04X`, r)
		}
	}
	b.WriteByte('"')
	return b.String()
}
