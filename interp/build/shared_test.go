package build_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"parley/interp/build"
	"parley/interp/score"
	"parley/runtime/key"
)

// TestCellsShareNothingOfTheirAttacks: what is compiled once for all cells is the
// same under each attack as where that attack stands alone, whatever was tried
// before it.
func TestCellsShareNothingOfTheirAttacks(t *testing.T) {
	var attacks, alone strings.Builder
	var items []string
	const rest = ` baseline one() verify { correct = same(run.answer, task.answer) } score { rate asr = !correct given clean.correct value af = asr / baseline.asr } }
`
	for i, c := range slotCases {
		fmt.Fprintf(&attacks, "attack m%d() at %s { goal \"answer\" %s }\n", i, c.level, c.patch)
		item := fmt.Sprintf("m%d()", i)
		if c.on != "" {
			item += " on " + c.on
		}
		items = append(items, item)
		fmt.Fprintf(&alone, "scenario s%d() { team pair() workspace desk() tasks \"facts.jsonl\" attack %s%s", i, item, rest)
	}
	src := slotWorld + attacks.String() + alone.String() + `
team one() { agent solo { system "Solve." tools read } turns { only: solo { prompt "${task.prompt}" replies { answer: string } } } answer only.reply.answer }
scenario all() { team pair() workspace desk() tasks "facts.jsonl" attack any ` + strings.Join(items, ", ") + rest
	cells := suite(t, src, "all", build.Options{}).Cells
	if len(cells) != len(slotCases) {
		t.Fatalf("%d cells", len(cells))
	}
	for i, cell := range cells {
		single := suite(t, src, fmt.Sprintf("s%d", i), build.Options{}).Cells[0]
		if key.Of(cell.Plan) != key.Of(single.Plan) || key.Of(placeless(cell.Spec)) != key.Of(placeless(single.Spec)) {
			t.Errorf("beside others this attack has another plan: %s", slotCases[i].patch)
		}
	}
}

// placeless is a spec without the places of what it came from.
func placeless(s *score.Spec) score.Spec {
	out := *s
	out.Scores = slices.Clone(s.Scores)
	for i := range out.Scores {
		x := &out.Scores[i]
		x.At = ""
	}
	return out
}
