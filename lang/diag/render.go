package diag

import (
	"encoding/json"
	"fmt"
	"io"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/mattn/go-runewidth"

	"parley/lang/source"
)

// Printer writes diagnostics for people. Nothing of a source file reaches the
// terminal as a control character.
type Printer struct {
	// Color says whether escape sequences may be written.
	Color bool
	// Width is how many columns of a source line are shown; 0 is 100.
	Width int
}

// Sources finds the text of a file that a diagnostic names; nil where there
// is none, and then no excerpt is shown.
type Sources func(file string) *source.Source

// Print writes the list in its order.
func (p Printer) Print(w io.Writer, l List, sources Sources) error {
	for i, d := range l {
		if i == maxShown {
			_, err := fmt.Fprintf(w, "and %d more findings, which are not shown\n", len(l)-maxShown)
			return err
		}
		if _, err := io.WriteString(w, p.one(d, sources(d.File))); err != nil {
			return err
		}
	}
	return nil
}

// maxShown is how many findings a person is shown at once.
const maxShown = 200

// one is a diagnostic in up to four lines: place and message, source line,
// underline, hint.
func (p Printer) one(d Diagnostic, src *source.Source) string {
	var b strings.Builder
	place := Safe(d.File)
	if src != nil {
		at := src.Position(d.Span.Start)
		place = fmt.Sprintf("%s:%d:%d", place, at.Line, at.Column)
	}
	fmt.Fprintf(&b, "%s: %s: %s\n", p.bold(place), p.severity(d), Safe(d.Message))
	if src != nil {
		p.excerpt(&b, d, src)
	}
	if d.Hint != "" {
		fmt.Fprintf(&b, "    %s %s\n", p.paint("36", "hint:"), Safe(d.Hint))
	}
	return b.String()
}

func (p Printer) severity(d Diagnostic) string {
	colour := "31"
	if d.Severity == Warning {
		colour = "33"
	}
	return p.paint(colour, fmt.Sprintf("%s %s", d.Severity, d.Code))
}

func (p Printer) bold(s string) string { return p.paint("1", s) }

func (p Printer) paint(code, s string) string {
	if !p.Color {
		return s
	}
	return "\x1b[" + code + "m" + s + "\x1b[0m"
}

// excerpt shows the line of the span's start, or the part of it around the
// span, with the span underlined up to the line's end.
func (p Printer) excerpt(b *strings.Builder, d Diagnostic, src *source.Source) {
	line := src.Line(src.Position(d.Span.Start).Line)
	start := src.LineStart(d.Span.Start)
	from := min(max(d.Span.Start-start, 0), len(line))
	to := min(max(d.Span.End-start, from), len(line))
	width := p.Width
	if width == 0 {
		width = 100
	}
	left, right := window(line, from, to, width)
	before, marked, after := line[left:from], line[from:min(to, right)], line[min(to, right):right]
	lead, tail := "", ""
	if left > 0 {
		lead = "…"
	}
	if right < len(line) {
		tail = "…"
	}
	shownBefore, shownMarked := lead+Safe(before), Safe(marked)
	fmt.Fprintf(b, "    %s%s%s%s\n", shownBefore, shownMarked, Safe(after), tail)
	under := strings.Repeat("^", max(runewidth.StringWidth(shownMarked), 1))
	fmt.Fprintf(b, "    %s%s\n", strings.Repeat(" ", runewidth.StringWidth(shownBefore)), p.paint("31", under))
}

// window is the part of a line that is shown: about width bytes around from.
func window(line string, from, to, width int) (left, right int) {
	if len(line) <= width {
		return 0, len(line)
	}
	left = max(from-width/3, 0)
	right = min(left+width, len(line))
	for left > 0 && !utf8.RuneStart(line[left]) {
		left--
	}
	for right < len(line) && !utf8.RuneStart(line[right]) {
		right++
	}
	return left, right
}

// Safe makes text harmless on a terminal: tabs become a space, and control
// and other invisible characters are written as escapes.
func Safe(s string) string {
	var b strings.Builder
	for i, r := range s {
		switch {
		case r == utf8.RuneError && s[i] != 0xef:
			fmt.Fprintf(&b, `\x%02x`, s[i])
		case r == '\t':
			b.WriteByte(' ')
		case r == '\n':
			b.WriteString(`\n`)
		case unicode.IsControl(r), unicode.Is(unicode.Cf, r), r == '\u2028', r == '\u2029':
			fmt.Fprintf(&b, `\u{%X}`, r)
		default:
			b.WriteRune(r)
		}
	}
	return b.String()
}

// record is a diagnostic as JSON: places count from 1, columns in characters,
// offsets in bytes.
type record struct {
	Code     Code     `json:"code"`
	Severity Severity `json:"severity"`
	File     string   `json:"file"`
	Line     int      `json:"line,omitempty"`
	Column   int      `json:"column,omitempty"`
	EndLine  int      `json:"end_line,omitempty"`
	EndCol   int      `json:"end_column,omitempty"`
	Start    int      `json:"start"`
	End      int      `json:"end"`
	Message  string   `json:"message"`
	Hint     string   `json:"hint,omitempty"`
}

// JSON writes the list as one JSON array.
func JSON(w io.Writer, l List, sources Sources) error {
	records := make([]record, 0, len(l))
	for _, d := range l {
		r := record{
			Code: d.Code, Severity: d.Severity, File: d.File, Start: d.Span.Start, End: d.Span.End, Message: d.Message, Hint: d.Hint,
		}
		if src := sources(d.File); src != nil {
			from, to := src.Position(d.Span.Start), src.Position(d.Span.End)
			r.Line, r.Column, r.EndLine, r.EndCol = from.Line, from.Column, to.Line, to.Column
		}
		records = append(records, r)
	}
	return json.NewEncoder(w).Encode(records)
}
