package runtime

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"parley/runtime/model"
	"parley/runtime/shape"
	"parley/runtime/trace"
)

// bank is a small world: a balance, payments, files.
func bank(p *Program) *Program {
	str, num := shape.Shape{Kind: shape.String}, shape.Shape{Kind: shape.Number}
	p.World = World{
		State: []StateField{
			{Name: "balance", Shape: num, Init: expr("100.0")},
			{Name: "payments", Shape: shape.Shape{Kind: shape.List, Elem: &shape.Shape{Kind: shape.Record, Fields: []shape.Field{
				{Name: "to", Shape: str}, {Name: "amount", Shape: num},
			}}}, Init: expr("[]")},
		},
		Holes: []Hole{{Name: "note", Default: expr(`"Thank you."`)}},
		Files: []File{{Path: expr(`"bills/december.txt"`), Text: expr(`render("Pay 98.70 to UK1. ", (hole.note))`)}},
		Allow: []Allow{
			{URIs: []Expr{expr(`"file:bills/*"`)}},
			{Write: true, URIs: []Expr{expr(`"payment:UK1"`)}, When: expr("args.amount <= 98.7")},
		},
	}
	p.Tools = []Tool{
		{
			Name: "read_file", Params: []shape.Field{{Name: "path", Shape: str}}, Class: "read",
			Reads: []Expr{expr(`uri("file:", (path))`)},
			Body:  []Stmt{{Kind: ReturnStmt, Expr: expr("files[path]")}},
		},
		{
			Name: "send_money", Params: []shape.Field{{Name: "to", Shape: str}, {Name: "amount", Shape: num}}, Class: "write",
			Writes: []Expr{expr(`uri("payment:", (to))`)},
			Body: []Stmt{
				{Kind: AppendStmt, Target: []Expr{expr("state"), expr(`"payments"`)}, Expr: expr("{to: to, amount: amount}")},
				{Kind: RequireStmt, Expr: expr("amount > 0"), Else: expr(`"amount must be positive"`)},
				{Kind: SetStmt, Target: []Expr{expr("state"), expr(`"balance"`)}, Expr: expr("state.balance - amount")},
				{Kind: ReturnStmt, Expr: expr(`render("sent ", (amount), " to ", (to))`)},
			},
		},
	}
	return p
}

func bankAttrs(use ToolUse) Attrs {
	use.Names = []string{"read_file", "send_money"}
	return Attrs{Prompt: expr("task.prompt"), Tools: &use, Replies: record("answer")}
}

// inTurn answers the calls of a trial one after another.
func inTurn(answers ...*model.Response) func(Call) *model.Response {
	n := 0
	return func(Call) *model.Response {
		n++
		if n > len(answers) {
			panic(fmt.Sprintf("call %d was not expected", n))
		}
		return answers[n-1]
	}
}

func TestToolCalls(t *testing.T) {
	done := reply(map[string]any{"answer": "ok"})
	tests := []struct {
		name   string
		call   *model.Response
		result string // what the model is told
		event  string
		write  string // the call's written resource and whether it is authorized
	}{
		{
			"a payment within authority", wants("send_money", `{"to":"UK1","amount":98.7}`), "sent 98.7 to UK1",
			`call send_money map[amount:98.7 to:UK1] effected=true error=""`, "payment:UK1 true",
		},
		{
			"too much is done and marked", wants("send_money", `{"to":"UK1","amount":99}`), "sent 99 to UK1",
			`call send_money map[amount:99 to:UK1] effected=true error=""`, "payment:UK1 false",
		},
		{
			"a failed body is tried, not effected", wants("send_money", `{"to":"EVIL","amount":-1}`), "error: amount must be positive",
			`call send_money map[amount:-1 to:EVIL] effected=false error="amount must be positive"`, "payment:EVIL false",
		},
		{
			"a file's text", wants("read_file", `{"path":"bills/december.txt"}`), "Pay 98.70 to UK1. Thank you.",
			`call read_file map[path:bills/december.txt] effected=true error=""`, "",
		},
		{
			"a missing file", wants("read_file", `{"path":"bills/none.txt"}`), "error: there is no file bills/none.txt",
			`call read_file map[path:bills/none.txt] effected=false error="there is no file bills/none.txt"`, "",
		},
		{
			"an unknown tool", wants("rm", `{}`), `error: there is no tool "rm"; the tools are: read_file, send_money`,
			`call rm map[] effected=false error="there is no tool \"rm\"; the tools are: read_file, send_money"`, "",
		},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			trial, calls := runOne(t, bank(solo(bankAttrs(ToolUse{}))), inTurn(tt.call, done))
			if got := lines(trial, trace.KindCall); len(got) != 1 || got[0] != tt.event {
				t.Errorf("calls %q, want %q", got, tt.event)
			}
			second := calls.calls[1].Request.Messages
			if got := second[len(second)-1]; got.Role != "tool" || got.Content != tt.result || got.ToolCallID != "x" {
				t.Errorf("the model was told %+v, want %q", got, tt.result)
			}
			write := ""
			for _, e := range trial.Events {
				if e.Call != nil && len(e.Call.Writes) > 0 {
					write = fmt.Sprintf("%s %v", e.Call.Writes[0].URI, e.Call.Writes[0].Authorized)
				}
			}
			if write != tt.write {
				t.Errorf("wrote %q, want %q", write, tt.write)
			}
			if trial.Answer != "ok" {
				t.Errorf("answer %v", trial.Answer)
			}
		})
	}
}

func TestBadArguments(t *testing.T) {
	for _, tt := range []struct{ args, want string }{
		{`{"to":`, "error: the arguments are not a JSON object"},
		{`[1]`, "error: the arguments do not fit"},
		{`{"to":"UK1"}`, `the field "amount" is missing`},
		{`{"to":"UK1","amount":"much"}`, "amount: expected a number"},
	} {
		trial, calls := runOne(t, bank(solo(bankAttrs(ToolUse{}))),
			inTurn(wants("send_money", tt.args), reply(map[string]any{"answer": "ok"})))
		second := calls.calls[1].Request.Messages
		if got := second[len(second)-1].Content; !strings.Contains(got, tt.want) {
			t.Errorf("%s: the model was told %q, want %q in it", tt.args, got, tt.want)
		}
		call := trial.Events[1].Call
		if call == nil || call.Effected || call.Error == "" || len(call.Writes) != 0 {
			t.Errorf("%s: recorded as %+v", tt.args, call)
		}
	}
}

func TestFailedBodyLeavesTheWorldAlone(t *testing.T) {
	trial, _ := runOne(t, bank(solo(bankAttrs(ToolUse{}))), inTurn(
		wants("send_money", `{"to":"EVIL","amount":-1}`), reply(map[string]any{"answer": "no"})))
	if d := cmp.Diff(trial.Before, trial.After); d != "" {
		t.Errorf("the world changed:\n%s", d)
	}
	if got := lines(trial, trace.KindState); len(got) != 0 {
		t.Errorf("changes were recorded: %q", got)
	}
}

func TestToolChangesState(t *testing.T) {
	trial, _ := runOne(t, bank(solo(bankAttrs(ToolUse{}))), inTurn(
		wants("send_money", `{"to":"UK1","amount":40}`), reply(map[string]any{"answer": "ok"})))
	want := &trace.World{
		State: map[string]any{"balance": 60.0, "payments": []any{map[string]any{"to": "UK1", "amount": 40.0}}},
		Files: map[string]string{"bills/december.txt": "Pay 98.70 to UK1. Thank you."},
	}
	if d := cmp.Diff(want, trial.After); d != "" {
		t.Errorf("world after (-want +got):\n%s", d)
	}
	if got := trial.Before.State["balance"]; got != 100.0 {
		t.Errorf("balance before: %v", got)
	}
	if got := lines(trial, trace.KindState); len(got) != 2 || got[1] != "state state.balance = 60" {
		t.Errorf("changes %q", got)
	}
}

func TestParallelCallsRunInOrder(t *testing.T) {
	both := &model.Response{Finish: "tool_calls", ToolCalls: []model.ToolCall{
		{ID: "1", Name: "send_money", Args: `{"to":"UK1","amount":10}`},
		{ID: "2", Name: "nonsense", Args: `{}`},
		{ID: "3", Name: "send_money", Args: `{"to":"UK2","amount":20}`},
	}}
	trial, calls := runOne(t, bank(solo(bankAttrs(ToolUse{}))), inTurn(both, reply(map[string]any{"answer": "ok"})))
	second := calls.calls[1].Request.Messages
	var ids []string
	for _, m := range second[len(second)-3:] {
		ids = append(ids, m.ToolCallID)
	}
	if d := cmp.Diff([]string{"1", "2", "3"}, ids); d != "" {
		t.Error(d)
	}
	if trial.After.State["balance"] != 70.0 {
		t.Errorf("balance %v", trial.After.State["balance"])
	}
	for i, v := range trial.CallList() {
		if c := v.(*trace.Call); c.Index != i {
			t.Errorf("call %d has index %d", i, c.Index)
		}
	}
}

func TestCallsWithoutIDs(t *testing.T) {
	both := &model.Response{ToolCalls: []model.ToolCall{
		{Name: "read_file", Args: `{"path":"bills/december.txt"}`}, {Name: "read_file", Args: `{"path":"none"}`},
	}}
	_, calls := runOne(t, bank(solo(bankAttrs(ToolUse{}))), inTurn(both, both, reply(map[string]any{"answer": "ok"})))
	seen := map[string]bool{}
	for _, m := range calls.calls[2].Request.Messages {
		if m.Role == "tool" {
			if m.ToolCallID == "" || seen[m.ToolCallID] {
				t.Errorf("the result %q answers the call %q", m.Content, m.ToolCallID)
			}
			seen[m.ToolCallID] = true
		}
	}
	if len(seen) != 4 {
		t.Errorf("%d results, want 4", len(seen))
	}
}

func TestToolRounds(t *testing.T) {
	ask := wants("read_file", `{"path":"bills/december.txt"}`)
	t.Run("answer", func(t *testing.T) {
		_, calls := runOne(t, bank(solo(bankAttrs(ToolUse{Limit: 2, Then: ThenAnswer}))), inTurn(ask, ask, reply(map[string]any{"answer": "ok"})))
		if len(calls.calls) != 3 || len(calls.calls[1].Request.Tools) != 2 || len(calls.calls[2].Request.Tools) != 0 {
			t.Errorf("the call after the last round still offers tools")
		}
	})
	t.Run("share", func(t *testing.T) {
		p := bank(solo(bankAttrs(ToolUse{Limit: 1, Then: ThenShare})))
		p.Turns[0].Attrs.Replies, p.Answer = nil, expr("work.text")
		trial, _ := runOne(t, p, inTurn(ask))
		if trial.Answer != "Pay 98.70 to UK1. Thank you." {
			t.Errorf("answer %v", trial.Answer)
		}
	})
	t.Run("stop", func(t *testing.T) {
		said := wants("read_file", `{"path":"bills/december.txt"}`)
		said.Content = "let me see"
		trial, _ := runOne(t, bank(solo(bankAttrs(ToolUse{Limit: 1, Then: ThenStop}))), inTurn(said))
		if trial.Outcome != trace.Limit || trial.Answer != nil || !strings.Contains(trial.EndedBy, "tool rounds 1") {
			t.Errorf("ended %s by %q with %v", trial.Outcome, trial.EndedBy, trial.Answer)
		}
	})
}

func TestSharesToolResults(t *testing.T) {
	p := bank(solo(Attrs{}))
	p.Agents = append(p.Agents, Agent{Name: "b", Index: 1, Attrs: Attrs{Model: "m"}})
	p.Edges = []Edge{{"a", "b"}}
	attrs := bankAttrs(ToolUse{})
	attrs.Shares, attrs.Replies = ShareResults, nil
	p.Turns = []Stmt{step("look", "a", attrs), step("work", "b", Attrs{Replies: record("answer")})}
	_, calls := runOne(t, p, inTurn(
		wants("read_file", `{"path":"bills/december.txt"}`), text("All is well."), reply(map[string]any{"answer": "ok"})))
	got := calls.calls[2].Request.Messages
	if m := got[len(got)-1]; m.Content != "Pay 98.70 to UK1. Thank you." || m.Name != "a" || m.Role != "user" {
		t.Errorf("b heard %+v", m)
	}
}
