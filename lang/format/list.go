package format

import (
	"parley/lang/lex"
	"parley/lang/parse"
)

// list lays out brackets with elements between commas. It is broken, one
// element a line, where the author broke it or it does not fit.
func (f *layout) list(open int, inExpr bool) doc {
	opener, shut := f.toks[open], f.toks[open].Match
	pieces, commas := f.pieces(open+1, shut)
	if len(pieces) == 0 && !f.commented(open, shut+1) {
		return text(opener.Text + f.toks[shut].Text)
	}
	if f.hugs(open, pieces, commas) {
		return join(text(opener.Text), f.element(pieces[0], inExpr), text(f.toks[shut].Text))
	}
	var inside []doc
	before := []note(nil) // comments before the comma are put behind it
	for i, r := range pieces {
		g := f.at(r.From)
		inside = append(inside, f.ahead(append(before, g.notes...), g.blank && i > 0, i == 0, opener.Text != "{"), f.element(r, inExpr))
		before = nil
		if i < len(commas) {
			before = f.at(commas[i]).notes
			if i < len(pieces)-1 {
				inside = append(inside, text(","))
			}
		}
	}
	if len(pieces) > 0 && f.mayTrail(open, pieces, inExpr) {
		inside = append(inside, trailing{})
	}
	var last doc = line{soft: opener.Text != "{"}
	if notes := append(before, f.at(shut).notes...); len(notes) > 0 {
		inside = append(inside, f.comments(notes, len(pieces) > 0))
		last = hard{}
	}
	all := join(text(opener.Text), indent{join(inside...)}, last, text(f.toks[shut].Text))
	if f.brokenByAuthor(open, pieces) {
		all = broken(all)
	}
	return group{all}
}

// ahead is what stands before an element: a line's end in a broken list.
func (f *layout) ahead(notes []note, blank, first, soft bool) doc {
	switch {
	case len(notes) > 0 && blank:
		return join(f.comments(notes, !first), hard{}, hard{})
	case len(notes) > 0:
		return join(f.comments(notes, !first), hard{})
	case blank:
		return join(hard{}, hard{})
	}
	return line{soft: first && soft}
}

// hugs reports a list whose only element is a list or record, or is a name
// with one: unless the author broke the line between them, the two open and
// close together.
func (f *layout) hugs(open int, pieces []parse.Range, commas []int) bool {
	shut := f.toks[open].Match
	if len(pieces) != 1 || f.toks[open].Text == "{" || f.at(open+1).newline || len(f.at(shut).notes) > 0 ||
		len(commas) > 0 && len(f.at(commas[0]).notes) > 0 {
		return false
	}
	r := pieces[0]
	if r.To-r.From > 2 && f.toks[r.From].Kind == lex.Word && f.toks[r.From+1].Is(":") && !f.commented(r.From, r.From+3) {
		r.From += 2
	}
	return f.literal(r.From, r.To)
}

// literal reports a list or a record and nothing else.
func (f *layout) literal(from, to int) bool {
	t := f.toks[from]
	return from < to && t.Kind == lex.Open && t.Text != "(" && t.Match == to-1
}

// brokenByAuthor reports a list that stands on several lines: one that does
// so anywhere between its elements, and in round brackets at its beginning.
func (f *layout) brokenByAuthor(open int, pieces []parse.Range) bool {
	for i, r := range pieces {
		if f.at(r.From).newline && (i == 0 || f.toks[open].Text != "(") {
			return true
		}
	}
	return f.toks[open].Text != "(" && f.at(f.toks[open].Match).newline
}

// mayTrail reports whether the grammar lets a comma follow the last element:
// everywhere but in a slot such as hole(x), which has one element.
func (f *layout) mayTrail(open int, pieces []parse.Range, inExpr bool) bool {
	if inExpr || len(pieces) > 1 || f.toks[open].Text == "{" {
		return true
	}
	return f.toks[open].Text == "(" && pieces[0].To-pieces[0].From > 1 && f.toks[pieces[0].From+1].Is(":")
}

// element lays out one element of a list.
func (f *layout) element(r parse.Range, inExpr bool) doc {
	if inExpr {
		return f.mapping(r.From, r.To)
	}
	return join(f.words(r.From, r.To)...)
}

// words lays out what is no expression as a whole: names, keywords, signs,
// brackets, and the expressions among them.
func (f *layout) words(from, to int) []doc {
	var docs []doc
	for i := from; i < to; {
		if i > from {
			docs = append(docs, f.between(i, f.space(i)))
		}
		d, next := f.word(i, false)
		docs = append(docs, d)
		i = next
	}
	return docs
}

// word lays out the token, bracket or expression at i. A rigid expression
// does not break at its operators.
func (f *layout) word(i int, rigid bool) (d doc, next int) {
	if end, ok := f.exprs[i]; ok {
		return f.expr(i, end, rigid), end
	}
	switch t := f.toks[i]; t.Kind {
	case lex.Open:
		return f.list(i, false), t.Match + 1
	case lex.String:
		return f.str(t), i + 1
	default:
		return text(t.Text), i + 1
	}
}

// space is what stands between a token outside of expressions and the one
// before it.
func (f *layout) space(i int) doc {
	before, t := f.toks[i-1], f.toks[i]
	_, expr := f.exprs[i]
	switch {
	case t.Is(",") || t.Is(":") || t.Is("?"):
		return text("")
	case before.Is("."), t.Is(".") && !expr:
		return text("")
	case t.Kind == lex.Open && t.Text != "{" && !expr && !f.types[i] && before.Kind == lex.Word && !before.Is("sweep") && !before.Is("in"):
		return text("")
	}
	return text(" ")
}
