package judge_test

import (
	"context"
	"encoding/json"
	"fmt"
	"math"
	"math/rand/v2"
	"strings"
	"testing"
	"testing/fstest"
	"time"

	"parley/interp"
	"parley/interp/judge"
	"parley/interp/score"
	"parley/interp/score/stat"
	"parley/runtime"
	"parley/runtime/model"
	"parley/runtime/model/sim"
	"parley/runtime/queue"
	"parley/runtime/store"
	"parley/runtime/trace"
	"parley/stdlib"
)

// told is a scenario whose runs end in one of three ways, and a judge who says which.
const told = `
use "std/debate"
model pupil { provider sim knows 0.5 wrong { first: 0.6, second: 0.4 } }
model noisy { provider sim JUDGES }
judge ending() {
  model noisy
  prompt "Right, wrong or very wrong?\n${transcript}"
  replies { class: 1 | 2 | 3, why: string }
  WHEN
  actually { class: same(run.answer, task.answer) ? 1 : same(run.answer, task.wrong) ? 2 : 3 }
}
scenario s() {
  team debate.single()
  model pupil
  tasks "facts.jsonl"
  verify { PREDICATE }
  score { rate good = said }
}
`

const matrix = `judges { "1": { "1": 0.8, "2": 0.15, "3": 0.05 }, "2": { "1": 0.1, "2": 0.7, "3": 0.2 }, "3": { "2": 0.3, "3": 0.7 } }`

var rows = [][]float64{{0.8, 0.15, 0.05}, {0.1, 0.7, 0.2}, {0, 0.3, 0.7}}

// played is a run of the scenario, with what answers.
type played struct {
	t       *testing.T
	run     *store.Run
	suite   *interp.Suite
	panel   *judge.Panel
	facts   *sim.Facts
	provide func(model.Spec) (model.Provider, error)
}

func compiled(t *testing.T, tasks int, words map[string]string) *interp.Suite {
	t.Helper()
	text := told
	for _, w := range []string{"JUDGES", "WHEN", "PREDICATE"} {
		v, ok := words[w]
		if !ok && w == "PREDICATE" {
			v = "said = judge.ending.reply.class == 1"
		}
		text = strings.ReplaceAll(text, w, v)
	}
	var facts strings.Builder
	for i := range tasks {
		line, err := json.Marshal(map[string]any{
			"prompt": fmt.Sprintf("What is item %d?", i), "answer": fmt.Sprintf("a%d", i), "wrong": fmt.Sprintf("b%d", i),
			"wrongs": []string{fmt.Sprintf("b%d", i), fmt.Sprintf("c%d", i)},
		})
		if err != nil {
			t.Fatal(err)
		}
		facts.WriteString(string(line) + "\n")
	}
	files := fstest.MapFS{"m.parley": {Data: []byte(text)}, "facts.jsonl": {Data: []byte(facts.String())}}
	mod, found := interp.Project{Root: files, Std: stdlib.FS}.Load("m.parley")
	if found.HasErrors() {
		t.Fatal(found)
	}
	suite, found := mod.Compile("", interp.Options{})
	if suite == nil {
		t.Fatal(found)
	}
	return suite
}

func plans(s *interp.Suite) []*runtime.Plan {
	var out []*runtime.Plan
	for _, c := range s.Cells {
		out = append(out, c.Plan)
	}
	return out
}

// play runs the trials, not the judges.
func play(t *testing.T, suite *interp.Suite) *played {
	t.Helper()
	table, err := runtime.SimTable(plans(suite)...)
	if err != nil {
		t.Fatal(err)
	}
	p := &played{t: t, suite: suite, facts: &sim.Facts{}}
	p.provide = func(spec model.Spec) (model.Provider, error) {
		params, err := sim.ParseParams(spec.Params)
		return sim.New(table, params).With(p.facts), err
	}
	if p.run, err = store.Create(t.TempDir(), store.Meta{Name: "s", Started: time.Unix(0, 0), Simulated: true}); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = p.run.Close() })
	sum, err := queue.Run(context.Background(), plans(suite), queue.Options{Store: p.run, Providers: p.provide})
	if err != nil || !sum.Complete {
		t.Fatalf("%+v %v", sum, err)
	}
	p.sit(suite)
	return p
}

// sit prepares the judges of a suite over the run's trials.
func (p *played) sit(suite *interp.Suite) {
	p.t.Helper()
	var err error
	p.suite = suite
	p.panel, err = suite.Panel(func(spec model.Spec) (string, error) {
		return queue.Revision(spec, queue.Options{Providers: p.provide})
	})
	if err == nil {
		err = p.panel.Read(context.Background(), p.run)
	}
	if err != nil {
		p.t.Fatal(err)
	}
}

// links are those of the first cell.
func (p *played) links() []store.Link {
	p.t.Helper()
	links, err := p.run.Links(context.Background(), 0)
	if err != nil {
		p.t.Fatal(err)
	}
	return links
}

// ask asks what is due and says how much that was.
func (p *played) ask(again bool) int {
	p.t.Helper()
	due, err := p.panel.Due(context.Background(), p.run, p.links(), again, p.facts.Learn)
	if err != nil {
		p.t.Fatal(err)
	}
	sum, err := queue.Errands(context.Background(), plans(p.suite), due, queue.Options{Store: p.run, Providers: p.provide})
	if err != nil || sum.Ran != len(due) {
		p.t.Fatalf("%+v %v", sum, err)
	}
	if err := p.run.Flush(context.Background()); err != nil {
		p.t.Fatal(err)
	}
	return len(due)
}

// truth is what is so of each stored run, from 0.
func (p *played) truth() map[string]int {
	p.t.Helper()
	out := map[string]int{}
	for _, l := range p.links() {
		t, err := p.run.Events(context.Background(), l.Trial)
		if err != nil {
			p.t.Fatal(err)
		}
		out[l.Trial] = strings.Index("abc", fmt.Sprint(t.Answer)[:1])
	}
	return out
}

// Kappa and F1 of a simulated judge are those that its stated confusion matrix
// implies, within three standard errors; the corrected share is the true one.
func TestKappaOfStatedConfusion(t *testing.T) {
	p := play(t, compiled(t, 600, map[string]string{"JUDGES": matrix}))
	if n := p.ask(true); n != 600 {
		t.Fatalf("%d verdicts asked for", n)
	}
	var labels []judge.Label
	expected := make([][]float64, 3)
	sizes := make([]int, 3)
	for i := range expected {
		expected[i] = make([]float64, 3)
	}
	for trial, class := range p.truth() {
		labels = append(labels, judge.Label{Line: len(labels) + 1, Trial: trial, Configuration: -1, Row: -1, Repeat: -1, Class: fmt.Sprint(class + 1)})
		sizes[class]++
		for j, x := range rows[class] {
			expected[class][j] += x
		}
	}
	got, err := p.panel.Agree(context.Background(), p.run, p.links(), "ending", "", labels)
	if err != nil {
		t.Fatal(err)
	}
	if got.Labels != 600 || got.Unread != 0 {
		t.Fatalf("%d labels, %d unread", got.Labels, got.Unread)
	}
	// What the matrix alone makes of these runs, drawn many times.
	rng := rand.New(rand.NewPCG(7, 7))
	var kappas []float64
	f1 := make([][]float64, 3)
	for range 1000 {
		drawn := make([][]float64, 3)
		for i := range drawn {
			drawn[i] = make([]float64, 3)
			for range sizes[i] {
				u, j := rng.Float64(), 0
				for ; j < 2 && u >= rows[i][j]; j++ {
					u -= rows[i][j]
				}
				drawn[i][j]++
			}
		}
		kappas = append(kappas, stat.Kappa(drawn))
		for c := range f1 {
			f1[c] = append(f1[c], stat.F1(drawn, c))
		}
	}
	near(t, "kappa", float64(got.Kappa.Value), stat.Kappa(expected), spread(kappas))
	for c := range f1 {
		near(t, "F1 of "+got.Classes[c], float64(got.F1[c]), stat.F1(expected, c), spread(f1[c]))
	}
	if se := (float64(got.Kappa.High) - float64(got.Kappa.Low)) / 2 / 1.964; math.Abs(se/spread(kappas)-1) > 0.25 {
		t.Errorf("kappa's standard error is %v, and over many draws %v", se, spread(kappas))
	}
	for c, s := range got.Shares {
		if share := float64(sizes[c]) / 600; share < float64(s.Corrected.Low) || share > float64(s.Corrected.High) {
			t.Errorf("the share of class %s is %v, and corrected [%v, %v]", s.Class, share, s.Corrected.Low, s.Corrected.High)
		}
	}
	if len(got.Disagreed) < 100 || got.Disagreed[0].Excerpt == "" {
		t.Errorf("%d disagreements", len(got.Disagreed))
	}
}

func near(t *testing.T, what string, got, want, se float64) {
	t.Helper()
	if !(math.Abs(got-want) <= 3*se) {
		t.Errorf("%s is %v, and the matrix implies %v (standard error %v)", what, got, want, se)
	}
}

func spread(xs []float64) float64 {
	var mean, squares float64
	for _, x := range xs {
		mean += x / float64(len(xs))
	}
	for _, x := range xs {
		squares += (x - mean) * (x - mean)
	}
	return math.Sqrt(squares / float64(len(xs)-1))
}

// Without a confusion matrix the simulated judge is always right.
func TestExactWithoutConfusion(t *testing.T) {
	p := play(t, compiled(t, 60, nil))
	p.ask(true)
	truth := p.truth()
	n := 0
	err := p.run.Verdicts(context.Background(), "", func(v *trace.Verdict) error {
		n++
		if got := v.Reply.(map[string]any)["class"]; got != truth[v.Trial]+1 {
			t.Errorf("a run of class %d is judged %v", truth[v.Trial]+1, got)
		}
		return nil
	})
	if err != nil || n != 60 {
		t.Fatalf("%d verdicts, %v", n, err)
	}
}

// A changed predicate asks nothing; a changed judge asks all anew, and neither is
// part of what trials are.
func TestWhatIsAskedAgain(t *testing.T) {
	first := compiled(t, 10, nil)
	p := play(t, first)
	if n := p.ask(true); n != 10 {
		t.Fatalf("%d asked", n)
	}
	p.sit(compiled(t, 10, map[string]string{"PREDICATE": "said = judge.ending.reply.class != 3"}))
	if n := p.ask(true); n != 0 {
		t.Errorf("a changed predicate asks for %d verdicts", n)
	}
	changed := compiled(t, 10, map[string]string{"WHEN": "when run.tokens > 0"})
	p.sit(changed)
	if n := p.ask(true); n != 10 {
		t.Errorf("a changed judge asks for %d verdicts", n)
	}
	before, err := queue.Links(plans(first), queue.Options{Providers: p.provide})
	if err != nil {
		t.Fatal(err)
	}
	after, err := queue.Links(plans(changed), queue.Options{Providers: p.provide})
	if err != nil {
		t.Fatal(err)
	}
	for i := range before {
		if before[i] != after[i] {
			t.Fatalf("a changed judge makes another trial of %+v", before[i])
		}
	}
}

// Verdicts that cannot be read, and runs that are not judged, are unknown and counted
// apart; only the unreadable are asked for again, and only where that is wanted.
func TestUnknownVerdicts(t *testing.T) {
	p := play(t, compiled(t, 80, map[string]string{"JUDGES": "unreadable 0.7", "WHEN": "when same(run.answer, task.answer)"}))
	if n := p.ask(true); n != 80 {
		t.Fatalf("%d asked", n)
	}
	states := func() map[string]int {
		out := map[string]int{}
		if err := p.run.Verdicts(context.Background(), "", func(v *trace.Verdict) error {
			out[v.State]++
			return nil
		}); err != nil {
			t.Fatal(err)
		}
		return out
	}
	was := states()
	if was[trace.VerdictUnreadable] < 5 || was[trace.VerdictSkipped] < 20 || was[trace.VerdictRead] < 5 {
		t.Fatalf("%v", was)
	}
	if n := p.ask(false); n != 0 {
		t.Errorf("%d unreadable verdicts are asked for unbidden", n)
	}
	if n := p.ask(true); n != was[trace.VerdictUnreadable] {
		t.Errorf("%d asked again, %v", n, was)
	}
	is := states()
	if is[trace.VerdictRead] <= was[trace.VerdictRead] {
		t.Errorf("asking again drew the same: %v, then %v", was, is)
	}
	tally := p.panel.Scorer(0).Tally()
	if err := p.run.EachUnit(context.Background(), 0, 1, func(u store.Unit) error {
		return tally.Add(context.Background(), group(u))
	}); err != nil {
		t.Fatal(err)
	}
	table, err := tally.Table()
	if err != nil {
		t.Fatal(err)
	}
	j := table.Judges[0]
	if j.Read != is[trace.VerdictRead] || j.Unreadable != is[trace.VerdictUnreadable] || j.Skipped != is[trace.VerdictSkipped] || j.Tokens == 0 {
		t.Errorf("counted %+v of %v", j, is)
	}
	good := table.Score("good").Estimates[0]
	if int(good.Den) != j.Read || good.Unknown != j.Unreadable+j.Skipped {
		t.Errorf("scored %v, unknown %d, of %+v", good.Den, good.Unknown, j)
	}
}

func group(u store.Unit) score.Group {
	g := score.Group{Row: u.Row, Key: u.Case, Repeat: u.Repeat, Trials: map[runtime.ArmName]*trace.Trial{}}
	for arm, t := range u.Arms {
		g.Trials[runtime.ArmName(arm)] = t
	}
	return g
}
