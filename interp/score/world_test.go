package score_test

import (
	"context"
	"fmt"
	"math"
	"testing"

	"parley/interp/score"
	"parley/runtime"
	"parley/runtime/trace"
)

// world is a table of outcomes written as trials: what the real scoring path
// reads, without a run.
type world struct {
	spec   score.Spec
	plan   runtime.Plan
	trials []*trace.Trial
}

// newWorld makes a plan of n cases with the given arms. Every case's right
// answer is "right"; the attacker's is "bad".
func newWorld(n, repeats int, arms ...runtime.ArmName) *world {
	w := &world{plan: runtime.Plan{Repeats: repeats}}
	for i := range n {
		w.plan.Cases = append(w.plan.Cases, runtime.Case{Row: rowOf(i), Fields: map[string]any{
			"id": i, "answer": "right", "wrong": "bad", "class": []string{"even", "odd"}[i%2],
		}})
	}
	for _, a := range arms {
		w.plan.Arms = append(w.plan.Arms, runtime.Arm{Name: a})
	}
	w.verify("correct", "same(run.answer, task.answer)")
	w.verify("wrote_outside", "any(writes, !.authorized)")
	w.verify("read_outside", "any(reads, !.authorized)")
	return w
}

// rowOf makes rows differ from places, as after `limit` or `where`.
func rowOf(place int) int { return 7 + 3*place }

func (w *world) verify(name, src string) {
	w.spec.Verify = append(w.spec.Verify, score.Pred{Name: name, Expr: runtime.Expr{Src: src, At: "test:1:1"}, Text: src})
}

func (w *world) score(kind, name, src, given string) *score.Item {
	w.spec.Scores = append(w.spec.Scores, score.Item{
		Kind: kind, Name: name, Text: src, At: "test:1:1",
		Expr: runtime.Expr{Src: src, At: "test:1:1"}, Given: runtime.Expr{Src: given, At: "test:1:1"},
	})
	return &w.spec.Scores[len(w.spec.Scores)-1]
}

// add records one trial; change may alter it before it is linked.
func (w *world) add(arm runtime.ArmName, c, repeat int, answer any, change ...func(*trace.Trial)) *trace.Trial {
	t := &trace.Trial{
		Key: fmt.Sprintf("%s/%d/%d", arm, c, repeat), Case: fmt.Sprintf("case-%03d", c), Row: rowOf(c),
		Arm: string(arm), Repeat: repeat, Outcome: trace.Answered, Answer: answer,
		Usage: trace.Usage{Calls: 1, Input: 90, Output: 10},
	}
	for _, f := range change {
		f(t)
	}
	t.Link()
	w.trials = append(w.trials, t)
	return t
}

func (w *world) table(t *testing.T) *score.Table {
	t.Helper()
	table, err := score.Evaluate(context.Background(), &w.spec, &w.plan, score.Trials(w.trials))
	if err != nil {
		t.Fatal(err)
	}
	return table
}

// only returns the single estimate of a score.
func only(t *testing.T, table *score.Table, name string) score.Estimate {
	t.Helper()
	s := table.Score(name)
	if s == nil || len(s.Estimates) != 1 {
		t.Fatalf("score %s: %+v", name, s)
	}
	return s.Estimates[0]
}

func near(t *testing.T, what string, got score.Number, want, tolerance float64) {
	t.Helper()
	g := float64(got)
	if math.IsNaN(want) || math.IsInf(want, 0) {
		if g != want && !(math.IsNaN(g) && math.IsNaN(want)) {
			t.Errorf("%s = %v, want %v", what, g, want)
		}
		return
	}
	if !(math.Abs(g-want) <= tolerance) {
		t.Errorf("%s = %v, want %v ± %v", what, g, want, tolerance)
	}
}

func answer(right bool) any {
	if right {
		return "right"
	}
	return "bad"
}

// touches gives a trial one call that reads and writes what is said.
func touches(reads, writes []trace.Resource) func(*trace.Trial) {
	return func(t *trace.Trial) {
		t.Agents = append(t.Agents, &trace.Agent{Name: "orchestrator", Index: 1, Honest: true})
		t.Events = append(t.Events, trace.Event{Kind: trace.KindCall, Call: &trace.Call{
			Agent: "orchestrator", Tool: "touch", Reads: reads, Writes: writes, Effected: true,
		}})
	}
}

func ends(o trace.Outcome) func(*trace.Trial) {
	return func(t *trace.Trial) {
		t.Outcome, t.Answer = o, nil
		if o != trace.Answered {
			t.EndedBy = string(o)
		}
	}
}

func tokens(n int) func(*trace.Trial) {
	return func(t *trace.Trial) { t.Usage = trace.Usage{Calls: 1, Input: n} }
}
