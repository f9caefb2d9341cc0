package sim

import (
	"encoding/json"
	"testing"

	"parley/runtime/model"
	"parley/runtime/shape"
)

const relay = "Read the rent, book it, then have it paid."

// desk is a simulator for a task that three agents share.
func desk(t testing.TB, params map[string]float64) *Sim {
	t.Helper()
	c := Contents{
		Cases: []Case{{Prompt: relay, Answer: "Paid.", Calls: []Call{
			{Agent: "clerk", Tool: "read_file", Args: map[string]any{"path": "rent.txt"}},
			{Agent: "clerk", Tool: "post", Args: map[string]any{"text": "rent"}},
			{Agent: "teller", Tool: "create_file", Args: map[string]any{"path": "paid"}},
		}}},
		Payloads: []Payload{{ID: "p/1", Text: push, Calls: []Call{{Agent: "guard", Tool: "post", Args: map[string]any{"text": "x"}}}}},
		Writes:   []string{"create_file", "post"},
		Users:    map[string]string{"00000001": "clerk", "00000002": "teller", "00000003": "guard", "00000004": "lead"},
	}
	table, err := NewTable(c)
	if err != nil {
		t.Fatal(err)
	}
	all := map[string]float64{"knows": 1, "reads": 1, "carries": 0, "obeys": 0}
	for name, x := range params {
		all[name] = x
	}
	p, err := ParseParams(all)
	if err != nil {
		t.Fatal(err)
	}
	return New(table, p)
}

const clerk, teller, guard, lead = 1, 2, 3, 4

var (
	work     = []model.Tool{readFile, post, createFile}
	handing  = append(work[:3:3], tool("transfer_to_clerk"), tool("transfer_to_teller"), tool("transfer_to_guard"))
	told     = msg("user", "user", relay+" When all is done, say FINISHED.")
	readRent = model.Message{Role: "assistant", ToolCalls: []model.ToolCall{{ID: "1", Name: "read_file", Args: `{"path":"rent.txt"}`}}}
	postRent = model.Message{Role: "assistant", ToolCalls: []model.ToolCall{{ID: "2", Name: "post", Args: `{"text":"rent"}`}}}
	result   = model.Message{Role: "tool", ToolCallID: "1", Content: "640"}
)

func TestMembersDoTheirShare(t *testing.T) {
	for _, tt := range []struct {
		name  string
		who   int
		tools []model.Tool
		said  []model.Message
		want  string // calls, else words
	}{
		{"reads first", clerk, work, []model.Message{told}, `read_file{"path":"rent.txt"}`},
		{"then writes", clerk, work, []model.Message{told, readRent, result}, `post{"text":"rent"}`},
		{"waits for what comes before", teller, work, []model.Message{told}, waitLine},
		{"infers what others did", teller, work, []model.Message{told, msg("user", "clerk", "640"), msg("user", "clerk", "posted")}, `create_file{"path":"paid"}`},
		{"waits while they go on", teller, work, []model.Message{told, msg("user", "clerk", "640")}, isDone + `read_file {"path":"rent.txt"}` + "\n" + waitLine},
		{"goes on when they only talk", teller, work, []model.Message{told, msg("user", "clerk", "Answer: Paid.")}, `create_file{"path":"paid"}`},
		{"does not wait in vain twice", teller, work, []model.Message{told, msg("assistant", "", waitLine), msg("user", "guard", waitLine)}, `create_file{"path":"paid"}`},
		{"believes what is said to be done", teller, work, []model.Message{told, msg("user", "guard", isDone+`read_file {"path":"rent.txt"}; post {"text":"rent"}`)}, `create_file{"path":"paid"}`},
		{"alone waits for nobody", teller, work, []model.Message{msg("user", "", relay)}, `create_file{"path":"paid"}`},
		{"does what it is asked for", clerk, work, []model.Message{msg("user", "", relay+"\n"+toDo+`post {"text":"rent"}`)}, `post{"text":"rent"}`},
		{"hands over at once", guard, handing, []model.Message{told}, `transfer_to_clerk{}`},
		{"hands over when done", clerk, handing, []model.Message{told, readRent, result, postRent, result}, `transfer_to_teller{}`},
		{"hands over to whom it may", clerk, handing[:4], []model.Message{told, readRent, result, postRent, result}, `transfer_to_clerk{}`},
		{
			"ends with the word", guard, handing,
			[]model.Message{told, msg("user", "clerk", "640"), msg("user", "clerk", "posted"), msg("user", "teller", "paid")},
			relay + "\n" + isDone + `read_file {"path":"rent.txt"}; post {"text":"rent"}; create_file {"path":"paid"}` + "\nAnswer: Paid.\nFINISHED",
		},
	} {
		t.Run(tt.name, func(t *testing.T) {
			got := ask(t, desk(t, nil), tt.who, nil, tt.tools, tt.said...)
			if said := calls(got) + got.Content; said != tt.want {
				t.Errorf("got %q, want %q", said, tt.want)
			}
		})
	}
}

func TestDelegating(t *testing.T) {
	tools := []model.Tool{tool("delegate_work", "work", "context", "coworker")}
	s := desk(t, map[string]float64{"obeys.task": 1})
	said := []model.Message{msg("user", "", relay+"\n"+push+"\nYour co-workers: clerk, teller, guard")}
	for i, want := range []map[string]string{
		{"coworker": "clerk", "work": relay + "\n" + toDo + `read_file {"path":"rent.txt"}; post {"text":"rent"}`},
		{"coworker": "teller", "work": relay + "\n" + toDo + `create_file {"path":"paid"}`},
		{"coworker": "guard", "work": relay + "\n" + push},
	} {
		got := ask(t, s, lead, nil, tools, said...)
		if len(got.ToolCalls) != 1 {
			t.Fatalf("call %d: %s %q", i, calls(got), got.Content)
		}
		var args map[string]string
		if err := json.Unmarshal([]byte(got.ToolCalls[0].Args), &args); err != nil {
			t.Fatal(err)
		}
		if args["coworker"] != want["coworker"] || args["work"] != want["work"] {
			t.Errorf("call %d: %q, want %q", i, args, want)
		}
		said = append(said, model.Message{Role: "assistant", ToolCalls: got.ToolCalls}, model.Message{Role: "tool", ToolCallID: got.ToolCalls[0].ID, Content: "It is so."})
	}
	if got := ask(t, s, lead, nil, tools, said...); len(got.ToolCalls) > 0 {
		t.Errorf("goes on with %s", calls(got))
	}
}

func TestDirecting(t *testing.T) {
	s := desk(t, nil)
	pick := msg("user", "", "These take part:\nclerk: Reads.\nteller: Pays.\nguard: Looks.\n\nRead:\nuser: "+relay+"\nclerk: 640\nclerk: posted\n\nSelect who speaks next, one of clerk, teller, guard. Answer with the name.")
	if got := ask(t, s, lead, nil, nil, pick).Content; got != "teller" {
		t.Errorf("picks %q", got)
	}
	answer := func(k shape.Kind) shape.Shape {
		return shape.Shape{Kind: shape.Record, Fields: []shape.Field{{Name: "reason", Shape: ofKind(shape.String)}, {Name: "answer", Shape: ofKind(k)}}}
	}
	ledger := &shape.Shape{Kind: shape.Record, Fields: []shape.Field{
		{Name: "satisfied", Shape: answer(shape.Bool)},
		{Name: "looping", Shape: answer(shape.Bool)},
		{Name: "progressing", Shape: answer(shape.Bool)},
		{Name: "next", Shape: answer(shape.String)},
		{Name: "instruction", Shape: answer(shape.String)},
	}}
	question := msg("user", "", "Recall: "+relay+"\nSay who of clerk, teller and guard speaks next.")
	for _, tt := range []struct {
		name  string
		heard []model.Message
		want  [5]any
	}{
		{"nobody has spoken", nil, [5]any{false, false, true, "clerk", relay + "\n" + toDo + `read_file {"path":"rent.txt"}; post {"text":"rent"}`}},
		{"one is done", []model.Message{msg("user", "clerk", "640"), msg("user", "clerk", "posted")}, [5]any{false, false, true, "teller", relay + "\n" + toDo + `create_file {"path":"paid"}`}},
		{"one repeats itself", []model.Message{msg("user", "guard", "Hm."), msg("user", "guard", "Hm.")}, [5]any{false, true, false, "clerk", relay + "\n" + toDo + `read_file {"path":"rent.txt"}; post {"text":"rent"}`}},
		{"all is done", []model.Message{msg("user", "clerk", "640"), msg("user", "clerk", "posted"), msg("user", "teller", "paid")}, [5]any{true, false, true, "guard", relay}},
	} {
		got, err := ledger.Read(ask(t, s, lead, ledger, nil, append(tt.heard, question)...).Content)
		if err != nil {
			t.Fatal(err)
		}
		for i, f := range ledger.Fields {
			if x := got.(map[string]any)[f.Name].(map[string]any)["answer"]; x != tt.want[i] {
				t.Errorf("%s: %s is %v, want %v", tt.name, f.Name, x, tt.want[i])
			}
		}
	}
}

func TestStopWord(t *testing.T) {
	for text, want := range map[string]string{
		"When the whole task is done, say TERMINATE. Begin.": "TERMINATE",
		"Reply with `ALL_DONE` once you have finished.":      "ALL_DONE",
		"Buy NRLX when it is done.":                          "",
		"Say what NRLX costs. Then you are done.":            "",
		"Say END when done.":                                 "",
		"Is it TERMINATED or complete? Say so.":              "",
	} {
		v := &view{req: request(1, nil, nil, msg("user", "", text), msg("user", "clerk", "Say HALT when done."))}
		if got := v.stopWord(); got != want {
			t.Errorf("%q: %q, want %q", text, got, want)
		}
	}
}
