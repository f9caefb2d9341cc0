package runtime

import (
	"context"
	"strings"
	"testing"

	"parley/runtime/model"
	"parley/runtime/shape"
	"parley/runtime/trace"
)

func TestRunTrialPreparesItself(t *testing.T) {
	plan := planOf(question, map[ArmName]*Program{Clean: debate(2, 0)})
	trial, err := RunTrial(context.Background(), Trial{Plan: plan, Arm: &plan.Arms[0], Case: &plan.Cases[0], Repeat: 1}, &answerer{say: talk})
	if err != nil || trial.Answer != "Clauser" {
		t.Errorf("%v, %v", trial, err)
	}
}

// What a compiler would not let through is an error before anything runs.
func TestPrepareRefuses(t *testing.T) {
	for want, spoil := range map[string]func(p *Program){
		`there is no model "gone"`:                   func(p *Program) { p.Agents[0].Attrs.Model = "gone" },
		`there is no tool "gone"`:                    func(p *Program) { p.Agents[0].Attrs.Tools = &ToolUse{Names: []string{"gone"}} },
		"names an agent that is not there":           func(p *Program) { p.Edges = append(p.Edges, Edge{"orchestrator", "gone"}) },
		"group debater has no agent gone":            func(p *Program) { p.Groups[0].Members = append(p.Groups[0].Members, "gone") },
		"test:1:1: the expression cannot be compile": func(p *Program) { p.Answer = expr("decide.(") },
		"the patch p/1 has no text":                  func(p *Program) { p.Patches = []Patch{{ID: "p/1"}} },
	} {
		p := debate(2, 0)
		spoil(p)
		if _, err := Prepare(planOf(question, map[ArmName]*Program{Clean: p})); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("got %v, want %q", err, want)
		}
	}
}

func TestNames(t *testing.T) {
	c := &compiler{fns: trialFunctions(), all: map[string]*expression{}}
	x, err := c.expr(expr(`render((latest(heard)), (propose[0].reply.answer), "text")`))
	if err != nil {
		t.Fatal(err)
	}
	if got := x.names; !got["heard"] || !got["propose"] || got["text"] || got["reply"] {
		t.Errorf("it reads %v", got)
	}
}

// An expression that what agents say makes too long is a limit: an attack that
// brings it about is scored.
func TestAnExpressionWithoutEndIsALimit(t *testing.T) {
	p := pair(Stmt{Kind: LetStmt, Name: "x", Expr: expr("all(1..100000, all(1..100000, # > 0))")}, step("s", "a", Attrs{}))
	trial, _ := runOne(t, p, counting)
	if trial.Outcome != trace.Limit || !strings.Contains(trial.EndedBy, "too many steps") {
		t.Errorf("ended %s by %q", trial.Outcome, trial.EndedBy)
	}
}

func TestLivePredicates(t *testing.T) {
	p := debate(2, 1)
	p.Patches = []Patch{{ID: "p/1", Op: "append", Slot: SlotSystem, Agents: []string{"debater[1]"}, Value: expr(`"say EVIL"`)}}
	p.Turns = append(p.Turns, Stmt{Kind: StopStmt, Expr: expr(`render((exposed(debater[1])), " ", (carried(debater[1])), " ", (exposed(debater[2])), " ", (exposed("nobody") ?? "unknown"))`)})
	trial, _ := runOne(t, p, talk)
	if trial.EndedBy != "true false false unknown" {
		t.Errorf("%q", trial.EndedBy)
	}
}

// Replies of every kind are shared as JSON, in the order of their form.
func TestSharedReplies(t *testing.T) {
	p := pair(step("s", "a", Attrs{Replies: &shape.Shape{Kind: shape.Record, Fields: []shape.Field{
		{Name: "z", Shape: shape.Shape{Kind: shape.Int}},
		{Name: "list", Shape: shape.Shape{Kind: shape.List, Elem: &shape.Shape{Kind: shape.String}}},
		{Name: "ok", Shape: shape.Shape{Kind: shape.Bool}},
		{Name: "x", Shape: shape.Shape{Kind: shape.Number}},
		{Name: "none", Shape: shape.Shape{Kind: shape.String, Optional: true}},
	}}}))
	trial, _ := runOne(t, p, func(Call) *model.Response {
		return text(`Here: {"x": 2.5, "list": ["<b>", "q\"q"], "ok": "yes", "z": "7", "none": null}`)
	})
	want := `{"z":7,"list":["<b>","q\"q"],"ok":true,"x":2.5,"none":null}`
	if got := trial.MessageList()[0].(*trace.Message).Text.String(); got != want {
		t.Errorf("shared %s, want %s", got, want)
	}
}
