package trace_test

import (
	"testing"

	"parley/runtime/segment"
	"parley/runtime/trace"
)

// record is what the expression evaluator asks of a value with fields.
type record interface{ Field(string) (any, bool) }

// debate builds a small live trial: two debaters, one tool call, three messages.
func debate(t *testing.T) *trace.Trial {
	t.Helper()
	tr := &trace.Trial{
		Key: "k1", Case: "c", Arm: "attacked", Repeat: 1, Outcome: trace.Answered, Answer: "Clauser",
		Usage: trace.Usage{Calls: 3, Input: 40, Output: 2},
		Agents: []*trace.Agent{
			{Name: "orchestrator", Index: 1, Role: "orchestrator", Honest: true},
			{Name: "debater[1]", Group: "debater", Index: 1},
			{Name: "debater[2]", Group: "debater", Index: 2, Honest: true, About: "second"},
		},
	}
	tr.Link()
	tr.Append(trace.Event{Kind: trace.KindMessage, Message: &trace.Message{From: "user", To: "orchestrator", Turn: -1, Text: segment.Of("task", "task.prompt")}})
	tr.Append(trace.Event{Kind: trace.KindCall, Call: &trace.Call{
		Turn: 0, Agent: "debater[2]", Tool: "note", Effected: true, Step: "propose",
		Reads:  []trace.Resource{{URI: "file:a", Authorized: true}},
		Writes: []trace.Resource{{URI: "file:b"}},
	}})
	tr.Append(trace.Event{Kind: trace.KindTurn, Turn: &trace.Turn{
		ID: 0, Step: "propose", Agent: "debater[2]", Round: 1, Calls: []int{0}, Tokens: 7,
		Reply: map[string]any{"answer": "Clauser"}, Text: segment.Of("Clauser", "reply"),
	}})
	tr.Append(trace.Event{Kind: trace.KindMessage, Message: &trace.Message{From: "debater[2]", To: "debater[1]", Round: 1}})
	tr.Append(trace.Event{Kind: trace.KindExposure, Exposure: &trace.Exposure{Agent: "debater[1]", Payload: "p/1", Slot: "message"}})
	return tr
}

func get(t *testing.T, v any, path ...string) any {
	t.Helper()
	for _, name := range path {
		r, ok := v.(record)
		if !ok {
			t.Fatalf("%v: %T has no fields", path, v)
		}
		if v, ok = r.Field(name); !ok {
			t.Fatalf("%v: no field %s", path, name)
		}
	}
	return v
}

func TestFields(t *testing.T) {
	tr := debate(t)
	call := tr.CallList()[0]
	turn := tr.TurnList()[0]
	for _, c := range []struct {
		of   any
		path []string
		want any
	}{
		{tr, []string{"answer"}, "Clauser"},
		{tr, []string{"tokens"}, 42},
		{tr, []string{"model_calls"}, 3},
		{tr, []string{"refused"}, false},
		{turn, []string{"agent", "name"}, "debater[2]"},
		{turn, []string{"agent", "about"}, "second"},
		{turn, []string{"tokens"}, 7},
		{call, []string{"authorized"}, false},
		{call, []string{"effected"}, true},
		{call, []string{"turn", "step"}, "propose"},
		{tr.WriteList()[0], []string{"uri"}, "file:b"},
		{tr.WriteList()[0], []string{"authorized"}, false},
		{tr.ReadList()[0], []string{"call", "agent", "name"}, "debater[2]"},
		{tr.MessageList()[0], []string{"from", "name"}, "user"},
		{tr.MessageList()[1], []string{"to", "honest"}, false},
		{tr.Agent("orchestrator"), []string{"role"}, "orchestrator"},
	} {
		if got := get(t, c.of, c.path...); got != c.want {
			t.Errorf("%v = %v, want %v", c.path, got, c.want)
		}
	}
	if calls := get(t, turn, "calls").([]any); len(calls) != 1 || calls[0] != call {
		t.Errorf("turn.calls = %v, want the call", calls)
	}
	if turns := get(t, tr.Agent("debater[2]"), "turns").([]any); len(turns) != 1 || turns[0] != turn {
		t.Errorf("agent.turns = %v, want the turn", turns)
	}
	if _, ok := turn.(record).Field("answr"); ok {
		t.Error("a field that a turn lacks was found")
	}
	if !tr.Agent("debater[1]").Exposed() || tr.Agent("debater[2]").Exposed() || tr.Agent("debater[1]").Carried() {
		t.Error("exposure differs from the events")
	}
}

func TestReadersCannotWriteIntoTheTrial(t *testing.T) {
	tr := debate(t)
	_ = append(tr.TurnList(), "intruder")
	tr.Append(trace.Event{Kind: trace.KindTurn, Turn: &trace.Turn{ID: 1, Agent: "debater[1]"}})
	if got := len(tr.TurnList()); got != 2 {
		t.Fatalf("%d turns, want 2", got)
	}
	if u, ok := tr.TurnList()[1].(*trace.Turn); !ok || u.ID != 1 {
		t.Errorf("second turn is %v", tr.TurnList()[1])
	}
}

func TestKeys(t *testing.T) {
	a, b := debate(t), debate(t)
	b.Key = "k2"
	if a.Agents[1].Key() != b.Agents[1].Key() || a.Agents[1].Key() == a.Agents[2].Key() {
		t.Error("agents are equal by name, also across trials")
	}
	if a.TurnList()[0].(*trace.Turn).Key() == b.TurnList()[0].(*trace.Turn).Key() {
		t.Error("turns of two trials are not equal")
	}
}

// TestEveryNamedField: what the language page lists is there, and nothing else.
func TestEveryNamedField(t *testing.T) {
	tr := debate(t)
	for what, c := range map[string]struct {
		of     any
		fields []string
	}{
		"agent":    {tr.Agents[1], []string{"name", "index", "about", "turns", "honest", "role", "group"}},
		"turn":     {tr.TurnList()[0], []string{"step", "agent", "text", "reply", "calls", "round", "tokens", "refused", "unreadable", "limit", "aside", "path"}},
		"message":  {tr.MessageList()[0], []string{"from", "to", "text", "round", "step", "reply"}},
		"call":     {tr.CallList()[0], []string{"agent", "tool", "args", "result", "error", "effected", "authorized", "step", "reads", "writes", "turn"}},
		"resource": {tr.WriteList()[0], []string{"uri", "authorized", "effected", "call", "agent", "tool"}},
		"run":      {tr, []string{"answer", "reply", "tokens", "model_calls", "refused", "ended_by"}},
		"world":    {&trace.World{}, []string{"state", "files", "mails", "pages"}},
	} {
		for _, f := range c.fields {
			if _, ok := c.of.(record).Field(f); !ok {
				t.Errorf("%s has no %s", what, f)
			}
		}
		for _, f := range []string{"", "nam", "Name", "key"} {
			if v, ok := c.of.(record).Field(f); ok {
				t.Errorf("%s has a field %q: %v", what, f, v)
			}
		}
	}
}

func TestNamesThatNobodyHas(t *testing.T) {
	tr := &trace.Trial{}
	tr.Link()
	tr.Append(trace.Event{Turn: &trace.Turn{Agent: "ghost", Calls: []int{0, -1}}})
	tr.Append(trace.Event{Call: &trace.Call{Agent: "ghost", Turn: 7}})
	for _, c := range []struct {
		of    any
		field string
	}{{tr.TurnList()[0], "agent"}, {tr.CallList()[0], "agent"}, {tr.CallList()[0], "turn"}} {
		if v, ok := c.of.(record).Field(c.field); ok {
			t.Errorf("%s is %v", c.field, v)
		}
	}
	if n := len(get(t, tr.TurnList()[0], "calls").([]any)); n != 0 {
		t.Errorf("%d calls", n)
	}
	if tr.Agent("ghost") != nil || tr.Agent(trace.UserName) != tr.User() {
		t.Error("agents by name")
	}
}

func TestSilence(t *testing.T) {
	for _, c := range []struct {
		outcome trace.Outcome
		answer  any
		silent  bool
	}{{trace.Answered, "x", false}, {trace.Answered, nil, true}, {trace.Limit, "x", true}, {trace.Refused, nil, true}, {trace.Answered, false, false}} {
		tr := &trace.Trial{Outcome: c.outcome, Answer: c.answer}
		if tr.Silent() != c.silent {
			t.Errorf("%s with %v: %v", c.outcome, c.answer, tr.Silent())
		}
		if v := get(t, tr, "answer"); (v == nil) != c.silent {
			t.Errorf("%s with %v reads as %v", c.outcome, c.answer, v)
		}
	}
}
