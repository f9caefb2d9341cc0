package report

import (
	"context"
	"crypto/sha256"
	"encoding/csv"
	"encoding/hex"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"parley/interp"
	"parley/interp/score"
	"parley/runtime"
	"parley/runtime/trace"
)

// Trials writes one line for each configuration, task, repeat and arm of a run. A
// trial that serves several configurations stands in each of them under the same
// key.
type Trials struct {
	w          *csv.Writer
	labels     []string
	predicates []string
	cells      []trialCell
}

type trialCell struct {
	cell   *interp.Cell
	scorer *score.Scorer
	labels map[string]string
	names  map[int]string // of the tasks, by row
}

// NewTrials writes the head.
func NewTrials(w io.Writer, s *interp.Suite) (*Trials, error) {
	t := &Trials{w: csv.NewWriter(w)}
	for _, c := range s.Cells {
		scorer, err := score.New(c.Spec, c.Plan)
		if err != nil {
			return nil, err
		}
		tc := trialCell{cell: c, scorer: scorer, labels: map[string]string{}, names: map[int]string{}}
		for _, l := range c.Labels {
			tc.labels[l.Name] = l.Value
			if !slices.Contains(t.labels, l.Name) {
				t.labels = append(t.labels, l.Name)
			}
		}
		for i := range c.Plan.Cases {
			tc.names[c.Plan.Cases[i].Row] = c.Plan.Cases[i].Name
		}
		for _, p := range c.Spec.Verify {
			if !slices.Contains(t.predicates, p.Name) {
				t.predicates = append(t.predicates, p.Name)
			}
		}
		t.cells = append(t.cells, tc)
	}
	head := []string{"configuration"}
	for _, l := range t.labels {
		head = append(head, "label "+l)
	}
	head = append(head, "goal", "level", "arm", "task", "row", "repeat", "outcome", "ended by", "no answer", "answer")
	for _, p := range t.predicates {
		head = append(head, "is "+p)
	}
	head = append(head, "tokens in", "tokens out", "tokens estimated", "model calls", "attackers", "payloads", "wording", "exposed", "carried", "simulated", "trial")
	return t, t.write(head)
}

// ScoredBy gives each configuration a scorer of the caller's, which knows what judges
// said.
func (t *Trials) ScoredBy(scorer func(cell int) *score.Scorer) {
	for i := range t.cells {
		t.cells[i].scorer = scorer(i)
	}
}

// Group writes what a configuration (its place) recorded for one task and repeat.
func (t *Trials) Group(ctx context.Context, cell int, g score.Group) error {
	c := &t.cells[cell]
	for _, arm := range runtime.ArmNames() {
		trial := g.Trials[arm]
		if trial == nil {
			continue
		}
		verdicts, err := c.scorer.Verdicts(ctx, g, arm)
		if err != nil {
			return err
		}
		holds := map[string]string{}
		for _, v := range verdicts {
			holds[v.Name] = v.Holds
		}
		line := []string{strconv.Itoa(cell + 1)}
		for _, l := range t.labels {
			line = append(line, c.labels[l])
		}
		answer := ""
		if trial.Answer != nil {
			answer = fmt.Sprint(trial.Answer)
		}
		line = append(line, c.cell.Spec.Goal, c.cell.Spec.Level, string(arm), c.names[g.Row], strconv.Itoa(g.Row), strconv.Itoa(g.Repeat),
			string(trial.Outcome), trial.EndedBy, yes(trial.Silent()), answer)
		for _, p := range t.predicates {
			line = append(line, holds[p])
		}
		w := whoseTrial(trial)
		line = append(line, strconv.Itoa(trial.Usage.Input), strconv.Itoa(trial.Usage.Output), yes(trial.Usage.Estimated), strconv.Itoa(trial.Usage.Calls),
			list(w.attackers), list(w.payloads), w.wording, list(w.exposed), list(w.carried), yes(trial.Simulated), trial.Key)
		if err := t.write(line); err != nil {
			return err
		}
	}
	return nil
}

// Close writes what is left.
func (t *Trials) Close() error {
	t.w.Flush()
	return t.w.Error()
}

func (t *Trials) write(line []string) error {
	for i := range line {
		line[i] = cell(line[i])
	}
	return t.w.Write(line)
}

// whose is who the attack used, and how.
type whose struct {
	attackers, payloads, exposed, carried []string
	wording                               string
}

func whoseTrial(t *trace.Trial) whose {
	var w whose
	for _, a := range t.Agents {
		if !a.Honest {
			w.attackers = append(w.attackers, a.Name)
		}
	}
	add := func(to *[]string, s string) {
		if !slices.Contains(*to, s) {
			*to = append(*to, s)
		}
	}
	h, any := sha256.New(), false
	for i := range t.Events {
		e := &t.Events[i]
		switch {
		case e.Insert != nil:
			add(&w.payloads, e.Insert.Payload)
			fmt.Fprintf(h, "%d:%s", len(e.Insert.Text), e.Insert.Text)
			any = true
		case e.Exposure != nil:
			add(&w.exposed, e.Exposure.Agent)
		case e.Carry != nil:
			add(&w.carried, e.Carry.Agent)
		}
	}
	if any {
		w.wording = hex.EncodeToString(h.Sum(nil))[:12]
	}
	slices.Sort(w.payloads)
	slices.Sort(w.exposed)
	slices.Sort(w.carried)
	return w
}

func list(names []string) string { return strings.Join(names, " ") }

func yes(b bool) string {
	if b {
		return "yes"
	}
	return "no"
}

// cell is one line of text that no spreadsheet takes for a formula.
func cell(s string) string {
	s = plain(s)
	if first, _ := utf8.DecodeRuneInString(s); s != "" && strings.ContainsRune("=+-@＝＋－＠|%", first) {
		return "'" + s
	}
	return s
}
