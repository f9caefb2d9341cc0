package replay

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"parley/runtime/key"
	"parley/runtime/model"
	"parley/runtime/segment"
	"parley/runtime/store"
	"parley/runtime/trace"
)

const (
	first  = "propose/debater[1]/turn/t0/r0"
	second = "propose/debater[1]/turn/t1/r0"
)

// recorded is a run with trials of two calls each: a call for a tool, and what
// was said then.
func recorded(t *testing.T, trials int) *Source {
	t.Helper()
	ctx := context.Background()
	run, err := store.Create(t.TempDir(), store.Meta{Name: "s", Started: time.Unix(1e9, 0)})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = run.Close() })
	if err := run.PutCells(ctx, []store.Cell{{Plan: []byte(`{"Seed":7}`)}}); err != nil {
		t.Fatal(err)
	}
	for i := range trials {
		one := &trace.Trial{
			Key: fmt.Sprint("trial", i), Case: fmt.Sprint("case", i), Arm: "clean", Repeat: 1, Stream: "main", Outcome: trace.Answered,
			Agents: []*trace.Agent{{Name: "debater[1]", Group: "debater", Index: 1}},
			Prompts: []trace.Prompt{
				{Role: "system", Text: segment.Text{{Text: "You are "}, {Text: "one of two."}}},
				{Role: "user", Name: "debater[2]", Text: segment.Of(fmt.Sprint("Question ", i), "task")},
				{Role: "assistant", Calls: []trace.ToolAsk{{ID: "made-up", Name: "read", Args: `{"path":"a"}`}}},
				{Role: "tool", Call: "made-up", Text: segment.Of("nothing", "tool")},
			},
		}
		one.Link()
		one.Append(trace.Event{Kind: trace.KindModel, Model: &trace.Model{
			Agent: "debater[1]", Position: first, Model: "m", Prompts: []int{0, 1}, Tools: []string{"read"}, Finish: "tool_calls",
			Calls: []trace.ToolAsk{{ID: "made-up", Name: "read", Args: `{"path":"a"}`}}, Input: 9, Output: 3, Odd: []string{"strange"},
		}})
		one.Append(trace.Event{Kind: trace.KindModel, Model: &trace.Model{
			Agent: "debater[1]", Position: second, Model: "m", Prompts: []int{0, 1, 2, 3}, Text: fmt.Sprint("Answer ", i), Finish: "stop",
			Reasoning: "Hm.", Input: 20, Output: 5, Estimated: true,
		}})
		if err := run.PutTrial(ctx, one, nil, false); err != nil {
			t.Fatal(err)
		}
		if err := run.PutLinks(ctx, []store.Link{{Row: i, Repeat: 1, Arm: "clean", Case: one.Case, Trial: one.Key}}); err != nil {
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
	return s
}

// asked is the request of a trial's call, as an engine would make it.
func asked(i int, position string) *model.Request {
	table := key.Table{Seed: 7, Stream: "main", Case: fmt.Sprint("case", i), Repeat: 1}
	req := &model.Request{
		Model: "m", Seed: table.ProviderSeed(position), User: table.User("debater[1]"),
		Messages: []model.Message{{Role: "system", Content: "You are one of two."}, {Role: "user", Name: "debater_2", Content: fmt.Sprint("Question ", i)}},
	}
	if position == first {
		req.Tools = []model.Tool{{Name: "read"}}
	} else {
		req.Messages = append(req.Messages,
			model.Message{Role: "assistant", ToolCalls: []model.ToolCall{{ID: "other", Name: "read", Args: `{"path":"a"}`}}},
			model.Message{Role: "tool", ToolCallID: "other", Content: "nothing"})
	}
	return req
}

func TestAnswers(t *testing.T) {
	s := recorded(t, kept+10)
	p := s.Provider(model.Spec{Provider: "openai", Name: "m"})
	for range 2 {
		for i := range kept + 10 {
			got, err := p.Complete(context.Background(), asked(i, first))
			want := &model.Response{
				Finish: "tool_calls", ToolCalls: []model.ToolCall{{ID: "made-up", Name: "read", Args: `{"path":"a"}`}},
				Usage: &model.Usage{Input: 9, Output: 3}, Odd: []string{"strange"},
			}
			if d := cmp.Diff(want, got); err != nil || d != "" {
				t.Fatal(err, d)
			}
			got, err = p.CompleteAt(context.Background(), second, asked(i, second))
			want = &model.Response{Content: fmt.Sprint("Answer ", i), Finish: "stop", Reasoning: "Hm."}
			if d := cmp.Diff(want, got); err != nil || d != "" {
				t.Fatal(err, d)
			}
		}
	}
	if len(s.trials) > kept || len(s.order) > kept {
		t.Errorf("%d trials stay in memory", len(s.trials))
	}
}

func TestMissesSayWhatDiffers(t *testing.T) {
	s := recorded(t, 2)
	p := s.Provider(model.Spec{})
	for name, c := range map[string]struct {
		at     string
		change func(r *model.Request)
		says   string
	}{
		"text": {
			first, func(r *model.Request) { r.Messages[0].Content = "You are one of three." },
			`message 1 (system) differs from character 17 on: it was "You are one of two.", and is "You are one of three."`,
		},
		"more text": {first, func(r *model.Request) { r.Messages[1].Content += "0" }, `from character 11 on: it was "Question 0", and is "Question 00"`},
		"sender":    {first, func(r *model.Request) { r.Messages[1].Name = "debater_3" }, `came from "debater[2]", and comes from "debater_3"`},
		"role":      {first, func(r *model.Request) { r.Messages[1].Role = "assistant" }, "message 2 (assistant) was of role user"},
		"fewer":     {second, func(r *model.Request) { r.Messages = r.Messages[:3] }, "4 messages were sent, and 3 are now"},
		"further":   {first, func(r *model.Request) { r.Messages = append(r.Messages, r.Messages[0]) }, "2 messages were sent, and 3 are now"},
		"tools":     {first, func(r *model.Request) { r.Tools = nil }, "the tools offered were [read], and are []"},
		"model":     {first, func(r *model.Request) { r.Model = "n" }, `it was asked of model "m", and is asked of "n"`},
		"arguments": {second, func(r *model.Request) { r.Messages[2].ToolCalls[0].Args = `{"path":"b"}` }, "message 3 (assistant) differs in the arguments of read from character 10 on"},
		"call":      {second, func(r *model.Request) { r.Messages[2].ToolCalls[0].Name = "write" }, "called read, and calls write"},
		"no call":   {second, func(r *model.Request) { r.Messages[2].ToolCalls = nil }, "made 1 tool calls, and makes 0"},
		"place":     {first, func(r *model.Request) { r.Seed++ }, "debater[1] was not asked there"},
		"trial":     {first, func(r *model.Request) { r.Seed++; r.User = "x" }, "no trial of this task, repeat, seed and arm is stored"},
	} {
		req := asked(0, c.at)
		c.change(req)
		_, err := p.CompleteAt(context.Background(), c.at, req)
		var f *model.Fault
		if !errors.As(err, &f) || f.Temporary || f.Lasting || !strings.Contains(err.Error(), c.says) || !strings.Contains(err.Error(), c.at) {
			t.Errorf("%s: %v", name, err)
		}
	}
}

func TestRevisionIsTheRuns(t *testing.T) {
	s := recorded(t, 1)
	a, b := s.Provider(model.Spec{Name: "a"}), s.Provider(model.Spec{Name: "b"})
	if a.Revision() != b.Revision() || !strings.Contains(a.Revision(), s.run.Meta().ID) || s.run.Meta().ID == "" {
		t.Error(a.Revision(), b.Revision())
	}
}
