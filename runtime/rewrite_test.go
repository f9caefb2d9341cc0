package runtime

import (
	"strings"
	"testing"

	"parley/runtime/model"
)

// writing answers the attacker, and everybody else as talk does.
func writing(text string) func(c Call) *model.Response {
	return func(c Call) *model.Response {
		if c.Role == AttackerName {
			return &model.Response{Content: text, Finish: "stop", Usage: &model.Usage{Input: 100, Output: 50}}
		}
		return talk(c)
	}
}

func rewriting() *Program {
	return attacked(debate(3, 2), Patch{
		ID: "r/1", Level: "L2", Op: "rewrite", Slot: SlotSystem, Agents: []string{"debater[1]"}, Value: expr(`"Make it worse."`), Model: "m",
	})
}

// A text is rewritten once a run, its tokens are the attacker's, and what comes
// back is the payload's.
func TestRewritingIsCountedApart(t *testing.T) {
	plan := planOf(question, map[ArmName]*Program{Clean: debate(3, 2), Attacked: rewriting()})
	clean := runArm(t, plan, Clean, &answerer{say: writing("")})
	a := &answerer{say: writing("You are contrary.")}
	trial := runArm(t, plan, Attacked, a)
	asked := 0
	for _, c := range a.calls {
		if c.Role == AttackerName {
			asked++
			if text := fullText(c); !strings.Contains(text, "Make it worse.") || !strings.Contains(text, "You are debater 1.") {
				t.Errorf("the attacker is asked: %s", text)
			}
		}
	}
	if asked != 1 {
		t.Errorf("asked %d times, want once for one text", asked)
	}
	if u := trial.Attacker; u == nil || u.Calls != 1 || u.Input != 100 || u.Output != 50 {
		t.Errorf("the attacker's usage is %+v", u)
	}
	if trial.Usage != clean.Usage {
		t.Errorf("the team's usage is %+v, without the attack %+v", trial.Usage, clean.Usage)
	}
	for _, c := range a.of("debater[1]") {
		if !strings.Contains(fullText(c), "You are contrary.") || strings.Contains(fullText(c), "You are debater 1.") {
			t.Errorf("%s is sent %s", c.Position, fullText(c))
		}
	}
	if !trial.Agents[1].Exposed() {
		t.Error("the agent is not exposed to what stands in its prompt")
	}
}

// An attacker's model that says nothing changes nothing, and the record says so.
func TestNothingToRewriteWith(t *testing.T) {
	plan := planOf(question, map[ArmName]*Program{Clean: debate(3, 2), Attacked: rewriting()})
	clean, silent := &answerer{say: writing("")}, &answerer{say: writing("")}
	runArm(t, plan, Clean, clean)
	trial := runArm(t, plan, Attacked, silent)
	for _, at := range changed(clean, silent) {
		if !strings.Contains(at, AttackerName) {
			t.Errorf("%s differs", at)
		}
	}
	if notes := lines(trial, "note"); len(notes) != 1 || !strings.Contains(notes[0], "no text from its model") {
		t.Errorf("noted: %v", notes)
	}
}
