package score_test

import (
	"testing"

	"parley/interp/score"
	"parley/runtime"
)

// TestPublishedValuesAreSamples: a published value outside our interval differs
// only where its own fraction says so.
func TestPublishedValuesAreSamples(t *testing.T) {
	for _, c := range []struct {
		name             string
		lost, right      int
		value            float64
		a, n             float64
		outside, differs bool
		judged           bool
	}{
		{"the same fraction", 15, 53, 0.2830, 15, 53, false, false, true},
		{"outside, and a sample too", 15, 53, 0.1698, 9, 53, true, false, true},
		{"apart", 15, 53, 0.1132, 6, 53, true, true, true},
		{"far off", 40, 53, 0.1132, 6, 53, true, true, true},
		{"far off without a fraction", 40, 53, 0.1132, 0, 0, true, false, false},
		{"four of fifty-eight", 2, 61, 0.0690, 4, 58, false, false, true},
	} {
		w := asrWorld(100, c.right, c.lost)
		w.spec.Published = []score.Published{{Row: 1, Score: "asr", Value: score.Number(c.value), Num: c.a, Den: c.n}}
		p := only(t, w.table(t), "asr").Published
		if p == nil {
			t.Fatalf("%s: nothing is set beside the estimate", c.name)
		}
		if p.Outside != c.outside || p.Differs != c.differs || p.Judged != c.judged {
			t.Errorf("%s: outside %v differs %v judged %v, want %v %v %v", c.name, p.Outside, p.Differs, p.Judged, c.outside, c.differs, c.judged)
		}
		near(t, c.name, p.Difference, float64(c.lost)/float64(c.right)-c.value, 1e-12)
	}
}

// pair makes two tables over the same tasks: in the first, up tasks alone are
// wrong, in the second down others alone.
func pair(t *testing.T, repeats, up, down int) []*score.Table {
	var out []*score.Table
	for side := range 2 {
		w := newWorld(60, repeats, runtime.Clean)
		w.score("rate", "wrong", "!correct", "")
		w.score("median", "used", "run.tokens", "")
		for i := range 60 {
			wrong := side == 0 && i < up || side == 1 && i >= up && i < up+down
			for r := range repeats {
				w.add(runtime.Clean, i, r+1, answer(!wrong), tokens(100+map[bool]int{true: 50}[wrong]))
			}
		}
		out = append(out, w.table(t))
	}
	return out
}

func TestCompare(t *testing.T) {
	one := score.Compare(pair(t, 1, 15, 5), [][2]int{{0, 1}}, []string{"wrong", "used"}, 1)
	if one[0].Test != score.TestMcNemar {
		t.Errorf("one trial a task is tested exactly, not by %s", one[0].Test)
	}
	near(t, "exact McNemar of 5 and 15", one[0].P, 0.04139, 5e-6)
	near(t, "Holm of the smaller of two", one[0].Holm, 2*0.04139, 1e-5)
	near(t, "difference", one[0].Difference, 10.0/60, 1e-12)
	if one[1].Test != score.TestSign {
		t.Errorf("a median is tested by signs, not by %s", one[1].Test)
	}
	near(t, "sign test of 15 and 5", one[1].P, 0.04139, 5e-6)
	if !one[0].Need.Defined() || one[0].Need < 60 {
		t.Errorf("a barely visible difference needs more tasks than these 60, got %v", one[0].Need)
	}

	many := score.Compare(pair(t, 2, 15, 5), [][2]int{{0, 1}}, []string{"wrong"}, 1)
	if many[0].Test != score.TestPermutation {
		t.Errorf("repeats are tested by permutation, not by %s", many[0].Test)
	}
	near(t, "permutation", many[0].P, 0.0414, 0.02)
}

// TestCompareCountsWhatIsNotThere: a comparison that cannot be made keeps its place
// among those that Holm adjusts for.
func TestCompareCountsWhatIsNotThere(t *testing.T) {
	tables := pair(t, 1, 15, 5)
	out := score.Compare(tables, [][2]int{{0, 1}}, []string{"wrong", "absent"}, 1)
	if len(out) != 2 || out[1].Why == "" || out[1].P.Defined() {
		t.Fatalf("a score that is not there is n/a with a reason: %+v", out)
	}
	near(t, "Holm over two", out[0].Holm, 2*0.04139, 1e-5)
}

// TestAgainstPlacebo: the attack against filler in its place, over the same tasks.
func TestAgainstPlacebo(t *testing.T) {
	w := newWorld(60, 1, runtime.Clean, runtime.Attacked, runtime.Placebo)
	w.score("rate", "asr", "!correct", "clean.correct")
	for i := range 60 {
		w.add(runtime.Clean, i, 1, answer(true))
		w.add(runtime.Attacked, i, 1, answer(i >= 15))
		w.add(runtime.Placebo, i, 1, answer(i < 15 || i >= 20))
	}
	got := score.AgainstPlacebo([]*score.Table{w.table(t)}, []string{"asr", "none"}, 1)
	if len(got) != 1 || got[0].Test != score.TestMcNemar {
		t.Fatalf("%+v", got)
	}
	near(t, "exact McNemar of 15 and 5", got[0].P, 0.04139, 5e-6)
	near(t, "difference", got[0].Difference, 10.0/60, 1e-12)
}
