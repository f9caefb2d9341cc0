package store_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"parley/runtime/key"
	"parley/runtime/model"
	"parley/runtime/segment"
	"parley/runtime/store"
	"parley/runtime/trace"
)

var began = time.Date(2026, 11, 30, 6, 7, 8, 0, time.UTC)

func meta() store.Meta {
	return store.Meta{
		Name: "collusion", Target: "quickstart.parley", File: "quickstart.parley", Digest: "d", Seed: 7,
		Options: []byte(`{"repeats":3}`), Started: began, Engine: "1", Version: "0.1", Simulated: true,
	}
}

func newRun(t testing.TB) *store.Run {
	t.Helper()
	r, err := store.Create(t.TempDir(), meta())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = r.Close() }) // closing twice is harmless
	return r
}

// debate is a trial as a five-agent debate leaves it: 12 calls, 10 of them
// with replies of 60 words heard by five.
func debate(n int) *trace.Trial {
	t := &trace.Trial{
		Key: key.Of("trial", n).String(), Case: key.Of("case", n/6).String(), Row: n / 6, Arm: "attacked", Repeat: 1 + n%3,
		Stream: "main", Outcome: trace.Answered, Answer: "Clauser", Reply: map[string]any{"answer": "Clauser", "n": n},
		Usage: trace.Usage{Calls: 12, Input: 4000, Output: 900}, Simulated: true,
	}
	names := []string{"orchestrator"}
	for i := range 5 {
		names = append(names, fmt.Sprintf("debater[%d]", i+1))
	}
	for i, name := range names {
		t.Agents = append(t.Agents, &trace.Agent{Name: name, Group: "debater", Index: max(i, 1), Honest: true})
	}
	t.Link()
	task := segment.Text{{Text: fmt.Sprint("Who shared the prize of the year ", n, "?"), Source: "task.prompt"}}
	t.Prompts = append(t.Prompts, trace.Prompt{Role: "system", Text: segment.Text{{Text: strings.Repeat("You debate. ", 10), Source: "system"}}},
		trace.Prompt{Role: "user", Text: task})
	turn := 0
	say := func(step, agent string, hearers []string) {
		body := fmt.Sprintf("%s in %s of %d: %s", agent, step, n, strings.Repeat("evidence and reason ", 20))
		text := segment.Text{{Text: body, Source: "model:" + agent}}
		reply := map[string]any{"answer": "Clauser", "reason": body, "evidence": ""}
		t.Prompts = append(t.Prompts, trace.Prompt{Role: "user", Name: agent, Text: text})
		prompts := make([]int, min(len(t.Prompts), 6))
		for i := range prompts {
			prompts[i] = i
		}
		pos := key.Position{Path: step + "#1", Agent: agent, Role: "turn"}.String()
		t.Append(trace.Event{Kind: trace.KindModel, Model: &trace.Model{
			Turn: turn, Agent: agent, Position: pos, Key: key.Of(pos, n).String(), Model: "sim", Prompts: prompts, Text: body,
			Finish: "stop", Input: 330, Output: 75,
		}})
		t.Append(trace.Event{Kind: trace.KindTurn, Turn: &trace.Turn{
			ID: turn, Step: step, Path: step + "#1/" + agent, Agent: agent, Round: 1, Text: text, Reply: reply, Tokens: 405,
		}})
		for _, h := range hearers {
			t.Append(trace.Event{Kind: trace.KindMessage, Message: &trace.Message{
				From: agent, To: h, Turn: turn, Step: step, Round: 1, Text: text, Reply: reply,
			}})
		}
		turn++
	}
	say("dispatch", names[0], names[1:])
	for _, step := range []string{"propose", "debate"} {
		for i, d := range names[1:] {
			hearers := append(append([]string(nil), names[:i+1]...), names[i+2:]...)
			say(step, d, hearers)
		}
	}
	say("decide", names[0], nil)
	return t
}

var debateless = &trace.Trial{}

func debateKey(n int) string { return key.Of("bench", n).String() }

func answer() *model.Response {
	return &model.Response{Content: strings.Repeat("evidence and reason ", 20), Finish: "stop", Usage: &model.Usage{Input: 330, Output: 75}}
}
