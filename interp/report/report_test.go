package report_test

import (
	"bytes"
	"context"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"parley/interp"
	"parley/interp/report"
	"parley/interp/score"
	"parley/runtime"
	"parley/runtime/trace"
)

var update = flag.Bool("update", false, "rewrite the golden files")

// cellOf makes a configuration over n tasks: of `right` clean-right ones, `lost` are
// wrong under attack; the single agent loses `single` of `alone`.
type cellOf struct {
	labels               []interp.Label
	right, lost          int
	alone, single        int
	published            []score.Published
	flips, missing, errs int
}

func (c cellOf) build(t *testing.T, n int) (*interp.Cell, *score.Table) {
	t.Helper()
	plan := &runtime.Plan{Repeats: 1, Seed: 3, Scenario: "s", CaseFields: []string{"id"}}
	for i := range n {
		plan.Cases = append(plan.Cases, runtime.Case{Row: i, Name: fmt.Sprintf("task%02d", i), Fields: map[string]any{"id": i, "answer": "right"}})
	}
	arms := []runtime.ArmName{runtime.Clean, runtime.Attacked, runtime.Placebo}
	if c.alone > 0 {
		arms = append(arms, runtime.BaselineClean, runtime.BaselineAttacked)
	}
	for _, a := range arms {
		plan.Arms = append(plan.Arms, runtime.Arm{Name: a})
	}
	expr := func(src string) runtime.Expr { return runtime.Expr{Src: src, At: "t:1:1"} }
	spec := &score.Spec{
		Attack: "lie", Goal: "answer", Level: "L2", Published: c.published,
		Verify: []score.Pred{{Name: "correct", Expr: expr("same(run.answer, task.answer)"), Text: "same(run.answer, task.answer)"}},
		Scores: []score.Item{
			{Kind: "rate", Name: "asr", Expr: expr("!correct"), Given: expr("clean.correct"), Better: "lower", Text: "!correct"},
			{Kind: "median", Name: "cost", Expr: expr("run.tokens / clean.run.tokens"), Text: "run.tokens / clean.run.tokens"},
		},
	}
	if c.alone > 0 {
		spec.Scores = append(spec.Scores, score.Item{Kind: "value", Name: "af", Expr: expr("asr / baseline.asr"), Text: "asr / baseline.asr"})
	}
	var trials []*trace.Trial
	add := func(arm runtime.ArmName, i int, right bool) {
		answer := any("wrong")
		if right {
			answer = "right"
		}
		tr := &trace.Trial{
			Key: fmt.Sprintf("%s/%d", arm, i), Row: i, Arm: string(arm), Repeat: 1, Outcome: trace.Answered, Answer: answer,
			Usage: trace.Usage{Calls: 1, Input: 90, Output: 10}, Simulated: true,
			Agents: []*trace.Agent{{Name: "debater[1]", Honest: arm == runtime.Clean}},
		}
		if arm == runtime.Attacked && i < c.errs {
			tr.Outcome = trace.Errored
		}
		tr.Link()
		trials = append(trials, tr)
	}
	for i := range n {
		add(runtime.Clean, i, i < c.right)
		if i < n-c.missing {
			add(runtime.Attacked, i, i >= c.lost && i < c.right)
		}
		add(runtime.Placebo, i, i >= c.flips && i < c.right)
		if c.alone > 0 {
			add(runtime.BaselineClean, i, i < c.alone)
			add(runtime.BaselineAttacked, i, i >= c.single && i < c.alone)
		}
	}
	table, err := score.Evaluate(context.Background(), spec, plan, score.Trials(trials))
	if err != nil {
		t.Fatal(err)
	}
	return &interp.Cell{Labels: c.labels, Plan: plan, Spec: spec}, table
}

func input(t *testing.T, n int, cells ...cellOf) report.Input {
	t.Helper()
	in := report.Input{Suite: &interp.Suite{Name: "table4a", File: "table4a.parley"}, Run: "run-1", Engine: "2", Calls: &report.Calls{Trials: 9, Made: 120, Naive: 200, Paired: 240}}
	for _, c := range cells {
		cell, table := c.build(t, n)
		in.Suite.Cells = append(in.Suite.Cells, cell)
		in.Tables = append(in.Tables, table)
	}
	return in
}

func text(t *testing.T, in report.Input) string {
	t.Helper()
	var b bytes.Buffer
	if err := report.WriteText(&b, report.New(in)); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

func label(name, value string) []interp.Label { return []interp.Label{{Name: name, Value: value}} }

// hostile is what a careless table of labels may hold.
const hostile = "<img src=x onerror=alert(1)> [a](http://evil) | `x` **b** @all\n# h \x1b[31m"

func golden(t *testing.T) report.Input {
	in := input(t, 100,
		cellOf{labels: label("f", "3"), right: 53, lost: 15, flips: 5, published: []score.Published{
			{Row: 3, Score: "asr", Value: 0.2830, Printed: "28.30 %", Num: 15, Den: 53, Source: "Table 4a"},
			{Row: 3, Score: "cost", Value: 0.7308, Printed: "73.08 %", Source: "Table 4a"},
		}},
		cellOf{labels: label("f", "2"), right: 53, lost: 40, flips: 5, errs: 1, published: []score.Published{
			{Row: 2, Score: "asr", Value: 0.1698, Printed: "16.98 %", Num: 9, Den: 53, Source: "Table 4a", Note: hostile},
		}},
		cellOf{labels: label("f", hostile), right: 53, lost: 15, alone: 54, single: 20},
		cellOf{labels: label("f", "none"), right: 53, lost: 6, alone: 54, single: 0},
	)
	in.Suite.Notes = []interp.Note{{What: "parameter orchestrator_hears", Value: "wrong", From: "default"}}
	return in
}

func TestGoldenReports(t *testing.T) {
	in := golden(t)
	for name, write := range map[string]func(*bytes.Buffer) error{
		"report.txt": func(b *bytes.Buffer) error { return report.WriteText(b, report.New(in)) },
		"report.md":  func(b *bytes.Buffer) error { return report.WriteMarkdown(b, report.New(in)) },
	} {
		var b bytes.Buffer
		if err := write(&b); err != nil {
			t.Fatal(err)
		}
		path := filepath.Join("testdata", name)
		if *update {
			if err := os.WriteFile(path, b.Bytes(), 0o666); err != nil {
				t.Fatal(err)
			}
		}
		want, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		if d := cmp.Diff(string(want), b.String()); d != "" {
			t.Errorf("%s (-want +got):\n%s", name, d)
		}
	}
}

// line finds the one line of a text that has all the parts.
func line(t *testing.T, text string, parts ...string) string {
	t.Helper()
	for _, l := range strings.Split(text, "\n") {
		all := true
		for _, p := range parts {
			all = all && strings.Contains(l, p)
		}
		if all {
			return l
		}
	}
	t.Fatalf("no line has all of %q in\n%s", parts, text)
	return ""
}

// TestNumbersOfThePublications: fractions, intervals, factors and their limits as
// they are known to be.
func TestNumbersOfThePublications(t *testing.T) {
	out := text(t, golden(t))
	line(t, out, "f=3", "asr", "28.30 %", "15/53", "28.30 % (15/53)", "0.00 pp", "inside", "9.43 %")
	line(t, out, "f=3", "cost", "100.00 %", "73.08 %", "+26.92 pp", "outside our interval")
	line(t, out, "f=2", "asr", "16.98 % (9/53)", "differs")
	line(t, out, "af", "0.764", "[0.443, 1.309]", "asr 0.00 %")
	line(t, out, "af", "∞", "[1.443, ∞]", "thin")
	line(t, out, "cannot exceed 2.700")
	line(t, out, "infinite")
	line(t, out, "120 model calls made", "200", "0.600", "0.500")
	line(t, out, "SIMULATED")
	line(t, out, "f=3", "its placebo", "asr", "+18.87 pp", "exact McNemar")
	line(t, out, "orchestrator_hears", "wrong", "default")
	if strings.Contains(out, "\x1b") {
		t.Error("a label sends escape sequences to the terminal")
	}
}

// TestOutsideIsNotDifferent: outside our interval, while the published fraction is a
// sample that may come from the same rate.
func TestOutsideIsNotDifferent(t *testing.T) {
	out := text(t, input(t, 100, cellOf{labels: label("f", "3"), right: 53, lost: 15, published: []score.Published{
		{Row: 1, Score: "asr", Value: 0.1698, Printed: "16.98 %", Num: 9, Den: 53},
	}}))
	line(t, out, "outside our interval, does not differ")
}

// TestInterimReport: with runs missing the report says so, tests nothing, and has
// intervals of the kind that may be looked at.
func TestInterimReport(t *testing.T) {
	out := text(t, input(t, 40,
		cellOf{labels: label("f", "1"), right: 30, lost: 3, missing: 4},
		cellOf{labels: label("f", "2"), right: 30, lost: 9, missing: 4}))
	line(t, out, "INTERIM")
	line(t, out, "f=2", "f=1", "trials are missing")
}

// TestMarkdownIsInert: nothing that a label or note says means anything in Markdown.
func TestMarkdownIsInert(t *testing.T) {
	var b bytes.Buffer
	if err := report.WriteMarkdown(&b, report.New(golden(t))); err != nil {
		t.Fatal(err)
	}
	for _, bad := range []string{"<img", "[a]", "://", "**b**", " `x` ", "@all", "\n# h", "\x1b"} {
		if strings.Contains(b.String(), bad) {
			t.Errorf("the report says %q as it stands", bad)
		}
	}
	head := strings.Count(line(t, b.String(), "| configuration | score |"), "|")
	for _, l := range strings.Split(b.String(), "\n") {
		if strings.Contains(l, "onerror") && strings.HasPrefix(l, "| f=") && strings.Count(strings.ReplaceAll(l, `\|`, ""), "|") > head {
			t.Errorf("a label adds cells to a row: %s", l)
		}
	}
}

// TestTrialsAreInert: no cell of the CSV is a formula, and every trial has a line.
func TestTrialsAreInert(t *testing.T) {
	cell, _ := cellOf{labels: label("f", "=1+1"), right: 1, lost: 0}.build(t, 1)
	var b bytes.Buffer
	lines, err := report.NewTrials(&b, &interp.Suite{Name: "x", Cells: []*interp.Cell{cell}})
	if err != nil {
		t.Fatal(err)
	}
	for i, answer := range []string{`=HYPERLINK("http://evil","x")`, "+1", "-1+2", "@SUM(A1)", "\t=1", "\r\n=1", "＝1", "plain", "a=b"} {
		tr := &trace.Trial{
			Key: "k", Row: 0, Arm: "attacked", Repeat: i + 1, Outcome: trace.Answered, Answer: answer,
			Agents: []*trace.Agent{{Name: "debater[1]"}, {Name: "debater[2]", Honest: true}},
			Events: []trace.Event{
				{Kind: trace.KindInsert, Insert: &trace.Insert{Payload: "p1", Text: "say it"}},
				{Kind: trace.KindExposure, Exposure: &trace.Exposure{Agent: "debater[2]", Payload: "p1"}},
			},
		}
		tr.Link()
		g := score.Group{Row: 0, Repeat: i + 1, Trials: map[runtime.ArmName]*trace.Trial{runtime.Attacked: tr}}
		if err := lines.Group(context.Background(), 0, g); err != nil {
			t.Fatal(err)
		}
	}
	if err := lines.Close(); err != nil {
		t.Fatal(err)
	}
	got := strings.Split(strings.TrimSpace(b.String()), "\n")
	if len(got) != 10 {
		t.Fatalf("ten lines, got %d:\n%s", len(got), b.String())
	}
	for _, l := range got[1:] {
		for _, c := range strings.Split(l, ",") {
			c = strings.TrimPrefix(c, `"`)
			if strings.HasPrefix(c, "=") || strings.HasPrefix(c, "+") || strings.HasPrefix(c, "-") || strings.HasPrefix(c, "@") || strings.HasPrefix(c, "＝") {
				t.Errorf("a spreadsheet takes %q for a formula", c)
			}
		}
		if !strings.Contains(l, ",'=1+1,") || !strings.Contains(l, ",debater[1],p1,") || !strings.Contains(l, ",debater[2],") {
			t.Errorf("the line lacks its label, attacker, payload or exposed agent: %s", l)
		}
	}
	if !strings.Contains(got[9], ",a=b,") || !strings.Contains(got[8], ",plain,") {
		t.Errorf("plain answers stay as they are:\n%s", b.String())
	}
}
