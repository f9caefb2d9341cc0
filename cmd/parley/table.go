package main

import (
	"fmt"
	"io"
	"math"
	"strings"

	"github.com/jedib0t/go-pretty/v6/table"
	"github.com/jedib0t/go-pretty/v6/text"

	"parley/interp"
	"parley/interp/score"
	"parley/lang/diag"
)

// simulatedWarning stands over every table of a simulated run.
const simulatedWarning = "SIMULATED: the built-in simulator answered. These numbers say nothing about any real model."

// printTables writes one table for each configuration, and what a reader must
// know about its numbers below it.
func printTables(w io.Writer, suite *interp.Suite, tables []*score.Table) {
	for i, t := range tables {
		fmt.Fprintf(w, "\n%s\n", cellTitle(suite, suite.Cells[i]))
		fmt.Fprintln(w, scoreTable(t))
		for _, line := range tableNotes(t) {
			fmt.Fprintln(w, "  "+line)
		}
	}
}

// printAcross writes the experiment's own scores, one table for each combination.
func printAcross(w io.Writer, suite *interp.Suite, tables []*score.Table) {
	for i, t := range tables {
		fmt.Fprintf(w, "\n%s\n", titleOf(suite, suite.Across[i].Labels)+"  over its scenarios")
		fmt.Fprintln(w, scoreTable(t))
		for _, line := range tableNotes(t) {
			fmt.Fprintln(w, "  "+line)
		}
	}
}

// cellTitle names a configuration by its coordinates.
func cellTitle(suite *interp.Suite, c *interp.Cell) string { return titleOf(suite, c.Labels) }

func titleOf(suite *interp.Suite, labels []interp.Label) string {
	parts := []string{diag.Safe(suite.Name)}
	for _, l := range labels {
		parts = append(parts, oneLine(l.Name+"="+l.Value))
	}
	return strings.Join(parts, "  ")
}

// scoreTable renders the scores as rows.
func scoreTable(t *score.Table) string {
	tw := plainTable("score", "value", "95 % interval", "placebo", "events/n", "tasks", "no answer", "errors", "unknown")
	for _, s := range t.Scores {
		for _, e := range s.Estimates {
			tw.AppendRow(scoreRow(s, e))
		}
	}
	return tw.Render()
}

// estimateName is the score's, with the key of a part where it is split.
func estimateName(s score.Score, e score.Estimate) string {
	if s.Split {
		return s.Name + " [" + e.By + "]"
	}
	return s.Name
}

// plainTable is a table without frame.
func plainTable(head ...any) table.Writer {
	tw := table.NewWriter()
	style := table.StyleLight
	style.Format.Header = text.FormatDefault
	style.Options.DrawBorder = false
	style.Options.SeparateColumns = false
	tw.SetStyle(style)
	tw.AppendHeader(table.Row(head))
	return tw
}

func scoreRow(s score.Score, e score.Estimate) table.Row {
	name := estimateName(s, e)
	show := formatterOf(s)
	placebo := ""
	if e.Placebo != nil {
		placebo = show(e.Placebo.Value)
	}
	events := ""
	if s.Kind == "rate" || s.Kind == "grade" {
		events = fmt.Sprintf("%s/%s", whole(e.Num), whole(e.Den))
	}
	return table.Row{
		oneLine(name), show(e.Value) + thin(e), interval(e, show), placebo, events,
		e.Tasks, e.NoAnswer, e.Errors, e.Unknown,
	}
}

func thin(e score.Estimate) string {
	if e.Thin {
		return " (thin)"
	}
	return ""
}

// interval shows both ends, or why there are none.
func interval(e score.Estimate, show func(score.Number) string) string {
	if !e.Low.Defined() || !e.High.Defined() {
		return "n/a"
	}
	return "[" + show(e.Low) + ", " + show(e.High) + "]"
}

// formatter shows rates and grades in percent and everything else as a plain number.
func formatter(kind string) func(score.Number) string {
	return func(n score.Number) string {
		f := float64(n)
		switch {
		case !n.Defined():
			return "n/a"
		case math.IsInf(f, 1):
			return "∞"
		case math.IsInf(f, -1):
			return "-∞"
		case kind == "rate" || kind == "grade":
			return fmt.Sprintf("%.1f %%", 100*f)
		case math.Abs(f) >= 1000:
			return fmt.Sprintf("%.0f", f)
		}
		return fmt.Sprintf("%.3f", f)
	}
}

// formatterOf also shows values in percent that are shares themselves.
func formatterOf(s score.Score) func(score.Number) string {
	if s.Share {
		return formatter("rate")
	}
	return formatter(s.Kind)
}

func whole(f float64) string {
	if f == math.Trunc(f) {
		return fmt.Sprintf("%.0f", f)
	}
	return fmt.Sprintf("%.1f", f)
}

// tableNotes says what the numbers alone do not: how runs ended, missing
// intervals, bounds under errors, ratios' limits, thresholds.
func tableNotes(t *score.Table) []string {
	var notes []string
	for _, a := range t.Arms {
		notes = append(notes, armNote(a))
	}
	for _, j := range t.Judges {
		notes = append(notes, judgeNote(j))
	}
	for _, s := range t.Scores {
		for _, e := range s.Estimates {
			notes = append(notes, estimateNotes(s, e)...)
		}
	}
	if t.Interim() {
		notes = append(notes, "interim: trials are missing; rates have intervals that hold at every look, over the first whole tasks of the order that the seed drew, and other scores have none before the end")
	}
	if t.Pairs == "shared" {
		notes = append(notes, "pairs shared: equal calls of two arms are one draw, so asr counts answers changed under the same draws; not comparable with papers that draw afresh")
	}
	for _, f := range t.Flags {
		notes = append(notes, oneLine(f))
	}
	for _, v := range t.Fails {
		line := fmt.Sprintf("fail when %s: %s", v.Text, map[string]string{"yes": "FAILED", "no": "does not hold", "unknown": "unknown"}[v.Holds])
		if v.Why != "" {
			line += " (" + v.Why + ")"
		}
		notes = append(notes, oneLine(line))
	}
	return notes
}

func armNote(a score.ArmCount) string {
	s := fmt.Sprintf("%s: %d runs", a.Arm, a.Runs)
	for _, part := range []struct {
		n    int
		what string
	}{
		{a.Unread, "unreadable"},
		{a.Refused, "refused"},
		{a.Limit, "ended by a limit"},
		{a.Errors, "errors"},
		{a.Absent, "not run"},
		{a.Estimated, "with estimated token counts"},
	} {
		if part.n > 0 {
			s += fmt.Sprintf(", %d %s", part.n, part.what)
		}
	}
	return s
}

func judgeNote(j score.JudgeCount) string {
	s := fmt.Sprintf("judge %s, %s: %s", oneLine(j.Judge), j.Arm, count(j.Read, "verdict"))
	for _, part := range []struct {
		n    int
		what string
	}{
		{j.Unreadable, "unreadable"},
		{j.Failed, "not to be had"},
		{j.Absent, "not asked for yet"},
		{j.Skipped, "runs not judged"},
	} {
		if part.n > 0 {
			s += fmt.Sprintf(", %d %s", part.n, part.what)
		}
	}
	s += fmt.Sprintf("; %d tokens, counted apart from the team's", j.Tokens)
	if j.Estimated {
		s += " (estimated)"
	}
	return s
}

func estimateNotes(s score.Score, e score.Estimate) []string {
	var notes []string
	name, show := oneLine(estimateName(s, e)), formatterOf(s)
	if e.Why != "" {
		notes = append(notes, name+": "+oneLine(e.Why))
	}
	if e.BoundLow.Defined() && e.BoundHigh.Defined() {
		notes = append(notes, fmt.Sprintf("%s: with all errors and unknowns counted one way or the other between %s and %s",
			name, show(e.BoundLow), show(e.BoundHigh)))
	}
	if e.Bound.Defined() && s.Kind == "value" {
		notes = append(notes, fmt.Sprintf("%s: can be %s at most", name, show(e.Bound)))
	}
	for _, f := range e.Flags {
		notes = append(notes, name+": "+oneLine(f))
	}
	return notes
}
