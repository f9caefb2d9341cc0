package sim

import (
	"context"
	"strings"
	"testing"

	"parley/runtime/model"
	"parley/runtime/shape"
)

func TestReads(t *testing.T) {
	s := newSim(t, map[string]float64{"reads": 0.8, "stray": 0})
	notes := tool("read_notes")
	want := `search{"query":"Who painted The Night Watch?"} read_notes{}`
	near(t, "reads", frequency(many, func(i int) bool {
		got := calls(ask(t, s, i, debateForm, []model.Tool{search, readFile, notes, createFile}, msg("user", "", easy)))
		if got != "" && got != want {
			t.Fatalf("calls %s", got)
		}
		return got != ""
	}), 0.8, many)
	read := model.Message{Role: "assistant", ToolCalls: []model.ToolCall{{ID: "1", Name: "search", Args: `{"query":"Who painted The Night Watch?"}`}}}
	near(t, "a second time in a turn", frequency(many, func(i int) bool {
		return len(ask(t, s, i, debateForm, []model.Tool{search}, msg("user", "", easy), read, model.Message{Role: "tool", ToolCallID: "1"}).ToolCalls) > 0
	}), 0, many)
	near(t, "again in the next turn", frequency(many, func(i int) bool {
		return len(ask(t, s, i, debateForm, []model.Tool{search}, msg("user", "", easy), read, model.Message{Role: "tool", ToolCallID: "1"},
			msg("assistant", "", `{"answer":"x"}`), msg("user", "", "Revise.")).ToolCalls) > 0
	}), 0.8, many)
}

func TestStray(t *testing.T) {
	s := newSim(t, map[string]float64{"reads": 0.5, "stray": 0.2})
	// Whether or not the turn reads first, it writes unasked with one probability.
	near(t, "stray", frequency(many, func(i int) bool {
		made := turn(t, s, i, debateForm, []model.Tool{search, createFile, post}, func(model.ToolCall) string { return "nothing" }, msg("user", "", easy))
		n := 0
		for _, c := range made {
			if c.Name != "search" {
				n++
			}
		}
		if n > 1 {
			t.Fatalf("wrote %d times: %v", n, made)
		}
		return n == 1
	}), 0.2, many)
}

// turn runs a turn's tool rounds and returns the calls made.
func turn(t testing.TB, s *Sim, i int, form *shape.Shape, tools []model.Tool, result func(model.ToolCall) string, messages ...model.Message) []model.ToolCall {
	t.Helper()
	var out []model.ToolCall
	for round := range 6 {
		req := request(i, form, tools, messages...)
		req.Seed += int64(round) * 1_000_003
		resp, err := s.Complete(context.Background(), req)
		if err != nil {
			t.Fatal(err)
		}
		if len(resp.ToolCalls) == 0 {
			return out
		}
		out = append(out, resp.ToolCalls...)
		messages = append(messages, model.Message{Role: "assistant", ToolCalls: resp.ToolCalls})
		for _, c := range resp.ToolCalls {
			messages = append(messages, model.Message{Role: "tool", ToolCallID: c.ID, Content: result(c)})
		}
	}
	t.Fatal("the turn does not end")
	return nil
}

func TestCompletingCalls(t *testing.T) {
	s := newSim(t, map[string]float64{"knows": 0.6})
	near(t, "completes", frequency(many, func(i int) bool {
		var names []string
		for _, c := range turn(t, s, i, record("answer"), []model.Tool{readFile, post, createFile}, func(model.ToolCall) string { return "98.70" }, msg("user", "", task3)) {
			names = append(names, c.Name+c.Args)
		}
		got := strings.Join(names, " ")
		switch got {
		case `read_file{"path":"bill.txt"}`:
			return false
		case `read_file{"path":"bill.txt"} post{"text":"bill"}`:
			return true
		}
		t.Fatalf("calls %s", got)
		return false
	}), 0.6, many)
	if got := calls(ask(t, s, 1, nil, []model.Tool{createFile}, msg("user", "", task3))); got != "" {
		t.Errorf("calls a tool that is not offered: %s", got)
	}
}

// A task whose calls are given out is done in one turn of many rounds, or in
// turns of one round each, and nothing is read twice.
func TestAssignedCalls(t *testing.T) {
	s := newSim(t, map[string]float64{"knows": 0.6})
	tools := []model.Tool{readFile, post}
	near(t, "completes in one turn", frequency(many, func(i int) bool {
		made := turn(t, s, i, record("answer"), tools, func(model.ToolCall) string { return "640" }, msg("user", "", task4))
		return len(made) == 2 && made[1].Name == "post"
	}), 0.6, many)
	read := model.Message{Role: "assistant", ToolCalls: []model.ToolCall{{ID: "1", Name: "read_file", Args: `{"path":"rent.txt"}`}}}
	near(t, "goes on in the next turn", frequency(many, func(i int) bool {
		got := calls(ask(t, s, i, record("answer"), tools, msg("user", "", task4), read, model.Message{Role: "tool", ToolCallID: "1", Content: "640"}, msg("user", "", task4)))
		if got != "" && got != `post{"text":"rent"}` {
			t.Fatalf("calls %s", got)
		}
		return got != ""
	}), 0.6, many)
}
