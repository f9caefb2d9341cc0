package diff

import (
	"encoding/json"
	"fmt"
	"io"
	"strings"
)

var signs = map[Mark]string{Widens: "+", Narrows: "-", Redefines: "!", Alters: "~", Cosmetic: "."}

// Summary counts the changes by mark, in words.
func (r *Report) Summary() string {
	switch {
	case r.Same:
		return "no changes: the files are the same"
	case r.TextOnly:
		return "no changes in what is run or counted: the files differ only in how they are written"
	}
	var words []string
	for _, m := range marks {
		if n := r.Count(m); n > 0 {
			words = append(words, fmt.Sprintf("%d %s", n, m))
		}
	}
	return strings.Join(words, ", ")
}

// Text writes the report for a terminal.
func (r *Report) Text(w io.Writer) error {
	var b strings.Builder
	scenario := "\x00"
	for _, c := range r.Changes {
		if c.Scenario != scenario {
			scenario = c.Scenario
			fmt.Fprintln(&b, scenario)
		}
		fmt.Fprintf(&b, "  %s %-9s  %s%s\n", signs[c.Mark], c.Mark, c.Sentence, under(c.Where))
	}
	for _, cause := range r.Causes {
		fmt.Fprintln(&b, cause)
	}
	fmt.Fprintln(&b, r.Summary())
	_, err := io.WriteString(w, b.String())
	return err
}

func under(where string) string {
	if where == "" {
		return ""
	}
	return " (under " + where + ")"
}

// openRows is how many rows a Markdown report shows before it folds the rest.
const openRows = 10

// Markdown writes the report as a comment for a pull request. The first line is a
// mark by which a program finds its own earlier comment.
func (r *Report) Markdown(w io.Writer) error {
	var b strings.Builder
	b.WriteString("<!-- parley diff -->\n### What this changes\n\n" + cell(r.Summary()) + "\n")
	if len(r.Changes) > 0 {
		b.WriteString("\n" + tableHead)
		for i, c := range r.Changes {
			if i == openRows {
				fmt.Fprintf(&b, "\n<details><summary>%d more</summary>\n\n%s", len(r.Changes)-openRows, tableHead)
			}
			fmt.Fprintf(&b, "| **%s** | %s | %s%s | `%s` |\n", c.Mark, cell(c.Scenario), cell(c.Sentence), cell(under(c.Where)), c.Fingerprint)
		}
		if len(r.Changes) > openRows {
			b.WriteString("\n</details>\n")
		}
	}
	for _, cause := range r.Causes {
		b.WriteString("\n* " + cell(cause))
	}
	if len(r.Causes) > 0 {
		b.WriteString("\n")
	}
	_, err := io.WriteString(w, b.String())
	return err
}

const tableHead = "| | scenario | change | |\n| --- | --- | --- | --- |\n"

// cell makes a text stand in a Markdown table as itself; the back quotes around
// names stay.
func cell(s string) string {
	return strings.NewReplacer("|", `\|`, "\n", " ", "<", "&lt;", ">", "&gt;", "*", `\*`, "[", `\[`, "]", `\]`).Replace(s)
}

// JSON writes the report for a program.
func (r *Report) JSON(w io.Writer) error {
	summary := map[Mark]int{}
	for _, m := range marks {
		summary[m] = r.Count(m)
	}
	changes := r.Changes
	if changes == nil {
		changes = []Change{}
	}
	e := json.NewEncoder(w)
	e.SetIndent("", "  ")
	e.SetEscapeHTML(false)
	return e.Encode(map[string]any{
		"format_version": 1, "changes": changes, "causes": append([]string{}, r.Causes...), "summary": summary,
		"same": r.Same, "text_only": r.TextOnly,
	})
}
