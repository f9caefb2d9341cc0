package main

import (
	"context"
	"encoding/json"
	"fmt"
	"io"

	"github.com/spf13/pflag"

	"parley/interp"
	doc "parley/interp/report"
	"parley/interp/score"
	"parley/runtime"
	"parley/runtime/store"
	"parley/runtime/trace"
)

// reporting holds the flags of `parley report`.
type reporting struct {
	dir, from, format, out, csv string
}

// reportCommand says what a stored run found, beside what others published.
func reportCommand() command {
	return command{
		name: "report", args: "FILE|FOLDER [TARGET] | RUN", summary: "report a stored run: measured and published values, tests, calls; calls no model",
		examples: []string{
			"parley report scenarios/madbench/table4a.parley",
			"parley report 20260101-120000_table4a_ab12 --format markdown -o table4a.md",
			"parley report scenarios/madbench/table4a.parley --csv trials.csv",
		},
		setup: func(f *pflag.FlagSet) action {
			c, r := compileFlags(f), &reporting{}
			dirFlag(f, &r.dir)
			f.StringVar(&r.from, "run", "", "the stored run to report (default: the newest of this scenario)")
			f.StringVar(&r.format, "format", "text", "text or markdown")
			f.StringVarP(&r.out, "output", "o", "", "write the report to a file")
			f.StringVar(&r.csv, "csv", "", "write one line a trial to a CSV file, and no report")
			return func(ctx context.Context, args []string, h host) int { return r.report(ctx, c, args, h) }
		},
	}
}

func (r *reporting) report(ctx context.Context, c *compiling, args []string, h host) int {
	write := doc.WriteText
	switch r.format {
	case "text":
	case "markdown":
		write = doc.WriteMarkdown
	default:
		return usageError(h, "report", fmt.Sprintf("--format %s: text or markdown", r.format))
	}
	if r.csv != "" && r.out != "" {
		return usageError(h, "report", "--csv names its own file; leave out --output")
	}
	from := r.from
	if len(args) == 1 && from == "" && !isSource(args[0]) {
		from, args = args[0], nil
	}
	suite, run, release, code := scoreInputs("report", c, args, r.dir, from, h)
	if suite == nil {
		return code
	}
	defer release()
	var err error
	if r.csv != "" {
		err = toFile(r.csv, func(w io.Writer) error { return trialLines(ctx, w, suite, run, h) })
	} else {
		err = r.document(ctx, suite, run, write, h)
	}
	if err != nil {
		return closing(h, run, failure(h, err))
	}
	return closing(h, run, exitOK)
}

// document makes the report and writes it to where it is wanted.
func (r *reporting) document(ctx context.Context, suite *interp.Suite, run *store.Run, write func(io.Writer, *doc.Document) error, h host) error {
	tables, err := storedTables(ctx, suite, run, h)
	if err != nil {
		return err
	}
	across, err := suite.AcrossTables(tables)
	if err != nil {
		return err
	}
	calls, err := callsOf(ctx, run)
	if err != nil {
		return err
	}
	before, err := comparedBefore(ctx, run)
	if err != nil {
		return err
	}
	made := doc.New(doc.Input{Suite: suite, Tables: tables, Across: across, Run: run.Name(), Engine: run.Meta().Engine, Calls: calls, Before: before})
	if r.out == "" {
		return write(h.stdout, made)
	}
	return toFile(r.out, func(w io.Writer) error { return write(w, made) })
}

// comparedBefore are the comparisons that stood in the experiment when the run began.
func comparedBefore(ctx context.Context, run *store.Run) ([]string, error) {
	cells, err := run.Cells(ctx)
	if err != nil || len(cells) == 0 {
		return nil, err
	}
	var spec struct{ Compare []string }
	if err := json.Unmarshal(cells[0].Spec, &spec); err != nil {
		return nil, fmt.Errorf("what the run compares cannot be read: %w", err)
	}
	return spec.Compare, nil
}

// callsOf counts what the run asked of models.
func callsOf(ctx context.Context, run *store.Run) (*doc.Calls, error) {
	t, err := run.Tally(ctx)
	if err != nil {
		return nil, err
	}
	return &doc.Calls{Trials: t.Trials, Made: t.Calls - t.Shared, Naive: t.Naive, Paired: t.Paired, Shared: t.Shared}, nil
}

// trialLines writes one line for each trial.
func trialLines(ctx context.Context, w io.Writer, suite *interp.Suite, run *store.Run, h host) error {
	find, err := changed(suite, run, h)
	if err != nil {
		return err
	}
	lines, err := doc.NewTrials(w, suite)
	if err != nil {
		return err
	}
	panel, err := readPanel(ctx, suite, run, h)
	if err != nil {
		return err
	}
	lines.ScoredBy(panel.Scorer)
	for i, c := range suite.Cells {
		if find == nil {
			err = run.EachUnit(ctx, i, 1, func(u store.Unit) error {
				g := score.Group{Row: u.Row, Key: u.Case, Repeat: u.Repeat, Trials: map[runtime.ArmName]*trace.Trial{}}
				for arm, t := range u.Arms {
					g.Trials[runtime.ArmName(arm)] = t
				}
				return lines.Group(ctx, i, g)
			})
		} else {
			err = eachFound(ctx, c.Plan, find(i), func(g score.Group) error { return lines.Group(ctx, i, g) })
		}
		if err != nil {
			return err
		}
	}
	return lines.Close()
}

// eachFound goes through a plan's tasks and repeats in order.
func eachFound(ctx context.Context, p *runtime.Plan, find score.Source, f func(score.Group) error) error {
	for _, c := range p.Cases {
		for repeat := 1; repeat <= max(1, p.Repeats); repeat++ {
			g := score.Group{Row: c.Row, Repeat: repeat, Trials: map[runtime.ArmName]*trace.Trial{}}
			for _, a := range p.Arms {
				t, err := find(ctx, c.Row, repeat, a.Name)
				if err != nil {
					return err
				}
				if t != nil {
					g.Trials[a.Name] = t
				}
			}
			if err := f(g); err != nil {
				return err
			}
		}
	}
	return nil
}
