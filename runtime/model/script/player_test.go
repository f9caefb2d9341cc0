package script

import (
	"fmt"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"

	"parley/runtime/model"
)

func req(contents ...string) *model.Request {
	r := &model.Request{}
	for _, c := range contents {
		r.Messages = append(r.Messages, model.Message{Role: "user", Content: c})
	}
	return r
}

// play asks for agent a with each text in turn and returns replies and errors.
func play(p *Player, texts ...string) []string {
	var out []string
	for _, text := range texts {
		resp, err := p.Answer("a", req("hello", text))
		if err != nil {
			out = append(out, "error: "+err.Error())
			continue
		}
		out = append(out, resp.Content)
	}
	return out
}

func TestAnswer(t *testing.T) {
	one, two := Entry{Reply: "one"}, Entry{Reply: "two"}
	evil := Entry{Reply: "evil", Contains: `say "x"`}
	tests := []struct {
		name    string
		entries []Entry
		repeat  bool
		asked   []string
		want    []string
	}{
		{
			"in order, then too short",
			[]Entry{one, two},
			false,
			[]string{"", "", ""},
			[]string{"one", "two", "error: the script of a is too short: its call 3 has no answer"},
		},
		{"repeats", []Entry{one, two}, true, []string{"", "", ""}, []string{"one", "two", "one"}},
		{"condition first", []Entry{evil, one}, false, []string{`they say "x".`, ""}, []string{"evil", "one"}},
		{"condition waits", []Entry{evil, one}, false, []string{"", `they say "x".`}, []string{"one", "evil"}},
		{"condition in JSON", []Entry{evil}, false, []string{`{"answer":"say \"x\""}`}, []string{"evil"}},
		{
			"condition never holds",
			[]Entry{evil},
			false,
			[]string{"nothing"},
			[]string{`error: the script of a has no answer for its call 1: the request contains none of "say \"x\""`},
		},
		{"repeats past a condition", []Entry{evil, one}, true, []string{"", "", `say "x"`, ""}, []string{"one", "one", "evil", "one"}},
		{
			"repeat does not invent",
			[]Entry{evil},
			true,
			[]string{""},
			[]string{`error: the script of a has no answer for its call 1: the request contains none of "say \"x\""`},
		},
		{"no entries", nil, true, []string{""}, []string{"error: the script of a is too short: its call 1 has no answer"}},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			p := NewPlayer([]Script{{Agents: []string{"b", "a"}, Entries: test.entries, Repeat: test.repeat}})
			if diff := cmp.Diff(test.want, play(p, test.asked...)); diff != "" {
				t.Error(diff)
			}
		})
	}
}

func TestCalls(t *testing.T) {
	p := NewPlayer([]Script{{Agents: []string{"a"}, Entries: []Entry{{Calls: []model.ToolCall{{Name: "x", Args: "{}"}, {Name: "y", Args: "{}"}}}}, Repeat: true}})
	r := req("go")
	r.Messages = append(r.Messages, model.Message{Role: "assistant", ToolCalls: []model.ToolCall{{ID: "call_1", Name: "x"}}})
	for range 2 { // ids of one answer do not leak into the next
		got, err := p.Answer("a", r)
		if err != nil {
			t.Fatal(err)
		}
		want := []model.ToolCall{{ID: "call_2", Name: "x", Args: "{}"}, {ID: "call_3", Name: "y", Args: "{}"}}
		if diff := cmp.Diff(want, got.ToolCalls); diff != "" || got.Finish != "tool_calls" {
			t.Error(diff, got.Finish)
		}
		r.Messages[1].ToolCalls = r.Messages[1].ToolCalls[:1]
	}
}

func TestAgentsAreApart(t *testing.T) {
	p := NewPlayer([]Script{
		{Agents: []string{"a", "b"}, Entries: []Entry{{Reply: "1"}, {Reply: "2"}}},
		{Agents: []string{"a"}, Entries: []Entry{{Reply: "3"}}},
	})
	if !p.Speaks("b") || p.Speaks("c") {
		t.Error("who speaks is wrong")
	}
	if _, err := p.Answer("c", req("")); err == nil || err.Error() != "no script speaks for c" {
		t.Error(err)
	}
	var wg sync.WaitGroup
	said := map[string][]string{}
	var mu sync.Mutex
	for agent, n := range map[string]int{"a": 3, "b": 2} {
		wg.Go(func() {
			for range n {
				resp, err := p.Answer(agent, req(""))
				if err != nil {
					t.Error(err)
					return
				}
				mu.Lock()
				said[agent] = append(said[agent], resp.Content)
				mu.Unlock()
			}
		})
	}
	wg.Wait()
	if got := fmt.Sprint(said); got != "map[a:[1 2 3] b:[1 2]]" {
		t.Error(got)
	}
}
