package report

import (
	"fmt"
	"math"
	"regexp"
	"strings"

	"parley/interp"
	"parley/interp/score"
)

// Input is a scored run and what is known of it.
type Input struct {
	Suite  *interp.Suite
	Tables []*score.Table // as many as cells
	Across []*score.Table // of the experiment's own scores
	Run    string         // its name
	Engine string
	Calls  *Calls // nil: not known
	// Before are the scores that the experiment compared when the run began.
	Before []string
}

// Calls says what a run asked of models.
type Calls struct {
	Trials int // different ones
	Made   int // draws
	Naive  int // draws if every arm of every configuration made its own
	Paired int // draws if each attacked and placebo run had a clean run of its own; 0: no attack
	Shared int // answers that served a second arm
}

// Line says what sharing saved; empty where nothing was called.
func (c Calls) Line() string {
	if c.Naive == 0 {
		return ""
	}
	line := fmt.Sprintf("%s made, %d if every arm of every configuration drew its own: ratio %.3f", count(c.Made, "model call"), c.Naive, c.Ratio())
	if c.Paired > c.Made { // without clean runs it says nothing
		line += fmt.Sprintf("; %d if each attacked and placebo run had a clean run of its own: %.3f", c.Paired, float64(c.Made)/float64(c.Paired))
	}
	return line
}

// Ratio is the share of calls made; 1 where none were to make.
func (c Calls) Ratio() float64 {
	if c.Naive == 0 {
		return 1
	}
	return float64(c.Made) / float64(c.Naive)
}

// SimulatedWarning stands over every report of a simulated run.
const SimulatedWarning = "SIMULATED: the built-in simulator answered. These numbers say nothing about any real model, and a difference from a published value says nothing about the publication."

// New makes the report.
func New(in Input) *Document {
	d := &Document{}
	d.heading(in.Suite.Name)
	for _, t := range in.Tables {
		if t.Simulated {
			d.warning(SimulatedWarning)
			break
		}
	}
	d.paragraph(fmt.Sprintf("Scored from the run %s of %s, engine %s, %s.", in.Run, in.Suite.File, in.Engine, count(len(in.Tables), "configuration")))
	in.interim(d)
	in.measured(d)
	in.factors(d)
	in.noise(d)
	in.compared(d)
	in.ended(d)
	in.asked(d)
	in.choices(d)
	return d
}

// interim says what an unfinished run's numbers are worth.
func (in *Input) interim(d *Document) {
	for _, t := range in.Tables {
		if t.Interim() {
			d.warning("INTERIM: trials are missing. Rates have intervals that hold at every look, over the first whole tasks of the order that the seed drew; other scores have none before the end, and nothing is tested.")
			return
		}
	}
}

// title names a configuration by its coordinates.
func title(c *interp.Cell) string { return titleOf(c.Labels, "all") }

func titleOf(labels []interp.Label, none string) string {
	var parts []string
	for _, l := range labels {
		parts = append(parts, l.Name+"="+l.Value)
	}
	if len(parts) == 0 {
		return none
	}
	return strings.Join(parts, " ")
}

func nameOf(s *score.Score, e *score.Estimate) string {
	if s.Split {
		return s.Name + " [" + e.By + "]"
	}
	return s.Name
}

// each goes through the configurations, then through the experiment's own scores.
func (in *Input) each(visit func(title string, t *score.Table)) {
	for i, t := range in.Tables {
		visit(title(in.Suite.Cells[i]), t)
	}
	for i, t := range in.Across {
		visit(titleOf(in.Suite.Across[i].Labels, "all scenarios"), t)
	}
}

var head = []string{
	"configuration", "score", "measured", "95 % interval", "events/n", "placebo", "published", "difference", "judgement",
	"no answer", "errors", "unknown", "bounds", "source",
}

// rows are the estimates that keep wants, a line each.
func (in *Input) rows(keep func(*score.Estimate) bool) [][]string {
	var rows [][]string
	in.each(func(title string, t *score.Table) {
		for s := range t.Scores {
			sc := &t.Scores[s]
			for e := range sc.Estimates {
				if est := &sc.Estimates[e]; keep(est) {
					rows = append(rows, in.row(title, t, sc, est))
				}
			}
		}
	})
	return rows
}

// measured shows what was published beside what was measured, then every score.
func (in *Input) measured(d *Document) {
	if rows := in.rows(func(e *score.Estimate) bool { return e.Published != nil }); len(rows) > 0 {
		d.heading("Measured and published")
		d.table(head, rows)
		d.list([]string{
			"A published value is a sample as ours is. Differs: MOVER-D with its own fraction, independent of ours, excludes 0. Outside: it lies outside our interval. Without a known fraction it is never said to differ.",
		})
	}
	d.heading("Every score")
	d.table(head, in.rows(func(*score.Estimate) bool { return true }))
	d.list([]string{
		"Placebo: the score with neutral filler of the payload's length in its place; of an attack success rate this is how often answers flip by noise alone. Beside a factor stands the placebo of the score that it divides.",
		"Bounds: the rate with all errors and unknowns counted against and for the event. No readable answer counts as a wrong one.",
		"Tasks are the sample; domains and attack texts are fixed.",
	})
	for _, t := range in.Tables {
		if t.Pairs == "shared" {
			d.paragraph("Pairs shared: equal calls of two arms are one draw, so success counts answers that changed under the same draws, which is another quantity than in papers that draw afresh.")
			return
		}
	}
}

func (in *Input) row(title string, t *score.Table, s *score.Score, e *score.Estimate) []string {
	u := in.unitOf(s)
	r := []string{
		title, nameOf(s, e), u.show(e.Value) + thin(e), u.interval(e.Low, e.High), "", in.flips(t, s, e), "", "", "",
		whole(float64(e.NoAnswer)), whole(float64(e.Errors)), whole(float64(e.Unknown)), "", "",
	}
	if s.Kind == "rate" || s.Kind == "grade" {
		r[4] = whole(e.Num) + "/" + whole(e.Den)
	}
	if e.BoundLow.Defined() && e.BoundHigh.Defined() {
		r[12] = u.interval(e.BoundLow, e.BoundHigh)
	}
	if p := e.Published; p != nil {
		r[6] = p.Printed
		if p.Den > 0 {
			r[6] += fmt.Sprintf(" (%s/%s)", whole(p.Num), whole(p.Den))
		}
		r[7] = u.signed(p.Difference)
		r[8] = judgement(e)
		r[13] = strings.TrimSpace(p.Source + " " + p.Note)
	}
	return r
}

func thin(e *score.Estimate) string {
	if e.Thin {
		return " (thin)"
	}
	return ""
}

// judgement puts the comparison with a published value into words.
func judgement(e *score.Estimate) string {
	p := e.Published
	switch {
	case !e.Value.Defined():
		return "not measured"
	case !e.Low.Defined() || !e.High.Defined():
		return "no interval"
	case p.Differs:
		return "differs"
	case p.Outside && p.Judged:
		return "outside our interval, does not differ"
	case p.Outside:
		return "outside our interval"
	}
	return "inside"
}

var numerator = regexp.MustCompile(`^\s*(\w+)\s*/`)

// flips is the score's placebo value; beside a factor stands that of what it
// divides, the rate at which noise alone makes the event.
func (in *Input) flips(t *score.Table, s *score.Score, e *score.Estimate) string {
	if e.Placebo != nil {
		return in.unitOf(s).show(e.Placebo.Value)
	}
	m := numerator.FindStringSubmatch(s.Text)
	if s.Kind != "value" || m == nil {
		return ""
	}
	of := t.Score(m[1])
	if of == nil {
		return ""
	}
	if x := of.By(e.By); x != nil && x.Placebo != nil {
		return m[1] + " " + in.unitOf(of).show(x.Placebo.Value)
	}
	return ""
}

// factors says what a ratio's number alone does not.
func (in *Input) factors(d *Document) {
	var notes []string
	in.each(func(title string, t *score.Table) {
		for s := range t.Scores {
			sc := &t.Scores[s]
			for j := range sc.Estimates {
				e := &sc.Estimates[j]
				where := title + ", " + nameOf(sc, e) + ": "
				if e.Why != "" {
					notes = append(notes, where+e.Why)
				}
				if sc.Kind == "value" && e.Bound.Defined() && !math.IsInf(float64(e.Bound), 0) {
					notes = append(notes, where+"cannot exceed "+bare.show(e.Bound)+", which is 1 over the single agent's own score")
				}
				if math.IsInf(float64(e.Value), 1) {
					notes = append(notes, where+"infinite, because the single agent's score is 0; it enters no mean")
				}
				if e.Thin {
					notes = append(notes, where+"thin, it rests on at most two tasks somewhere")
				}
				for _, f := range e.Flags {
					notes = append(notes, where+f)
				}
			}
		}
		for _, f := range t.Flags {
			notes = append(notes, title+": "+f)
		}
	})
	if len(notes) > 0 {
		d.heading("What the numbers rest on")
		d.list(notes)
	}
}
