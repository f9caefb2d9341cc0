package picture

import (
	"fmt"
	"io"
	"slices"
	"strings"
)

// Text writes the picture as lines: whom each hears, then who speaks when.
func (pic *Picture) Text(w io.Writer) error {
	var b strings.Builder
	fmt.Fprintf(&b, "%s\n\nwho hears whom\n", pic.Title)
	wide := 0
	for _, n := range pic.Nodes {
		wide = max(wide, len([]rune(n.label())))
	}
	for i, n := range pic.Nodes {
		fmt.Fprintf(&b, "  %-*s  hears %s\n", wide, n.label(), pic.heardBy(i))
	}
	b.WriteString("\nwho speaks when\n")
	label := 0
	for _, r := range pic.Order {
		label = max(label, len([]rune(r.Label)))
	}
	for _, r := range pic.Order {
		b.WriteString("  " + strings.Repeat("  ", r.Depth))
		switch {
		case r.Kind == Step && r.Note != "":
			fmt.Fprintf(&b, "%-*s  %s (%s)\n", label, r.Label, r.Text, r.Note)
		case r.Kind == Step:
			fmt.Fprintf(&b, "%-*s  %s\n", label, r.Label, r.Text)
		default:
			b.WriteString(r.Text + "\n")
		}
	}
	if pic.Limit > 0 {
		fmt.Fprintf(&b, "  at most %d turns\n", pic.Limit)
	}
	_, err := io.WriteString(w, b.String())
	return err
}

// heardBy names those whom a node hears.
func (pic *Picture) heardBy(i int) string {
	var heard []int
	for _, e := range pic.Edges {
		switch {
		case e.To == i:
			heard = append(heard, e.From)
		case e.Both && e.From == i:
			heard = append(heard, e.To)
		}
	}
	slices.Sort(heard)
	names := pic.ranges(heard)
	if pic.Nodes[i].Inside {
		names = append(names, "one another")
	}
	if len(names) == 0 {
		return "nobody"
	}
	return strings.Join(names, ", ")
}

// label is the node's name with what a reader should see at once.
func (n Node) label() string {
	text := n.Name
	if n.Size > 1 {
		text += fmt.Sprintf(" ×%d", n.Size)
	}
	if n.Struck {
		text += " (attacked)"
	}
	return text
}

// ranges names nodes, neighbours of one group as a range.
func (pic *Picture) ranges(nodes []int) []string {
	var out []string
	for i := 0; i < len(nodes); {
		first := pic.Nodes[nodes[i]]
		last := first
		k := i + 1
		for ; k < len(nodes) && first.group != "" && pic.Nodes[nodes[k]].group == first.group && pic.Nodes[nodes[k]].from == last.to+1; k++ {
			last = pic.Nodes[nodes[k]]
		}
		name := first.Name
		if last.to > first.to {
			name = fmt.Sprintf("%s[%d..%d]", first.group, first.from, last.to)
		}
		out, i = append(out, name), k
	}
	return out
}
