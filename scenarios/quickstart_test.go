package scenarios

import (
	"context"
	"fmt"
	"os"
	"strings"
	"testing"
	"testing/fstest"

	"parley/interp"
	"parley/interp/score"
	"parley/runtime"
	"parley/runtime/key"
	"parley/runtime/model/sim"
	"parley/runtime/trace"
	"parley/stdlib"
)

// pupil answers every call by the simulator.
type pupil struct{ sim *sim.Sim }

func (p pupil) Call(ctx context.Context, c runtime.Call) (runtime.CallResult, error) {
	got, err := p.sim.Complete(ctx, c.Request)
	return runtime.CallResult{Response: got}, err
}

// pupilOf makes the simulator of a plan, all of whose agents share one model.
func pupilOf(t *testing.T, plan *runtime.Plan) pupil {
	t.Helper()
	table, err := runtime.SimTable(plan)
	if err != nil {
		t.Fatal(err)
	}
	for _, spec := range plan.Arms[0].Program.Models {
		params, err := sim.ParseParams(spec.Params)
		if err != nil {
			t.Fatal(err)
		}
		return pupil{sim.New(table, params)}
	}
	t.Fatal("the plan has no model")
	return pupil{}
}

// estimates runs the quickstart with one line changed and returns its scores as
// "attack score".
func estimates(t *testing.T, was, is string) map[string]float64 {
	t.Helper()
	text, err := os.ReadFile("quickstart.parley")
	if err != nil {
		t.Fatal(err)
	}
	facts, err := os.ReadFile("quickstart/facts.jsonl")
	if err != nil {
		t.Fatal(err)
	}
	if strings.Count(string(text), was) != 1 {
		t.Fatalf("the quickstart does not hold %q once", was)
	}
	root := fstest.MapFS{
		"quickstart.parley":      {Data: []byte(strings.Replace(string(text), was, is, 1))},
		"quickstart/facts.jsonl": {Data: facts},
	}
	module, found := interp.Project{Root: root, Std: stdlib.FS, Getenv: os.Getenv}.Load("quickstart.parley")
	if module == nil {
		t.Fatal(found)
	}
	suite, found := module.Compile("", interp.Options{})
	if suite == nil {
		t.Fatal(found)
	}
	out := map[string]float64{}
	for _, cell := range suite.Cells {
		table, err := score.Evaluate(context.Background(), cell.Spec, cell.Plan, score.Trials(trials(t, cell.Plan)))
		if err != nil {
			t.Fatal(err)
		}
		for _, s := range table.Scores {
			out[cell.Spec.Attack+" "+s.Name] = float64(s.Estimates[0].Value)
		}
	}
	return out
}

func trials(t *testing.T, plan *runtime.Plan) []*trace.Trial {
	t.Helper()
	engine, err := runtime.Prepare(plan, runtime.WithTogether(1))
	if err != nil {
		t.Fatal(err)
	}
	answers := pupilOf(t, plan)
	var out []*trace.Trial
	for a := range plan.Arms {
		for c := range plan.Cases {
			arm, task := &plan.Arms[a], &plan.Cases[c]
			got, err := engine.RunTrial(context.Background(), runtime.Trial{
				Plan: plan, Arm: arm, Case: task, Repeat: 1, Key: fmt.Sprint(arm.Name, c),
				CaseKey: key.Case(task.Fields, plan.CaseFields).String(),
			}, answers)
			if err != nil {
				t.Fatal(err)
			}
			out = append(out, got)
		}
	}
	return out
}

// TestQuickstartAnswersToItsLines holds the table of the first page to the file:
// changing one line changes the scores as that page says.
func TestQuickstartAnswersToItsLines(t *testing.T) {
	if testing.Short() {
		t.Skip("runs the quickstart seven times")
	}
	const line = "f: int = 2"
	base := estimates(t, line, line)
	if asr := base["collude asr"]; asr <= base["collude asr_placebo"] || asr >= 1 {
		t.Errorf("collude asr is %v, want it above its placebo %v and below 1", asr, base["collude asr_placebo"])
	}
	for _, x := range []struct {
		was, is string
		holds   map[string]func(before, after float64) bool
	}{
		{line, "f: int = 3", changes{"collude asr": func(_, after float64) bool { return after == 1 }}},
		{line, "f: int = 1", changes{"collude asr": func(before, after float64) bool { return after < before-0.1 }}},
		{"rounds: int = 1", "rounds: int = 3", changes{"collude c2w": func(before, after float64) bool { return after > before+0.05 }}},
		{"knows { easy: 0.9, hard: 0.6 }", "knows 0.99", changes{
			"collude asr":        func(_, after float64) bool { return after < 0.05 },
			"poison asr_placebo": func(_, after float64) bool { return after < 0.05 },
		}},
		{"corpus: 0.5", "corpus: 0.9", changes{
			"poison asr_single": func(before, after float64) bool { return after > before+0.1 },
			"poison af":         func(before, after float64) bool { return after < before },
		}},
		{"stray 0.03", "stray 0.3", changes{"collude irw": func(before, after float64) bool { return after > before+0.1 }}},
	} {
		t.Run(x.is, func(t *testing.T) {
			t.Parallel()
			after := estimates(t, x.was, x.is)
			for name, holds := range x.holds {
				if !holds(base[name], after[name]) {
					t.Errorf("%s goes from %v to %v", name, base[name], after[name])
				}
			}
		})
	}
}

// changes says of scores how they compare before and after a line was changed.
type changes = map[string]func(before, after float64) bool
