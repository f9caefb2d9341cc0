package main

import (
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/jedib0t/go-pretty/v6/table"

	"parley/interp"
	"parley/interp/score"
	"parley/lang/diag"
)

// manyTables is from how many tables on only the overview is printed, unless all
// are asked for.
const manyTables = 13

// someTables is from how many tables on there is an overview.
const someTables = 4

// fullUsage is the help of the flag that asks for all tables.
const fullUsage = "print every configuration's own table, also where there are many"

// overview shows many tables in few: one for each score, with one axis of the
// experiment across and the others down.
type overview struct {
	axes   []axisOf
	across int // which axis stands across; -1: none, and the scores do
	labels [][]interp.Label
	tables []*score.Table
}

// axisOf is one name of the labels with its values, in order of appearance.
type axisOf struct {
	name   string
	values []string
}

// wide is how many values may stand side by side.
const wide = 7

func newOverview(labels [][]interp.Label, tables []*score.Table) *overview {
	o := &overview{labels: labels, tables: tables, across: -1}
	at := map[string]int{}
	for _, list := range labels {
		for _, l := range list {
			i, known := at[l.Name]
			if !known {
				i = len(o.axes)
				at[l.Name] = i
				o.axes = append(o.axes, axisOf{name: l.Name})
			}
			if !slices.Contains(o.axes[i].values, l.Value) {
				o.axes[i].values = append(o.axes[i].values, l.Value)
			}
		}
	}
	o.axes = slices.DeleteFunc(o.axes, func(a axisOf) bool { return len(a.values) < 2 && len(labels) > 1 })
	for i, a := range o.axes {
		if n := len(a.values); len(o.axes) > 1 && n > 1 && n <= wide {
			o.across = i
		}
	}
	return o
}

// printOverview writes many tables under a title: scores that the same
// configurations have stand together.
func printOverview(w io.Writer, title string, labels [][]interp.Label, tables []*score.Table) {
	whole := newOverview(labels, tables)
	where := map[string]int{}
	var parts []*overview
	var names [][]string
	for _, name := range whole.scores() {
		var mine [][]interp.Label
		var theirs []*score.Table
		have := ""
		for i, t := range tables {
			if _, ok := estimateCell(t, name); ok {
				mine, theirs, have = append(mine, labels[i]), append(theirs, t), have+fmt.Sprint(i, " ")
			}
		}
		k, known := where[have]
		if !known {
			k = len(parts)
			where[have] = k
			parts, names = append(parts, newOverview(mine, theirs)), append(names, nil)
		}
		names[k] = append(names[k], name)
	}
	for k, o := range parts {
		if o.across < 0 {
			fmt.Fprintf(w, "\n%s, with 95 %% intervals\n%s\n", title, o.byScore(names[k]))
			continue
		}
		for _, name := range names[k] {
			fmt.Fprintf(w, "\n%s: %s, with 95 %% intervals\n%s\n", title, oneLine(name), o.matrix(name))
		}
	}
	for _, line := range whole.notes() {
		fmt.Fprintln(w, "  "+line)
	}
}

// scores lists the names of all estimates, in order of appearance.
func (o *overview) scores() []string {
	var out []string
	for _, t := range o.tables {
		for _, s := range t.Scores {
			for _, e := range s.Estimates {
				if n := estimateName(s, e); !slices.Contains(out, n) {
					out = append(out, n)
				}
			}
		}
	}
	return out
}

// matrix is one score's table.
func (o *overview) matrix(name string) string {
	var head []any
	for i, a := range o.axes {
		if i != o.across {
			head = append(head, oneLine(a.name))
		}
	}
	columns := o.axes[o.across]
	for _, v := range columns.values {
		head = append(head, oneLine(v))
	}
	tw := plainTable(head...)
	rows := map[string]table.Row{}
	var order []string
	for i, t := range o.tables {
		cell, ok := estimateCell(t, name)
		if !ok {
			continue
		}
		key, row := o.rowOf(i)
		if _, begun := rows[key]; !begun {
			for range columns.values {
				row = append(row, "")
			}
			rows[key] = row
			order = append(order, key)
		}
		if column := slices.Index(columns.values, valueOf(o.labels[i], columns.name)); column >= 0 {
			rows[key][len(o.axes)-1+column] = cell
		}
	}
	for _, key := range order {
		tw.AppendRow(rows[key])
	}
	return tw.Render()
}

// rowOf is where a configuration stands down the table.
func (o *overview) rowOf(i int) (key string, row table.Row) {
	for k, a := range o.axes {
		if k == o.across {
			continue
		}
		v := valueOf(o.labels[i], a.name)
		key += v + "\x00"
		row = append(row, oneLine(v))
	}
	return key, row
}

func valueOf(labels []interp.Label, name string) string {
	for _, l := range labels {
		if l.Name == name {
			return l.Value
		}
	}
	return ""
}

// byScore has a row for each configuration and scores across.
func (o *overview) byScore(names []string) string {
	var head []any
	for _, a := range o.axes {
		head = append(head, oneLine(a.name))
	}
	for _, n := range names {
		head = append(head, oneLine(n))
	}
	tw := plainTable(head...)
	for i, t := range o.tables {
		_, row := o.rowOf(i)
		for _, n := range names {
			cell, _ := estimateCell(t, n)
			row = append(row, cell)
		}
		tw.AppendRow(row)
	}
	return tw.Render()
}

// estimateCell is a score's value with its interval.
func estimateCell(t *score.Table, name string) (string, bool) {
	for _, s := range t.Scores {
		for _, e := range s.Estimates {
			if estimateName(s, e) != name {
				continue
			}
			show := formatterOf(s)
			if !e.Value.Defined() {
				return "n/a", true
			}
			if !e.Low.Defined() || !e.High.Defined() {
				return show(e.Value), true
			}
			bare := func(n score.Number) string { return strings.TrimSuffix(show(n), " %") }
			return fmt.Sprintf("%s [%s, %s]", show(e.Value), bare(e.Low), bare(e.High)), true
		}
	}
	return "", false
}

// notes say what holds of several tables: why values are missing, how runs ended.
func (o *overview) notes() []string {
	count := map[string]int{}
	var order []string
	add := func(line string) {
		if count[line]++; count[line] == 1 {
			order = append(order, line)
		}
	}
	runs, bad := 0, [3]int{}
	for _, t := range o.tables {
		seen := map[string]bool{}
		for _, s := range t.Scores {
			for _, e := range s.Estimates {
				if e.Why != "" && !seen[e.Why] {
					seen[e.Why] = true
					add("n/a: " + oneLine(e.Why))
				}
			}
		}
		for _, f := range t.Flags {
			add(oneLine(f))
		}
		for _, v := range t.Fails {
			if v.Holds != "no" {
				add(fmt.Sprintf("fail when %s: %s", oneLine(v.Text), map[string]string{"yes": "FAILED", "unknown": "unknown"}[v.Holds]))
			}
		}
		for _, a := range t.Arms {
			runs += a.Runs
			bad[0], bad[1], bad[2] = bad[0]+a.Errors, bad[1]+a.Limit, bad[2]+a.Absent
		}
	}
	var out []string
	for _, line := range order {
		if n := count[line]; n > 1 {
			line = fmt.Sprintf("%s (%d tables)", line, n)
		}
		out = append(out, line)
	}
	if runs == 0 {
		return out
	}
	line := fmt.Sprintf("%d runs behind these", runs)
	for i, what := range []string{"errors", "ended by a limit", "not run"} {
		if bad[i] > 0 {
			line += fmt.Sprintf(", %d %s", bad[i], what)
		}
	}
	return append(out, line)
}

// printSuite writes the tables of a suite: each for itself where they are few, an
// overview where they are many.
func printSuite(w io.Writer, suite *interp.Suite, tables, across []*score.Table, full bool) {
	if slices.ContainsFunc(tables, func(t *score.Table) bool { return t.Simulated }) {
		fmt.Fprintln(w, simulatedWarning)
	}
	if full || len(tables) < manyTables {
		printTables(w, suite, tables)
	}
	if full || len(across) < manyTables {
		printAcross(w, suite, across)
	}
	title := diag.Safe(suite.Name)
	if len(tables) >= someTables {
		labels := make([][]interp.Label, len(tables))
		for i, c := range suite.Cells {
			labels[i] = c.Labels
		}
		printOverview(w, title, labels, tables)
	}
	if len(across) >= someTables {
		labels := make([][]interp.Label, len(across))
		for i, a := range suite.Across {
			labels[i] = a.Labels
		}
		printOverview(w, title+" over its scenarios", labels, across)
	}
	if !full && max(len(tables), len(across)) >= manyTables {
		fmt.Fprintln(w, "\nevery table for itself, with counts and notes: --full")
	}
}
