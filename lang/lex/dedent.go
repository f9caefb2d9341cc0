package lex

import (
	"strings"

	"parley/lang/diag"
)

// dedent says which stretches of a """ text fall away: the line breaks next
// to the quotes, and the indentation that all lines share. Lines of blanks
// do not count and become empty; the line of the closing quotes does not
// count either. The result leads from where a stretch begins to its end.
func (r *strScan) dedent() map[int]int {
	cut := map[int]int{}
	lines := r.innerLines()
	if first, ok := r.leadingBreak(); ok {
		cut[r.start+3] = first
	}
	common, shared := "", false
	for _, l := range lines {
		if l.blank {
			continue
		}
		indent := r.text[l.start:l.text]
		if !shared {
			common, shared = indent, true
			continue
		}
		kept := sharedPrefix(common, indent)
		if kept < len(common) && kept < len(indent) {
			r.problem(diag.MixedIndent, l.start, l.text, "this line is indented with other tabs and spaces than the lines above it",
				"indent the lines of a text alike")
		}
		common = common[:kept]
	}
	for i, l := range lines {
		switch {
		case i == len(lines)-1 && l.blank && l.last:
			cut[l.start-1-r.carriage(l.start-1)] = l.end
		case l.blank:
			cut[l.start] = l.end
		default:
			cut[l.start] = l.start + len(common)
		}
	}
	return cut
}

// textLine is a line that begins inside a string's literal text.
type textLine struct {
	start, text, end int  // the line, its first character that is no blank, its end
	blank            bool // nothing but blanks
	last             bool // the closing quotes follow it
}

// innerLines lists the lines that begin in literal text.
func (r *strScan) innerLines() []textLine {
	var lines []textLine
	for n, p := range r.pieces {
		if p.hole {
			continue
		}
		for i := p.start; i < p.end; {
			j := strings.IndexByte(r.text[i:p.end], '\n')
			if j < 0 {
				break
			}
			i += j + 1
			l := textLine{start: i, text: i}
			for l.text < p.end && (r.text[l.text] == ' ' || r.text[l.text] == '\t') {
				l.text++
			}
			l.end = l.text
			for l.end < p.end && r.text[l.end] == '\r' {
				l.end++
			}
			l.last = n == len(r.pieces)-1 && l.end == p.end
			l.blank = l.last || l.end < p.end && r.text[l.end] == '\n'
			if !l.blank {
				l.end = l.text
			}
			lines = append(lines, l)
		}
	}
	return lines
}

// leadingBreak finds the line break after the opening quotes, blanks before
// it included, and returns where the text begins.
func (r *strScan) leadingBreak() (int, bool) {
	if len(r.pieces) == 0 || r.pieces[0].hole {
		return 0, false
	}
	i := r.pieces[0].start
	for i < r.pieces[0].end && strings.IndexByte(" \t\r", r.text[i]) >= 0 {
		i++
	}
	if i < r.pieces[0].end && r.text[i] == '\n' {
		return i + 1, true
	}
	return 0, false
}

// carriage is 1 where a line break at i is preceded by a carriage return.
func (r *strScan) carriage(i int) int {
	if i > 0 && r.text[i-1] == '\r' {
		return 1
	}
	return 0
}

func sharedPrefix(a, b string) int {
	n := min(len(a), len(b))
	for i := 0; i < n; i++ {
		if a[i] != b[i] {
			return i
		}
	}
	return n
}
