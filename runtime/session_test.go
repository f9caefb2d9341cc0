package runtime

import (
	"fmt"
	"testing"

	"github.com/google/go-cmp/cmp"

	"parley/runtime/model"
	"parley/runtime/shape"
	"parley/runtime/trace"
)

// visits is a session of tasks with these prompts.
func visits(prompts ...string) map[string]any {
	var parts []any
	fields := map[string]any{}
	for i, p := range prompts {
		record := map[string]any{"prompt": p, "answer": fmt.Sprint(i)}
		parts = append(parts, record)
		fields = map[string]any{"prompt": p, "answer": fmt.Sprint(i)}
	}
	fields[SessionField] = parts
	return fields
}

func TestASession(t *testing.T) {
	p := solo(Attrs{Prompt: expr(`render((task.prompt), " of ", (len(task.session)), ": ", (work == nil ? "new" : "old"))`), Tools: &ToolUse{Names: []string{"keep"}}})
	p.Answer = expr("work.text")
	p.TurnLimit = 2
	p.World.State = []StateField{{Name: "kept", Init: expr("[task.prompt]"), Shape: shape.Shape{Kind: shape.List, Elem: &shape.Shape{Kind: shape.String}}}}
	p.Tools = []Tool{{Name: "keep", Class: "write", Body: []Stmt{add("task.prompt", "state", `"kept"`)}}}
	p.Turns = append([]Stmt{let("n", "1")}, p.Turns...)
	p.Turns = append(p.Turns,
		Stmt{Kind: IfStmt, Expr: expr(`task.answer == "1"`), Body: []Stmt{{Kind: FailStmt, Expr: expr(`"enough"`)}}})
	plan := planOf(visits("one", "two", "three"), map[ArmName]*Program{Clean: p})
	plan.Cases[0].Session = true
	said := []*model.Response{wants("keep", "{}"), text("first"), text("second"), wants("keep", "{}"), text("third")}
	a := &answerer{say: func(Call) *model.Response {
		next := said[0]
		said = said[1:]
		return next
	}}
	trial := runArm(t, plan, Clean, a)

	var asked []string
	for _, c := range a.calls {
		asked = append(asked, c.Position)
	}
	want := []string{"work/a/turn/t0/r0", "work/a/turn/t1/r0", "2/work/a/turn/t0/r0", "3/work/a/turn/t0/r0", "3/work/a/turn/t1/r0"}
	if diff := cmp.Diff(want, asked); diff != "" {
		t.Errorf("where it was asked (-want +got):\n%s", diff)
	}
	if got := fullText(a.calls[3]); got != "<user >one of 3: new\n<assistant >\n<tool >ok\n<assistant >first\n<user >two of 3: new\n<assistant >second\n<user >three of 3: new\n" {
		t.Errorf("at last it was sent\n%s", got)
	}
	if diff := cmp.Diff([]any{"one", "one", "three"}, trial.After.State["kept"]); diff != "" {
		t.Errorf("the world afterwards (-want +got):\n%s", diff)
	}
	if trial.Outcome != trace.Answered || trial.Answer != "third" {
		t.Errorf("the session ended as %s with %v", trial.Outcome, trial.Answer)
	}
	for _, stored := range []bool{false, true} {
		if stored {
			data, err := trace.Encode(trial)
			if err != nil {
				t.Fatal(err)
			}
			if trial, err = trace.Decode(data); err != nil {
				t.Fatal(err)
			}
		}
		var got []string
		for _, v := range trial.PartList() {
			part := v.(*trace.Part)
			answer, _ := part.Field("answer")
			by, _ := part.Field("ended_by")
			turns, _ := part.Field("turns")
			got = append(got, fmt.Sprint(part.Task["prompt"], " ", answer, " ", by, " ", turns.([]any)[0].(*trace.Turn).ID, " ", len(turns.([]any))))
		}
		if diff := cmp.Diff([]string{"one first  0 1", "two <nil> enough 1 1", "three third  2 1"}, got); diff != "" {
			t.Errorf("its parts, stored %v (-want +got):\n%s", stored, diff)
		}
	}
}

// The simulator knows every task of a session.
func TestTheSimulatorKnowsASession(t *testing.T) {
	plan := planOf(visits("one", "two"), map[ArmName]*Program{Clean: solo(Attrs{})})
	plan.Cases[0].Session = true
	e, err := Prepare(plan)
	if err != nil {
		t.Fatal(err)
	}
	c, err := e.simContents()
	if err != nil {
		t.Fatal(err)
	}
	if len(c.Cases) != 2 || c.Cases[0].Prompt != "one" || c.Cases[1].Prompt != "two" {
		t.Errorf("it knows %v", c.Cases)
	}
}
