package sim

import "parley/runtime/eval"

// tally counts equal answers, in order of appearance.
type tally []count

type count struct {
	answer string
	n      int
}

func (t *tally) add(answer string) {
	for i := range *t {
		if sameAnswer((*t)[i].answer, answer) {
			(*t)[i].n++
			return
		}
	}
	*t = append(*t, count{answer, 1})
}

// plurality is the most frequent answer but one that is left out; of equally
// frequent ones the earliest.
func (t tally) plurality(without string, leaveOut bool) (best string, n int) {
	for _, c := range t {
		if c.n > n && !(leaveOut && sameAnswer(c.answer, without)) {
			best, n = c.answer, c.n
		}
	}
	return best, n
}

// sameAnswer compares as `same` does, and identical texts at once.
func sameAnswer(a, b string) bool {
	return a == b || eval.Same(a, b) == eval.True
}

// answer is what the agent says now, orders apart. Who has answered before keeps
// that answer, unless more voices stand against it than for it, its own
// included, and it gives in: then it takes the most frequent of the others. Who
// has not takes the most frequent answer heard; who has heard none says what it
// believes. The result is nil where there is nothing to say.
func (s *Sim) answer(v *view) any {
	if !v.spoke {
		if best, n := v.voice.plurality("", false); n > 0 {
			return best
		}
		return s.belief(v)
	}
	with, against := 1, 0
	for _, c := range v.voice {
		if sameAnswer(c.answer, v.own) {
			with += c.n
		} else {
			against += c.n
		}
	}
	if against > with && event(v.req, "conforms") < s.params.Conforms {
		best, _ := v.voice.plurality(v.own, true)
		return best
	}
	return v.own
}
