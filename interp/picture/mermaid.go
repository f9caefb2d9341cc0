package picture

import (
	"fmt"
	"io"
	"strings"
)

// Mermaid writes the picture as one flowchart of two parts. Names and texts are
// quoted, and what Mermaid would read as markup is written as entities.
func (pic *Picture) Mermaid(w io.Writer) error {
	var b strings.Builder
	fmt.Fprintf(&b, "---\ntitle: %q\n---\nflowchart TB\n", pic.Title)
	b.WriteString("  subgraph hears[\"who hears whom\"]\n    direction LR\n")
	for i, n := range pic.Nodes {
		open, close := `["`, `"]`
		switch {
		case n.Lead:
			open, close = `{{"`, `"}}`
		case n.Size > 1:
			open, close = `[["`, `"]]`
		}
		fmt.Fprintf(&b, "    n%d%s%s%s\n", i, open, quoted(n.label()), close)
		if n.Inside {
			fmt.Fprintf(&b, "    n%d <--> n%d\n", i, i)
		}
	}
	for _, e := range pic.Edges {
		arrow := "-->"
		if e.Both {
			arrow = "<-->"
		}
		fmt.Fprintf(&b, "    n%d %s n%d\n", e.From, arrow, e.To)
	}
	b.WriteString("  end\n  subgraph speaks[\"who speaks when\"]\n    direction TB\n")
	pic.mermaidOrder(&b)
	b.WriteString("  end\n  hears ~~~ speaks\n")
	for i, n := range pic.Nodes {
		if n.Struck {
			fmt.Fprintf(&b, "  style n%d stroke:#b3261e,stroke-width:3px\n", i)
		}
	}
	_, err := io.WriteString(w, b.String())
	return err
}

// mermaidOrder writes loops and choices as nested boxes, and arrows from each
// row to the next.
func (pic *Picture) mermaidOrder(b *strings.Builder) {
	var open []int // depths of boxes that are open
	margin := func() string { return strings.Repeat("  ", 2+len(open)) }
	shut := func(depth int) {
		for len(open) > 0 && open[len(open)-1] >= depth {
			open = open[:len(open)-1]
			b.WriteString(margin() + "end\n")
		}
	}
	last := -1
	var arrows []string
	for i, r := range pic.Order {
		shut(r.Depth)
		if r.holds() {
			if r.Kind == Called {
				last = -1 // nothing leads to it but the call
			}
			fmt.Fprintf(b, "%ssubgraph g%d[\"%s\"]\n", margin(), i, quoted(r.Text))
			open = append(open, r.Depth)
			continue
		}
		text := r.Text
		if r.Kind == Step {
			text = r.Label + ": " + r.Text
		}
		text = quoted(text)
		if r.Note != "" {
			text += "<br/>" + quoted(r.Note)
		}
		fmt.Fprintf(b, "%so%d[\"%s\"]\n", margin(), i, text)
		if last >= 0 {
			arrows = append(arrows, fmt.Sprintf("    o%d --> o%d\n", last, i))
		}
		last = i
	}
	shut(0)
	for _, a := range arrows {
		b.WriteString(a)
	}
}

// quoted writes a text so that it stands inside of quotes as itself.
func quoted(text string) string {
	return strings.NewReplacer("#", "#35;", `"`, "#quot;", "<", "#lt;", ">", "#gt;", "\n", " ").Replace(text)
}
