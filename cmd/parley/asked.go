package main

import (
	"context"
	"encoding/json"
	"io"

	"parley/runtime"
	"parley/runtime/model"
	"parley/runtime/model/sim"
)

// asked answers the calls of agents without a script through their models, once
// each and unrecorded: it is for tests.
type asked func(model.Spec) (model.Provider, error)

// Call answers one call.
func (a asked) Call(ctx context.Context, c runtime.Call) (runtime.CallResult, error) {
	p, err := a(c.Spec)
	if err != nil {
		return runtime.CallResult{}, err
	}
	got, err := p.Complete(ctx, c.Request)
	return runtime.CallResult{Response: got}, err
}

// taught is asked by judges too, whom the simulator answers by what it has learnt.
type taught struct {
	asked
	*sim.Facts
}

func writeJSONLine(w io.Writer, v any) error { return json.NewEncoder(w).Encode(v) }
