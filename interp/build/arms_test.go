package build_test

import (
	"testing"

	"parley/interp/build"
)

// TestArmsFollowReferences: scores, predicates and thresholds bring the runs
// they name, through whatever leads to them, and no others.
func TestArmsFollowReferences(t *testing.T) {
	for clauses, want := range map[string]string{
		`verify { x = run.refused } score { rate r = x }`:                                             "attacked",
		`verify { x = run.refused } score { rate r = clean.x }`:                                       "clean attacked",
		`verify { x = run.tokens > clean.run.tokens } score { rate r = x }`:                           "clean attacked",
		`verify { x = run.tokens > clean.run.tokens y = run.refused } score { rate r = y }`:           "attacked",
		`verify { x = run.refused y = x && !clean.x } score { rate r = y value v = placebo.r }`:       "clean attacked placebo",
		`verify { x = run.refused } score { rate r = x value v = r - placebo.r }`:                     "attacked placebo",
		`verify { x = run.refused } score { rate r = x value v = w value w = baseline.r }`:            "attacked baseline-attacked",
		`verify { x = run.refused } score { rate r = x given clean.x value v = r / baseline.r }`:      "clean attacked baseline-clean baseline-attacked",
		`verify { x = run.refused } score { rate r = x given clean.x value v = baseline.placebo.r }`:  "clean attacked baseline-clean baseline-placebo",
		`verify { x = run.refused } score { rate r = x && baseline.x }`:                               "attacked baseline-attacked",
		`verify { x = run.refused } score { rate r = x } fail when placebo.r.high > 0.5`:              "attacked placebo",
		`verify { x = same(run.answer, clean.run.answer) } score { rate r = x value v = baseline.r }`: "clean attacked baseline-clean baseline-attacked",
	} {
		s := suite(t, debate+`scenario s() {
  team debate.standard(n: 2)
  workspace world.notes()
  baseline debate.single() corpus debater[1]
  tasks "facts.jsonl"
  attack poison() on debater[1]
  `+clauses+` }`, "", build.Options{})
		if got := armNames(s.Cells[0]); got != want {
			t.Errorf("%s\n got %s\nwant %s", clauses, got, want)
		}
	}
}
