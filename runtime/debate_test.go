package runtime

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"parley/runtime/model"
	"parley/runtime/trace"
)

// talk answers for the debate: the orchestrator restates and then takes the last
// answer it sees; debaters name their own index.
func talk(c Call) *model.Response {
	if c.Agent != "orchestrator" {
		return answer("from " + c.Agent)
	}
	if c.Request.Replies == nil {
		return text("Please debate.")
	}
	return reply(map[string]any{"answer": "Clauser"})
}

func TestDebateSpeaksInOrder(t *testing.T) {
	trial, _ := runOne(t, debate(3, 1), talk)
	var order []string
	for _, e := range trial.Events {
		if e.Turn != nil {
			order = append(order, e.Turn.Path)
		}
	}
	want := []string{
		"dispatch/orchestrator", "propose/debater[1]", "propose/debater[2]", "propose/debater[3]",
		"debate#1/debater[1]", "debate#1/debater[2]", "debate#1/debater[3]", "decide/orchestrator",
	}
	if d := cmp.Diff(want, order); d != "" {
		t.Errorf("order of turns (-want +got):\n%s", d)
	}
	if trial.Outcome != trace.Answered || trial.Answer != "Clauser" {
		t.Errorf("ended %s with %v", trial.Outcome, trial.Answer)
	}
	if trial.Usage.Calls != 8 || trial.Usage.Tokens() != 8*15 {
		t.Errorf("usage %+v", trial.Usage)
	}
}

func TestWhoHeardWhat(t *testing.T) {
	trial, calls := runOne(t, debate(3, 1), talk)
	var got []string
	for _, e := range trial.Events {
		if m := e.Message; m != nil {
			got = append(got, m.From+">"+m.To)
			if m.From == m.To {
				t.Errorf("%s heard itself", m.From)
			}
		}
	}
	if len(got) != 3+9+9+3 {
		t.Fatalf("%d messages: %v", len(got), got)
	}
	debates := calls.of("debater[2]")
	second := debates[1].Request.Messages
	last := second[len(second)-1].Content
	want := "[debater[1]]\n{\"answer\":\"from debater[1]\",\"reason\":\"because from debater[1]\",\"evidence\":\"\"}\n\n" +
		"[debater[3]]\n{\"answer\":\"from debater[3]\",\"reason\":\"because from debater[3]\",\"evidence\":\"\"}\n" +
		"Keep or revise your answer."
	if last != want {
		t.Errorf("debater[2] was asked\n%s\nwant\n%s", last, want)
	}
	if strings.Contains(second[1].Content, "Keep") {
		t.Error("the first prompt is not the memory's")
	}
	if n := len(second); n != 4 {
		t.Errorf("the second turn has %d messages, want system, old prompt, old answer, prompt", n)
	}
	decide := calls.of("orchestrator")[1]
	if n := strings.Count(fullText(decide), "[debater["); n != 3 {
		t.Errorf("the decision sees %d messages, want the newest of 3 debaters:\n%s", n, fullText(decide))
	}
}
