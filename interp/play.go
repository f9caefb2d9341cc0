package interp

import (
	"context"
	"errors"
	"fmt"

	"parley/interp/explain"
	"parley/interp/judge"
	"parley/interp/score"
	"parley/runtime"
	"parley/runtime/trace"
)

// Played is a test that ran.
type Played struct {
	Trials   map[runtime.ArmName]*trace.Trial
	Base     *trace.Trial     // the attacked run where there is one, else the clean one
	Verdicts []score.Verdict  // of what the test expects, in order
	Judged   []*trace.Verdict // what judges said

	scorer *score.Scorer
	said   score.Verdicts
	group  score.Group
	base   runtime.ArmName
}

// Reasons says why what a test expects came out as it did.
func (p Played) Reasons(ctx context.Context, expected score.Pred) ([]explain.Reason, error) {
	nodes, err := p.scorer.Explain(ctx, p.group, p.base, []score.Pred{expected})
	if err != nil {
		return nil, err
	}
	return explain.Reasons(nodes[0]), nil
}

// Judge looks at what the test expects as if the predicates were those of another
// specification.
func (p Played) Judge(ctx context.Context, t *Test, spec *score.Spec) ([]score.Verdict, error) {
	scorer, err := score.New(spec, t.Cell.Plan)
	if err != nil {
		return nil, err
	}
	return scorer.Judged(p.said).Check(ctx, p.group, p.base, t.Expect)
}

// Values evaluates expressions over the run of one arm; eval.Missing is one that is
// unknown.
func (p Played) Values(ctx context.Context, arm runtime.ArmName, expressions []score.Pred) ([]any, error) {
	return p.scorer.Values(ctx, p.group, arm, expressions)
}

// Play runs every arm of the test and looks at what must hold. Scripted agents
// answer by their script, the others through others; with nil there it is an
// error that somebody has no script. With an error come the runs that were made.
// Judges are asked after the runs. Where others is a Learner, it is told what is so
// of them.
func (t *Test) Play(ctx context.Context, others runtime.Caller) (Played, error) {
	plan := t.Cell.Plan
	out := Played{Trials: map[runtime.ArmName]*trace.Trial{}}
	if len(plan.Cases) == 0 {
		return out, errors.New("the test has no task")
	}
	engine, err := runtime.Prepare(plan)
	if err != nil {
		return out, err
	}
	base := runtime.Clean
	calls := map[runtime.ArmName]stage{}
	for i := range plan.Arms {
		arm := &plan.Arms[i]
		if arm.Name == runtime.Attacked {
			base = arm.Name
		}
		trial := runtime.Trial{Plan: plan, Arm: arm, Case: &plan.Cases[0], Repeat: 1, Key: string(arm.Name), CaseKey: "test"}
		scripted, err := runtime.NewScripted(ctx, trial)
		if err != nil {
			return out, err
		}
		calls[arm.Name] = stage{scripted, others}
		got, err := engine.RunTrial(ctx, trial, calls[arm.Name])
		if err != nil {
			return out, err
		}
		out.Trials[arm.Name] = got
		if arm.Name == base {
			out.Base = got
		}
		if got.Outcome == trace.Errored {
			return out, fmt.Errorf("in the %s run: %s", arm.Name, got.EndedBy)
		}
	}
	var learn judge.Learn
	if l, ok := others.(Learner); ok {
		learn = l.Learn
	}
	heard, err := judge.Hear(ctx, t.Cell.Spec, plan, t.Expect, out.Trials, func(arm runtime.ArmName) runtime.Caller { return calls[arm] }, learn)
	out.Judged = heard.Verdicts
	if err != nil {
		return out, err
	}
	out.scorer, out.said, out.base = heard.Scorer, heard.Said, base
	out.group = score.Group{Row: plan.Cases[0].Row, Repeat: 1, Trials: out.Trials}
	out.Verdicts, err = heard.Scorer.Check(ctx, out.group, base, t.Expect)
	return out, err
}

// Learner is told what is so of a run before a simulator judges it: the simulator
// goes by the text that it is shown.
type Learner interface {
	Learn(text string, truth map[string]any) (forget func())
}

// stage answers the model calls of a test.
type stage struct {
	scripted *runtime.Scripted
	others   runtime.Caller
}

// Call answers one call.
func (s stage) Call(ctx context.Context, c runtime.Call) (runtime.CallResult, error) {
	got, ok, err := s.scripted.Answer(ctx, c)
	switch {
	case err != nil || ok:
		return runtime.CallResult{Response: got}, err
	case s.others == nil:
		return runtime.CallResult{}, fmt.Errorf("nobody wrote a script for %s", c.Agent)
	}
	return s.others.Call(ctx, c)
}
