package main

import (
	"context"
	"fmt"

	"parley/lang/diag"
	"parley/runtime/store"
)

// showBodies prints what endpoints sent for a trial, attempt by attempt, and
// why an attempt failed.
func showBodies(ctx context.Context, run *store.Run, name string, asJSON bool, h host) int {
	k, err := trialKey(ctx, run, name)
	if err != nil {
		return failure(h, err)
	}
	sent, err := sentFor(ctx, run, k)
	if err != nil {
		return failure(h, err)
	}
	if asJSON {
		return printJSON(h, sent)
	}
	if len(sent) == 0 {
		fmt.Fprintln(h.stdout, "no endpoint was asked in this trial")
	}
	for _, s := range sent {
		fmt.Fprintf(h.stdout, "%s  attempt %d  status %d\n", diag.Safe(s.Position), s.Attempt, s.Status)
		if s.Error != "" {
			fmt.Fprintf(h.stdout, "  failed: %s\n", diag.Safe(s.Error))
		}
		if s.Body != "" {
			fmt.Fprintf(h.stdout, "%s\n", diag.Safe(s.Body))
		}
	}
	return exitOK
}

// sent is one attempt of a call.
type sent struct {
	Position string `json:"position"`
	Attempt  int    `json:"attempt"`
	Status   int    `json:"status"`
	Error    string `json:"error,omitempty"`
	Body     string `json:"body,omitempty"`
}

// sentFor joins a trial's bodies with the failures of its attempts; an attempt
// that brought no body is known by its failure alone.
func sentFor(ctx context.Context, run *store.Run, trial string) ([]sent, error) {
	bodies, err := run.Bodies(ctx, trial)
	if err != nil {
		return nil, err
	}
	attempts, err := run.Attempts(ctx, 0)
	if err != nil {
		return nil, err
	}
	type at struct {
		call    string
		attempt int
	}
	why := map[at]string{}
	var list []sent
	for i := len(attempts) - 1; i >= 0; i-- { // the oldest first
		a := attempts[i]
		if a.Trial != trial {
			continue
		}
		why[at{a.Call, a.Attempt}] = a.Error
		if a.Status == 0 {
			list = append(list, sent{Position: a.Position, Attempt: a.Attempt, Error: a.Error})
		}
	}
	for _, b := range bodies {
		list = append(list, sent{
			Position: b.Position, Attempt: b.Attempt, Status: b.Status, Error: why[at{b.Call, b.Attempt}], Body: string(b.Body),
		})
	}
	return list, nil
}
