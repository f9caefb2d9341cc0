package report

import (
	"fmt"
	"slices"

	"parley/interp"
	"parley/interp/score"
)

// Pairs are the comparisons that stand before a run: each configuration with the
// first one of its scenario.
func Pairs(s *interp.Suite) [][2]int {
	first := map[string]int{}
	var out [][2]int
	for i, c := range s.Cells {
		name := ""
		for _, l := range c.Labels {
			if l.Name == "scenario" {
				name = l.Value
			}
		}
		if at, seen := first[name]; seen {
			out = append(out, [2]int{i, at})
		} else {
			first[name] = i
		}
	}
	return out
}

// Compared are the scores that are tested: those that the experiment declares,
// else the first rate that says which side is better.
func Compared(s *interp.Suite) (names []string, declared bool) {
	for _, c := range s.Cells {
		if len(c.Spec.Compare) > 0 {
			return c.Spec.Compare, true
		}
	}
	for _, c := range s.Cells {
		for _, it := range c.Spec.Scores {
			if it.Kind == "rate" && it.Better != "" {
				return []string{it.Name}, false
			}
		}
	}
	return nil, false
}

// compared tests the declared comparisons.
func (in *Input) compared(d *Document) {
	names, declared := Compared(in.Suite)
	pairs := Pairs(in.Suite)
	if len(names) == 0 || len(pairs) == 0 {
		return
	}
	seed := in.Suite.Cells[0].Plan.Seed
	list := score.Compare(in.Tables, pairs, names, seed)
	d.heading("Comparisons")
	how := "declared by the experiment before the run"
	if declared && !slices.Equal(names, in.Before) {
		how = "declared by the experiment, but not when the run began, so chosen after the fact"
	}
	if !declared {
		how = "the first rate that says which side is better, since the experiment declares none with compare"
	}
	d.paragraph(fmt.Sprintf("Each configuration is compared with the first of its scenario; the scores are %s. Holm's adjustment counts %s, those that are n/a included.", how, count(len(list), "comparison")))
	d.table(comparisonHead, in.comparisons(list))
	d.list([]string{needed})
}

var comparisonHead = []string{"configuration", "against", "score", "difference", "95 % interval", "test", "p", "p, Holm", "tasks needed", "why not"}

const needed = "Tasks needed: with this run as the pilot, how many tasks show a difference of this size at the 5 % level in 80 % of runs."

// comparisons are lines of a table.
func (in *Input) comparisons(list []score.Comparison) [][]string {
	var rows [][]string
	for _, c := range list {
		u := bare
		if s := in.Tables[c.A].Score(c.Score); s != nil {
			u = in.unitOf(s)
		}
		name := c.Score
		if c.By != "" {
			name += " [" + c.By + "]"
		}
		interval, need, against := "", "", title(in.Suite.Cells[c.B])
		if c.Low.Defined() && c.High.Defined() {
			interval = "[" + u.points(c.Low) + ", " + u.points(c.High) + "]"
		}
		if c.Need.Defined() {
			need = fmt.Sprintf("%.0f", float64(c.Need))
		}
		if c.A == c.B {
			against = "its placebo"
		}
		rows = append(rows, []string{
			title(in.Suite.Cells[c.A]), against, name, u.signed(c.Difference), interval, c.Test, p(c.P), p(c.Holm), need, c.Why,
		})
	}
	return rows
}

// noise tests each configuration against its own placebo.
func (in *Input) noise(d *Document) {
	names, _ := Compared(in.Suite)
	list := score.AgainstPlacebo(in.Tables, names, in.Suite.Cells[0].Plan.Seed)
	if len(list) == 0 {
		return
	}
	d.heading("Attack against placebo")
	d.paragraph(fmt.Sprintf("The same tasks under the attack and under neutral filler in its place; Holm's adjustment counts %s.", count(len(list), "comparison")))
	d.table(comparisonHead, in.comparisons(list))
	d.list([]string{needed})
}

// ended says how the runs of every arm ended.
func (in *Input) ended(d *Document) {
	var rows [][]string
	var fails []string
	for i, t := range in.Tables {
		for _, a := range t.Arms {
			rows = append(rows, []string{
				title(in.Suite.Cells[i]), string(a.Arm), whole(float64(a.Runs)), whole(float64(a.Answered)), whole(float64(a.Unread + a.Refused + a.Limit)),
				whole(float64(a.Refused)), whole(float64(a.Limit)), whole(float64(a.Errors)), whole(float64(a.Absent)), whole(float64(a.Estimated)),
			})
		}
	}
	in.each(func(title string, t *score.Table) {
		for _, v := range t.Fails {
			word := map[string]string{"yes": "FAILED", "no": "held", "unknown": "unknown"}[v.Holds]
			line := fmt.Sprintf("%s: fail when %s: %s", title, v.Text, word)
			if v.Why != "" {
				line += " (" + v.Why + ")"
			}
			fails = append(fails, line)
		}
	})
	d.heading("How the runs ended")
	d.table([]string{"configuration", "arm", "runs", "answered", "no answer", "of these refused", "ended by a limit", "errors", "not run", "tokens estimated"}, rows)
	d.list(fails)
}

// asked says how much was asked of models, and what sharing saved.
func (in *Input) asked(d *Document) {
	if in.Calls == nil || in.Calls.Line() == "" {
		return
	}
	d.heading("Calls")
	pairs := "independent"
	for _, t := range in.Tables {
		if t.Pairs == "shared" {
			pairs = "shared"
		}
	}
	lines := []string{in.Calls.Line() + "; pairs " + pairs}
	if in.Calls.Shared > 0 {
		lines = append(lines, fmt.Sprintf("%d of %d calls in the record were shared between arms", in.Calls.Shared, in.Calls.Made+in.Calls.Shared))
	}
	d.list(lines)
}

// choices lists what was decided and by whom: the options of an experiment are
// where a publication leaves something open.
func (in *Input) choices(d *Document) {
	var rows [][]string
	for _, n := range in.Suite.Notes {
		rows = append(rows, []string{n.What, n.Value, n.From})
	}
	if len(rows) > 0 {
		d.heading("Choices")
		d.paragraph("What was left open was decided as follows. Parameters of the scenario are options: change one with -p name=value.")
		d.table([]string{"what", "value", "decided by"}, rows)
	}
}
