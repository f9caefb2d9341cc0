package replay

import (
	"context"
	"fmt"
	"testing"
	"time"

	"parley/runtime/model"
	"parley/runtime/segment"
	"parley/runtime/store"
	"parley/runtime/trace"
)

// TestEachConfigurationGetsItsOwnAnswer holds that a call which two
// configurations made alike, and which a model that wavers answered differently,
// is answered to each as it was.
func TestEachConfigurationGetsItsOwnAnswer(t *testing.T) {
	ctx := context.Background()
	run, err := store.Create(t.TempDir(), store.Meta{Name: "s", Started: time.Unix(1e9, 0)})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = run.Close() })
	if err := run.PutCells(ctx, []store.Cell{{Plan: []byte(`{"Seed":7}`)}, {Plan: []byte(`{"Seed":7}`)}}); err != nil {
		t.Fatal(err)
	}
	for cell := range 2 {
		one := &trace.Trial{
			Key: fmt.Sprint("trial", cell), Case: "case0", Arm: "attacked", Repeat: 1, Stream: "main", Outcome: trace.Answered,
			Agents:  []*trace.Agent{{Name: "debater[1]"}},
			Prompts: []trace.Prompt{{Role: "system", Text: segment.Of("You are one of two.", "")}, {Role: "user", Name: "debater[2]", Text: segment.Of("Question 0", "task")}},
		}
		one.Link()
		one.Append(trace.Event{Kind: trace.KindModel, Model: &trace.Model{
			Agent: "debater[1]", Position: first, Model: "m", Prompts: []int{0, 1}, Tools: []string{"read"}, Text: fmt.Sprint("Answer ", cell), Finish: "stop",
		}})
		if err := run.PutTrial(ctx, one, nil, false); err != nil {
			t.Fatal(err)
		}
		if err := run.PutLinks(ctx, []store.Link{{Cell: cell, Repeat: 1, Arm: "attacked", Case: "case0", Trial: one.Key}}); err != nil {
			t.Fatal(err)
		}
	}
	if err := run.Flush(ctx); err != nil {
		t.Fatal(err)
	}
	s, err := Open(ctx, run)
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		origin model.Origin
		want   string
	}{
		{model.Origin{Cell: 0, Arm: "attacked", Case: "case0", Repeat: 1}, "Answer 0"},
		{model.Origin{Cell: 1, Arm: "attacked", Case: "case0", Repeat: 1}, "Answer 1"},
		{model.Origin{Cell: 2, Arm: "attacked", Case: "case0", Repeat: 1}, "Answer 0"}, // a configuration that was not stored
	} {
		got, err := s.Provider(model.Spec{}).CompleteIn(ctx, c.origin, first, asked(0, first))
		if err != nil || got.Content != c.want {
			t.Errorf("%+v: %+v %v", c.origin, got, err)
		}
	}
}
