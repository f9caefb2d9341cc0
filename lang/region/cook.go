package region

import (
	"fmt"
	"strings"

	"parley/lang/ast"
	"parley/lang/lex"
)

// MaxCode is how long an expression may be in bytes, texts in it not counted.
const MaxCode = 16 << 10

// cook is the writing of one expression as expr's parser takes it: white space
// made uniform, strings quoted anew in ASCII, templates as render("text",
// (value), …), durations as seconds. Where the text has no meaning for white
// space, neither has the cooked form: equal expressions cook alike.
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
	var open []bracket
	for i, t := range tokens {
		if t.Is(",") && i+1 < len(tokens) && tokens[i+1].Kind == lex.Close && complete {
			continue // the comma behind a last element says nothing
		}
		if i > 0 && spaced(tokens[i-1], t, complete, prefixBefore(tokens, i)) {
			c.out.WriteByte(' ')
		}
		switch t.Kind {
		case lex.Open:
			b := bracket{loop: loops(tokens, i)}
			b.wrapped = t.Text == "{" && len(open) > 0 && open[len(open)-1].loop && (tokens[i-1].Is(",") || tokens[i-1].Is("("))
			if b.wrapped {
				c.piece("(", t.Start, t.Start, false)
			}
			open = append(open, b)
			c.token(t)
		case lex.Close:
			c.token(t)
			if n := len(open); n > 0 {
				if open[n-1].wrapped {
					c.piece(")", t.End, t.End, false)
				}
				open = open[:n-1]
			}
		default:
			c.token(t)
		}
		complete = completes(tokens, i)
	}
}

// bracket is an open bracket: whether it holds the arguments of a function
// over a list, and whether brackets were put around it. expr takes a { that
// begins a condition for its braces; in Parley a { where a value is due is a
// map, so such a one is written ({ … }).
type bracket struct{ loop, wrapped bool }

// loops reports whether tokens[i] opens the arguments of a function that goes
// through a list.
func loops(tokens []lex.Token, i int) bool {
	if i == 0 || tokens[i].Text != "(" || tokens[i-1].Kind != lex.Word || i > 1 && (tokens[i-2].Is(".") || tokens[i-2].Is("?.")) {
		return false
	}
	switch tokens[i-1].Text {
	case "all", "none", "any", "one", "filter", "map", "count", "sum", "find", "findIndex", "findLast", "findLastIndex", "groupBy", "sortBy", "reduce":
		return true
	}
	return false
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
