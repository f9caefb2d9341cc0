package lex

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"parley/lang/ast"
	"parley/lang/diag"
	"parley/lang/source"
)

// Scan lexes a whole file. It never fails: problems are in the result.
func Scan(src *source.Source) *Result {
	s := &scanner{src: src, text: src.Text, outer: map[int]bool{}}
	if strings.HasPrefix(s.text, source.BOM) {
		s.at = len(source.BOM)
	}
	tokens := s.tokens(false)
	end := len(s.text)
	if s.stopped {
		end = s.at
	}
	tokens = append(tokens, Token{Kind: EOF, Start: end, End: end})
	tokens = s.balance(tokens)
	r := &Result{Tokens: tokens, Comments: s.comments, Problems: s.problems}
	if s.stopped {
		r.Stop = s.at
	}
	return r
}

// scanner reads one file from front to back.
type scanner struct {
	src      *source.Source
	text     string
	at       int
	depth    int
	count    int
	stopped  bool         // a limit was met: what follows is not read
	oneLine  bool         // inside ${ of a string that must end on its line
	quotes   []int        // where """ stand, once asked for
	outer    map[int]bool // what endsOuter found, by offset
	comments []ast.Comment
	problems diag.List
}

func (s *scanner) report(code diag.Code, start, end int, message, hint string) {
	if len(s.problems) >= 10*MaxProblem && code != diag.TooDeep && code != diag.TooLong {
		return
	}
	s.problems = append(s.problems, diag.Diagnostic{
		Code: code, Severity: diag.Error, File: s.src.Name,
		Span: ast.Span{Start: start, End: end}, Message: message, Hint: hint,
	})
}

// stop reports a limit and ends the reading.
func (s *scanner) stop(code diag.Code, start, end int, message, hint string) {
	if !s.stopped {
		s.report(code, start, end, message, hint)
	}
	s.stopped = true
}

// tokens reads until the end of the file or, in an interpolation, up to the
// bracket that closes it, which is left unread.
func (s *scanner) tokens(inString bool) []Token {
	var out []Token
	if !inString {
		out = make([]Token, 0, len(s.text)/6+8)
	}
	base := s.depth
	for !s.stopped {
		s.blanks()
		if s.at >= len(s.text) || inString && s.oneLine && s.text[s.at] == '\n' {
			return out
		}
		if inString && s.text[s.at] == '}' && s.depth == base {
			return out
		}
		if inString && s.oneLine && s.text[s.at] == '"' && s.endsOuter() {
			return out
		}
		t, ok := s.next()
		if !ok {
			continue
		}
		switch t.Kind {
		case Open:
			s.deeper(t)
		case Close:
			s.depth = max(s.depth-1, base)
		}
		if s.count++; s.count > MaxTokens {
			s.stop(diag.TooLong, t.Start, t.End, "this file has more words and signs than are read", "split it into several files with `use`")
			return out
		}
		out = append(out, t)
	}
	return out
}

func (s *scanner) deeper(t Token) {
	if s.depth++; s.depth > MaxDepth {
		s.stop(diag.TooDeep, t.Start, t.End, "brackets are nested more than 64 deep here", "the rest of the file was not read")
	}
}

// blanks skips white space and keeps comments aside. Inside an interpolation
// of a one-line string a line break is left for the caller to see.
func (s *scanner) blanks() {
	for s.at < len(s.text) {
		switch c := s.text[s.at]; {
		case c == '\n' && s.oneLine:
			return
		case c == ' ' || c == '\t' || c == '\n' || c == '\r':
			s.at++
		case strings.HasPrefix(s.text[s.at:], "//"):
			end := strings.IndexByte(s.text[s.at:], '\n')
			if end < 0 {
				end = len(s.text) - s.at
			}
			text := strings.TrimSuffix(s.text[s.at:s.at+end], "\r")
			s.hidden(s.at, s.at+len(text))
			s.comments = append(s.comments, ast.Comment{Span: ast.Span{Start: s.at, End: s.at + len(text)}, Text: text[2:]})
			s.at += end
		default:
			return
		}
	}
}

// next reads one token; ok is false where something was reported and skipped.
func (s *scanner) next() (t Token, ok bool) {
	start := s.at
	switch c := s.text[s.at]; {
	case isLetter(c):
		s.word()
		if r, _ := utf8.DecodeRuneInString(s.text[s.at:]); r >= utf8.RuneSelf && unicode.IsLetter(r) {
			return s.illegal(start), true
		}
		return s.token(Word, start), true
	case isDigit(c), c == '.' && s.digitAt(s.at+1):
		return s.number(), true
	case c == '"':
		return s.str(), true
	case c == '\'' || c == '`':
		return s.wrongQuotes(), true
	case c == '#':
		s.at++
		if s.at < len(s.text) && isLetter(s.text[s.at]) {
			s.word()
		}
		return s.token(Element, start), true
	case strings.IndexByte("([{", c) >= 0:
		s.at++
		return s.token(Open, start), true
	case strings.IndexByte(")]}", c) >= 0:
		s.at++
		return s.token(Close, start), true
	case strings.HasPrefix(s.text[s.at:], "/*"):
		s.blockComment()
		return Token{}, false
	}
	if t, ok := s.operator(); ok {
		return t, true
	}
	return s.illegal(start), true
}

func (s *scanner) token(kind Kind, start int) Token {
	return Token{Kind: kind, Text: s.text[start:s.at], Start: start, End: s.at}
}

func (s *scanner) word() {
	for s.at < len(s.text) && (isLetter(s.text[s.at]) || isDigit(s.text[s.at])) {
		s.at++
	}
}

func (s *scanner) digitAt(i int) bool { return i < len(s.text) && isDigit(s.text[i]) }

func isLetter(c byte) bool { return c == '_' || 'a' <= c && c <= 'z' || 'A' <= c && c <= 'Z' }
func isDigit(c byte) bool  { return '0' <= c && c <= '9' }

// operators lists every sign, longest first where one begins another.
var operators = []string{
	"<->", "->", "==", "!=", "<=", ">=", "&&", "||", "??", "?.", "..", "**",
	"+", "-", "*", "/", "%", "^", "<", ">", "!", "|", ".", "?", ":", ",", "=", ";",
}

// slips are operators of other languages with what Parley writes.
var slips = []struct{ text, hint string }{
	{"<=>", ""},
	{"<-->", "an edge both ways is written `<->`"},
	{"-->", "an edge is written `->`"},
	{"===", "`==` compares"},
	{"!==", "`!=` compares"},
	{"<>", "not equal is written `!=`"},
	{"=>", ""},
	{"...", "a range is written `1..5`"},
	{"..=", "a range is written `1..5` and includes both ends"},
	{"::", ""},
	{":=", "a value is given with `=`"},
	{"++", "write `x + 1`"},
	{"+=", "write `set x = x + …`"},
	{"-=", "write `set x = x - …`"},
}

// operator reads a sign. `+=` and the like are reported and kept as Illegal.
func (s *scanner) operator() (Token, bool) {
	start, rest := s.at, s.text[s.at:]
	for _, slip := range slips {
		if strings.HasPrefix(rest, slip.text) {
			s.at += len(slip.text)
			s.report(diag.BadOperator, start, s.at, "`"+slip.text+"` is no operator", slip.hint)
			return s.token(Illegal, start), true
		}
	}
	for _, op := range operators {
		if strings.HasPrefix(rest, op) {
			s.at += len(op)
			return s.token(Op, start), true
		}
	}
	return Token{}, false
}

func (s *scanner) blockComment() {
	start := s.at
	end := strings.Index(s.text[s.at+2:], "*/")
	s.at = len(s.text)
	if end >= 0 {
		s.at = start + 2 + end + 2
	}
	s.report(diag.BlockComment, start, start+2, "comments in `/* */` are not read", "begin each line of a comment with `//`")
}

// wrongQuotes reads '…' or `…` to its end on the line, so that one report is enough.
func (s *scanner) wrongQuotes() Token {
	start, quote := s.at, s.text[s.at]
	for s.at++; s.at < len(s.text) && s.text[s.at] != quote && s.text[s.at] != '\n'; s.at++ {
		if s.text[s.at] == '\\' && s.at+1 < len(s.text) && s.text[s.at+1] != '\n' {
			s.at++
		}
	}
	if s.at < len(s.text) && s.text[s.at] == quote {
		s.at++
	}
	what := "single quotes"
	if quote == '`' {
		what = "backquotes"
	}
	s.report(diag.WrongQuotes, start, s.at, what+" are not used for text", "write it in double quotes: \"…\"")
	return s.token(Illegal, start)
}

// illegal reads a run of characters that begin no token.
func (s *scanner) illegal(start int) Token {
	r, size := utf8.DecodeRuneInString(s.text[s.at:])
	s.at += size
	switch {
	case r >= utf8.RuneSelf && !reorders(r):
		for s.at < len(s.text) && (s.text[s.at] >= utf8.RuneSelf || isLetter(s.text[s.at]) || isDigit(s.text[s.at])) {
			s.at++
		}
		s.report(diag.IllegalChar, start, s.at, "only the letters a to z, digits and `_` make words, and this is outside a string",
			"put text in double quotes; a field with such a name is read as row[\"…\"]")
	case reorders(r):
		s.hidden(s.at-size, s.at)
	case r == '&':
		s.report(diag.BadOperator, start, s.at, "`&` is no operator", "`&&` or `and` joins conditions")
	case r == '\\':
		s.report(diag.IllegalChar, start, s.at, "a backslash has no meaning outside a string", "")
	default:
		s.report(diag.IllegalChar, start, s.at, "this character has no meaning here", "")
	}
	return s.token(Illegal, start)
}

// hidden reports characters that make text look other than it is.
func (s *scanner) hidden(start, end int) {
	for i, r := range s.text[start:end] {
		if reorders(r) {
			at := start + i
			s.report(diag.HiddenChar, at, at+utf8.RuneLen(r), "an invisible character here changes the order in which text is shown",
				"remove it, or in a string write it as an escape such as \\u{202E}")
			return
		}
	}
}

// reorders reports Unicode's bidirectional controls ("Trojan Source").
func reorders(r rune) bool {
	return r >= 0x202a && r <= 0x202e || r >= 0x2066 && r <= 0x2069
}
