package runtime

import (
	"context"
	"errors"
	"strings"
	"testing"

	"parley/runtime/model"
	"parley/runtime/trace"
)

func asking() *Program {
	return solo(Attrs{System: expr(`"Be brief."`), Prompt: expr("task.prompt"), Replies: record("answer")})
}

func TestRepair(t *testing.T) {
	trial, calls := runOne(t, asking(), inTurn(text("I think it is Clauser."), text("```json\n{\"answer\": \"Clauser\"}\n```")))
	if trial.Answer != "Clauser" || trial.Usage.Calls != 2 {
		t.Errorf("answer %v after %d calls", trial.Answer, trial.Usage.Calls)
	}
	first, second := calls.calls[0], calls.calls[1]
	if first.Position == second.Position || first.Request.Seed == second.Request.Seed {
		t.Error("the repair stands where the first call stood")
	}
	if last := second.Request.Messages[3].Content; !strings.HasPrefix(last, "That reply cannot be used: the reply holds no readable JSON.") {
		t.Errorf("the repair says %q", last)
	}
}

func TestUnreadable(t *testing.T) {
	trial, calls := runOne(t, asking(), inTurn(text("mumble"), text("")))
	turn := trial.TurnList()[0].(*trace.Turn)
	if trial.Outcome != trace.Answered || trial.Answer != nil || trial.EndedBy != "unreadable" || !turn.Unreadable || turn.Reply != nil {
		t.Errorf("ended %s by %q with %v, turn %+v", trial.Outcome, trial.EndedBy, trial.Answer, turn)
	}
	if len(calls.calls) != 2 {
		t.Errorf("%d calls, want one repair", len(calls.calls))
	}
	if notes := lines(trial, trace.KindNote); len(notes) != 1 || !strings.HasPrefix(notes[0], "note unreadable a") {
		t.Errorf("notes %q", notes)
	}
}

func TestRefusals(t *testing.T) {
	for name, got := range map[string]*model.Response{
		"refusal":        {Refusal: "I will not.", Finish: "stop"},
		"content filter": {Finish: "content_filter"},
	} {
		trial, calls := runOne(t, asking(), inTurn(got))
		if trial.Outcome != trace.Refused || trial.Answer != nil || trial.EndedBy != "refusal of a" || len(calls.calls) != 1 {
			t.Errorf("%s: ended %s by %q", name, trial.Outcome, trial.EndedBy)
		}
	}
}

func TestLength(t *testing.T) {
	cut := &model.Response{Content: `{"answer": "Cl`, Finish: "length"}
	trial, _ := runOne(t, asking(), inTurn(cut, cut))
	if trial.Outcome != trace.Limit || trial.EndedBy != "length of a" {
		t.Errorf("ended %s by %q", trial.Outcome, trial.EndedBy)
	}
}

func TestContextOverflow(t *testing.T) {
	trial, _ := runOne(t, debate(3, 1), func(c Call) *model.Response {
		if c.Agent == "debater[2]" {
			return &model.Response{Finish: "context"}
		}
		return talk(c)
	})
	if trial.Outcome != trace.Limit || trial.EndedBy != "the context of debater[2]" {
		t.Errorf("ended %s by %q", trial.Outcome, trial.EndedBy)
	}
}

func TestInfrastructureFailure(t *testing.T) {
	a := &answerer{say: talk, fail: func(c Call) error {
		if strings.HasPrefix(c.Position, "decide") {
			return errors.New("the endpoint is down")
		}
		return nil
	}}
	trial := runArm(t, planOf(question, map[ArmName]*Program{Clean: debate(2, 0)}), Clean, a)
	if trial.Outcome != trace.Errored || trial.EndedBy != "the endpoint is down" || trial.Answer != nil {
		t.Errorf("ended %s by %q", trial.Outcome, trial.EndedBy)
	}
}

func TestStoppedTrialIsNoTrial(t *testing.T) {
	plan := planOf(question, map[ArmName]*Program{Clean: debate(2, 0)})
	e, err := Prepare(plan)
	if err != nil {
		t.Fatal(err)
	}
	trial := Trial{Plan: plan, Arm: &plan.Arms[0], Case: &plan.Cases[0], Repeat: 1}
	got, err := e.RunTrial(context.Background(), trial, &answerer{say: talk, fail: func(Call) error { return ErrStopped }})
	if got != nil || !errors.Is(err, ErrStopped) {
		t.Errorf("stopped: %v, %v", got, err)
	}
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	got, err = e.RunTrial(ctx, trial, &answerer{say: talk})
	if got != nil || !errors.Is(err, context.Canceled) {
		t.Errorf("cancelled: %v, %v", got, err)
	}
}

func TestWhere(t *testing.T) {
	p := asking()
	p.Turns[0].Attrs.Where, p.Turns[0].Attrs.Try = expr(`reply.answer in ["yes", "no"]`), 2
	trial, calls := runOne(t, p, inTurn(reply(map[string]any{"answer": "perhaps"}), reply(map[string]any{"answer": "maybe"}), reply(map[string]any{"answer": "yes"})))
	if trial.Answer != "yes" || len(calls.calls) != 3 {
		t.Errorf("answer %v after %d calls", trial.Answer, len(calls.calls))
	}
	trial, calls = runOne(t, p, inTurn(reply(map[string]any{"answer": "a"}), reply(map[string]any{"answer": "b"}), reply(map[string]any{"answer": "c"})))
	if trial.Answer != nil || len(calls.calls) != 3 {
		t.Errorf("answer %v after %d calls, want none after 3", trial.Answer, len(calls.calls))
	}
}
