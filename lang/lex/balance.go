package lex

import (
	"slices"
	"strings"

	"parley/lang/diag"
	"parley/lang/source"
)

var closerOf = map[string]string{"(": ")", "[": "]", "{": "}"}

// balance gives every bracket its match. Where the brackets of a file do not
// match, it reports why, puts in the closing ones that are missing and leaves
// out those that close nothing: what stands before and after is then parsed
// as if the file were right.
func (s *scanner) balance(tokens []Token) []Token {
	if link(tokens) {
		return tokens
	}
	b := &balancer{scanner: s}
	for i, t := range tokens {
		b.place(tokens, i, t)
	}
	link(b.out)
	return b.out
}

// link sets Match and reports whether all brackets have theirs.
func link(tokens []Token) bool {
	var open []int
	for i := range tokens {
		switch tokens[i].Kind {
		case Open:
			open = append(open, i)
		case Close:
			if len(open) == 0 || closerOf[tokens[open[len(open)-1]].Text] != tokens[i].Text {
				return false
			}
			tokens[i].Match = open[len(open)-1]
			tokens[open[len(open)-1]].Match = i
			open = open[:len(open)-1]
		}
	}
	return len(open) == 0
}

// balancer copies tokens with their brackets put right. Indentation and line
// starts serve here alone, to find out which bracket is the wrong one.
type balancer struct {
	*scanner
	out  []Token
	open []opened
}

// opened is an open bracket and its index among the tokens put out.
type opened struct {
	Token
	at int
}

func (b *balancer) place(tokens []Token, i int, t Token) {
	switch {
	case t.Kind == EOF:
		b.closeAll(t.Start)
	case t.Kind == Word && len(b.open) > 0 && b.beginsLine(t) && b.column(t) == 0 && IsDeclaration(t.Text) && !labels(tokens, i):
		b.closeAll(t.Start)
	case t.Kind == Open:
		b.open = append(b.open, opened{t, len(b.out)})
	case t.Kind == Close:
		if !b.close(t) {
			return
		}
	}
	b.out = append(b.out, t)
}

// labels reports whether a word is a step's label or a key, not a declaration.
func labels(tokens []Token, i int) bool {
	return i+1 < len(tokens) && (tokens[i+1].Is(":") || tokens[i+1].Is("="))
}

// close finds the opener that a closing bracket belongs to. Openers passed
// over on the way are reported. It is false where none is found.
func (b *balancer) close(t Token) bool {
	match := -1
	for i := len(b.open) - 1; i >= 0; i-- {
		if closerOf[b.open[i].Text] == t.Text {
			match = i
			break
		}
		if b.open[i].Text == "{" && t.Text != "}" {
			break // a ) or ] never closes over a block
		}
	}
	if match < 0 {
		b.report(diag.StrayBracket, t.Start, t.End, "this `"+t.Text+"` closes nothing", "")
		return false
	}
	if t.Text == "}" && b.beginsLine(t) {
		match = b.byIndent(t, match)
	}
	for len(b.open) > match+1 {
		b.closeTop(t.Start)
	}
	b.open = b.open[:match]
	return true
}

// byIndent prefers, for a } at the start of its line, the opener whose line
// is indented as it is, where the innermost one is indented further.
func (b *balancer) byIndent(t Token, match int) int {
	if b.indent(b.open[match].Token) <= b.column(t) {
		return match
	}
	for i := match - 1; i >= 0; i-- {
		if b.open[i].Text == "{" && b.indent(b.open[i].Token) == b.column(t) {
			return i
		}
	}
	return match
}

func (b *balancer) closeAll(at int) {
	for len(b.open) > 0 {
		b.closeTop(at)
	}
}

// closeTop reports the innermost open bracket and puts its closing one in:
// for ( and [ at the end of the line they stand on, for a block before the
// first line that is indented no further than the block's own.
func (b *balancer) closeTop(at int) {
	t := b.open[len(b.open)-1]
	b.open = b.open[:len(b.open)-1]
	if !b.stopped {
		b.report(diag.OpenBracket, t.Start, t.End, "this `"+t.Text+"` is never closed", "close it with `"+closerOf[t.Text]+"`")
	}
	i, depth, indent := t.at+1, 0, b.indent(t.Token)
	for ; i < len(b.out); i++ {
		next := b.out[i]
		if depth == 0 && next.Kind != Close && b.beginsLine(next) && (t.Text != "{" || b.column(next) <= indent) {
			break
		}
		switch next.Kind {
		case Open:
			depth++
		case Close:
			depth--
		}
	}
	closer := Token{Kind: Close, Text: closerOf[t.Text], Start: at, End: at}
	if i < len(b.out) || t.Text != "{" {
		closer.Start = b.out[i-1].End
		closer.End = closer.Start
	}
	b.out = slices.Insert(b.out, i, closer)
}

func (b *balancer) beginsLine(t Token) bool {
	before := strings.TrimRight(b.text[:t.Start], " \t")
	return before == "" || before == source.BOM || before[len(before)-1] == '\n'
}

func (b *balancer) column(t Token) int { return t.Start - b.src.LineStart(t.Start) }

// indent is how far the line is indented on which a bracket opens.
func (b *balancer) indent(t Token) int {
	start := b.src.LineStart(t.Start)
	line := b.text[start:t.Start]
	return len(line) - len(strings.TrimLeft(line, " \t"))
}
