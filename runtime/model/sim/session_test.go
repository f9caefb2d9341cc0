package sim

import "testing"

// An agent that remembers earlier tasks of its session answers the newest one,
// however short.
func TestTheNewestTaskOfASession(t *testing.T) {
	s := newSim(t, map[string]float64{"knows": 1})
	for _, c := range []struct{ first, second, want string }{{hard, easy, "Rembrandt"}, {easy, hard, "Volga"}} {
		got := ask(t, s, 1, debateForm, nil,
			msg("user", "", c.first), msg("assistant", "", `{"answer":"x"}`), msg("user", "", "Now: "+c.second))
		if answer := answered(t, got); answer != c.want {
			t.Errorf("asked %q after %q it answered %s", c.second, c.first, answer)
		}
	}
}
