package report

import (
	"fmt"
	"strings"

	"parley/interp/diff"
	"parley/interp/paired"
	"parley/interp/score"
)

// shownFlips is how many cases of a predicate a document lists before it counts the rest.
const shownFlips = 10

// Paired is the document of what differs between two stored runs.
func Paired(r *paired.Report) *Document {
	d := &Document{}
	d.heading(r.Before.Run + " → " + r.After.Run)
	if r.Simulated() {
		d.warning("SIMULATED: the built-in simulator answered. These numbers say nothing about any real model.")
	}
	d.list(r.Notes)
	if r.Nothing() {
		d.paragraph("Nothing differs: the same is run and counted, and every case came out the same.")
		return d
	}
	d.changes(r.Changes)
	for _, side := range []struct {
		run   string
		names []string
	}{{r.Before.Run, r.OnlyBefore}, {r.After.Run, r.OnlyAfter}} {
		if len(side.names) > 0 {
			d.paragraph(fmt.Sprintf("Only in %s: %s", side.run, strings.Join(side.names, "; ")))
		}
	}
	for _, c := range r.Cells {
		d.cell(r, c)
	}
	return d
}

// changes says what the runs' scenarios do differently.
func (d *Document) changes(list []diff.Change) {
	d.heading("What changed between their scenarios")
	if len(list) == 0 {
		d.paragraph("Nothing in what is run or counted.")
		return
	}
	var items []string
	for _, c := range list {
		item := string(c.Mark) + ": " + c.Sentence
		if c.Where != "" {
			item += " (under " + c.Where + ")"
		}
		items = append(items, item)
	}
	d.list(items)
}

func (d *Document) cell(r *paired.Report, c *paired.Cell) {
	d.heading(c.Title)
	both := fmt.Sprintf("In both runs: %s × %s, %s", count(c.Cases, "task"), count(c.Repeats, "repeat"), count(c.Trials, "trial"))
	if c.Equal > 0 {
		both += fmt.Sprintf("; %d of them under equal keys: nothing but what the models drew can differ in them", c.Equal)
	}
	d.paragraph(both + ".")
	d.moves(c)
	d.flips(r, c)
	d.list(restLines(r, c))
	var items []string
	for _, m := range c.Models {
		items = append(items, fmt.Sprintf("%s: other models answered in %s: %s → %s", m.Arm, count(m.Trials, "trial"), m.Before, m.After))
	}
	d.list(items)
}

// moves is the table of scores and why some are not tested.
func (d *Document) moves(c *paired.Cell) {
	var rows [][]string
	var why []string
	for i := range c.Moves {
		m := &c.Moves[i]
		u := bare
		if m.Kind == "rate" || m.Kind == "grade" {
			u = percent
		}
		interval := ""
		if m.Low.Defined() && m.High.Defined() {
			interval = "[" + u.points(m.Low) + ", " + u.points(m.High) + "]"
		}
		test := m.Test
		if test == "" {
			test = "none"
		}
		rows = append(rows, []string{
			paired.Named(m), beside(u, m.Before), beside(u, m.After), u.signed(m.Difference), interval, test, p(m.P), p(m.Holm), verdict(m),
		})
		if m.Why != "" {
			why = append(why, paired.Named(m)+" is not tested: "+m.Why)
		}
	}
	d.table([]string{"score", "before", "after", "difference", "95 % interval", "test", "p", "p (Holm)", ""}, rows)
	d.list(why)
}

// beside is an estimate with its interval.
func beside(u unit, e *score.Estimate) string {
	if e == nil {
		return "none"
	}
	if !e.Low.Defined() || !e.High.Defined() {
		return u.show(e.Value)
	}
	return u.show(e.Value) + " " + u.interval(e.Low, e.High)
}

// verdict says in a word what the test found.
func verdict(m *score.Move) string {
	switch {
	case m.Worse():
		return "WORSE"
	case m.Moved() && m.Better != "":
		return "better"
	case m.Moved():
		return "moved"
	}
	return ""
}

// flips tells, predicate by predicate, how many cases came out differently and which.
func (d *Document) flips(r *paired.Report, c *paired.Cell) {
	for i := 0; i < len(c.Flips); {
		end := i
		for end < len(c.Flips) && c.Flips[end].Predicate == c.Flips[i].Predicate && c.Flips[end].Arm == c.Flips[i].Arm {
			end++
		}
		d.flipped(r, c.Flips[i:end])
		i = end
	}
}

func (d *Document) flipped(r *paired.Report, list []paired.Flip) {
	var ways []string
	counts := map[string]int{}
	equal := 0
	for _, f := range list {
		way := f.Before + " → " + f.After
		if counts[way]++; counts[way] == 1 {
			ways = append(ways, way)
		}
		if f.Equal {
			equal++
		}
	}
	for i, way := range ways {
		ways[i] = fmt.Sprintf("%d %s", counts[way], way)
	}
	text := fmt.Sprintf("%s (%s) flipped in %s: %s", list[0].Predicate, list[0].Arm, count(len(list), "run"), strings.Join(ways, ", "))
	if equal > 0 {
		text += fmt.Sprintf("; %d of them under equal keys", equal)
	}
	d.paragraph(text)
	var items []string
	for i, f := range list {
		if i == shownFlips {
			items = append(items, fmt.Sprintf("… and %d more; --format json lists them all", len(list)-i))
			break
		}
		item := fmt.Sprintf("%s, repeat %d: %s → %s", f.Task, f.Repeat, f.Before, f.After)
		if f.Why != "" {
			item += " (" + f.Why + ")"
		}
		items = append(items, fmt.Sprintf("%s; parley explain %s %s", item, r.After.Run, f.CaseAfter))
	}
	d.list(items)
}

// restLines say what is not compared, and what judges did not say.
func restLines(r *paired.Report, c *paired.Cell) []string {
	var out []string
	for i, side := range []struct {
		run   string
		rest  paired.Rest
		preds []string
	}{{r.Before.Run, c.OnlyBefore, c.Lost}, {r.After.Run, c.OnlyAfter, c.New}} {
		var parts []string
		if n := side.rest.Cases; n > 0 {
			names := strings.Join(side.rest.Names, ", ")
			if n > len(side.rest.Names) {
				names += ", …"
			}
			parts = append(parts, fmt.Sprintf("%s (%s)", count(n, "task"), names))
		}
		if side.rest.Repeats > 0 {
			parts = append(parts, count(side.rest.Repeats, "repeat"))
		}
		if len(side.rest.Arms) > 0 {
			parts = append(parts, "the arms "+strings.Join(side.rest.Arms, ", "))
		}
		if side.rest.Trials > 0 {
			parts = append(parts, count(side.rest.Trials, "trial")+" of the common tasks")
		}
		if len(side.preds) > 0 {
			parts = append(parts, "the predicates "+strings.Join(side.preds, ", "))
		}
		if len(parts) > 0 {
			out = append(out, "only in "+side.run+": "+strings.Join(parts, "; "))
		}
		if c.Interim[i] {
			out = append(out, side.run+": trials are missing, so nothing is tested")
		}
		for _, f := range c.Flags[i] {
			out = append(out, side.run+": "+f)
		}
		for _, j := range c.Judges[i] {
			if j.Absent+j.Failed+j.Unreadable > 0 {
				out = append(out, fmt.Sprintf("%s: judge %s, %s: of its verdicts %d unreadable, %d not to be had, %d not asked for", side.run, j.Judge, j.Arm, j.Unreadable, j.Failed, j.Absent))
			}
		}
	}
	return out
}
