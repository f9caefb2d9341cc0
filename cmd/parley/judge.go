package main

import (
	"context"
	"fmt"
	"io"
	"os"
	"strings"

	"github.com/spf13/pflag"

	"parley/interp/judge"
)

// judgeCommand holds judges' verdicts against people's.
func judgeCommand() command {
	return command{
		name: "judge", args: "FILE [TARGET] | RUN", summary: "hold judges' verdicts on stored runs against people's labels: F1, kappa, corrected shares, disagreements",
		examples: []string{
			"parley judge scenarios/mine.parley --labels labels.csv",
			"parley judge 2026-01-31T12-00-00_mine_ab12cd --labels labels.jsonl --judge refusal --json",
		},
		setup: func(f *pflag.FlagSet) action {
			c := compileFlags(f)
			var dir string
			dirFlag(f, &dir)
			j := judging{}
			f.StringVar(&j.from, "run", "", "the stored run (default: the newest of this scenario)")
			f.StringVar(&j.labels, "labels", "", "CSV or JSONL file: the run by trial, or by configuration, arm, row or case, and repeat; and its class")
			f.StringVar(&j.judge, "judge", "", "which judge, where the scenario has several")
			f.StringVar(&j.field, "field", "", "which field of the verdict (default: the first that has classes)")
			f.BoolVar(&j.noAsk, "no-ask", false, "ask for no verdict that is missing")
			f.BoolVar(&j.json, "json", false, "print JSON")
			return func(ctx context.Context, args []string, h host) int { return j.run(ctx, c, args, dir, h) }
		},
	}
}

// judging holds the flags of one call.
type judging struct {
	from, labels, judge, field string
	noAsk, json                bool
}

func (j *judging) run(ctx context.Context, c *compiling, args []string, dir string, h host) int {
	if j.labels == "" {
		return usageError(h, "judge", "takes --labels, what people said of the runs")
	}
	data, err := os.ReadFile(j.labels)
	if err != nil {
		return failure(h, fmt.Errorf("--labels %s: %s", j.labels, reason(err)))
	}
	from := j.from
	if len(args) == 1 && from == "" && !isSource(args[0]) {
		from, args = args[0], nil
	}
	suite, run, release, code := scoreInputs("judge", c, args, dir, from, h)
	if suite == nil {
		return code
	}
	defer release()
	if !j.noAsk {
		same := run
		if run, _, err = askMissing(ctx, suite, run, h); err != nil {
			if run == nil {
				run = same // closed already, which does no harm
			}
			return closing(h, run, failure(h, err))
		}
	}
	panel, err := readPanel(ctx, suite, run, h)
	if err != nil {
		return closing(h, run, failure(h, err))
	}
	links, err := scoredLinks(ctx, suite, run, h)
	if err != nil {
		return closing(h, run, failure(h, err))
	}
	if names := panel.Names(); j.judge == "" && len(names) == 1 {
		j.judge = names[0]
	} else if j.judge == "" {
		return closing(h, run, usageError(h, "judge", fmt.Sprintf("name one with --judge: this scenario reads the verdicts of %d judges (%s)", len(names), strings.Join(names, ", "))))
	}
	field, _, err := panel.Field(j.judge, j.field)
	if err != nil {
		return closing(h, run, failure(h, err))
	}
	labels, err := judge.ReadLabels(j.labels, data, field)
	if err != nil {
		return closing(h, run, failure(h, err))
	}
	found, err := panel.Agree(ctx, run, links, j.judge, field, labels)
	if err != nil {
		return closing(h, run, failure(h, fmt.Errorf("%s: %w", j.labels, err)))
	}
	if j.json {
		return closing(h, run, printJSON(h, found))
	}
	printAgreement(h.stdout, found)
	return closing(h, run, exitOK)
}

func printAgreement(w io.Writer, a *judge.Agreement) {
	if a.Simulated {
		fmt.Fprintln(w, simulatedWarning)
	}
	fmt.Fprintf(w, "judge %s, %s: %s, %d of them without a readable verdict\n\n", oneLine(a.Judge), oneLine(a.Field), count(a.Labels, "labelled run"), a.Unread)
	head := []any{"people \\ judge"}
	for _, c := range a.Classes {
		head = append(head, oneLine(c))
	}
	table := plainTable(append(head, "F1")...)
	show := formatter("value")
	for i, c := range a.Classes {
		row := []any{oneLine(c)}
		for _, n := range a.Table[i] {
			row = append(row, n)
		}
		table.AppendRow(append(row, show(a.F1[i])))
	}
	fmt.Fprintln(w, table.Render())
	fmt.Fprintf(w, "\nCohen's kappa %s %s\n\n", show(a.Kappa.Value), span(a.Kappa, "value"))
	shares := plainTable("configuration", "arm", "class", "verdicts", "as judged", "corrected", "95 % interval", "")
	percent := formatter("rate")
	for _, s := range a.Shares {
		shares.AppendRow([]any{
			s.Configuration, s.Arm, oneLine(s.Class), s.Verdicts, percent(s.Reported), percent(s.Corrected.Value), span(s.Corrected, "rate"), oneLine(s.Corrected.Why),
		})
	}
	fmt.Fprintln(w, shares.Render())
	fmt.Fprintf(w, "\n%s to read\n", count(len(a.Disagreed), "disagreement"))
	for _, d := range a.Disagreed {
		fmt.Fprintf(w, "\n%d/%s/%d#%d  trial %.12s  %s: people say %s, the judge %s\n", d.Configuration, d.Arm, d.Row, d.Repeat, d.Trial, oneLine(d.Case), oneLine(d.Person), oneLine(d.Judge))
		if d.Why != "" {
			fmt.Fprintf(w, "  why: %s\n", oneLine(d.Why))
		}
		fmt.Fprintln(w, lines(d.Excerpt, "    "))
	}
}

// span shows an interval's ends, or why there is none.
func span(i judge.Interval, kind string) string {
	show := formatter(kind)
	if !i.Low.Defined() || !i.High.Defined() {
		return "n/a"
	}
	return "[" + show(i.Low) + ", " + show(i.High) + "]"
}
