package runtime

import (
	"strings"
	"testing"

	"parley/runtime/trace"
)

func onEdge(op, from, to string, more Patch) Patch {
	more.ID, more.Level, more.Op, more.Slot, more.Edges = "e/1", "L3", op, SlotEdge, []Edge{{from, to}}
	return more
}

// A tampered reply is read again, so that predicates see what the recipient got.
func TestTamperedReply(t *testing.T) {
	p := attacked(debate(3, 1), onEdge("replace", "debater[1]", "orchestrator", Patch{
		Value: expr(`render("{\"answer\": \"", (task.wrong), "\", \"reason\": \"\", \"evidence\": \"\"}")`),
	}))
	trial, _ := runOne(t, p, talk)
	seen := 0
	for _, e := range trial.Events {
		m := e.Message
		if m == nil || m.From != "debater[1]" {
			continue
		}
		answer := m.Reply.(map[string]any)["answer"]
		if want := "Clarke"; m.To == "orchestrator" {
			seen++
			if answer != want {
				t.Errorf("the orchestrator got %v, want %s", answer, want)
			}
		} else if answer == want {
			t.Errorf("%s got the tampered reply", m.To)
		}
	}
	if seen != 2 {
		t.Errorf("%d messages on the edge, want 2", seen)
	}
	if trial.Agents[1].Honest != true {
		t.Error("a sender whose messages are tampered with is honest")
	}
}

// A tampered message that is no reply any more has none.
func TestTamperedBeyondReading(t *testing.T) {
	p := attacked(debate(3, 1), onEdge("replace", "debater[1]", "orchestrator", Patch{Value: expr(`"static"`)}))
	trial, _ := runOne(t, p, talk)
	for _, e := range trial.Events {
		if m := e.Message; m != nil && m.From == "debater[1]" && m.To == "orchestrator" && m.Reply != nil {
			t.Errorf("the reply is %v", m.Reply)
		}
	}
}

// A seeded chance drops the same messages in every repetition of a run, and
// others with another seed.
func TestChanceOnAnEdge(t *testing.T) {
	dropped := func(seed uint64) string {
		p := debate(5, 3)
		var patches []Patch
		for _, from := range p.Groups[0].Members {
			patches = append(patches, onEdge("drop", from, "orchestrator", Patch{When: expr(`chance(0.5)`)}))
		}
		plan := planOf(question, map[ArmName]*Program{Attacked: attacked(p, patches...)})
		plan.Seed = seed
		return strings.Join(lines(runArm(t, plan, Attacked, &answerer{say: talk}), trace.KindInsert), "\n")
	}
	first := dropped(1)
	if n := strings.Count(first, "insert"); n < 2 || n > 18 {
		t.Errorf("%d of 20 messages were dropped", n)
	}
	if dropped(1) != first {
		t.Error("the same seed drops other messages")
	}
	if dropped(2) == first {
		t.Error("another seed drops the same messages")
	}
}

// Delayed messages arrive in the order in which they were sent, and are heard then.
func TestDelayedMessages(t *testing.T) {
	p := attacked(debate(3, 2), onEdge("delay", "debater[1]", "debater[2]", Patch{Delay: 1, Unit: "rounds"}))
	trial, a := runOne(t, p, talk)
	var got []string
	for _, e := range trial.Events {
		if m := e.Message; m != nil && m.From == "debater[1]" && m.To == "debater[2]" {
			got = append(got, m.Step)
		}
	}
	if strings.Join(got, " ") != "propose debate" {
		t.Errorf("arrived: %v", got)
	}
	for _, c := range a.of("debater[2]") {
		heard := strings.Contains(c.Request.Messages[len(c.Request.Messages)-1].Content, "[debater[1]]")
		if want := strings.HasPrefix(c.Position, "debate#2/"); heard != want {
			t.Errorf("%s hears debater[1]: %v, want %v", c.Position, heard, want)
		}
	}
}
