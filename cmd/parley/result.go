package main

import (
	"context"
	"fmt"
	goruntime "runtime"
	"slices"
	"strings"

	"parley/interp"
	"parley/interp/judge"
	doc "parley/interp/report"
	"parley/interp/score"
	"parley/lang/diag"
	"parley/runtime"
	"parley/runtime/queue"
	"parley/runtime/store"
	"parley/runtime/trace"
)

// result is a scored run, ready to be printed.
type result struct {
	Run      string
	Path     string
	Suite    *interp.Suite
	Tables   []*score.Table
	Across   []*score.Table // of the experiment's own scores
	Summary  *queue.Summary // nil: nothing was run
	From     string         // the stored run that answered; empty: models did
	Said     []string       // what was learnt of endpoints
	Verdicts *queue.Summary // what judges were asked; nil: nothing
	Full     bool           // every table for itself, however many
	Reused   reusing        // what was taken over from another run
	Asked    *doc.Calls     // what the whole run asked of models; nil: nothing was run
}

// scoreStored scores every cell from what the run holds, with the verdicts of a panel
// where there is one.
func scoreStored(ctx context.Context, suite *interp.Suite, run *store.Run, panel *judge.Panel) ([]*score.Table, error) {
	tables := make([]*score.Table, len(suite.Cells))
	for i, c := range suite.Cells {
		scorer, err := scorerOf(c, panel, i)
		if err != nil {
			return nil, err
		}
		tally := scorer.Tally()
		err = run.EachUnit(ctx, i, goruntime.GOMAXPROCS(0), func(u store.Unit) error {
			g := score.Group{Row: u.Row, Key: u.Case, Repeat: u.Repeat, Trials: map[runtime.ArmName]*trace.Trial{}}
			for arm, t := range u.Arms {
				g.Trials[runtime.ArmName(arm)] = t
			}
			return tally.Add(ctx, g)
		})
		if err != nil {
			return nil, err
		}
		if tables[i], err = tally.Table(); err != nil {
			return nil, err
		}
	}
	return tables, nil
}

// print writes the tables and the run's summary.
func (r *result) print(h host, asJSON bool) error {
	if asJSON {
		return writeJSON(h.stdout, r.json())
	}
	printSuite(h.stdout, r.Suite, r.Tables, r.Across, r.Full)
	fmt.Fprintln(h.stdout)
	for _, line := range r.closingLines() {
		fmt.Fprintln(h.stdout, diag.Safe(line))
	}
	return nil
}

// closingLines say what the run came to and what can be done with it.
func (r *result) closingLines() []string {
	s := r.Summary
	if s == nil {
		if r.Verdicts == nil {
			return []string{"scored from " + r.Run + "; no model was called"}
		}
		return []string{"scored from " + r.Run, verdictLine(r.Verdicts)}
	}
	lines := []string{fmt.Sprintf("%s: %d of %d trials ended (%d of them stored before), %d in an error",
		r.Run, s.Found+s.Ran, s.Total, s.Found, s.Errored)}
	calls := fmt.Sprintf("%s made", count(s.Calls, "model call"))
	if r.From != "" {
		calls = fmt.Sprintf("%s answered from %s, no model called", count(s.Calls, "model call"), r.From)
	}
	if s.Shared > 0 {
		calls += fmt.Sprintf("; %d of %s were shared between arms", s.Shared, count(s.Calls+s.Replayed+s.Shared, "call"))
	}
	if s.Replayed > 0 {
		calls += fmt.Sprintf(", %d by the journal", s.Replayed)
	}
	if s.Retries > 0 {
		calls += fmt.Sprintf(", %d of them again", s.Retries)
	}
	lines = append(lines, calls)
	if r.Verdicts != nil {
		lines = append(lines, verdictLine(r.Verdicts))
	}
	if r.Asked != nil && r.Asked.Line() != "" {
		lines = append(lines, "over the whole run: "+r.Asked.Line())
	}
	if r.Reused.path != "" {
		lines = append(lines, r.Reused.line())
	}
	if s.USD > 0 {
		lines = append(lines, fmt.Sprintf("spent %.2f USD", s.USD))
	}
	for _, m := range s.Unpriced {
		lines = append(lines, "no price is known for "+m+"; its calls are not in the sum")
	}
	lines = append(lines, remarkLines(s, r.Said)...)
	if s.Stopped != "" {
		lines = append(lines, "stopped: "+s.Stopped)
	}
	if !s.Complete {
		next := "not complete; go on with: parley resume " + r.Path
		if strings.HasPrefix(s.Stopped, "the budget of") {
			next += " and a larger limit (--max-calls, --max-total-tokens, --max-usd; 0 lifts it)"
		}
		lines = append(lines, next)
	}
	if r.published() {
		lines = append(lines, "published values beside these, and tests: parley report "+r.Run)
	}
	return append(lines, "read a trial with: parley show "+r.Run)
}

// published reports whether others' values stand beside these.
func (r *result) published() bool {
	for _, c := range r.Suite.Cells {
		if len(c.Spec.Published) > 0 {
			return true
		}
	}
	return slices.ContainsFunc(r.Suite.Across, func(a *interp.Across) bool { return len(a.Published) > 0 })
}

// json is the result for a program.
func (r *result) json() map[string]any {
	cells := make([]map[string]any, len(r.Tables))
	for i, t := range r.Tables {
		cells[i] = map[string]any{"labels": r.Suite.Cells[i].Labels, "table": t}
	}
	out := map[string]any{"name": r.Suite.Name, "run": r.Run, "path": r.Path, "cells": cells}
	if len(r.Across) > 0 {
		across := make([]map[string]any, len(r.Across))
		for i, t := range r.Across {
			across[i] = map[string]any{"labels": r.Suite.Across[i].Labels, "table": t}
		}
		out["across"] = across
	}
	if r.Summary != nil {
		out["summary"] = r.Summary
	}
	if r.Verdicts != nil {
		out["verdicts"] = map[string]any{"asked": r.Verdicts.Total, "had": r.Verdicts.Ran - r.Verdicts.Errored, "calls": r.Verdicts.Calls}
	}
	if r.Reused.path != "" {
		out["reused"] = map[string]any{"run": r.Reused.name, "trials": r.Reused.taken}
	}
	if r.Asked != nil {
		out["calls"] = map[string]any{"made": r.Asked.Made, "naive": r.Asked.Naive, "paired": r.Asked.Paired, "shared": r.Asked.Shared, "ratio": r.Asked.Ratio()}
		out["said"] = r.Said
	}
	return out
}

// exitCode follows the table of exit codes: interrupted, incomplete, failed, done.
func (r *result) exitCode(interrupted bool) int {
	if r.Summary != nil && !r.Summary.Complete {
		if interrupted {
			return exitInterrupted
		}
		return exitIncomplete
	}
	for _, t := range slices.Concat(r.Tables, r.Across) {
		for _, v := range t.Fails {
			if v.Holds == "yes" {
				return exitFailed
			}
		}
	}
	return exitOK
}
