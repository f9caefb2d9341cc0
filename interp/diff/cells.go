package diff

import (
	"fmt"
	"slices"
	"sort"
	"strings"

	"parley/interp"
	"parley/runtime"
)

// CellPair is one configuration on both sides, compiled or recalled from a run.
type CellPair struct{ Before, After *interp.Cell }

// Cells tells what two runs of a scenario or experiment, or a run and its file as it
// is now, do differently in the configurations that both have: each change once,
// under the configuration that shows it first where not all of them do.
func Cells(name string, pairs []CellPair) []Change {
	var out []Change
	shown := map[string]int{} // in how many configurations
	first := map[string]int{}
	for _, p := range pairs {
		before, after := cellFacts(p.Before, ""), cellFacts(p.After, "")
		seen := map[string]bool{}
		for _, c := range compare(renamed(before, after), after) {
			what := c.ID + "\x00" + c.Subject + "\x00" + c.Before + "\x00" + c.After
			if seen[what] {
				continue
			}
			seen[what] = true
			if shown[what]++; shown[what] == 1 {
				c.Scenario, c.Where = name, labels(p.After)
				first[what] = len(out)
				out = append(out, c)
			}
		}
	}
	for what, n := range shown {
		if n == len(pairs) {
			out[first[what]].Where = ""
		}
	}
	for i := range out {
		out[i] = out[i].finish()
	}
	sort.SliceStable(out, func(i, k int) bool { return slices.Index(marks, out[i].Mark) < slices.Index(marks, out[k].Mark) })
	return out
}

// Arm says in sentences what an arm does differently, the attack included; none
// where nothing that a sentence tells differs.
func Arm(before, after *runtime.Arm) []string {
	facts := func(a *runtime.Arm) *Facts {
		f := &Facts{}
		f.program("", a.Program)
		f.patches(a.Program.Patches)
		f.aimed(a.Variants)
		return f
	}
	var out []string
	for _, c := range compare(facts(before), facts(after)) {
		if c.Mark != Cosmetic {
			out = append(out, c.Sentence)
		}
	}
	return out
}

// Matched pairs configurations by their labels; what is left over by the order in
// which it stands, where both sides have equally many left. Without labels that is
// the only one. ordered says that some were matched by order alone although they are
// labelled. gone and came are places of those that only one side has.
func Matched(before, after []*interp.Cell) (pairs [][2]int, gone, came []int, ordered bool) {
	for i := range before {
		gone = append(gone, i)
	}
	for k := range after {
		came = append(came, k)
	}
	sorted := func(c *interp.Cell) string {
		words := strings.Split(labels(c), ", ")
		slices.Sort(words)
		return strings.Join(words, "\n")
	}
	for i := 0; i < len(gone); i++ {
		k := slices.IndexFunc(came, func(k int) bool { return sorted(before[gone[i]]) == sorted(after[k]) })
		if k >= 0 {
			pairs = append(pairs, [2]int{gone[i], came[k]})
			gone, came = slices.Delete(gone, i, i+1), slices.Delete(came, k, k+1)
			i--
		}
	}
	if len(gone) == len(came) {
		for i := range gone {
			pairs, ordered = append(pairs, [2]int{gone[i], came[i]}), true
		}
		gone, came = nil, nil
	}
	slices.SortFunc(pairs, func(a, b [2]int) int { return a[1] - b[1] })
	return pairs, gone, came, ordered
}

// Title names a configuration of a suite: by its labels, or by its number where it
// has none and is not alone.
func Title(s *interp.Suite, place int) string {
	switch l := labels(s.Cells[place]); {
	case l != "":
		return l
	case len(s.Cells) > 1:
		return fmt.Sprintf("%s, configuration %d", s.Name, place+1)
	}
	return s.Name
}
