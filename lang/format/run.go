package format

import (
	"slices"

	"parley/lang/lex"
)

// clauseWords begin clauses: an item that does not fit on its line is broken
// before those that follow something complete.
var clauseWords = []string{
	"given", "when", "where", "by", "with", "until", "on", "per", "limit", "sample", "then", "try", "reads", "writes",
	"lower", "higher", "for", "corpus", "else", "as",
}

// ways in which the line of an item can end within it.
type way int

const (
	oneLine   way = iota // nowhere outside of brackets
	clausesIn            // before the clauses behind a `=`, or all where there is none
	clausesAt            // before all clauses, and before `=`
)

// run is a part of an item between blocks, tokens [from, to), as docs for
// each way. A block follows it, or nothing; a block stands before it, or
// nothing.
type run struct {
	*layout
	from, to      int
	behind, ahead bool
}

// write lays the run out, at the indentation of its item, on a line that
// something may stand on already.
func (r run) write(column, in int) (string, int) {
	clauses := r.breaks(clausesIn)
	ways := []struct {
		way   way
		whole bool // nothing else may be broken
	}{{oneLine, true}, {clausesIn, true}, {clausesAt, true}, {oneLine, false}, {clausesIn, false}, {clausesAt, false}}
	switch {
	case len(r.breaks(clausesAt)) == 0 && r.commas():
		ways[3], ways[4] = ways[4], ways[3] // lines end behind commas, rather than in brackets
	case r.behind:
		// What is broken before a block is best its brackets, so that the
		// block's own lines stand apart.
		ways[1], ways[3] = ways[3], ways[1]
		ways[2], ways[3] = ways[3], ways[2]
	}
	best, found := writer{}, false
	for _, try := range ways {
		breaks := r.breaks(try.way)
		if try.way != oneLine && len(breaks) == 0 && len(clauses) == 0 && !r.commas() ||
			try.way == clausesIn && !try.whole && r.early() {
			continue
		}
		d := r.doc(breaks, try.way)
		w := writer{column: column}
		w.write(d, in, try.way != oneLine)
		if try.whole && w.lines > len(breaks) {
			continue
		}
		if !found || w.widest < best.widest {
			best, found = w, true
		}
		if w.widest <= width {
			break
		}
	}
	return best.out.String(), best.column
}

// breaks lists the tokens before which a line ends.
func (r run) breaks(w way) []int {
	if w == oneLine {
		return nil
	}
	var found []int
	for i := r.from; i < r.to; i = r.next(i) {
		t := r.toks[i]
		switch {
		case t.Is("=") && w == clausesIn:
			found = nil
		case t.Is("=") && len(found) > 0, r.clause(i):
			found = append(found, i)
		}
	}
	return found
}

// early reports whether a clause stands before a `=`: what is broken within
// it then has to stand apart from what follows.
func (r run) early() bool {
	found := r.breaks(clausesAt)
	return slices.ContainsFunc(found, func(i int) bool { return r.toks[i].Is("=") })
}

// clause reports whether a clause begins at i.
func (r run) clause(i int) bool {
	if i < r.from+2 || r.toks[i].Kind != lex.Word || !slices.Contains(clauseWords, r.toks[i].Text) {
		return false
	}
	before := r.toks[i-1]
	if r.toks[i].Text == "on" && r.commas() {
		return false // it belongs to one of the things between the commas
	}
	return before.Kind != lex.Op && !(before.Kind == lex.Word && slices.Contains(clauseWords, before.Text) && i-1 > r.from)
}

// next is the token behind the word, bracket or expression at i.
func (r run) next(i int) int {
	if end, ok := r.exprs[i]; ok {
		return end
	}
	if r.toks[i].Kind == lex.Open {
		return r.toks[i].Match + 1
	}
	return i + 1
}

// commas reports whether the run has commas outside of brackets.
func (r run) commas() bool {
	for i := r.from; i < r.to; i = r.next(i) {
		if r.toks[i].Is(",") {
			return true
		}
	}
	return false
}

// doc lays the run out with line breaks before some tokens.
func (r run) doc(breaks []int, w way) doc {
	rigid := w == oneLine && (len(r.breaks(clausesAt)) > 0 || r.commas())
	var all, segment []doc
	behind := -1 // where what follows the last comma began: on a line of its own if need be
	closeBehind := func() {
		if behind >= 0 {
			segment = append(segment[:behind:behind], group{indent{join(segment[behind:]...)}})
			behind = -1
		}
	}
	flush := func() {
		closeBehind()
		d := join(segment...)
		if len(all) > 0 && !r.ahead {
			d = indent{d}
		}
		all, segment = append(all, d), nil
	}
	var before []note
	for i := r.from; i < r.to; {
		switch {
		case i == r.from:
			if r.ahead {
				all = append(all, r.beside(i, text(" ")))
			}
		case r.toks[i].Is(","):
			before = r.at(i).notes
			segment = append(segment, text(","))
			i++
			continue
		case slices.Contains(breaks, i):
			flush()
			all = append(all, r.between(i, indent{hard{}}))
		case r.toks[i-1].Is(",") && w != oneLine:
			closeBehind()
			behind = len(segment)
			segment, before = append(segment, r.behindComma(i, before)), nil
		default:
			segment = append(segment, r.gap(i, before))
			before = nil
		}
		var d doc
		d, i = r.word(i, rigid)
		segment = append(segment, d)
	}
	if w == oneLine {
		all = append(all, segment...)
	} else {
		flush()
	}
	if r.behind {
		all = append(all, r.between(r.to, text(" ")), text("{"))
	}
	return join(all...)
}

// gap is what stands before a token where no line ends of itself.
func (r run) gap(i int, before []note) doc {
	if r.toks[i-1].Is(",") && len(before)+len(r.at(i).notes) > 0 {
		return indent{r.behindComma(i, before)}
	}
	return r.between(i, r.space(i))
}

// behindComma is what stands behind a comma: comments, or the line's end where
// the author put it, or one where the line is full.
func (r run) behindComma(i int, before []note) doc {
	if notes := append(before, r.at(i).notes...); len(notes) > 0 {
		return join(r.comments(notes, false), hard{})
	}
	if r.at(i).newline {
		return hard{}
	}
	return line{}
}
