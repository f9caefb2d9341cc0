package score_test

import (
	"fmt"
	"testing"

	"parley/runtime"
)

// TestValuesThatShareTheirParts: each part is followed and worked out once, however
// many ways lead to it; a table of thirty doublings would not end otherwise.
func TestValuesThatShareTheirParts(t *testing.T) {
	w := newWorld(12, 1, runtime.Clean)
	w.score("rate", "v0", "correct", "")
	for i := 1; i <= 30; i++ {
		w.score("value", fmt.Sprintf("v%d", i), fmt.Sprintf("(v%d + v%d) / 2", i-1, i-1), "")
	}
	for i := range 12 {
		w.add(runtime.Clean, i, 1, answer(i < 3))
	}
	if got := only(t, w.table(t), "v30").Value; got != 0.25 {
		t.Errorf("v30 is %v, want 0.25", got)
	}
}
