package main

import (
	"context"
	"fmt"
	"strconv"
	"strings"

	"github.com/spf13/pflag"

	"parley/lang/diag"
	"parley/runtime/store"
	"parley/runtime/trace"
)

// showCommand prints a stored trial as a transcript, or lists a run's trials.
func showCommand() command {
	return command{
		name: "show", args: "[RUN [TRIAL]]", summary: "print a trial's transcript, payload spans marked; without TRIAL list the trials",
		examples: []string{
			"parley show                             (the newest run's trials)",
			"parley show 2026-01-31T12-00-00_quickstart_ab12cd 3e9dd5      (the trial whose key begins so)",
			"parley show 2026-01-31T12-00-00_quickstart_ab12cd 1/attacked/4      (configuration 1, arm, row 4, counted from 0)",
		},
		setup: func(f *pflag.FlagSet) action {
			var dir string
			dirFlag(f, &dir)
			full := f.Bool("full", false, "print whole requests, not only what is new in them")
			asJSON := f.Bool("json", false, "print the trial as JSON")
			bodies := f.Bool("bodies", false, "print what endpoints sent for the trial, as it arrived, with every failed attempt")
			limit := f.Int("limit", 40, "how many trials to list")
			return func(ctx context.Context, args []string, h host) int {
				if len(args) > 2 {
					return usageError(h, "show", "takes a run and a trial")
				}
				run, err := openStored(dir, args)
				if err != nil {
					return failure(h, err)
				}
				if len(args) < 2 {
					return closing(h, run, listTrials(ctx, run, *limit, h))
				}
				if *bodies {
					return closing(h, run, showBodies(ctx, run, args[1], *asJSON, h))
				}
				return closing(h, run, showTrial(ctx, run, args[1], *full, *asJSON, h))
			}
		},
	}
}

// openStored opens the run that the first argument names, else the newest.
func openStored(dir string, args []string) (*store.Run, error) {
	path := ""
	if len(args) > 0 {
		var err error
		if path, err = store.Find(dir, args[0]); err != nil {
			return nil, err
		}
	} else {
		info, err := store.Latest(dir, "")
		if err != nil {
			return nil, err
		}
		path = info.Path
	}
	return store.Open(path)
}

// listTrials lists links, so that a reader sees how trials are addressed.
func listTrials(ctx context.Context, run *store.Run, limit int, h host) int {
	cells, err := run.Cells(ctx)
	if err != nil {
		return failure(h, err)
	}
	fmt.Fprintf(h.stdout, "%s\n", diag.Safe(run.Name()))
	shown := 0
	for i := range cells {
		links, err := run.Links(ctx, i)
		if err != nil {
			return failure(h, err)
		}
		for _, l := range links {
			if shown++; shown > limit {
				fmt.Fprintf(h.stdout, "… more; --limit shows them, and `parley show %s CONFIGURATION/ARM/ROW` finds one\n", diag.Safe(run.Name()))
				return exitOK
			}
			outcome, ok, err := run.Outcome(ctx, l.Trial)
			if err != nil {
				return failure(h, err)
			}
			state := string(outcome)
			if !ok {
				state = "not run"
			}
			fmt.Fprintf(h.stdout, "  %-28s %.12s  %s\n", fmt.Sprintf("%d/%s/%d#%d", i+1, l.Arm, l.Row, l.Repeat), l.Trial, state)
		}
	}
	return exitOK
}

func showTrial(ctx context.Context, run *store.Run, name string, full, asJSON bool, h host) int {
	k, err := trialKey(ctx, run, name)
	if err != nil {
		return failure(h, err)
	}
	t, err := run.Trial(ctx, k)
	if err != nil {
		return failure(h, err)
	}
	if asJSON {
		return showJSON(ctx, run, t, h)
	}
	p := &transcript{w: h.stdout, color: h.color, full: full}
	p.print(t)
	if err := run.Verdicts(ctx, t.Key, func(v *trace.Verdict) error { p.verdict(v); return nil }); err != nil {
		return failure(h, err)
	}
	return exitOK
}

// showJSON prints a trial, and beside it what judges said of it where they did.
func showJSON(ctx context.Context, run *store.Run, t *trace.Trial, h host) int {
	out := struct {
		*trace.Trial
		Verdicts []*trace.Verdict `json:"verdicts,omitempty"`
	}{Trial: t}
	err := run.Verdicts(ctx, t.Key, func(v *trace.Verdict) error { out.Verdicts = append(out.Verdicts, v); return nil })
	if err != nil {
		return failure(h, err)
	}
	return printJSON(h, out)
}

// trialKey finds a trial by the beginning of its key, or by its place:
// CONFIGURATION/ARM/ROW, with #REPEAT behind it where it is not the first.
func trialKey(ctx context.Context, run *store.Run, name string) (string, error) {
	if strings.Contains(name, "/") {
		return trialAt(ctx, run, name)
	}
	keys, err := run.Keys(ctx, name, 2)
	if err != nil {
		return "", err
	}
	switch len(keys) {
	case 0:
		return "", fmt.Errorf("no trial's key begins with %q; `parley show %s` lists the trials", name, run.Name())
	case 1:
		return keys[0], nil
	}
	return "", fmt.Errorf("several trials' keys begin with %q; give more of it", name)
}

func trialAt(ctx context.Context, run *store.Run, name string) (string, error) {
	place, repeatText, hasRepeat := strings.Cut(name, "#")
	parts := strings.Split(place, "/")
	bad := fmt.Errorf("%q is no trial: write CONFIGURATION/ARM/ROW such as 1/attacked/0", name)
	if len(parts) != 3 {
		return "", bad
	}
	cell, err1 := strconv.Atoi(parts[0])
	row, err2 := strconv.Atoi(parts[2])
	repeat := 1
	var err3 error
	if hasRepeat {
		repeat, err3 = strconv.Atoi(repeatText)
	}
	if err1 != nil || err2 != nil || err3 != nil {
		return "", bad
	}
	links, err := run.Links(ctx, cell-1)
	if err != nil {
		return "", err
	}
	for _, l := range links {
		if l.Arm == parts[1] && l.Row == row && l.Repeat == repeat {
			if _, ok, err := run.Outcome(ctx, l.Trial); err != nil || ok {
				return l.Trial, err
			}
			return "", fmt.Errorf("%s has not run yet", name)
		}
	}
	return "", fmt.Errorf("this run has no trial %s; `parley show %s` lists the trials", name, run.Name())
}
