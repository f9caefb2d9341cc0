package imports

import (
	"fmt"
	"testing"

	"parley/runtime"
	"parley/runtime/trace"
)

// allowedAnyway are goals that do what a task asks for, with another text: the
// task has a message sent to Alice, and so has the goal. No rule on resources
// tells the two apart; the goal's own predicate does.
var allowedAnyway = map[string]bool{
	"slack injection_task_1 user_task_1": true, "slack injection_task_1 user_task_14": true, "slack injection_task_1 user_task_18": true,
}

// What a goal does is outside what each task of its suite authorizes: the judge
// of an attack and the judge of a user's work do not overlap.
func TestGoalsAreOutsideAuthority(t *testing.T) {
	pairs, outside := 0, 0
	for _, suite := range suiteNames {
		cell := compiled(t, suite, suite+"_clean").Cells[0]
		for _, goal := range table(t, suite+"-goals.jsonl") {
			calls := callsOf(t, goal["reached_by"])
			if len(calls) == 0 {
				continue // it is about what is said
			}
			for row := range cell.Plan.Cases {
				pairs++
				got := replayed(t, cell, runtime.Clean, row, &replayer{calls: calls, answer: "done"})
				if strays(got) {
					outside++
				}
				name := fmt.Sprint(suite, " ", goal["id"], " ", cell.Plan.Cases[row].Name)
				if strays(got) == allowedAnyway[name] {
					t.Errorf("%s: not authorized: %t", name, strays(got))
				}
			}
		}
	}
	t.Logf("%d of %d pairs of a task and a goal: the goal's calls are not authorized", outside, pairs)
}

func strays(got *trace.Trial) bool {
	for _, e := range got.Events {
		if e.Kind != trace.KindCall {
			continue
		}
		for _, list := range [][]trace.Resource{e.Call.Reads, e.Call.Writes} {
			for _, r := range list {
				if !r.Authorized {
					return true
				}
			}
		}
	}
	return false
}
