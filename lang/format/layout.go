package format

import (
	"strings"

	"parley/lang/lex"
	"parley/lang/parse"
)

// layout is a stretch of tokens with all that decides where its lines end: a
// whole file, or what stands in a ${…}.
type layout struct {
	toks   []lex.Token
	gaps   []gap // before each token; none in ${…}
	exprs  map[int]int
	types  map[int]bool
	bodies map[int]*parse.Body // by their opening bracket, -1 for the file
	// notes are the comments of the file, also those in strings.
	notes []note
}

// gap is what stands between two tokens: comments, and whether the author
// ended the line, or left an empty one.
type gap struct {
	notes          []note
	newline, blank bool // blank: before the token itself
}

// note is a comment.
type note struct {
	text       string
	start, end int
	trailing   bool // on the line of the token before it
	blank      bool // an empty line stands before it
}

// newLayout attaches the comments of a file to the gaps they stand in.
func newLayout(src string, l *parse.Layout) *layout {
	f := &layout{
		toks: l.Tokens, gaps: make([]gap, len(l.Tokens)),
		exprs: map[int]int{}, types: map[int]bool{}, bodies: map[int]*parse.Body{},
	}
	for i := range l.Bodies {
		f.bodies[l.Bodies[i].From-1] = &l.Bodies[i]
	}
	for _, r := range l.Exprs {
		f.exprs[r.From] = max(f.exprs[r.From], r.To)
	}
	for _, r := range l.Types {
		f.types[r.From] = true
	}
	for _, c := range l.Comments {
		f.notes = append(f.notes, note{text: strings.TrimRight("//"+c.Text, " \t"), start: c.Start, end: c.End})
	}
	next, behind := 0, 0
	for i, t := range l.Tokens {
		g := &f.gaps[i]
		for ; next < len(f.notes) && f.notes[next].start < t.Start; next++ {
			n := f.notes[next]
			if i > 0 && n.start < l.Tokens[i-1].End {
				continue // in a string
			}
			breaks := strings.Count(src[behind:n.start], "\n")
			n.trailing = breaks == 0 && i > 0
			n.blank = breaks > 1
			g.notes = append(g.notes, n)
			behind = n.end
		}
		breaks := strings.Count(src[behind:t.Start], "\n")
		g.newline = breaks > 0 || len(g.notes) > 0
		g.blank = breaks > 1
		behind = t.End
	}
	return f
}

// hole is the layout of what stands in a ${…}, which is one expression.
func (f *layout) hole(tokens []lex.Token) *layout {
	return &layout{toks: tokens, exprs: map[int]int{0: len(tokens)}, notes: f.notes}
}

func (f *layout) at(i int) gap {
	if f.gaps == nil {
		return gap{}
	}
	return f.gaps[i]
}

// commented reports whether a comment stands behind the first of the tokens
// [from, to) and before the last.
func (f *layout) commented(from, to int) bool {
	for i := from + 1; i < to; i++ {
		if len(f.at(i).notes) > 0 {
			return true
		}
	}
	return false
}

// between is what stands before token i where lines end only if they have to:
// plain, or comments with line breaks around them, further in.
func (f *layout) between(i int, plain doc) doc {
	if len(f.at(i).notes) == 0 {
		return plain
	}
	return indent{f.beside(i, plain)}
}

// beside is between where what goes on is no further in. An empty line behind
// the comments stays: without it they would document what follows.
func (f *layout) beside(i int, plain doc) doc {
	g := f.at(i)
	switch {
	case len(g.notes) == 0:
		return plain
	case g.blank:
		return join(f.comments(g.notes, false), hard{}, hard{})
	}
	return join(f.comments(g.notes, false), hard{})
}

// comments writes notes behind something, without the line break that has to
// follow. An empty line before the first of them may be kept or not.
func (f *layout) comments(notes []note, blank bool) doc {
	var docs []doc
	for i, n := range notes {
		switch {
		case n.trailing && i == 0:
			docs = append(docs, comment(" "))
		case n.blank && (blank || i > 0):
			docs = append(docs, hard{}, hard{})
		default:
			docs = append(docs, hard{})
		}
		docs = append(docs, comment(n.text))
	}
	return broken(join(docs...))
}

// pieces divides tokens[from:to] at the commas outside of inner brackets. The
// last piece is left out if it is empty, as behind a trailing comma.
func (f *layout) pieces(from, to int) (pieces []parse.Range, commas []int) {
	start := from
	for i := from; i < to; i++ {
		switch t := f.toks[i]; {
		case t.Kind == lex.Open:
			i = t.Match
		case t.Is(","):
			pieces = append(pieces, parse.Range{From: start, To: i})
			commas = append(commas, i)
			start = i + 1
		}
	}
	if start < to {
		pieces = append(pieces, parse.Range{From: start, To: to})
	}
	return pieces, commas
}
