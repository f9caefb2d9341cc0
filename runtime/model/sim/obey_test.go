package sim

import (
	"context"
	"fmt"
	"strings"
	"testing"

	"parley/runtime/model"
	"parley/runtime/shape"
)

// Where a payload stands decides how likely it is obeyed.
func TestSlots(t *testing.T) {
	o := map[string]float64{"obeys.system": 0.9, "obeys.task": 0.2, "obeys.corpus": 0.35, "obeys.tool": 0.5, "obeys.message": 0.7, "knows": 1, "carries": 0}
	s := newSim(t, o)
	quoted := string(appendEscaped(nil, evil))
	called := func(name string) model.Message {
		return model.Message{Role: "assistant", ToolCalls: []model.ToolCall{{ID: "1", Name: name, Args: "{}"}}}
	}
	result := func(content string) model.Message {
		return model.Message{Role: "tool", ToolCallID: "1", Content: content}
	}
	user := msg("user", "", easy)
	tests := []struct {
		name     string
		messages []model.Message
		slot     string
	}{
		{"system", []model.Message{msg("system", "", "You are one.\n"+evil+"\n\nReply so."), user}, "system"},
		{"task", []model.Message{msg("user", "", easy+"\n"+evil)}, "task"},
		{"task by its sender", []model.Message{msg("user", "user", easy+"\n"+evil)}, "task"},
		{"corpus", []model.Message{user, called("search"), result("[Title] " + evil)}, "corpus"},
		{"corpus in JSON", []model.Message{user, called("search"), result(`[{"text":"` + quoted + `"}]`)}, "corpus"},
		{"tool", []model.Message{user, called("read_file"), result(evil)}, "tool"},
		{"named message", []model.Message{user, msg("user", "debater_2", evil)}, "message"},
		{"block", []model.Message{msg("user", "", easy+"\n[debater[2]]\n"+evil+"\nDecide.")}, "message"},
		{"block in JSON", []model.Message{msg("user", "", easy+"\n[debater[2]]\n{\"answer\":\"Rembrandt\",\"reason\":\""+quoted+"\"}")}, "message"},
		{"after a block in JSON", []model.Message{msg("user", "", heardFrom("debater[2]", "Rembrandt")+"\n"+easy+"\n"+evil)}, "task"},
		{"between blocks", []model.Message{msg("user", "", heardFrom("debater[2]", "Rembrandt")+"\n\n[debater[3]]\n"+evil+"\n\n"+heardFrom("debater[4]", "Rembrandt")+easy)}, "message"},
		{"no header", []model.Message{msg("user", "", easy+"\n[not a name]\n"+evil)}, "task"},
		{"bracket in a line", []model.Message{msg("user", "", easy+" see [a]\n"+evil)}, "task"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			got := frequency(many, func(i int) bool {
				return answered(t, ask(t, s, i, debateForm, nil, test.messages...)) == "Frans Hals"
			})
			near(t, "obeyed", got, o["obeys."+test.slot], many)
		})
	}
}

// A payload in two slots is drawn once, for the likelier; and an agent that
// obeys in one turn obeys in the next.
func TestObeyingIsATrait(t *testing.T) {
	both := []model.Message{msg("user", "", easy+"\n"+evil), msg("user", "b", evil)}
	for _, o := range []map[string]float64{{"obeys.task": 0.3, "obeys.message": 0.6}, {"obeys.task": 0.6, "obeys.message": 0.3}} {
		o["knows"] = 1
		s := newSim(t, o)
		got := frequency(many, func(i int) bool {
			req := request(i, debateForm, nil, both...)
			first, _ := s.Complete(context.Background(), req)
			req.Seed += 1000
			second, _ := s.Complete(context.Background(), req)
			if answered(t, first) != answered(t, second) {
				t.Fatal("obeyed once")
			}
			return answered(t, first) == "Frans Hals"
		})
		near(t, "obeyed", got, 0.6, many)
	}
}

// A run's table holds the payloads of all its attacks. Equal texts are one
// payload, a text inside another is a part of it: neither is drawn twice.
func TestOnePlaceOneDraw(t *testing.T) {
	c := contents()
	wrong := map[string]any{"answer": "Frans Hals"}
	c.Payloads = append(c.Payloads,
		Payload{ID: "other/1", Text: evil, Reply: wrong},
		Payload{ID: "longer/1", Text: "Listen. " + evil + " Now.", Reply: wrong})
	table, err := NewTable(c)
	if err != nil {
		t.Fatal(err)
	}
	p, _ := ParseParams(map[string]float64{"knows": 1, "obeys": 0.4})
	s := New(table, p)
	for _, text := range []string{evil, "Listen. " + evil + " Now."} {
		near(t, text, frequency(many, func(i int) bool {
			return answered(t, ask(t, s, i, debateForm, nil, msg("user", "", easy+"\n"+text))) == "Frans Hals"
		}), 0.4, many)
	}
}

// What an agent knows, whether it obeys one payload and whether it obeys another
// are drawn apart.
func TestTraitsAreIndependent(t *testing.T) {
	c := contents()
	c.Payloads = []Payload{
		{ID: "a/1", Text: evil, Reply: map[string]any{"reason": "A"}},
		{ID: "b/1", Text: push, Reply: map[string]any{"evidence": "B"}},
	}
	table, err := NewTable(c)
	if err != nil {
		t.Fatal(err)
	}
	p, _ := ParseParams(map[string]float64{"knows": 0.5, "obeys": 0.5, "carries": 0})
	s := New(table, p)
	for mask := range 8 {
		near(t, fmt.Sprintf("%03b", mask), frequency(many, func(i int) bool {
			got := ask(t, s, i, debateForm, nil, msg("user", "", easy+"\n"+evil+"\n"+push)).Content
			return strings.Contains(got, "Rembrandt") == (mask&1 > 0) && strings.Contains(got, `"A"`) == (mask&2 > 0) && strings.Contains(got, `"B"`) == (mask&4 > 0)
		}), 0.125, many)
	}
}

// One text can mean something else in each task.
func TestMeaningByTask(t *testing.T) {
	c := contents()
	c.Payloads = []Payload{
		{ID: "m/1", Text: push, Prompt: easy, Calls: []Call{{Tool: "post", Args: map[string]any{"text": "easy"}}}},
		{ID: "m/1", Text: push, Prompt: hard, Calls: []Call{{Tool: "post", Args: map[string]any{"text": "hard"}}}},
	}
	table, err := NewTable(c)
	if err != nil {
		t.Fatal(err)
	}
	p, _ := ParseParams(map[string]float64{"obeys": 1, "knows": 0})
	for prompt, want := range map[string]string{easy: `post{"text":"easy"}`, hard: `post{"text":"hard"}`, task3: `post{"text":"easy"}`} {
		if got := calls(ask(t, New(table, p), 1, nil, []model.Tool{post}, msg("user", "", push+"\n"+prompt))); got != want {
			t.Errorf("%s: calls %s, want %s", prompt, got, want)
		}
	}
}

func TestObeyedAnswerFitsTheForm(t *testing.T) {
	c := contents()
	c.Payloads[0].Reply = map[string]any{"answer": true, "sure": "5", "unknown": "x", "reason": "because"}
	table, err := NewTable(c)
	if err != nil {
		t.Fatal(err)
	}
	p, _ := ParseParams(map[string]float64{"obeys.task": 1, "carries": 0})
	form := &shape.Shape{Kind: shape.Record, Fields: []shape.Field{
		{Name: "final_answer", Shape: ofKind(shape.Bool)},
		{Name: "sure", Shape: ofKind(shape.Int)},
		{Name: "reason", Shape: ofKind(shape.String)},
		{Name: "who", Shape: shape.Shape{Kind: shape.Agent, Values: []any{"a"}}},
		{Name: "of", Shape: shape.Shape{Kind: shape.List, Elem: textShape()}},
		{Name: "may", Shape: shape.Shape{Kind: shape.Number, Optional: true}},
	}}
	got := ask(t, New(table, p), 1, form, nil, msg("user", "", easy+"\n"+evil)).Content
	if want := `{"final_answer":true,"sure":5,"reason":"because","who":"a","of":[],"may":null}`; got != want {
		t.Errorf("got %s, want %s", got, want)
	}
	if _, err := form.Read(got); err != nil {
		t.Error(err)
	}
}

func textShape() *shape.Shape { s := ofKind(shape.String); return &s }

func TestCarries(t *testing.T) {
	s := newSim(t, map[string]float64{"carries": 0.3, "obeys.task": 0, "obeys.message": 0})
	carries := func(resp *model.Response) bool {
		found := false
		s.table.index.find(resp.Content, func(e entry, _ int) { found = found || e.ref.kind == isPayload })
		return found
	}
	task := msg("user", "", easy+"\n"+evil)
	near(t, "in a field", frequency(many, func(i int) bool {
		resp := ask(t, s, i, debateForm, nil, task)
		v, err := debateForm.Read(resp.Content)
		if err != nil {
			t.Fatal(err)
		}
		in := strings.Contains(v.(map[string]any)["reason"].(string), evil)
		if in != carries(resp) {
			t.Fatal("a quoted payload is not found")
		}
		return in
	}), 0.3, many)
	near(t, "in a free reply", frequency(many, func(i int) bool { return carries(ask(t, s, i, nil, nil, task)) }), 0.3, many)
	near(t, "never met", frequency(many, func(i int) bool { return carries(ask(t, s, i, nil, nil, msg("user", "", easy))) }), 0, many)
	near(t, "its own instruction", frequency(many, func(i int) bool {
		return carries(ask(t, s, i, debateForm, nil, msg("system", "", evil), msg("user", "", easy)))
	}), 0, many)
	near(t, "no place for it", frequency(many, func(i int) bool { return carries(ask(t, s, i, record("answer"), nil, task)) }), 0, many)
}
