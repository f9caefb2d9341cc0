// Package report says what a scored run found: measured and published values
// side by side, what they rest on, tests, and how much was asked of models. It
// makes a document; Text and Markdown write it. What models, tools, tasks and
// files said is hostile: it is escaped where it is written.
package report

// Document is a report: blocks in order.
type Document struct{ Blocks []Block }

// Block is one part of a document; one field is set.
type Block struct {
	Heading   string
	Paragraph string
	// Warning is a paragraph that must not be missed.
	Warning string
	List    []string
	Table   *Table
}

// Table is a head and rows of equal length.
type Table struct {
	Head []string
	Rows [][]string
}

func (d *Document) heading(s string) { d.Blocks = append(d.Blocks, Block{Heading: s}) }

func (d *Document) paragraph(s string) { d.Blocks = append(d.Blocks, Block{Paragraph: s}) }

func (d *Document) warning(s string) { d.Blocks = append(d.Blocks, Block{Warning: s}) }

// list adds items, or nothing where there are none.
func (d *Document) list(items []string) {
	if len(items) > 0 {
		d.Blocks = append(d.Blocks, Block{List: items})
	}
}

// table adds a table without the columns that are empty in every row.
func (d *Document) table(head []string, rows [][]string) {
	if len(rows) == 0 {
		return
	}
	keep := make([]bool, len(head))
	for _, r := range rows {
		for i, c := range r {
			keep[i] = keep[i] || c != ""
		}
	}
	cut := func(r []string) []string {
		var out []string
		for i, c := range r {
			if keep[i] {
				out = append(out, c)
			}
		}
		return out
	}
	t := &Table{Head: cut(head)}
	for _, r := range rows {
		t.Rows = append(t.Rows, cut(r))
	}
	d.Blocks = append(d.Blocks, Block{Table: t})
}
