package format

import (
	"strings"
	"unicode/utf8"

	"parley/lang/parse"
)

// printer writes a file: blocks with one item a line, or blocks on one line
// where the author put them there and they fit.
type printer struct {
	*layout
	out    strings.Builder
	column int
}

func (p *printer) put(s string) {
	p.out.WriteString(s)
	if i := strings.LastIndexByte(s, '\n'); i >= 0 {
		p.column, s = 0, s[i+1:]
	}
	p.column += utf8.RuneCountInString(s)
}

// line begins a line, behind an empty one or not.
func (p *printer) line(in int, blank bool) {
	if p.out.Len() == 0 {
		return
	}
	p.out.WriteByte('\n')
	if blank {
		p.out.WriteByte('\n')
	}
	p.out.WriteString(strings.Repeat(" ", in))
	p.column = in
}

// file writes the whole file. One empty line stands between declarations,
// but for lines of one kind that the author put together.
func (p *printer) file() string {
	body := p.bodies[-1]
	single := ""
	for i, r := range body.Items {
		g := p.at(r.From)
		word := p.toks[r.From].Text
		flat, ok := p.flatItem(r)
		ok = ok && len(flat) <= width
		apart := i > 0 && !(ok && single == word)
		if n := len(g.notes); i > 0 && n > 0 {
			g.notes = append([]note(nil), g.notes...)
			for j := range g.notes {
				if !g.notes[j].trailing {
					g.notes[j].blank = g.notes[j].blank || apart
					break
				}
				g.blank = g.blank || apart && n == 1
			}
		} else {
			g.blank = g.blank || apart
		}
		p.lead(g, 0, i == 0)
		p.item(r, 0)
		if single = ""; ok {
			single = word
		}
	}
	if last := p.at(body.To); len(last.notes) > 0 {
		p.remarks(last.notes, 0, len(body.Items) == 0)
	}
	if p.out.Len() > 0 {
		p.out.WriteByte('\n')
	}
	return p.out.String()
}

// lead writes the comments before an item and begins the item's line.
func (p *printer) lead(g gap, in int, first bool) {
	p.remarks(g.notes, in, first)
	p.line(in, g.blank && (!first || len(g.notes) > 0))
}

// remarks writes comments: the first perhaps behind what stands on the line.
func (p *printer) remarks(notes []note, in int, first bool) {
	for i, n := range notes {
		if n.trailing && i == 0 {
			p.out.WriteByte(' ')
		} else {
			p.line(in, n.blank && !(first && i == 0))
		}
		p.out.WriteString(n.text)
	}
}

// item writes one item: its runs of tokens, and the blocks between them.
func (p *printer) item(r parse.Range, in int) {
	if s, ok := p.flatItem(r); ok && p.column+utf8.RuneCountInString(s) <= width {
		p.put(s)
		return
	}
	behind := false
	for _, part := range p.parts(r) {
		s, column := run{p.layout, part.From, part.To, part.open >= 0, behind}.write(p.column, in)
		p.put(s)
		p.column = column
		if part.open >= 0 {
			p.block(part.open, in)
			behind = true
		}
	}
}

// part is a run of an item and the block behind it, or -1.
type part struct {
	parse.Range
	open int
}

// parts divides an item at its blocks.
func (f *layout) parts(r parse.Range) []part {
	var parts []part
	from := r.From
	for i := r.From; i < r.To; {
		if body, ok := f.bodies[i]; ok && i > r.From {
			parts = append(parts, part{parse.Range{From: from, To: i}, i})
			from = body.To + 1
			i = from
			continue
		}
		i = run{layout: f}.next(i)
	}
	if from < r.To {
		parts = append(parts, part{parse.Range{From: from, To: r.To}, -1})
	}
	return parts
}

// block writes what follows an opening bracket that has been written.
func (p *printer) block(open, in int) {
	body := p.bodies[open]
	end := p.at(body.To)
	if len(body.Items) == 0 && len(end.notes) == 0 {
		p.put("}")
		return
	}
	for i, r := range body.Items {
		p.lead(p.at(r.From), in+step, i == 0)
		p.item(r, in+step)
	}
	p.remarks(end.notes, in+step, len(body.Items) == 0)
	p.line(in, false)
	p.put("}")
}

// flatItem writes an item on one line, or says that it cannot stand on one.
func (f *layout) flatItem(r parse.Range) (string, bool) {
	if f.commented(r.From, r.To) {
		return "", false
	}
	var b strings.Builder
	behind := false
	for _, part := range f.parts(r) {
		d := run{f, part.From, part.To, part.open >= 0, behind}.doc(nil, oneLine)
		if d.forced() {
			return "", false
		}
		b.WriteString(flat(d))
		if part.open >= 0 {
			s, ok := f.flatBlock(part.open)
			if !ok {
				return "", false
			}
			b.WriteString(s)
			behind = true
		}
		if b.Len() > 4*width {
			return "", false
		}
	}
	return b.String(), true
}

// flatBlock writes a block on one line behind its opening bracket.
func (f *layout) flatBlock(open int) (string, bool) {
	body := f.bodies[open]
	if len(body.Items) == 0 {
		return "}", true
	}
	if f.at(body.To).newline {
		return "", false
	}
	for _, r := range body.Items {
		if f.at(r.From).newline {
			return "", false
		}
	}
	items := make([]string, len(body.Items))
	for i, r := range body.Items {
		s, ok := f.flatItem(r)
		if !ok {
			return "", false
		}
		items[i] = s
	}
	return " " + strings.Join(items, " ") + " }", true
}
