// Package parse makes the syntax tree of a .parley file. The file is lexed
// once and cut by tokens and depth: declarations, then the items of their
// bodies, then the items of bodies within those. Each item is parsed on its
// own by a small grammar, so that one mistake hides no other; where an item
// cannot be read, parsing resumes at the next word that may begin one.
package parse

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/alecthomas/participle/v2/lexer"

	"parley/lang/ast"
	"parley/lang/diag"
	"parley/lang/lex"
	"parley/lang/region"
	"parley/lang/source"
)

// File parses one file. It never fails: the tree holds what was readable.
func File(src *source.Source) (*ast.File, diag.List) {
	p, scanned := newParser(src)
	found := p.all(scanned)
	return p.file, found
}

func newParser(src *source.Source) (*parser, *lex.Result) {
	scanned := lex.Scan(src)
	return &parser{
		src: src, tokens: scanned.Tokens, comments: scanned.Comments,
		found: append(diag.List(nil), scanned.Problems...), stop: scanned.Stop,
		file: &ast.File{Name: src.Name, Comments: scanned.Comments},
	}, scanned
}

// all reads the whole file and gives what is wrong with it.
func (p *parser) all(scanned *lex.Result) diag.List {
	if !p.foreign() {
		p.declarations()
		p.found = append(p.found, scanned.Problems...)
	}
	return tidy(p.found)
}

// Limits on the work that mistakes cause: how many are kept, of which the
// first lex.MaxProblem are shown, and how many tokens explain one.
const (
	maxFindings = 10 * lex.MaxProblem
	maxPiece    = 4096
)

// Limits on what one body, one file and one list of parameters hold. What is
// checked of a thing may grow with the number of its neighbours.
const (
	maxMembers = 2000
	maxDecls   = 5000
	maxParams  = 200
)

// parser is the parsing of one file.
type parser struct {
	src      *source.Source
	tokens   []lex.Token
	comments []ast.Comment
	file     *ast.File
	found    diag.List
	// stop is where the lexer met a limit, or 0.
	stop int
	// stream is participle's view of the tokens from from on, marks its state
	// at each of them.
	stream *lexer.PeekingLexer
	from   int
	marks  []lexer.Checkpoint
	// outline is what Outline asks for, or nil.
	outline *Layout
}

// prepare makes participle's view of the stretch of the file that a token
// lies in. A stretch ends where a declaration begins right behind a } outside
// all brackets: no item reaches across, since no operand is due there.
func (p *parser) prepare(at int) {
	if p.stream != nil && p.from <= at && at < p.from+len(p.marks) {
		return
	}
	to := at + 1
	for ; to < len(p.tokens)-1; to++ {
		if t := p.tokens[to]; t.Kind == lex.Word && p.tokens[to-1].Is("}") && lex.IsDeclaration(t.Text) {
			break
		}
		if p.tokens[to].Kind == lex.Open {
			to = p.tokens[to].Match
		}
	}
	p.from = at
	p.stream, _ = lexer.Upgrade(lex.StreamPart(p.tokens, at, to)) // a Stream has no errors
	p.marks = p.marks[:0]
	for range to - at {
		p.marks = append(p.marks, p.stream.MakeCheckpoint())
		p.stream.Next()
	}
}

// tidy orders findings, drops doubles and caps their number.
func tidy(found diag.List) diag.List {
	found.Sort()
	out := found[:0]
	for i, d := range found {
		if i > 0 && d.Span == found[i-1].Span && d.Code == found[i-1].Code {
			continue
		}
		out = append(out, d)
	}
	if len(out) > lex.MaxProblem {
		out = out[:lex.MaxProblem]
	}
	return out
}

func (p *parser) report(code diag.Code, span ast.Span, message, hint string) {
	if p.stop > 0 && span.End >= p.stop || len(p.found) >= maxFindings {
		return // nothing behind a limit was read
	}
	p.found = append(p.found, diag.Diagnostic{
		Code: code, Severity: diag.Error, File: p.src.Name, Span: span, Message: message, Hint: hint,
	})
}

// body is one body being read: which words may begin an item in it, and how
// an item that begins at a token is parsed.
type body struct {
	in lex.Place
	// item parses the item at a token whose word it is given, and returns the
	// index behind it, or stuck.
	item func(at int, word string) int
	// shape recognises items that begin with no keyword, such as edges.
	shape func(at int) bool
	// formOfShape shows how those are written; title names the body: "a team".
	formOfShape string
	title       string
	seen        []string // words said that may be said once
	// last is the grammar of the item before, for the words it may go on with.
	last fmt.Stringer
}

// stuck is the result of an item that could not be parsed and was reported.
const stuck = -1

// items reads tokens[from:to], the inside of a body.
func (p *parser) items(b *body, from, to int) {
	most := maxMembers
	if b.in == lex.InFile {
		most = maxDecls
	}
	outlined := p.outline.body(b.in, from, to)
	count := 0
	for at := from; at < to; {
		t := p.tokens[at]
		next := stuck
		shaped := t.Kind == lex.Word && b.shape != nil && b.shape(at)
		if !shaped || b.in != lex.InTeam {
			count++ // a team's edges may be many
		}
		if count > most {
			p.report(diag.TooLong, t.Span(), fmt.Sprintf("%s holds at most %d things, and this one holds more", b.title, most), "")
			return
		}
		switch {
		case t.Kind != lex.Word:
			p.notAWord(b, at)
		case shaped:
			next = b.item(at, "")
		default:
			k, known := lex.Lookup(b.in, t.Text)
			if !known || k.Later {
				p.unknown(b, at)
				break
			}
			p.once(b, k, at)
			next = b.item(at, t.Text)
		}
		if next == stuck {
			next = p.resume(b, at, to)
		}
		p.outline.item(outlined, at, next)
		at = next
	}
}

func (p *parser) once(b *body, k lex.Keyword, at int) {
	if !k.Once {
		return
	}
	if slices.Contains(b.seen, k.Word) {
		p.report(diag.Duplicate, p.tokens[at].Span(), "`"+k.Word+"` is said twice in "+b.title, "one of the two has to go")
		return
	}
	b.seen = append(b.seen, k.Word)
}

// begins reports whether an item of the body may begin at a token.
func (p *parser) begins(b *body, at int) bool {
	t := p.tokens[at]
	if t.Kind != lex.Word {
		return false
	}
	if b.shape != nil && b.shape(at) {
		return true
	}
	_, ok := lex.Lookup(b.in, t.Text)
	return ok
}

// resume finds where reading goes on after an item that could not be read: at
// the next word that begins an item and a line, or, behind the word after the
// mistake, that is a keyword on the same line.
func (p *parser) resume(b *body, at, to int) int {
	mistake := max(p.mistake(at), at)
	for j := at + 1; j < to; j++ {
		if j >= mistake && p.heads(b, at, j) {
			return j
		}
		if _, keyword := lex.Lookup(b.in, p.tokens[j].Text); keyword && j > mistake+1 && p.tokens[j].Kind == lex.Word && !p.beginsLine(j-1) {
			return j
		}
		if p.tokens[j].Kind == lex.Open {
			j = p.tokens[j].Match
		}
	}
	return to
}

// heads reports whether a token looks like the beginning of the item behind
// the one at a token: it begins a line, and is a word that may begin an item
// or stands no further in than that one.
func (p *parser) heads(b *body, at, j int) bool {
	if p.tokens[j].Kind != lex.Word || !p.beginsLine(j) {
		return false
	}
	return p.begins(b, j) || p.beginsLine(at) && p.column(j) <= p.column(at)
}

func (p *parser) column(at int) int {
	start := p.tokens[at].Start
	return start - p.src.LineStart(start)
}

// mistake is the index of the token that the newest finding points at.
func (p *parser) mistake(at int) int {
	if len(p.found) == 0 {
		return at
	}
	start := p.found[len(p.found)-1].Span.Start
	for i := at; i < len(p.tokens); i++ {
		if p.tokens[i].End > start || p.tokens[i].Kind == lex.EOF {
			return i
		}
	}
	return at
}

// beginsLine reports whether a token is the first of its line.
func (p *parser) beginsLine(at int) bool {
	if at == 0 {
		return true
	}
	return strings.Contains(p.src.Text[p.tokens[at-1].End:p.tokens[at].Start], "\n")
}

// take parses the item at a token with a grammar. Its result is nil where
// nothing could be read; next is stuck where reading cannot go on behind it.
func take[T any](p *parser, b *body, g grammar[T], at, to int) (item *T, next int) {
	b.last = g
	p.prepare(at)
	l := *p.stream
	l.LoadCheckpoint(p.marks[at-p.from])
	item = g.match(&l)
	end := at
	if item != nil {
		end = l.Peek().Pos.Line
		if end >= to || p.begins(b, end) {
			return item, end
		}
	}
	if item != nil && p.swallowed(b, at, end-1) {
		err := g.explain(p.tokens, at, end-1)
		code, message := p.expected(end-1, wanted(err))
		if f := (*fault)(nil); errors.As(err, &f) {
			code, message = f.Code, f.Message
		}
		p.missing(code, end-1, message, p.form(b, at))
		return nil, end - 1
	}
	if item != nil && p.tookClause(g, at, end) {
		between := region.Show(p.tokens[end-2]) + " and " + region.Show(p.tokens[end-1])
		p.report(diag.MissingExpr, p.tokens[end-1].Span(), "something is missing between "+between, p.form(b, at))
		return nil, stuck
	}
	if len(p.found) >= maxFindings {
		return item, stuck
	}
	err := g.explain(p.tokens, at, p.piece(b, at, max(end, at+1), to))
	place := p.tokens[end]
	if item != nil && p.errorAt(err) <= end && place.Kind == lex.Word && !lex.Reserved(place.Text) {
		return item, end // an unknown word: the next item's, or a slip in a clause
	}
	p.explain(b, at, end, err)
	next = p.resume(b, at, to) // by what was just reported
	if item == nil {
		p.readAnyway(b, at, max(p.errorAt(err), end), to)
	}
	return item, next
}

// swallowed reports whether the last token of an item looks like the next
// item's first: a keyword can be the name that an expression waits for, so an item
// whose expression was forgotten takes the keyword of the line below.
func (p *parser) swallowed(b *body, at, last int) bool {
	if last <= at || p.tokens[last].Kind != lex.Word || !p.beginsLine(last) {
		return false
	}
	return p.begins(b, last)
}

// tookClause reports whether an item took one of its own clauses' words for a
// name, and cannot go on with what stands behind it.
func (p *parser) tookClause(g fmt.Stringer, at, end int) bool {
	last := p.tokens[end-1]
	if end-1 > at && last.Text == "better" && p.tokens[end-2].Text == "is" {
		return false // that clause is whole: what follows it is wrong by itself
	}
	return end-1 > at && last.Kind == lex.Word && slices.Contains(clauses(g), last.Text)
}

// piece is the end of the tokens that an unreadable item at a token is
// explained by: those before the next line that begins an item.
func (p *parser) piece(b *body, at, from, to int) int {
	to = min(to, from+maxPiece)
	for j := at + 1; j < to; j++ {
		if j >= from && p.heads(b, at, j) {
			return j
		}
		if p.tokens[j].Kind == lex.Open {
			j = p.tokens[j].Match
		}
	}
	return to
}
