package report

import (
	"io"
	"strings"
	"unicode/utf8"

	"parley/lang/diag"
)

// WriteText writes the document for a terminal or a plain file.
func WriteText(w io.Writer, d *Document) error {
	var b strings.Builder
	for i, x := range d.Blocks {
		if i > 0 {
			b.WriteByte('\n')
		}
		switch {
		case x.Heading != "":
			b.WriteString(plain(x.Heading) + "\n" + strings.Repeat("=", utf8.RuneCountInString(plain(x.Heading))) + "\n")
		case x.Warning != "":
			b.WriteString("!! " + plain(x.Warning) + "\n")
		case x.Paragraph != "":
			b.WriteString(plain(x.Paragraph) + "\n")
		case x.Table != nil:
			textTable(&b, x.Table)
		default:
			for _, item := range x.List {
				b.WriteString("  - " + plain(item) + "\n")
			}
		}
	}
	_, err := io.WriteString(w, b.String())
	return err
}

// textTable lays columns out by their widest cell.
func textTable(b *strings.Builder, t *Table) {
	widths := make([]int, len(t.Head))
	rows := append([][]string{t.Head}, t.Rows...)
	for _, r := range rows {
		for i, c := range r {
			widths[i] = max(widths[i], utf8.RuneCountInString(plain(c)))
		}
	}
	for n, r := range rows {
		line := ""
		for i, c := range r {
			c = plain(c)
			line += c + strings.Repeat(" ", widths[i]-utf8.RuneCountInString(c)+2)
		}
		b.WriteString(strings.TrimRight(line, " ") + "\n")
		if n == 0 {
			total := 0
			for _, w := range widths {
				total += w + 2
			}
			b.WriteString(strings.Repeat("-", total-2) + "\n")
		}
	}
}

// WriteMarkdown writes the document as GitHub's Markdown.
func WriteMarkdown(w io.Writer, d *Document) error {
	var b strings.Builder
	for i, x := range d.Blocks {
		if i > 0 {
			b.WriteByte('\n')
		}
		switch {
		case x.Heading != "" && i == 0:
			b.WriteString("# " + marked(x.Heading) + "\n")
		case x.Heading != "":
			b.WriteString("## " + marked(x.Heading) + "\n")
		case x.Warning != "":
			b.WriteString("> **" + marked(x.Warning) + "**\n")
		case x.Paragraph != "":
			b.WriteString(marked(x.Paragraph) + "\n")
		case x.Table != nil:
			markdownTable(&b, x.Table)
		default:
			for _, item := range x.List {
				b.WriteString("- " + marked(item) + "\n")
			}
		}
	}
	_, err := io.WriteString(w, b.String())
	return err
}

func markdownTable(b *strings.Builder, t *Table) {
	row := func(cells []string) {
		for _, c := range cells {
			b.WriteString("| " + marked(c) + " ")
		}
		b.WriteString("|\n")
	}
	row(t.Head)
	b.WriteString(strings.Repeat("| --- ", len(t.Head)) + "|\n")
	for _, r := range t.Rows {
		row(r)
	}
}

// plain is one line without control characters.
func plain(s string) string { return diag.Safe(strings.Join(strings.Fields(s), " ")) }

// marks are the characters that can mean something in Markdown, in its tables, or
// in the HTML that it lets through; an address becomes no link and a name no mention.
var marks = strings.NewReplacer(
	`\`, `\\`, "`", "\\`", "*", `\*`, "_", `\_`, "{", `\{`, "}", `\}`, "[", `\[`, "]", `\]`,
	"#", `\#`, "!", `\!`, "|", `\|`, "~", `\~`, "$", `\$`, "&", "&amp;", "<", "&lt;", ">", "&gt;", "://", "&#58;//", "@", "&#64;",
	"www.", "www&#46;",
)

// marked is one line in which nothing has a meaning for Markdown.
func marked(s string) string {
	s = marks.Replace(plain(s))
	// What begins a line may begin a list or a rule.
	if s != "" && strings.ContainsRune("-+=", rune(s[0])) {
		s = `\` + s
	}
	digits := 0
	for digits < len(s) && s[digits] >= '0' && s[digits] <= '9' {
		digits++
	}
	if digits > 0 && digits < len(s) && (s[digits] == '.' || s[digits] == ')') && (digits+1 == len(s) || s[digits+1] == ' ') {
		s = s[:digits] + `\` + s[digits:]
	}
	return s
}
