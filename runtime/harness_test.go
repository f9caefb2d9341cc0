package runtime

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"
	"sync"
	"testing"

	"parley/runtime/model"
	"parley/runtime/shape"
	"parley/runtime/trace"
)

// answerer answers calls from the request alone, and remembers what it was sent.
type answerer struct {
	mu    sync.Mutex
	calls []Call
	say   func(c Call) *model.Response
	fail  func(c Call) error
}

func (a *answerer) Call(ctx context.Context, c Call) (CallResult, error) {
	a.mu.Lock()
	defer a.mu.Unlock()
	if err := ctx.Err(); err != nil {
		return CallResult{}, err
	}
	a.calls = append(a.calls, c)
	if a.fail != nil {
		if err := a.fail(c); err != nil {
			return CallResult{}, err
		}
	}
	got := a.say(c)
	if got.Usage == nil {
		got.Usage = &model.Usage{Input: 10, Output: 5}
	}
	return CallResult{Response: got}, nil
}

// of returns the calls of one agent, in order of position.
func (a *answerer) of(agent string) []Call {
	var out []Call
	for _, c := range a.calls {
		if c.Agent == agent {
			out = append(out, c)
		}
	}
	return out
}

// fullText is everything a request says, one message after another.
func fullText(c Call) string {
	var b strings.Builder
	for _, m := range c.Request.Messages {
		fmt.Fprintf(&b, "<%s %s>%s\n", m.Role, m.Name, m.Content)
	}
	return b.String()
}

func text(s string) *model.Response { return &model.Response{Content: s, Finish: "stop"} }

func reply(fields map[string]any) *model.Response {
	data, err := json.Marshal(fields)
	if err != nil {
		panic(err)
	}
	return text(string(data))
}

func answer(s string) *model.Response {
	return reply(map[string]any{"answer": s, "reason": "because " + s, "evidence": ""})
}

func wants(tool, args string) *model.Response {
	return &model.Response{Finish: "tool_calls", ToolCalls: []model.ToolCall{{ID: "x", Name: tool, Args: args}}}
}

func expr(src string) Expr { return Expr{Src: src, At: "test:1:1"} }

func record(names ...string) *shape.Shape {
	s := &shape.Shape{Kind: shape.Record}
	for _, n := range names {
		s.Fields = append(s.Fields, shape.Field{Name: n, Shape: shape.Shape{Kind: shape.String}})
	}
	return s
}

func step(label, who string, attrs Attrs) Stmt {
	return Stmt{Kind: StepStmt, Name: label, Who: expr(who), Attrs: attrs}
}

func eachStep(label, who string, attrs Attrs) Stmt {
	s := step(label, who, attrs)
	s.Each, s.Many = true, true
	return s
}

// debate is the debate of the standard library: n debaters, some rounds.
func debate(n, rounds int) *Program {
	p := &Program{
		Models: map[string]model.Spec{"m": {Provider: "script", Name: "m"}},
		Answer: expr("decide.reply.answer"),
	}
	p.Agents = append(p.Agents, Agent{
		Name: "orchestrator", Index: 1, Role: "orchestrator", Honest: true,
		Attrs: Attrs{Model: "m", System: expr(`"You coordinate."`)},
	})
	group := Group{Name: "debater"}
	for i := 1; i <= n; i++ {
		name := fmt.Sprintf("debater[%d]", i)
		p.Agents = append(p.Agents, Agent{
			Name: name, Group: "debater", Index: i, Honest: true,
			Attrs: Attrs{
				Model: "m", System: expr(`render("You are debater ", (self.index), ".")`), Shares: "reply",
				Replies: record("answer", "reason", "evidence"),
			},
		})
		group.Members = append(group.Members, name)
		p.Edges = append(p.Edges, Edge{"orchestrator", name}, Edge{name, "orchestrator"})
		for k := 1; k <= n; k++ {
			if k != i {
				p.Edges = append(p.Edges, Edge{name, fmt.Sprintf("debater[%d]", k)})
			}
		}
	}
	p.Groups = []Group{group}
	p.Turns = []Stmt{
		step("dispatch", "orchestrator", Attrs{Prompt: expr(`render("Restate.\n", (task.prompt))`)}),
		eachStep("propose", "debater", Attrs{Prompt: expr(`render((heard))`)}),
		{Kind: RepeatStmt, Expr: expr(fmt.Sprint(rounds)), Body: []Stmt{
			eachStep("debate", "debater", Attrs{Prompt: expr(`render((heard), "\nKeep or revise your answer.")`)}),
		}},
		step("decide", "orchestrator", Attrs{
			Prompt: expr(`render((task.prompt), "\n", (latest(heard)), "\nAnswer.")`), Replies: record("answer"),
		}),
	}
	return p
}

// solo is one agent with one step.
func solo(attrs Attrs) *Program {
	return &Program{
		Agents: []Agent{{Name: "a", Index: 1, Honest: true, Attrs: Attrs{Model: "m"}}},
		Models: map[string]model.Spec{"m": {Provider: "script", Name: "m"}},
		Turns:  []Stmt{step("work", "a", attrs)},
		Answer: expr("work.reply.answer"),
	}
}

var question = map[string]any{"prompt": "Who shared the prize?", "answer": "Clauser", "wrong": "Clarke", "wrongs": []any{"Clarke", "Zeh", "Bell"}}

// planOf wraps programs as the arms of a plan.
func planOf(fields map[string]any, arms map[ArmName]*Program) *Plan {
	plan := &Plan{Scenario: "test", Cases: []Case{{Fields: fields}}, Repeats: 1, Seed: 7}
	for _, name := range []ArmName{Clean, Attacked, Placebo} {
		if p := arms[name]; p != nil {
			plan.Arms = append(plan.Arms, Arm{Name: name, Stream: "main", Program: p})
		}
	}
	return plan
}

// runArm runs one arm's only trial.
func runArm(t *testing.T, plan *Plan, name ArmName, calls Caller, options ...Option) *trace.Trial {
	t.Helper()
	e, err := Prepare(plan, options...)
	if err != nil {
		t.Fatalf("prepare: %v", err)
	}
	for i := range plan.Arms {
		if plan.Arms[i].Name == name {
			trial, err := e.RunTrial(context.Background(), Trial{
				Plan: plan, Arm: &plan.Arms[i], Case: &plan.Cases[0], Repeat: 1, Key: "k", CaseKey: "case",
			}, calls)
			if err != nil {
				t.Fatalf("run: %v", err)
			}
			return trial
		}
	}
	t.Fatalf("no arm %s", name)
	return nil
}

// runOne runs a program as the clean arm.
func runOne(t *testing.T, p *Program, say func(c Call) *model.Response) (*trace.Trial, *answerer) {
	t.Helper()
	a := &answerer{say: say}
	return runArm(t, planOf(question, map[ArmName]*Program{Clean: p}), Clean, a), a
}

// lines writes a trial's events of some kinds, one a line.
func lines(t *trace.Trial, kinds ...trace.Kind) []string {
	var out []string
	for _, e := range t.Events {
		wanted := len(kinds) == 0
		for _, k := range kinds {
			wanted = wanted || e.Kind == k
		}
		if !wanted {
			continue
		}
		switch {
		case e.Turn != nil:
			out = append(out, fmt.Sprintf("turn %d %s %s: %s", e.Turn.ID, e.Turn.Path, e.Turn.Agent, e.Turn.Text))
		case e.Message != nil:
			out = append(out, fmt.Sprintf("%s -> %s: %s", e.Message.From, e.Message.To, e.Message.Text))
		case e.Call != nil:
			out = append(out, fmt.Sprintf("call %s %v effected=%v error=%q", e.Call.Tool, e.Call.Args, e.Call.Effected, e.Call.Error))
		case e.Insert != nil:
			out = append(out, fmt.Sprintf("insert %s %s %s %s", e.Insert.Payload, e.Insert.Op, e.Insert.Slot, e.Insert.Where))
		case e.Exposure != nil:
			out = append(out, fmt.Sprintf("exposure %s %s %s", e.Exposure.Agent, e.Exposure.Payload, e.Exposure.Slot))
		case e.Carry != nil:
			out = append(out, fmt.Sprintf("carry %s %s %s", e.Carry.Agent, e.Carry.Payload, e.Carry.Slot))
		case e.State != nil:
			out = append(out, fmt.Sprintf("state %s = %v", e.State.Target, e.State.Value))
		case e.Note != nil:
			out = append(out, fmt.Sprintf("note %s %s: %s", e.Note.Code, e.Note.Agent, e.Note.Text))
		case e.Model != nil:
			out = append(out, fmt.Sprintf("model %s", e.Model.Position))
		}
	}
	return out
}
