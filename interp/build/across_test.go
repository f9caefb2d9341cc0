package build_test

import (
	"fmt"
	"sort"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"parley/interp/build"
	"parley/lang/diag"
)

const several = debate + `
model dull { provider sim knows 0.2 }
model keen { provider sim knows 0.9 }
scenario lied(n: int = 2) {
  team debate.vote(n: n)
  workspace world.notes()
  tasks "facts.jsonl"
  attack lie() on debater[1]
  verify { correct = same(run.answer, task.answer) }
  score { rate wrong = !correct rate parted by task.class = correct grade half = correct ? 1 : 0.5 }
}
scenario calm() {
  team debate.single()
  workspace world.notes()
  tasks "facts.jsonl"
  verify { correct = same(run.answer, task.answer) }
  score { rate right = correct }
}
`

func across(t *testing.T, experiment string, o build.Options) (rows []string) {
	t.Helper()
	s := suite(t, several+"experiment x { scenario lied() scenario calm() "+experiment+" }", "x", o)
	for _, a := range s.Across {
		var parts []string
		for name, list := range a.Rows {
			parts = append(parts, fmt.Sprint(name, list))
		}
		sort.Strings(parts)
		rows = append(rows, fmt.Sprintf("%v %s", a.Labels, strings.Join(parts, " ")))
	}
	return rows
}

// TestScoresOverScenarios: one set of scores for each combination of the labels; a
// scenario without a label stands in each combination of it, and what is pooled is no
// label any more.
func TestScoresOverScenarios(t *testing.T) {
	const both = `score { value safe = mean([1 - lied.wrong, calm.right]) value worst = min([safe, lied.half]) }`
	for name, c := range map[string]struct {
		experiment string
		want       []string
	}{
		"no sweep":          {both, []string{"[] calm[1] lied[0]"}},
		"one has the label": {`sweep n in [2, 3] ` + both, []string{"[{n 2}] calm[2] lied[0]", "[{n 3}] calm[2] lied[1]"}},
		"pooled": {`sweep n in [2, 3] sweep model in [dull, keen] score across n { value gap = calm.right - lied.wrong }`, []string{
			"[{model dull}] calm[4] lied[0 2]", "[{model keen}] calm[5] lied[1 3]",
		}},
		"pooled over all": {`sweep n in [2, 3] sweep model in [dull, keen] score across n, model { value whole = lied.wrong }`, []string{"[] lied[0 1 2 3]"}},
		"two blocks": {`sweep model in [dull, keen] score { value gap = calm.right - lied.wrong } score across model { value gap = calm.right - lied.wrong }`, []string{
			"[{model dull}] calm[2] lied[0]", "[{model keen}] calm[3] lied[1]", "[] calm[2 3] lied[0 1]",
		}},
	} {
		if d := cmp.Diff(c.want, across(t, c.experiment, build.Options{})); d != "" {
			t.Errorf("%s (-want +got)\n%s", name, d)
		}
	}
}

// TestScoresOverWhatIsDecided: a label that the command line decides leaves nothing to
// pool, and what the file says over it stays sayable.
func TestScoresOverWhatIsDecided(t *testing.T) {
	const pooled = `sweep n in [2, 3] sweep model in [dull, keen] score across n { value gap = calm.right - lied.wrong } score across n, model { value whole = lied.wrong }`
	for _, c := range []struct {
		o    build.Options
		want []string
	}{
		{build.Options{Params: map[string]string{"n": "3"}}, []string{"[{model dull}] calm[2] lied[0]", "[{model keen}] calm[3] lied[1]", "[] lied[0 1]"}},
		{build.Options{Params: map[string]string{"n": "3"}, Models: map[string]string{"": "keen"}}, []string{"[] calm[1] lied[0]", "[] lied[0]"}},
	} {
		if d := cmp.Diff(c.want, across(t, pooled, c.o)); d != "" {
			t.Errorf("%v (-want +got)\n%s", c.o, d)
		}
	}
}

func TestScoresOverScenariosThatCannotBe(t *testing.T) {
	for name, c := range map[string]struct {
		clauses, want string
		code          diag.Code
	}{
		"no such scenario":   {`scenario lied() score { value v = lies.wrong }`, `"lies"`, diag.ExprUnknownName},
		"no such score":      {`scenario lied() score { value v = lied.wrongs }`, `"wrongs"`, diag.ExprUnknownField},
		"a split score":      {`scenario lied() score { value v = lied.parted }`, `"parted"`, diag.ExprUnknownField},
		"no value":           {`scenario lied() score { rate v = lied.wrong > 0 }`, "it is a value, not a rate", diag.NotHere},
		"a circle":           {`scenario lied() score { value v = w + lied.wrong value w = v }`, "reads itself", diag.PredicateOrder},
		"no such label":      {`scenario lied() sweep n in [2, 3] score across m { value v = lied.wrong }`, `no row of this experiment has a label "m"`, diag.SweepUnknown},
		"a scenario's name":  {`scenario lied() score { value lied = 1 - lied.wrong }`, `already named "lied"`, diag.NameTaken},
		"twice":              {`scenario lied() score { value v = lied.wrong } score { value v = lied.wrong }`, `a score named "v" exists already`, diag.DeclaredTwice},
		"one scenario twice": {`scenario lied(n: 2), lied(n: 3) score { value v = lied.wrong }`, "two scenarios named", diag.DeclaredTwice},
		"a threshold":        {`scenario lied() score { value v = lied.wrong } fail when v.hight > 1`, `"hight"`, diag.ExprUnknownField},
	} {
		comp := compiler(t, several+"experiment x { "+c.clauses+" }")
		comp.Suite("x", build.Options{})
		found, hit := comp.Diagnostics(), false
		for _, d := range found {
			hit = hit || d.Code == c.code && strings.Contains(d.Message, c.want)
		}
		if !hit {
			t.Errorf("%s: no %s with %q in\n%v", name, c.code, c.want, found)
		}
	}
}
