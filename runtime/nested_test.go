package runtime

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"parley/runtime/model"
	"parley/runtime/shape"
	"parley/runtime/trace"
)

// crew is a lead with a tool in whose body a worker has a turn.
func crew(body ...Stmt) *Program {
	lead := Attrs{Model: "m", Tools: &ToolUse{Names: []string{"delegate"}}}
	p := &Program{
		Agents: []Agent{{Name: "lead", Index: 1, Attrs: lead}},
		Groups: []Group{{Name: "worker"}},
		Models: map[string]model.Spec{"m": {Provider: "script", Name: "m"}},
		World:  World{State: []StateField{{Name: "n", Shape: shape.Shape{Kind: shape.Int}, Init: expr("0")}}},
		Turns:  []Stmt{step("manage", "lead", Attrs{Prompt: expr("task.prompt")})},
		Answer: expr("manage.text"),
		Tools: []Tool{{
			Name: "delegate", Class: "read", Body: body,
			Params: []shape.Field{{Name: "job", Shape: shape.Shape{Kind: shape.String}}, {Name: "n", Shape: shape.Shape{Kind: shape.Int}, HasDefault: true, Default: 1}},
		}},
	}
	for i := 1; i <= 2; i++ {
		name := fmt.Sprintf("worker[%d]", i)
		p.Agents = append(p.Agents, Agent{Name: name, Group: "worker", Index: i, Attrs: Attrs{Model: "m"}})
		p.Groups[0].Members = append(p.Groups[0].Members, name)
		p.Edges = append(p.Edges, Edge{"lead", name}, Edge{name, "lead"})
	}
	return p
}

// work is the step of a body: the n-th worker does the job.
func work(attrs Attrs) Stmt {
	attrs.Prompt = expr(`render((job), " for ", (agent))`)
	return step("work", "worker[n]", attrs)
}

// sayings answers each agent's calls in order; a text that begins with ! calls
// delegate with what follows.
func sayings(said map[string][]string) func(Call) *model.Response {
	return func(c Call) *model.Response {
		list := said[c.Agent]
		if len(list) == 0 {
			return text("nothing more")
		}
		said[c.Agent] = list[1:]
		if !strings.HasPrefix(list[0], "!") {
			return text(list[0])
		}
		r := &model.Response{Finish: "tool_calls"}
		for i, args := range strings.Split(list[0][1:], "!") {
			r.ToolCalls = append(r.ToolCalls, model.ToolCall{ID: fmt.Sprint("id", i), Name: "delegate", Args: args})
		}
		return r
	}
}

func TestTurnsInsideOfTurns(t *testing.T) {
	p := crew(work(Attrs{}), give("work.text"))
	trial, a := runOne(t, p, sayings(map[string][]string{
		"lead":      {`!{"job":"dig"}!{"job":"fill","n":2}`, "done"},
		"worker[1]": {"dug"}, "worker[2]": {"filled"},
	}))
	want := []string{
		"model manage/lead/turn/t0/r0",
		"model manage/lead/delegate.0/work/worker[1]/turn/t0/r0",
		"turn 1 manage/lead/delegate.0/work/worker[1] worker[1]: dug",
		"worker[1] -> lead: dug",
		"call delegate map[job:dig n:1] effected=true error=\"\"",
		"model manage/lead/delegate.1/work/worker[2]/turn/t0/r0",
		"turn 2 manage/lead/delegate.1/work/worker[2] worker[2]: filled",
		"worker[2] -> lead: filled",
		"call delegate map[job:fill n:2] effected=true error=\"\"",
		"model manage/lead/turn/t1/r0",
		"turn 0 manage/lead lead: done",
		"lead -> worker[1]: done",
		"lead -> worker[2]: done",
	}
	if diff := cmp.Diff(want, lines(trial)); diff != "" {
		t.Errorf("the record (-want +got):\n%s", diff)
	}
	if got := fullText(a.of("worker[2]")[0]); got != "<user >fill for lead\n" {
		t.Errorf("the second worker was sent %s", got)
	}
	if got := fullText(a.of("lead")[1]); !strings.Contains(got, "<tool >dug\n<tool >filled\n") {
		t.Errorf("the lead's turn did not go on with the results: %s", got)
	}
	last := trial.TurnList()[2].(*trace.Turn)
	calls, _ := last.Field("calls")
	if n := len(calls.([]any)); last.ID != 0 || n != 2 {
		t.Errorf("the lead's turn is number %d with %d calls", last.ID, n)
	}
	if trial.Usage.Calls != 4 {
		t.Errorf("%d calls were counted, of 4", trial.Usage.Calls)
	}
}

// What the body changed before its step was seen by others and stays; what it
// changed after, and failed, does not.
func TestABodyThatFailsAfterAStep(t *testing.T) {
	p := crew(set("state.n + 1", "state", `"n"`), work(Attrs{}), set("state.n + 10", "state", `"n"`),
		Stmt{Kind: RequireStmt, Expr: expr("false"), Else: expr(`"no"`)})
	trial, _ := runOne(t, p, sayings(map[string][]string{"lead": {`!{"job":"dig"}`, "done"}}))
	if got := trial.After.State["n"]; got != 1 {
		t.Errorf("n is %v afterwards", got)
	}
	if got := lines(trial, trace.KindState, trace.KindCall); !cmp.Equal(got, []string{
		`call delegate map[job:dig n:1] effected=false error="no"`, "state state.n = 1",
	}) {
		t.Errorf("the record is %q", got)
	}
}

// A label means the latest turn of this call, and nothing before it.
func TestLabelsOfABodyAreItsOwn(t *testing.T) {
	p := crew(
		Stmt{Kind: IfStmt, Expr: expr("work != nil"), Body: []Stmt{give(`"already"`)}},
		Stmt{Kind: RepeatStmt, Expr: expr("5"), Until: expr(`work.text contains "enough"`), Body: []Stmt{work(Attrs{})}},
		give("work.text"))
	trial, _ := runOne(t, p, sayings(map[string][]string{
		"lead":      {`!{"job":"dig"}!{"job":"dig"}`, "done"},
		"worker[1]": {"more", "enough", "one more", "enough now"},
	}))
	var got []any
	for _, c := range trial.CallList() {
		got = append(got, c.(*trace.Call).Result)
	}
	if !cmp.Equal(got, []any{"enough", "enough now"}) {
		t.Errorf("the calls returned %v", got)
	}
}

func TestABodyEndsTheRun(t *testing.T) {
	stop := Stmt{Kind: StopStmt, Expr: expr(`"seen enough"`)}
	fail := stop
	fail.Kind = FailStmt
	for _, c := range []struct {
		name    string
		end     []Stmt
		turns   int
		outcome trace.Outcome
		by      string
		n       int
	}{
		{"stop", []Stmt{stop}, 0, trace.Answered, "seen enough", 1},
		{"fail", []Stmt{fail}, 0, trace.Limit, "seen enough", 1},
		{"the limit of turns", []Stmt{work(Attrs{}), work(Attrs{})}, 2, trace.Limit, "turns 2", 2},
	} {
		t.Run(c.name, func(t *testing.T) {
			p := crew(c.end...)
			p.TurnLimit = c.turns
			p.Turns = append(p.Turns, step("again", "lead", Attrs{}))
			trial, a := runOne(t, p, sayings(map[string][]string{"lead": {`!{"job":"dig"}!{"job":"dig"}`, "more"}}))
			if trial.Outcome != c.outcome || trial.EndedBy != c.by {
				t.Errorf("it ended as %s by %q", trial.Outcome, trial.EndedBy)
			}
			if len(a.calls) != c.n || len(trial.CallList()) != 1 {
				t.Errorf("%d model calls and %d tool calls were made", len(a.calls), len(trial.CallList()))
			}
		})
	}
}

// An agent may be asked in the middle of its own turn, up to a depth.
func TestTurnsInsideOfOneAnotherHaveABound(t *testing.T) {
	p := crew(step("work", "lead", Attrs{Prompt: expr("job")}), give("work.text"))
	trial, _ := runOne(t, p, func(Call) *model.Response { return wants("delegate", `{"job":"on"}`) })
	if trial.Outcome != trace.Limit || trial.EndedBy != fmt.Sprintf("more than %d turns inside of one another", MaxDepth) {
		t.Errorf("it ended as %s by %q", trial.Outcome, trial.EndedBy)
	}
	if n := len(trial.TurnList()); n != MaxDepth+1 {
		t.Errorf("%d turns are recorded", n)
	}
}

// A message is shown once, also where a turn stands in the middle of another one
// of the same agent.
func TestHeardIsShownOnce(t *testing.T) {
	p := crew(step("work", "lead", Attrs{Prompt: expr(`"inner"`)}), give("work.text"))
	p.Turns = []Stmt{
		{Kind: SayStmt, Who: expr("user"), Expr: expr(`"hello"`)},
		step("manage", "lead", Attrs{}), step("again", "lead", Attrs{Remembers: &Remember{}, Prompt: expr(`"again"`)}),
	}
	_, a := runOne(t, p, sayings(map[string][]string{"lead": {`!{"job":"on"}`, "inside", "outside", "last"}}))
	lead := a.of("lead")
	if got := fullText(lead[1]); got != "<user user>hello\n<user >inner\n" {
		t.Errorf("inside it was sent %s", got)
	}
	if got := fullText(lead[3]); got != "<user >again\n" {
		t.Errorf("afterwards it was sent %s", got)
	}
}

// Members of a lockstep step that let others speak do so one after another: the
// record is the same however many may wait at once.
func TestDelegatingInLockstepIsDeterministic(t *testing.T) {
	record := func(together int) []string {
		p := crew(work(Attrs{}), give("work.text"))
		for i := 1; i < 3; i++ {
			p.Agents[i].Attrs.Tools = p.Agents[0].Attrs.Tools
		}
		p.Turns = []Stmt{eachStep("all", "worker", Attrs{Prompt: expr(`"go"`)})}
		p.Answer = expr("last(turns).text")
		calls := &answerer{say: func(c Call) *model.Response {
			switch {
			case strings.Contains(c.Position, "work/"):
				return text("inner of " + c.Agent)
			case strings.Contains(c.Position, "t0"):
				return wants("delegate", `{"job":"dig","n":2}`)
			}
			return text("outer of " + c.Agent)
		}}
		return lines(runArm(t, planOf(question, map[ArmName]*Program{Clean: p}), Clean, calls, WithTogether(together)))
	}
	one := record(1)
	if diff := cmp.Diff(one, record(16)); diff != "" {
		t.Errorf("together it is another record (-alone +together):\n%s", diff)
	}
	if len(one) == 0 || !strings.Contains(strings.Join(one, "\n"), "turn 2 all/worker[1]/delegate.0/work/worker[2] worker[2]: inner of worker[2]") {
		t.Errorf("the record is %q", one)
	}
}
