package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"maps"
	"slices"

	"parley/interp"
	"parley/interp/diff"
	"parley/interp/judge"
	"parley/lang/diag"
	"parley/runtime"
	"parley/runtime/queue"
	"parley/runtime/store"
	"parley/runtime/trace"
)

// newest is what --diff means without a run.
const newest = "newest"

// planDiff is what running a file now would run anew, beside what a stored run holds
// under equal keys.
type planDiff struct {
	Run    string     `json:"run"`
	Status string     `json:"status"`
	Cells  []diffCell `json:"configurations"`
	Gone   []string   `json:"gone,omitempty"` // configurations that the file no longer has
	// Of all different trials.
	Stored int `json:"stored"`
	ToRun  int `json:"to_run"`
	Calls  int `json:"most_calls"` // of those to run, and of judges
	// Verdicts are to be asked for: on the trials to run, and where stored ones lack them.
	Verdicts int `json:"verdicts,omitempty"`
	// Scoring are changes in what is counted: they run nothing anew.
	Scoring []string `json:"scoring,omitempty"`
}

type diffCell struct {
	Title string    `json:"title"`
	Arms  []diffArm `json:"arms"`
}

// diffArm is one arm of a configuration. Trials that several share count in each.
type diffArm struct {
	Arm    runtime.ArmName `json:"arm"`
	Stored int             `json:"stored"`
	ToRun  int             `json:"to_run"`
	Calls  int             `json:"most_calls"` // of one trial
	Why    []string        `json:"why,omitempty"`
}

// diffed says what a plan would run anew against a stored run.
func diffed(ctx context.Context, suite *interp.Suite, sum *planSummary, run *store.Run, h host) (*planDiff, error) {
	old, err := recall(ctx, run)
	if err != nil {
		return nil, err
	}
	now, err := again(suite)
	if err != nil {
		return nil, err
	}
	links, err := queue.Links(plansOf(suite), queue.Options{Providers: providers(plansOf(suite), revisions(h, invocation{}))})
	if err != nil {
		return nil, err
	}
	x := &against{run: run, old: old, now: now, pairs: map[int]int{}, before: map[int]map[casePoint]store.Link{}, armWhy: map[armAt][]string{}}
	if err := x.prepare(ctx, h); err != nil {
		return nil, err
	}
	out := &planDiff{Run: run.Name(), Status: string(run.State().Status)}
	for i, c := range suite.Cells {
		cell := diffCell{Title: diff.Title(suite, i)}
		for k := range c.Plan.Arms {
			cell.Arms = append(cell.Arms, diffArm{Arm: c.Plan.Arms[k].Name, Calls: sum.cells[i].arms[k].calls})
		}
		out.Cells = append(out.Cells, cell)
	}
	seen, why := map[string]bool{}, map[*diffArm]map[string]int{}
	for _, l := range links {
		arm := out.arm(l)
		stored, err := x.has(ctx, l.Trial)
		if err != nil {
			return nil, err
		}
		if stored {
			arm.Stored++
		} else {
			arm.ToRun++
			if why[arm] == nil {
				why[arm] = map[string]int{}
			}
			for _, reason := range x.reasons(ctx, l) {
				why[arm][reason]++
			}
		}
		if !seen[l.Trial] {
			seen[l.Trial] = true
			out.count(stored, arm.Calls)
		}
	}
	for arm, reasons := range why {
		arm.Why = told(reasons, arm.ToRun)
	}
	out.Gone, out.Scoring = x.gone, x.scoring()
	out.Verdicts, err = verdictsDue(ctx, suite, sum, run, links, h)
	out.Calls += out.Verdicts * judge.Attempts
	return out, err
}

// verdictsDue counts what judges are still to be asked: about trials that are not
// stored, and about stored ones without a settled verdict.
func verdictsDue(ctx context.Context, suite *interp.Suite, sum *planSummary, run *store.Run, links []store.Link, h host) (int, error) {
	panel, err := panelOf(ctx, suite, run, providers(plansOf(suite), revisions(h, invocation{})))
	if err != nil || !panel.Any() {
		return 0, err
	}
	due, err := panel.Due(ctx, run, links, true, nil)
	if err != nil {
		return 0, err
	}
	n, seen := len(due), map[[2]string]bool{}
	for _, l := range links {
		outcome, ended, err := run.Outcome(ctx, l.Trial)
		if err != nil {
			return 0, err
		}
		for _, j := range sum.cells[l.Cell].judges {
			k := [2]string{l.Trial, j.form}
			if ended && outcome != trace.Errored || string(j.arm) != l.Arm || seen[k] {
				continue
			}
			seen[k] = true
			n++
		}
	}
	return n, nil
}

func (d *planDiff) arm(l store.Link) *diffArm {
	arms := d.Cells[l.Cell].Arms
	return &arms[slices.IndexFunc(arms, func(a diffArm) bool { return string(a.Arm) == l.Arm })]
}

func (d *planDiff) count(stored bool, calls int) {
	if stored {
		d.Stored++
		return
	}
	d.ToRun++
	d.Calls += calls
}

// told lists reasons, those of most trials first, with how many they are of where
// they are not of all.
func told(reasons map[string]int, all int) []string {
	names := slices.Sorted(maps.Keys(reasons))
	slices.SortStableFunc(names, func(a, b string) int { return reasons[b] - reasons[a] })
	for i, name := range names {
		if n := reasons[name]; n < all {
			names[i] = fmt.Sprintf("%s (%s)", name, count(n, "trial"))
		}
	}
	return names
}

// again is a suite as a run would hold it, so that both sides went the same way.
func again(suite *interp.Suite) (*interp.Suite, error) {
	cells, err := storedCells(suite)
	if err != nil {
		return nil, err
	}
	return interp.Recalled(store.Meta{Name: suite.Name, File: suite.File}, cells)
}

// print writes it for a terminal.
func (d *planDiff) print(w io.Writer, suite *interp.Suite) {
	fmt.Fprintf(w, "%s now, against %s (%s)\n", diag.Safe(suite.Name), diag.Safe(d.Run), statusWords(store.Status(d.Status)))
	for i, c := range d.Cells {
		fmt.Fprintf(w, "\n[%d] %s\n", i+1, cellTitle(suite, suite.Cells[i]))
		for _, a := range c.Arms {
			fmt.Fprintf(w, "  %-18s %4d stored, %4d to run", a.Arm, a.Stored, a.ToRun)
			if a.ToRun > 0 {
				fmt.Fprintf(w, ", at most %s each", count(a.Calls, "call"))
			}
			fmt.Fprintln(w)
			for k, why := range a.Why {
				if k == mostReasons {
					fmt.Fprintf(w, "    … and %d reasons more; --json lists them\n", len(a.Why)-k)
					break
				}
				fmt.Fprintln(w, "    "+oneLine(why))
			}
		}
	}
	fmt.Fprintln(w)
	for _, g := range d.Gone {
		fmt.Fprintf(w, "only in the stored run: %s\n", oneLine(g))
	}
	for _, s := range d.Scoring {
		fmt.Fprintf(w, "runs nothing anew: %s\n", oneLine(s))
	}
	asked := ""
	if d.Verdicts > 0 {
		asked = fmt.Sprintf(", %s to be asked for", count(d.Verdicts, "verdict"))
	}
	fmt.Fprintf(w, "in all: %d of %s stored, %d to run%s: %s at most\n", d.Stored, count(d.Stored+d.ToRun, "different trial"), d.ToRun, asked, count(d.Calls, "model call"))
	switch {
	case d.ToRun == 0:
		fmt.Fprintf(w, "nothing is to be run: `parley score`, with the same arguments, and --run %s\n", diag.Safe(d.Run))
	case d.Stored > 0:
		fmt.Fprintf(w, "to run only these: `parley run`, with the same arguments, and --reuse %s\n", diag.Safe(d.Run))
	}
}

// mostReasons is how many reasons of an arm are printed.
const mostReasons = 6

// runBehind takes a run off the end of the arguments: --diff RUN is written like
// other flags with a value.
func runBehind(dir string, args []string) ([]string, string) {
	last := args[len(args)-1]
	if path, err := storedRun(dir, last); err == nil && path != "" {
		return args[:len(args)-1], last
	}
	return args, newest
}

// diffRun opens the run that is named, else the newest of the suite's.
func diffRun(dir, name string, suite *interp.Suite) (*store.Run, error) {
	if name != newest {
		path, err := store.Find(dir, name)
		if err != nil {
			return nil, err
		}
		return store.Open(path)
	}
	info, err := store.Latest(dir, suite.File+"#"+suite.Name)
	if errors.Is(err, store.ErrNoRun) {
		return nil, fmt.Errorf("%w of %s; everything would be run", err, suite.Name)
	}
	if err != nil {
		return nil, err
	}
	return store.Open(info.Path)
}

// diffPlan prints what a plan would run anew.
func diffPlan(ctx context.Context, suite *interp.Suite, sum *planSummary, dir, name string, asJSON bool, h host) int {
	run, err := diffRun(dir, name, suite)
	if err != nil {
		return failure(h, err)
	}
	d, err := diffed(ctx, suite, sum, run, h)
	if err != nil {
		return closing(h, run, failure(h, err))
	}
	if asJSON {
		return closing(h, run, printJSON(h, d))
	}
	d.print(h.stdout, suite)
	return closing(h, run, exitOK)
}
