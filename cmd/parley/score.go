package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"slices"

	"github.com/spf13/pflag"

	"parley/interp"
	"parley/interp/score"
	"parley/runtime"
	"parley/runtime/queue"
	"parley/runtime/store"
	"parley/runtime/trace"
)

// scoreCommand scores stored trials again, with the predicates as they are now.
func scoreCommand() command {
	return command{
		name: "score", args: "FILE|FOLDER [TARGET] | RUN", summary: "score stored trials with the predicates as they are now; calls no model but judges whose verdicts are missing",
		examples: []string{"parley score scenarios/quickstart.parley", "parley score 2026-01-31T12-00-00_quickstart_ab12cd"},
		setup: func(f *pflag.FlagSet) action {
			c := compileFlags(f)
			var dir string
			dirFlag(f, &dir)
			from := f.String("run", "", "the stored run to score (default: the newest of this scenario)")
			asJSON := f.Bool("json", false, "print the result as JSON")
			full := f.Bool("full", false, fullUsage)
			noAsk := f.Bool("no-ask", false, "ask no judge for verdicts that are missing")
			return func(ctx context.Context, args []string, h host) int {
				return rescore(ctx, c, args, dir, *from, *asJSON, *noAsk, *full, h)
			}
		},
	}
}

func rescore(ctx context.Context, c *compiling, args []string, dir, from string, asJSON, noAsk, full bool, h host) int {
	if len(args) == 1 && from == "" && !isSource(args[0]) {
		from, args = args[0], nil
	}
	suite, run, release, code := scoreInputs("score", c, args, dir, from, h)
	if suite == nil {
		return code
	}
	defer release()
	var err error
	var verdicts *queue.Summary
	if !noAsk {
		same := run
		if run, verdicts, err = askMissing(ctx, suite, run, h); err != nil {
			if run == nil {
				run = same // closed already, which does no harm
			}
			return closing(h, run, failure(h, err))
		}
	}
	tables, err := storedTables(ctx, suite, run, h)
	if err != nil {
		return closing(h, run, failure(h, err))
	}
	across, err := suite.AcrossTables(tables)
	if err != nil {
		return closing(h, run, failure(h, err))
	}
	res := result{Full: full, Across: across, Run: run.Name(), Path: run.Path(), Suite: suite, Tables: tables, Verdicts: verdicts}
	if err := res.print(h, asJSON); err != nil {
		return closing(h, run, failure(h, err))
	}
	code = res.exitCode(false)
	if n := lacking(tables); code == exitOK && n > 0 {
		fmt.Fprintf(h.stderr, "%s that these scores need %s missing\n", count(n, "verdict"), map[bool]string{true: "is", false: "are"}[n == 1])
		code = exitIncomplete
	}
	if code == exitOK && slices.ContainsFunc(tables, (*score.Table).Interim) {
		fmt.Fprintln(h.stderr, "some trials that these scores need are not in this run; `parley run` makes them")
		code = exitIncomplete
	}
	return closing(h, run, code)
}

// storedTables scores what a run holds for a scenario: by place where the plans
// are the run's own, else by what the trials are.
func storedTables(ctx context.Context, suite *interp.Suite, run *store.Run, h host) ([]*score.Table, error) {
	find, err := changed(suite, run, h)
	if err != nil {
		return nil, err
	}
	panel, err := readPanel(ctx, suite, run, h)
	switch {
	case err != nil:
		return nil, err
	case find == nil:
		return scoreStored(ctx, suite, run, panel)
	}
	tables := make([]*score.Table, len(suite.Cells))
	for i := range suite.Cells {
		if tables[i], err = panel.Scorer(i).Score(ctx, find(i)); err != nil {
			return nil, err
		}
	}
	return tables, nil
}

// isSource reports whether the argument is a file that is no run, or a folder.
func isSource(arg string) bool {
	info, err := os.Stat(arg)
	return err == nil && (info.IsDir() || info.Mode().IsRegular() && !hasEnding(arg, store.Ending))
}

func hasEnding(s, end string) bool { return len(s) > len(end) && s[len(s)-len(end):] == end }

// scoreInputs compiles the scenario and opens the run that belongs to it.
func scoreInputs(command string, c *compiling, args []string, dir, from string, h host) (*interp.Suite, *store.Run, func(), int) {
	if len(args) == 0 && from == "" {
		return nil, nil, nil, usageError(h, command, "takes FILE, or a stored run")
	}
	var suite *interp.Suite
	release, code := func() {}, exitOK
	if len(args) > 0 {
		if suite, release, code = c.compile(command, args, h); suite == nil {
			return nil, nil, nil, code
		}
	}
	path, err := "", error(nil)
	if from != "" {
		path, err = store.Find(dir, from)
	} else {
		var info store.Info
		info, err = store.Latest(dir, suite.File+"#"+suite.Name)
		path = info.Path
	}
	var run *store.Run
	if err == nil {
		run, err = store.Open(path)
	}
	if err != nil {
		release()
		if errors.Is(err, store.ErrNoRun) {
			err = fmt.Errorf("%w; run the scenario first", err)
		}
		return nil, nil, nil, failure(h, err)
	}
	if suite == nil {
		if suite, release, code = recompile(run.Meta(), h); suite == nil {
			return nil, nil, nil, closing(h, run, code)
		}
	}
	return suite, run, release, exitOK
}

// changed finds the trials of a scenario whose plans are no longer the run's: by
// what they are. What the run lacks has not run. It is nil where the plans agree.
func changed(suite *interp.Suite, run *store.Run, h host) (func(cell int) score.Source, error) {
	inv, err := begunWith(run.Meta())
	if err != nil || inv.digest(suite) == run.Meta().Digest {
		return nil, err
	}
	plans := plansOf(suite)
	links, err := queue.Links(plans, queue.Options{Providers: recorded(h, inv, plans)})
	if err != nil {
		return nil, err
	}
	type place struct {
		cell, row, repeat int
		arm               string
	}
	at := make(map[place]string, len(links))
	for _, l := range links {
		at[place{l.Cell, l.Row, l.Repeat, l.Arm}] = l.Trial
	}
	return func(cell int) score.Source {
		return func(ctx context.Context, row, repeat int, arm runtime.ArmName) (*trace.Trial, error) {
			trial := at[place{cell, row, repeat, string(arm)}]
			if _, ok, err := run.Outcome(ctx, trial); err != nil || !ok {
				return nil, err
			}
			return run.Events(ctx, trial)
		}
	}, nil
}
