package runtime

import (
	"fmt"
	"strings"
	"testing"

	"parley/runtime/model"
	"parley/runtime/trace"
)

// TestProvenanceIsWhatStandsThere compares two ways to know who met a payload:
// the marks that texts carry through stores, tools, replies, messages, templates
// and memory, and a plain search for the payload in what was sent. They must say
// the same, for every slot, call and agent.
func TestProvenanceIsWhatStandsThere(t *testing.T) {
	const secret = "ZEBRA ORDER SEVEN"
	value := expr(`"` + secret + `"`)
	one := []string{"debater[1]"}
	// Everybody repeats the payload once they have read it.
	parrot := func(c Call) *model.Response {
		said := "nothing"
		if strings.Contains(fullText(c), secret) {
			said = "I was told: " + secret + "."
		}
		switch {
		case c.Agent == "orchestrator" && c.Request.Replies == nil:
			return text(said)
		case c.Agent == "orchestrator":
			return reply(map[string]any{"answer": said})
		case strings.HasPrefix(c.Position, "propose/") && strings.Contains(c.Position, "/t0/"):
			return wants("search", `{"query":"Who shared the prize?"}`)
		}
		return reply(map[string]any{"answer": said, "reason": "\"quoted\"\nreason", "evidence": "é"})
	}
	for _, p := range []Patch{
		{Op: "append", Slot: SlotSystem, Agents: one, Value: value},
		{Op: "append", Slot: SlotPrompt, Agents: one, Value: value, When: expr(`step == "propose"`)},
		{Op: "replace", Slot: SlotOutput, Name: "reason", Agents: one, Value: value, When: expr(`step == "propose"`)},
		{Op: "replace", Slot: SlotOutput, Name: "reason", Agents: one, Value: value, When: expr(`to == debater[3]`)},
		{Op: "append", Slot: SlotTask, Value: value},
		{Op: "insert", Slot: SlotCorpus, Agents: one, Value: expr(`{title: "prize", text: "` + secret + `"}`)},
	} {
		t.Run(fmt.Sprint(p.Slot, " ", p.When.Src), func(t *testing.T) {
			p.ID = "p/1"
			trial, _ := runOne(t, attacked(searching(debate(4, 2)), p), parrot)
			met := 0
			for _, e := range trial.Events {
				if e.Model == nil {
					continue
				}
				for _, i := range e.Model.Prompts {
					q := trial.Prompts[i]
					if q.Role == "assistant" {
						continue // its own words
					}
					stands, marked := strings.Contains(q.Text.String(), secret), len(q.Text.Payloads()) > 0
					if stands != marked {
						t.Fatalf("%s, %s: stands there %v, marked %v:\n%+v", e.Model.Position, q.Role, stands, marked, q.Text)
					}
					if marked {
						met++
						if !exposedAt(trial, e.Model.Agent, e.Model.Turn) {
							t.Errorf("%s met the payload in turn %d without an exposure", e.Model.Agent, e.Model.Turn)
						}
						var inside string
						for _, s := range q.Text {
							if len(s.Payloads) > 0 {
								inside += s.Text
							}
						}
						if strings.Trim(strings.ReplaceAll(inside, secret, ""), ". prize") != "" {
							t.Errorf("%s: more than the payload is marked: %q", e.Model.Position, inside)
						}
					}
				}
			}
			if met == 0 {
				t.Error("nobody met the payload, so this test shows nothing")
			}
		})
	}
}

func exposedAt(trial *trace.Trial, agent string, turn int) bool {
	for _, e := range trial.Events {
		if x := e.Exposure; x != nil && x.Agent == agent && x.Turn == turn {
			return true
		}
	}
	return false
}
