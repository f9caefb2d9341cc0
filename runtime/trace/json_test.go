package trace_test

import (
	"bytes"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"parley/runtime/segment"
	"parley/runtime/trace"
)

var unlinked = cmpopts.IgnoreUnexported(trace.Trial{}, trace.Agent{}, trace.Turn{}, trace.Call{}, trace.Message{})

func TestJSONKeepsATrial(t *testing.T) {
	tr := debate(t)
	tr.Reply = map[string]any{"n": 3, "share": 0.5, "whole": 2.0, "list": []any{true, nil, "x", 1e300}}
	tr.After = &trace.World{State: map[string]any{"balance": 1810.0}, Files: map[string]string{"a": "b"}}
	tr.Append(trace.Event{Kind: trace.KindState, State: &trace.State{Target: "state.balance", Value: []any{1, 2.5}}})
	tr.Prompts = []trace.Prompt{{Role: "user", Text: segment.Text{{Text: "a", Source: "task.prompt"}, {Text: "b", Payloads: []string{"p/1"}}}}}
	data, err := trace.Encode(tr)
	if err != nil {
		t.Fatal(err)
	}
	if !bytes.HasPrefix(data, []byte(`{"version":1,`)) {
		t.Errorf("begins with %.40s", data)
	}
	back, err := trace.Decode(data)
	if err != nil {
		t.Fatal(err)
	}
	if d := cmp.Diff(tr, back, unlinked); d != "" {
		t.Errorf("read back (-want +got):\n%s", d)
	}
	if get(t, back.TurnList()[0], "agent") != any(back.Agent("debater[2]")) {
		t.Error("the trial is not linked")
	}
	if !back.Agent("debater[1]").Exposed() {
		t.Error("exposure is lost")
	}
}

func TestJSONTellsTextsPlainly(t *testing.T) {
	tr := debate(t)
	tr.Reply = map[string]any{"answer": segment.Of("x", "hole:a").Mark("p/1")}
	data, err := trace.Encode(tr)
	if err != nil || !strings.Contains(string(data), `"reply":{"answer":"x"}`) {
		t.Errorf("%v: %s", err, data)
	}
	if _, ok := tr.Reply.(map[string]any)["answer"].(segment.Text); !ok {
		t.Error("writing a trial changed it")
	}
}

func TestJSONOfOtherVersions(t *testing.T) {
	for _, c := range []struct {
		in string
		ok bool
	}{
		{`{"version":1,"key":"k","agents":[],"events":[],"later":{"x":1}}`, true},
		{`{"version":2,"key":"k","agents":[],"events":[]}`, false},
		{`{"key":"k"}`, false},
		{`{"version":1,"agents":[null]}`, false},
		{`[]`, false},
	} {
		if _, err := trace.Decode([]byte(c.in)); (err == nil) != c.ok {
			t.Errorf("%s: %v", c.in, err)
		}
	}
}

func FuzzDecode(f *testing.F) {
	f.Add([]byte(`{"version":1,"agents":[{"name":"a"}],"events":[{"n":0,"k":"turn","turn":{"id":0,"agent":"a","calls":[0,9,-1]}},{"n":1,"k":"call","call":{"i":0,"agent":"b","writes":[{"uri":"x"}]}}]}`))
	f.Add([]byte(`{"version":1,"reply":{"a":[1,2.0,"x"]},"events":[{"message":{"from":"user","to":"a"}}]}`))
	f.Fuzz(func(t *testing.T, data []byte) {
		tr, err := trace.Decode(data)
		if err != nil {
			return
		}
		for _, list := range [][]any{tr.TurnList(), tr.CallList(), tr.MessageList(), tr.WriteList()} {
			for _, v := range list {
				for _, name := range []string{"agent", "turn", "from", "to", "calls", "authorized"} {
					v.(record).Field(name)
				}
			}
		}
		once, err := trace.Encode(tr)
		if err != nil {
			t.Fatal(err)
		}
		again, err := trace.Decode(once)
		if err != nil {
			t.Fatalf("%v: %s", err, once)
		}
		if twice, err := trace.Encode(again); err != nil || !bytes.Equal(once, twice) {
			t.Fatalf("%v\n%s\n%s", err, once, twice)
		}
	})
}
