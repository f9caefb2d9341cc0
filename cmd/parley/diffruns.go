package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"slices"

	"parley/interp"
	"parley/interp/diff"
	"parley/interp/paired"
	doc "parley/interp/report"
	"parley/lang/diag"
	"parley/runtime/model"
	"parley/runtime/queue"
	"parley/runtime/store"
)

// worse is the --fail-on word for scores that moved the wrong way.
const worse = "worse"

// storedRun finds the run that an argument names. Empty: it names none, so it may be
// a file, a folder or a revision.
func storedRun(dir, name string) (string, error) {
	if info, err := os.Stat(name); err == nil {
		if info.Mode().IsRegular() && hasEnding(name, store.Ending) {
			return name, nil
		}
		return "", nil
	}
	path, err := store.Find(dir, name)
	if errors.Is(err, store.ErrNoRun) {
		return "", nil
	}
	return path, err
}

// storedRuns finds both runs; false where the arguments are versions of files.
func storedRuns(dir string, args []string) (paths [2]string, runs bool, err error) {
	for i, name := range args {
		if paths[i], err = storedRun(dir, name); err != nil {
			return paths, false, err
		}
	}
	switch {
	case paths[0] != "" && paths[1] != "":
		return paths, true, nil
	case hasEnding(paths[0], store.Ending) && paths[0] == args[0], hasEnding(paths[1], store.Ending) && paths[1] == args[1]:
		return paths, false, fmt.Errorf("%s and %s: one is a stored run and the other is not", args[0], args[1])
	}
	return paths, false, nil
}

// diffRuns compares two stored runs.
func diffRuns(ctx context.Context, paths [2]string, names []string, format string, failOn []string, h host) int {
	r, err := pairedRuns(ctx, paths, names, h)
	if err != nil {
		return failure(h, err)
	}
	switch format {
	case "json":
		err = writeJSON(h.stdout, r)
	case "markdown":
		err = doc.WriteMarkdown(h.stdout, doc.Paired(r))
	default:
		err = doc.WriteText(h.stdout, doc.Paired(r))
	}
	if err != nil {
		return failure(h, err)
	}
	return pairedCode(r, failOn, h)
}

// pairedCode is 1 where a score moved the wrong way, or the scenario changed in a way
// that must not pass.
func pairedCode(r *paired.Report, failOn []string, h host) int {
	code := diffCode(&diff.Report{Changes: r.Changes}, failOn)
	if list := r.Worse(); len(list) > 0 && slices.Contains(failOn, worse) {
		for _, name := range list {
			fmt.Fprintf(h.stderr, "worse: %s\n", diag.Safe(name))
		}
		return exitFailed
	}
	return code
}

// pairedRuns reads both runs and compares them.
func pairedRuns(ctx context.Context, paths [2]string, names []string, h host) (r *paired.Report, err error) {
	var sides [2]paired.Input
	for i, path := range paths {
		run, failed := store.Open(path)
		if failed != nil {
			return nil, failed
		}
		defer func() { err = errors.Join(err, run.Close()) }()
		if sides[i], failed = recalled(ctx, run, h); failed != nil {
			return nil, failed
		}
		if names[i] == path { // where no folder of runs need have it
			sides[i].Name = path
		}
	}
	return paired.Compare(ctx, sides[0], sides[1])
}

// recalled is a run with its scenario as it was when the run was made.
func recalled(ctx context.Context, run *store.Run, h host) (paired.Input, error) {
	suite, err := recall(ctx, run)
	if err != nil {
		return paired.Input{}, err
	}
	inv, err := begunWith(run.Meta())
	if err != nil {
		return paired.Input{}, err
	}
	opt := queue.Options{Providers: recorded(h, inv, plansOf(suite))}
	return paired.Input{Name: run.Name(), Run: run, Suite: suite, Revision: func(spec model.Spec) (string, error) { return queue.Revision(spec, opt) }}, nil
}

// recall is the suite that a run was made of.
func recall(ctx context.Context, run *store.Run) (*interp.Suite, error) {
	cells, err := run.Cells(ctx)
	if err != nil {
		return nil, err
	}
	suite, err := interp.Recalled(run.Meta(), cells)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", run.Name(), err)
	}
	return suite, nil
}
