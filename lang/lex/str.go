package lex

import (
	"sort"
	"strings"
	"unicode/utf8"

	"parley/lang/diag"
)

// strScan is the reading of one string: raw pieces first, because the common
// indentation of """…""" is known only at its end.
type strScan struct {
	*scanner
	str   *Str
	start int
	// pieces alternate literal text and interpolations as they come.
	pieces []piece
}

// piece is a stretch of source text, or an interpolation's tokens.
type piece struct {
	start, end int
	hole       bool
	tokens     []Token
}

// str reads a string. One that is not closed ends at its line's end, or for
// """ before the next line that begins a declaration, so that what follows is
// still read.
func (s *scanner) str() Token {
	r := &strScan{scanner: s, str: &Str{}, start: s.at}
	quote := `"`
	if strings.HasPrefix(s.text[s.at:], `"""`) {
		quote, r.str.Triple = `"""`, true
	}
	s.at += len(quote)
	closed := r.pieceByPiece(quote)
	if closed {
		s.at += len(quote)
	} else if !s.stopped {
		r.open(quote)
	}
	r.finish()
	t := s.token(String, r.start)
	t.Str = r.str
	if len(t.Text) > MaxString {
		s.report(diag.TooLong, r.start, r.start+len(quote), "this string is longer than 256 KiB", "keep long texts in data files")
		r.str.Broken, r.str.Parts = true, nil
	}
	return t
}

func (r *strScan) problem(code diag.Code, start, end int, message, hint string) {
	r.str.Broken = true
	r.report(code, start, end, message, hint)
}

// pieceByPiece collects pieces up to the closing quotes, or says false.
func (r *strScan) pieceByPiece(quote string) bool {
	from := r.at
	literal := func() {
		if r.at > from {
			r.pieces = append(r.pieces, piece{start: from, end: r.at})
		}
	}
	for r.at < len(r.text) && !r.stopped {
		rest := r.text[r.at:]
		switch {
		case strings.HasPrefix(rest, quote):
			literal()
			return true
		case rest[0] == '\n' && !r.str.Triple:
			literal()
			return false
		case rest[0] == '\n' && r.declarationAhead():
			literal()
			return false
		case rest[0] == '\\':
			r.at += min(2, len(rest))
			if r.text[r.at-1] == '\n' {
				r.at--
			}
		case strings.HasPrefix(rest, "$${"):
			r.at += 3
		case strings.HasPrefix(rest, "${"):
			literal()
			if !r.hole() {
				return false
			}
			from = r.at
		default:
			r.at++
		}
	}
	literal()
	return false
}

// hole reads ${ … }.
func (r *strScan) hole() bool {
	open := r.at
	r.at += 2
	if r.depth++; r.depth > MaxDepth {
		r.stop(diag.TooDeep, open, r.at, "strings and brackets are nested more than 64 deep here", "the rest of the file was not read")
		return false
	}
	outer := r.oneLine
	r.oneLine = outer || !r.str.Triple
	start := r.at
	tokens := r.tokens(true)
	r.oneLine = outer
	r.depth--
	if r.stopped {
		return false
	}
	if r.at >= len(r.text) || r.text[r.at] != '}' {
		r.problem(diag.OpenTemplate, open, open+2, "this `${` is never closed", "close it with `}`; a literal `${` is written `$${`")
		if r.oneLine || !r.str.Triple {
			r.at += min(1, len(r.text)-r.at) // the quote that ends the string, or the line break
			if r.at > 0 && r.text[r.at-1] == '\n' {
				r.at--
			}
		}
		return false
	}
	end := r.at
	r.at++
	if len(tokens) == 0 {
		r.problem(diag.EmptyHole, open, r.at, "nothing stands between `${` and `}`", "name what goes here; a literal `${` is written `$${`")
	}
	tokens = append(tokens, Token{Kind: EOF, Start: end, End: end})
	before := len(r.problems)
	tokens = r.balance(tokens)
	if len(r.problems) > before {
		r.str.Broken = true
	}
	r.pieces = append(r.pieces, piece{start: start, end: end, hole: true, tokens: tokens[:len(tokens)-1]})
	return true
}

// declarationAhead reports whether the line after this line break begins, at
// its first column, like a declaration, and no closing quotes follow at all:
// only then has a """ run past its end.
func (r *strScan) declarationAhead() bool {
	rest := r.text[r.at+1:]
	end := 0
	for end < len(rest) && isLetter(rest[end]) {
		end++
	}
	if end == 0 || !IsDeclaration(rest[:end]) {
		return false
	}
	return r.quotesAfter(r.at)%2 == 0
}

// quotesAfter counts the """ behind an offset; their places are found once.
func (s *scanner) quotesAfter(at int) int {
	if s.quotes == nil {
		s.quotes = []int{}
		for i := 0; ; i += 3 {
			j := strings.Index(s.text[i:], `"""`)
			if j < 0 {
				break
			}
			i += j
			s.quotes = append(s.quotes, i)
		}
	}
	return len(s.quotes) - sort.SearchInts(s.quotes, at)
}

// open reports a string that is not closed, unless a ${ in it is to blame. A
// } at the end of the line is left out of it: it closes a block more likely
// than it belongs to the text.
func (r *strScan) open(quote string) {
	if r.str.Broken {
		return
	}
	r.str.Unclosed = true
	if n := len(r.pieces); n > 0 && !r.pieces[n-1].hole {
		last := &r.pieces[n-1]
		text := strings.TrimRight(r.text[last.start:last.end], " \t\r\n}")
		if tail := r.text[last.start+len(text) : last.end]; tail != "" && tail[0] != '}' {
			last.end = last.start + len(text)
			r.at = last.end
		}
	}
	if r.str.Triple {
		r.problem(diag.OpenString, r.start, r.start+len(quote), "this text is never closed", "close it with `\"\"\"`")
		return
	}
	r.problem(diag.OpenString, r.start, r.at, "this string is not closed on its line",
		"close it with `\"`, or write a text of several lines between `\"\"\"`")
}

// endsOuter reports whether a quote within ${ of a one-line string begins no
// string of its own, because none closes on the line: then it ends the string
// around it, and the ${ is what was not closed.
func (s *scanner) endsOuter() bool {
	if ends, known := s.outer[s.at]; known {
		return ends // a trial within a trial is not made again
	}
	trial := *s
	trial.problems = nil
	t := trial.str()
	s.quotes = trial.quotes
	s.outer[s.at] = t.Str.Unclosed
	return t.Str.Unclosed
}

// finish resolves escapes and, in """, takes the indentation away.
func (r *strScan) finish() {
	cut := map[int]int{}
	if r.str.Triple {
		cut = r.dedent()
	}
	for _, p := range r.pieces {
		if p.hole {
			r.str.Parts = append(r.str.Parts, Part{Tokens: p.tokens, Start: p.start, End: p.end})
			continue
		}
		if text := r.literal(p, cut); text != "" {
			r.str.Parts = append(r.str.Parts, Part{Text: text, Start: p.start, End: p.end})
		}
	}
}

// literal resolves the escapes of a piece and leaves out the cut stretches.
func (r *strScan) literal(p piece, cut map[int]int) string {
	if len(cut) == 0 && strings.IndexByte(r.text[p.start:p.end], '\\') < 0 && strings.IndexByte(r.text[p.start:p.end], '$') < 0 &&
		strings.IndexByte(r.text[p.start:p.end], '\r') < 0 && !strings.ContainsFunc(r.text[p.start:p.end], odd) {
		return r.text[p.start:p.end]
	}
	var b strings.Builder
	for i := p.start; i < p.end; {
		if end, ok := cut[i]; ok && end > i {
			i = min(end, p.end)
			continue
		}
		c := r.text[i]
		switch {
		case c == '\\':
			i = r.escape(&b, i, p.end)
		case strings.HasPrefix(r.text[i:p.end], "$${"):
			b.WriteString("${")
			i += 3
		case c == '\r' && i+1 < len(r.text) && r.text[i+1] == '\n':
			i++
		default:
			ch, size := utf8.DecodeRuneInString(r.text[i:])
			if odd(ch) {
				r.oddCharacter(i, i+size, ch)
			}
			b.WriteString(r.text[i : i+size])
			i += size
		}
	}
	return b.String()
}

// odd reports characters that must not stand in a text unescaped.
func odd(ch rune) bool {
	return ch < 0x20 && ch != '\n' && ch != '\t' && ch != '\r' || ch == 0x7f || reorders(ch)
}

func (r *strScan) oddCharacter(start, end int, ch rune) {
	if reorders(ch) {
		r.str.Broken = true
		r.hidden(start, end)
		return
	}
	r.problem(diag.IllegalChar, start, end, "a control character stands in this text", "write it as an escape such as \\u{1B}")
}

// escape resolves the escape at i and returns where the text goes on.
func (r *strScan) escape(b *strings.Builder, i, end int) int {
	if i+1 >= end {
		r.problem(diag.BadEscape, i, i+1, "a backslash begins an escape, and none follows", `a backslash itself is written \\`)
		return end
	}
	simple := map[byte]byte{'n': '\n', 't': '\t', 'r': '\r', '"': '"', '\\': '\\'}
	c := r.text[i+1]
	if out, ok := simple[c]; ok {
		b.WriteByte(out)
		return i + 2
	}
	if c == 'u' {
		if ch, next, ok := unicodeEscape(r.text[:end], i+2); ok {
			b.WriteRune(ch)
			return next
		}
		r.problem(diag.BadEscape, i, i+2, "`\\u` is followed by the character's number", `write \u00E9 with four digits, or \u{1F600}`)
		return i + 2
	}
	_, size := utf8.DecodeRuneInString(r.text[i+1:])
	hint := `the escapes are \n \t \r \" \\ and \u{…}`
	if c == '$' {
		hint = "a literal `${` is written `$${`"
	}
	r.problem(diag.BadEscape, i, i+1+size, "`"+r.text[i:i+1+size]+"` is no escape", hint)
	return i + 1 + size
}

// unicodeEscape reads XXXX or {X…} at i.
func unicodeEscape(text string, i int) (ch rune, next int, ok bool) {
	digits := 4
	braced := i < len(text) && text[i] == '{'
	if braced {
		i++
		digits = max(strings.IndexByte(text[i:], '}'), 0)
	}
	if digits == 0 || digits > 6 || i+digits > len(text) {
		return 0, 0, false
	}
	for _, c := range []byte(text[i : i+digits]) {
		v := strings.IndexByte("0123456789abcdef", c|0x20)
		if isDigit(c) {
			v = int(c - '0')
		}
		if v < 0 {
			return 0, 0, false
		}
		ch = ch<<4 | rune(v)
	}
	if i += digits; braced {
		i++
	}
	return ch, i, utf8.ValidRune(ch)
}
