package build_test

import (
	"testing"

	"parley/interp/build"
)

// TestWhoSpeaksByChance: whom a step asks may hang on what only a run answers.
func TestWhoSpeaksByChance(t *testing.T) {
	for _, who := range []string{"each (filter(w, chance(0.5)))", "(chance(0.5) ? z : w[1])", "each (filter(w, distance(#, z) == 1))", "each (filter(w, carried(#)))"} {
		src := `
team t() {
  agent w[4] {}
  agent z {}
  w -> z
  turns { first_one: z { prompt "${task.prompt}" } pick: ` + who + ` { prompt "Go on." } }
  answer "x"
}
scenario s() { team t() tasks "facts.jsonl" score { mean spoke = len(turns) } }`
		if plan := suite(t, src, "s", build.Options{}).Cells[0].Plan; len(plan.Arms) != 1 {
			t.Errorf("%s: %d arms", who, len(plan.Arms))
		}
	}
}
