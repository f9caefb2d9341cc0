package score_test

import (
	"context"
	"fmt"
	"strings"
	"testing"

	"parley/interp/score"
	"parley/runtime"
	"parley/runtime/trace"
)

func TestKeysOfEveryKind(t *testing.T) {
	for src, want := range map[string][]string{
		"task.class":       {"even", "odd"},
		"task.id % 2":      {"0", "1"},
		"task.id % 2 == 0": {"false", "true"},
		"task.id % 2 / 4":  {"0", "0.25"},
		"after.state.x":    {"unknown"},
		"debater[4]":       {"debater[4]"},
		"correct":          {"false", "true"},
	} {
		w := c2wWorld(92, 3)
		w.score("rate", "split", "run.tokens > 0", "").By.Src = src
		for i, tr := range w.trials {
			if i%4 == 1 {
				tr.Answer = "bad"
			}
		}
		var got []string
		for _, e := range w.table(t).Score("split").Estimates {
			got = append(got, e.By)
		}
		if fmt.Sprint(got) != fmt.Sprint(want) {
			t.Errorf("by %s: %v, want %v", src, got, want)
		}
	}
}

func TestListsOfEveryKind(t *testing.T) {
	w := c2wWorld(92, 3)
	for name, per := range map[string]string{
		"members": "debater", "chosen": "filter(debater, .honest)", "turn_of": "turns", "no_list": "run.tokens", "gone": "after.state.x",
	} {
		w.score("rate", name, "self == self", "").Per.Src = per
	}
	table := w.table(t)
	for name, den := range map[string]float64{"members": 500, "chosen": 200, "turn_of": 1000} {
		if e := only(t, table, name); e.Den != den || e.Num != den {
			t.Errorf("%s: %v/%v, want %v", name, e.Num, e.Den, den)
		}
	}
	for _, name := range []string{"no_list", "gone"} {
		if e := only(t, table, name); e.Unknown != 100 || e.Value.Defined() || e.BoundLow.Defined() {
			t.Errorf("%s: %+v", name, e)
		}
	}
}

// TestListOfAFailedRun: where an error hides how long a list was, there are no
// bounds, rather than wrong ones.
func TestListOfAFailedRun(t *testing.T) {
	w := c2wWorld(92, 3)
	w.score("rate", "turn_of", "self.tokens == 0", "").Per.Src = "turns"
	w.trials[1].Outcome = trace.Errored
	e := only(t, w.table(t), "turn_of")
	if e.Den != 990 || e.Errors != 1 || e.BoundLow.Defined() {
		t.Errorf("%+v", e)
	}
}

func TestThresholdsOnSplitScores(t *testing.T) {
	w := newWorld(12, 1, runtime.Clean)
	w.score("rate", "right", "correct", "").By.Src = "task.class"
	for _, src := range []string{
		`right.odd.value < right.even.value`, `right["odd"].n == 6 && right.odd.num == 1 && right.odd.den == 6`,
		`right.other.value > 0`, `right.even.errors + right.even.unknown + right.even.no_answer == 0`, `right.value > 0`, `1 + 1`,
	} {
		w.spec.Fail = append(w.spec.Fail, score.Pred{Text: src, Expr: runtime.Expr{Src: src}})
	}
	for i := range 12 {
		w.add(runtime.Clean, i, 1, answer(i < 3))
	}
	for i, want := range []string{"yes", "yes", "unknown", "yes", "unknown", "unknown"} {
		if got := w.table(t).Fails[i]; got.Holds != want || (want == "unknown") != (got.Why != "") {
			t.Errorf("%s: %s (%s), want %s", got.Text, got.Holds, got.Why, want)
		}
	}
}

func TestVerdictsOfOneRun(t *testing.T) {
	w := asrWorld(2, 1, 1)
	w.verify("flipped", "!correct && clean.correct")
	s, err := score.New(&w.spec, &w.plan)
	if err != nil {
		t.Fatal(err)
	}
	g := score.Group{Row: rowOf(0), Repeat: 1, Trials: map[runtime.ArmName]*trace.Trial{runtime.Clean: w.trials[0], runtime.Attacked: w.trials[1]}}
	got := map[string]string{}
	for _, arm := range []runtime.ArmName{runtime.Clean, runtime.Attacked, runtime.Placebo} {
		list, err := s.Verdicts(context.Background(), g, arm)
		if err != nil {
			t.Fatal(err)
		}
		for _, v := range list {
			got[string(arm)+"."+v.Name] = v.Holds
		}
	}
	for name, want := range map[string]string{
		"clean.correct": "yes", "clean.flipped": "no", "attacked.correct": "no", "attacked.flipped": "yes",
		"attacked.wrote_outside": "no", "placebo.correct": "unknown", "placebo.flipped": "unknown",
	} {
		if got[name] != want {
			t.Errorf("%s: %s, want %s", name, got[name], want)
		}
	}
	if v, ok := s.Observe(context.Background(), g, runtime.Attacked).Lookup("flipped"); !ok || v != true {
		t.Errorf("flipped is %v", v)
	}
	if _, ok := s.Observe(context.Background(), g, runtime.Attacked).Lookup("nonsense"); ok {
		t.Error("a name that nothing has was found")
	}
}

// TestValuesOfEveryEstimator runs medians, means and sums through the bootstrap.
func TestValuesOfEveryEstimator(t *testing.T) {
	w := newWorld(30, 2, runtime.Clean, runtime.Attacked)
	w.score("median", "cost", "run.tokens / clean.run.tokens", "")
	w.score("mean", "spent", "run.tokens", "")
	w.score("sum", "total", "run.tokens", "correct")
	w.score("value", "mix", "cost * spent + total / 10", "")
	w.score("value", "gap", "cost - clean.cost", "")
	w.score("value", "half", "let x = spent; x / 2", "")
	w.score("value", "best", "max(spent, cost)", "")
	for i := range 30 {
		for r := 1; r <= 2; r++ {
			w.add(runtime.Clean, i, r, answer(true), tokens(100))
			w.add(runtime.Attacked, i, r, answer(i%3 > 0), tokens(80+i+10*r))
		}
	}
	table := w.table(t)
	cost, spent, total := only(t, table, "cost"), only(t, table, "spent"), only(t, table, "total")
	near(t, "cost", cost.Value, (80+14.5+15)/100, 1e-12)
	near(t, "spent", spent.Value, 80+14.5+15, 1e-9)
	want := float64(cost.Value)*float64(spent.Value) + float64(total.Value)/10
	for name, v := range map[string]float64{"mix": want, "half": float64(spent.Value) / 2, "best": float64(spent.Value)} {
		e := only(t, table, name)
		near(t, name, e.Value, v, 1e-9)
		if !e.Low.Defined() || !(e.Low < e.Value && e.Value < e.High) || e.Method != "studentised bootstrap over tasks" {
			t.Errorf("%s: %+v", name, e)
		}
	}
	if e := only(t, table, "gap"); e.Method != "MOVER-D" {
		t.Errorf("gap: %+v", e)
	}
	near(t, "gap", only(t, table, "gap").Value, float64(cost.Value)-1, 1e-12)
	// The median's interval and the bootstrap's of the same median roughly agree.
	best := only(t, table, "best")
	if r := float64(best.High-best.Low) / float64(spent.High-spent.Low); r < 0.8 || r > 1.3 {
		t.Errorf("the bootstrap of a mean is %.2f times its t interval", r)
	}
}

func TestValuesThatAreNotThere(t *testing.T) {
	w := asrWorld(30, 0, 0)
	w.score("mean", "spent", "run.tokens", "")
	w.score("value", "sum_of", "asr + spent", "")
	w.score("value", "nothing", "spent / (spent - spent)", "")
	w.score("value", "zero", "(spent - spent) / (spent - spent)", "")
	w.score("value", "alone", "spent * 2", "")
	table := w.table(t)
	for _, name := range []string{"sum_of", "zero"} {
		if e := only(t, table, name); e.Value.Defined() || e.Why == "" {
			t.Errorf("%s: %+v", name, e)
		}
	}
	for _, name := range []string{"nothing", "alone"} { // infinite; without any spread
		if e := only(t, table, name); !e.Value.Defined() || e.Low.Defined() || e.Why == "" {
			t.Errorf("%s: %+v", name, e)
		}
	}
}

func TestPlansThatCannotBeScored(t *testing.T) {
	w := asrWorld(2, 1, 1)
	for what, change := range map[string]func(*score.Spec, *runtime.Plan){
		"no arm":        func(_ *score.Spec, p *runtime.Plan) { p.Arms = nil },
		"no expression": func(s *score.Spec, _ *runtime.Plan) { s.Scores = []score.Item{{Kind: "rate", Name: "x", At: "f:1:1"}} },
		"two of a name": func(s *score.Spec, _ *runtime.Plan) { s.Scores = append(s.Scores, s.Scores[0]) },
		"broken given":  func(s *score.Spec, _ *runtime.Plan) { s.Scores[0].Given.Src = "(" },
		"broken attack": func(s *score.Spec, _ *runtime.Plan) { s.AttackVerify = []score.Pred{{Expr: runtime.Expr{Src: "("}}} },
		"broken task": func(s *score.Spec, _ *runtime.Plan) {
			s.TaskVerify = map[int][]score.Pred{0: {{Expr: runtime.Expr{Src: "("}}}}
		},
		"broken failing": func(s *score.Spec, _ *runtime.Plan) { s.Fail = []score.Pred{{Expr: runtime.Expr{Src: "("}}} },
	} {
		spec, plan := w.spec, w.plan
		spec.Scores = append([]score.Item(nil), w.spec.Scores...)
		change(&spec, &plan)
		if _, err := score.New(&spec, &plan); err == nil || strings.Contains(err.Error(), "nil pointer") {
			t.Errorf("%s: %v", what, err)
		}
	}
}

func TestATallyGivesOneTable(t *testing.T) {
	w := asrWorld(3, 2, 1)
	s, err := score.New(&w.spec, &w.plan)
	if err != nil {
		t.Fatal(err)
	}
	tally := s.Tally()
	table, err := tally.Table()
	if err != nil || table.Arms[0].Absent != 3 || only(t, table, "asr").Absent != 3 {
		t.Errorf("an empty tally: %v, %+v", err, table)
	}
	if _, err := tally.Table(); err == nil {
		t.Error("a second table")
	}
}
