package imports

import (
	"fmt"
	"strings"
	"unicode"
	"unicode/utf8"
)

// Python source is read as text and never run: enough of it to tell functions
// with their arguments and comments from the rest.

// pyToken is one token of Python source.
type pyToken struct {
	kind   pyKind
	text   string // of a text: what it means
	format bool   // of a text: braces in it stand for values
}

type pyKind string

const (
	pyName   pyKind = "name"
	pyText   pyKind = "text"
	pyNumber pyKind = "number"
	pySign   pyKind = "sign"
)

func (t pyToken) is(sign string) bool { return t.kind == pySign && t.text == sign }

func (t pyToken) word(name string) bool { return t.kind == pyName && t.text == name }

// pyLine is one statement, however many lines it takes in the file.
type pyLine struct {
	n      int // the line of the file on which it begins, from 1
	indent int // columns; a tab reaches to the next multiple of eight
	tokens []pyToken
}

// pyReader cuts source into lines.
type pyReader struct {
	src  string
	at   int
	n    int
	open []byte // brackets that are open
}

// pyLines reads the statements of a source. An error says on which line the
// text cannot be Python.
func pyLines(src string) ([]pyLine, error) {
	p := pyReader{src: src, n: 1}
	var out []pyLine
	for p.at < len(p.src) {
		line := pyLine{indent: p.indent(), n: p.n}
		if err := p.statement(&line); err != nil {
			return nil, fmt.Errorf("line %d: %w", p.n, err)
		}
		if len(line.tokens) > 0 {
			out = append(out, line)
		}
	}
	if len(p.open) > 0 {
		return nil, fmt.Errorf("line %d: a bracket is never closed", p.n)
	}
	return out, nil
}

func (p *pyReader) indent() int {
	columns := 0
	for ; p.at < len(p.src); p.at++ {
		switch p.src[p.at] {
		case ' ':
			columns++
		case '\t':
			columns += 8 - columns%8
		default:
			return columns
		}
	}
	return columns
}

// statement reads up to the line break that ends it.
func (p *pyReader) statement(line *pyLine) error {
	for p.at < len(p.src) {
		switch c := p.src[p.at]; {
		case c == '\n':
			p.at++
			p.n++
			if len(p.open) == 0 {
				return nil
			}
		case strings.IndexByte(" \t\r\f", c) >= 0:
			p.at++
		case c == '\\':
			p.at++ // the break behind it is none
			for p.at < len(p.src) && p.src[p.at] == '\r' {
				p.at++
			}
			if p.at < len(p.src) && p.src[p.at] == '\n' {
				p.at++
				p.n++
			}
		case c == '#':
			for p.at < len(p.src) && p.src[p.at] != '\n' {
				p.at++
			}
		default:
			t, err := p.token()
			if err != nil {
				return err
			}
			line.tokens = append(line.tokens, t)
		}
	}
	return nil
}

func (p *pyReader) token() (pyToken, error) {
	c := p.src[p.at]
	switch r, size := utf8.DecodeRuneInString(p.src[p.at:]); {
	case c == '"' || c == '\'':
		return p.quoted("")
	case r == '_' || unicode.IsLetter(r):
		word := p.run(func(r rune) bool { return r == '_' || unicode.IsLetter(r) || unicode.IsDigit(r) })
		if p.at < len(p.src) && (p.src[p.at] == '"' || p.src[p.at] == '\'') && isPrefix(word) {
			return p.quoted(strings.ToLower(word))
		}
		return pyToken{kind: pyName, text: word}, nil
	case c >= '0' && c <= '9':
		return pyToken{kind: pyNumber, text: p.run(func(r rune) bool { return r == '_' || r == '.' || unicode.IsLetter(r) || unicode.IsDigit(r) })}, nil
	default:
		return p.sign(size)
	}
}

// isPrefix reports the letters that may stand before the quotes of a text.
func isPrefix(word string) bool {
	return len(word) <= 2 && strings.Trim(strings.ToLower(word), "rbuf") == ""
}

func (p *pyReader) run(belongs func(rune) bool) string {
	start := p.at
	for p.at < len(p.src) {
		r, size := utf8.DecodeRuneInString(p.src[p.at:])
		if !belongs(r) {
			break
		}
		p.at += size
	}
	return p.src[start:p.at]
}

// sign reads a sign and keeps count of brackets.
func (p *pyReader) sign(size int) (pyToken, error) {
	rest := p.src[p.at:]
	for _, two := range []string{"->", "**", "//", ":=", "==", "!=", "<=", ">=", "+=", "-=", "*=", "/=", "|="} {
		if strings.HasPrefix(rest, two) {
			p.at += 2
			return pyToken{kind: pySign, text: two}, nil
		}
	}
	c := rest[0]
	switch {
	case strings.IndexByte("([{", c) >= 0:
		if len(p.open) >= maxNested {
			return pyToken{}, fmt.Errorf("brackets nest deeper than %d", maxNested)
		}
		p.open = append(p.open, c)
	case strings.IndexByte(")]}", c) >= 0:
		if n := len(p.open); n == 0 || strings.IndexByte("([{", p.open[n-1]) != strings.IndexByte(")]}", c) {
			return pyToken{}, fmt.Errorf("a bracket closes that is not open")
		}
		p.open = p.open[:len(p.open)-1]
	}
	p.at += size
	return pyToken{kind: pySign, text: rest[:size]}, nil
}

// quoted reads a text in one of Python's quotes.
func (p *pyReader) quoted(prefix string) (pyToken, error) {
	quote := p.src[p.at : p.at+1]
	if long := strings.Repeat(quote, 3); strings.HasPrefix(p.src[p.at:], long) {
		quote = long
	}
	p.at += len(quote)
	raw := strings.Contains(prefix, "r")
	var b strings.Builder
	for p.at < len(p.src) {
		switch c := p.src[p.at]; {
		case strings.HasPrefix(p.src[p.at:], quote):
			p.at += len(quote)
			return pyToken{kind: pyText, text: b.String(), format: strings.Contains(prefix, "f")}, nil
		case c == '\n' && len(quote) == 1:
			return pyToken{}, fmt.Errorf("a text is not closed on its line")
		case c == '\\' && raw && p.at+1 < len(p.src):
			p.count(p.src[p.at : p.at+2])
			b.WriteString(p.src[p.at : p.at+2])
			p.at += 2
		case c == '\\':
			esc := literal{src: p.src, at: p.at + 1}
			if err := esc.escape(&b); err != nil {
				return pyToken{}, fmt.Errorf("an escape in a text is not whole")
			}
			p.count(p.src[p.at:esc.at])
			p.at = esc.at
		default:
			p.count(p.src[p.at : p.at+1])
			b.WriteByte(c)
			p.at++
		}
	}
	return pyToken{}, fmt.Errorf("a text is never closed")
}

// count keeps count of the line breaks in what is passed over.
func (p *pyReader) count(s string) { p.n += strings.Count(s, "\n") }
