package main

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"

	"parley/interp"
	"parley/lang/diag"
	"parley/runtime/queue"
	"parley/runtime/store"
)

// reusing is a stored run whose trials are taken over where their keys are equal.
type reusing struct {
	path  string // absolute; empty: none
	name  string
	taken int // trials
}

// find looks the run up before another one is begun.
func (u *reusing) find(dir, name string) error {
	if name == "" {
		return nil
	}
	path, err := store.Find(dir, name)
	if err != nil {
		return fmt.Errorf("--reuse: %w", err)
	}
	run, err := store.Open(path)
	if err != nil {
		return fmt.Errorf("--reuse: %w", err)
	}
	u.name = run.Name()
	if u.path, err = filepath.Abs(path); err != nil {
		return errors.Join(err, run.Close())
	}
	return run.Close()
}

// again looks the run up for one that is gone on with. That it is gone is no
// failure: what it would have given is run.
func (u *reusing) again(path string, h host) {
	if path == "" {
		return
	}
	if err := u.find("", path); err != nil {
		fmt.Fprintf(h.stderr, "%s; what is not taken over yet is run\n", diag.Safe(err.Error()))
	}
}

// take copies the trials that a run needs and the other one has. Equal keys mean
// equal trials: program, task, repeat, seed, stream and models are in them.
func (u *reusing) take(ctx context.Context, suite *interp.Suite, run *store.Run, h host) (err error) {
	if u.path == "" {
		return nil
	}
	from, err := store.Open(u.path)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, from.Close()) }()
	if from.Meta().ID == run.Meta().ID {
		return nil // it is gone on with: its trials are there
	}
	inv, err := begunWith(run.Meta())
	if err != nil {
		return err
	}
	plans := plansOf(suite)
	links, err := queue.Links(plans, queue.Options{Providers: recorded(h, inv, plans)})
	if err != nil {
		return err
	}
	seen := map[string]bool{}
	for _, l := range links {
		if seen[l.Trial] {
			continue
		}
		seen[l.Trial] = true
		taken, err := run.CopyTrial(ctx, from, l)
		if err != nil {
			return err
		}
		if taken {
			u.taken++
		}
	}
	return run.Flush(ctx)
}

// line says what was taken over.
func (u *reusing) line() string {
	if u.taken == 0 {
		return "no trial of " + u.name + " is one of this run's"
	}
	return fmt.Sprintf("%s taken over from %s, where their calls were made and paid for", count(u.taken, "trial"), u.name)
}
