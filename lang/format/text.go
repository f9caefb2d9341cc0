package format

import (
	"strings"

	"parley/lang/lex"
	"parley/lang/region"
	"parley/lang/source"
)

// str lays out a string. Its characters stay as they are written; spaces in
// ${…} are put right, and the lines of """…""" are moved to where they stand.
func (f *layout) str(t lex.Token) doc {
	lines := f.linesOf(t)
	if len(lines) == 1 {
		return text(lines[0])
	}
	if moved := moved(lines); moved != nil && sameText(t, strings.Join(moved, "\n")) {
		var docs []doc
		for _, l := range moved[1 : len(moved)-1] {
			docs = append(docs, hard{}, verbatim(l))
		}
		return join(text(`"""`), indent{join(docs...)}, hard{}, text(`"""`))
	}
	return verbatim(strings.Join(lines, "\n"))
}

// verbatim is text whose further lines are not indented.
func verbatim(s string) doc {
	var docs []doc
	for i, l := range strings.Split(s, "\n") {
		if i > 0 {
			docs = append(docs, hard{raw: true})
		}
		docs = append(docs, text(l))
	}
	if len(docs) == 1 {
		return docs[0]
	}
	return join(docs...)
}

// ofLines reports a string that stands on several lines.
func ofLines(t lex.Token) bool { return strings.Contains(t.Text, "\n") }

// linesOf divides a string's text at the line breaks of its literal parts,
// with what stands in ${…} laid out. A ${…} that cannot stand on one line is
// kept as it is, line breaks and all.
func (f *layout) linesOf(t lex.Token) []string {
	var b strings.Builder
	var lines []string
	literal := func(s string) {
		for i, l := range strings.Split(strings.ReplaceAll(s, "\r\n", "\n"), "\n") {
			if i > 0 {
				lines = append(lines, b.String())
				b.Reset()
			}
			b.WriteString(l)
		}
	}
	from := t.Start
	for _, p := range t.Str.Parts {
		if p.Tokens == nil {
			continue
		}
		literal(t.Text[from-t.Start : p.Start-t.Start])
		b.WriteString(f.inHole(p, t.Text[p.Start-t.Start:p.End-t.Start]))
		from = p.End
	}
	literal(t.Text[from-t.Start:])
	return append(lines, b.String())
}

// inHole lays out the inside of a ${…} on one line, or leaves it.
func (f *layout) inHole(p lex.Part, raw string) string {
	for _, n := range f.notes {
		if n.start >= p.Start && n.start < p.End {
			return raw
		}
	}
	d := f.hole(p.Tokens).expr(0, len(p.Tokens), true)
	if d.forced() {
		return raw
	}
	return flat(d)
}

// flat is a doc on one line.
func flat(d doc) string {
	var w writer
	w.write(unbroken(d), 0, false)
	return w.out.String()
}

// unbroken is a doc without its groups: nothing in it asks for width.
func unbroken(d doc) doc {
	switch d := d.(type) {
	case group:
		return unbroken(d.doc)
	case indent:
		return unbroken(d.doc)
	case concat:
		docs := make([]doc, len(d.docs))
		for i, inner := range d.docs {
			docs[i] = unbroken(inner)
		}
		return concat{docs: docs, broken: d.broken}
	}
	return d
}

// moved writes """…""" as a block: the quotes on lines of their own, and the
// lines between them without the indentation that they share. The first and
// the last element are the quotes. It is nil where the lines say that they
// must not be moved.
func moved(lines []string) []string {
	last := len(lines) - 1
	first, end := strings.TrimPrefix(lines[0], `"""`), strings.TrimSuffix(lines[last], `"""`)
	if len(first) == len(lines[0]) || len(end) == len(lines[last]) {
		return nil
	}
	out := []string{`"""`}
	if !blank(first) {
		out = append(out, first)
	}
	inner := append([]string(nil), lines[1:last]...)
	if !blank(end) {
		inner = append(inner, end)
	}
	shared := sharedIndent(inner)
	for _, l := range inner {
		if blank(l) {
			l = ""
		}
		out = append(out, strings.TrimPrefix(l, shared))
	}
	return append(out, `"""`)
}

func blank(line string) bool { return strings.Trim(line, " \t\r") == "" }

// sharedIndent is the longest indentation with which all lines begin that
// hold more than blanks.
func sharedIndent(lines []string) string {
	shared, any := "", false
	for _, l := range lines {
		if blank(l) {
			continue
		}
		own := l[:len(l)-len(strings.TrimLeft(l, " \t"))]
		if !any {
			shared, any = own, true
		}
		for !strings.HasPrefix(own, shared) {
			shared = shared[:len(shared)-1]
		}
	}
	return shared
}

// sameText reports whether a string written anew, with any indentation, says
// what the token says.
func sameText(t lex.Token, written string) bool {
	lines := strings.Split(written, "\n")
	for i := range lines {
		if i > 0 && lines[i] != "" {
			lines[i] = "  " + lines[i]
		}
	}
	again := strings.Join(lines, "\n")
	scanned := lex.Scan(source.New("", again))
	if len(scanned.Problems) > 0 || len(scanned.Tokens) != 2 {
		return false
	}
	was, _ := region.Expr("", []lex.Token{{Kind: lex.String, Text: t.Text, Str: t.Str}})
	is, _ := region.Expr(again, scanned.Tokens[:1])
	return was.Cooked == is.Cooked
}
