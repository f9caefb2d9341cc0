package main

import (
	"context"
	"encoding/json"
	"io"

	"parley/runtime"
	"parley/runtime/model"
)

// stage answers the model calls of a test: scripted agents by their script, the
// others by their model.
type stage struct {
	scripted  *runtime.Scripted
	providers func(model.Spec) (model.Provider, error)
}

// Call answers one call.
func (s *stage) Call(ctx context.Context, c runtime.Call) (runtime.CallResult, error) {
	got, ok, err := s.scripted.Answer(ctx, c)
	if err != nil || ok {
		return runtime.CallResult{Response: got}, err
	}
	p, err := s.providers(c.Spec)
	if err != nil {
		return runtime.CallResult{}, err
	}
	got, err = p.Complete(ctx, c.Request)
	return runtime.CallResult{Response: got}, err
}

func writeJSONLine(w io.Writer, v any) error { return json.NewEncoder(w).Encode(v) }
