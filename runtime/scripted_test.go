package runtime

import (
	"context"
	"strings"
	"testing"

	"parley/runtime/model"
	"parley/runtime/trace"
)

func TestScriptedTrial(t *testing.T) {
	p := searching(debate(2, 0))
	plan := planOf(question, map[ArmName]*Program{Clean: p})
	arm := &plan.Arms[0]
	arm.Scripts = []Script{
		{Agents: []string{"orchestrator"}, Entries: []ScriptEntry{
			{Reply: expr(`render("Debate: ", (task.prompt))`)},
			{Reply: expr(`{answer: task.answer}`), Contains: expr("task.answer")},
		}},
		{Agents: []string{"debater[1]", "debater[2]"}, Entries: []ScriptEntry{
			{Calls: []ScriptCall{{Tool: "search", Args: map[string]Expr{"query": expr("task.prompt")}}}},
			{Reply: expr(`{answer: task.answer, reason: "", evidence: ""}`), Contains: expr(`"shared the prize"`)},
		}},
	}
	run := func() *trace.Trial {
		trial := Trial{Plan: plan, Arm: arm, Case: &plan.Cases[0], Repeat: 1}
		s, err := NewScripted(context.Background(), trial)
		if err != nil {
			t.Fatal(err)
		}
		return runArm(t, plan, Clean, callerFunc(func(ctx context.Context, c Call) (CallResult, error) {
			got, ok, err := s.Answer(ctx, c)
			if !ok {
				got = &model.Response{}
			}
			return CallResult{Response: got}, err
		}))
	}
	trial := run()
	if trial.Outcome != trace.Answered || trial.Answer != "Clauser" || trial.Usage.Calls != 6 {
		t.Fatalf("ended %s by %q with %v after %d calls", trial.Outcome, trial.EndedBy, trial.Answer, trial.Usage.Calls)
	}
	arm.Scripts[1].Entries = arm.Scripts[1].Entries[:1]
	trial = run()
	if trial.Outcome != trace.Errored || !strings.Contains(trial.EndedBy, "the script of debater[1]") {
		t.Errorf("a script that is too short: ended %s by %q", trial.Outcome, trial.EndedBy)
	}
}
