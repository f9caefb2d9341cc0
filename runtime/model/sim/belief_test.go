package sim

import (
	"context"
	"fmt"
	"strings"
	"testing"

	"parley/runtime/model"
)

func TestKnows(t *testing.T) {
	s := newSim(t, map[string]float64{"knows": 0.5, "knows.easy": 0.9, "knows.hard": 0.4})
	for _, c := range []struct {
		prompt, answer string
		k              float64
	}{{easy, "Rembrandt", 0.9}, {hard, "Volga", 0.4}} {
		got := frequency(many, func(i int) bool {
			return answered(t, ask(t, s, i, debateForm, nil, msg("user", "", c.prompt+"\nAnswer it."))) == c.answer
		})
		near(t, c.prompt, got, c.k, many)
	}
}

// What an agent knows does not change from call to call.
func TestKnowsIsATrait(t *testing.T) {
	s := newSim(t, map[string]float64{"knows": 0.5})
	for i := range 200 {
		req := request(i, debateForm, nil, msg("user", "", easy))
		first, _ := s.Complete(context.Background(), req)
		req.Seed++
		second, _ := s.Complete(context.Background(), req)
		if answered(t, first) != answered(t, second) {
			t.Fatalf("agent %d changed its mind", i)
		}
	}
}

func TestWrongAnswers(t *testing.T) {
	say := func(s *Sim, i int) string { return answered(t, ask(t, s, i, debateForm, nil, msg("user", "", easy))) }
	first := newSim(t, map[string]float64{"knows": 0})
	near(t, "the first by default", frequency(many, func(i int) bool { return say(first, i) == "Frans Hals" }), 1, many)
	split := newSim(t, map[string]float64{"knows": 0, "wrong.first": 0.25, "wrong.second": 0.75})
	near(t, "second by weight", frequency(many, func(i int) bool { return say(split, i) == "Jan Steen" }), 0.75, many)
	for in, want := range map[any]any{true: false, 3: 4, 2.5: 3.5, "Yes": "no", "false": "true", "41": "42", "Paris": "something else"} {
		if got := opposite(in); got != want {
			t.Errorf("the opposite of %v is %v, want %v", in, got, want)
		}
	}
}

func heardFrom(name, answer string) string {
	return "[" + name + "]\n" + `{"answer":"` + answer + `","reason":"so","evidence":""}`
}

func TestConforms(t *testing.T) {
	s := newSim(t, map[string]float64{"knows": 1, "conforms": 0.3})
	mine := msg("assistant", "", `{"answer":"Rembrandt","reason":"","evidence":""}`)
	tests := []struct {
		name   string
		voices []string
		p      float64 // of switching
		to     string
	}{
		{"alone", nil, 0, ""},
		{"one against one", []string{"Jan Steen"}, 0, ""},
		{"two against one", []string{"Jan Steen", "jan steen."}, 0.3, "Jan Steen"},
		{"split majority", []string{"Jan Steen", "Frans Hals", "Frans Hals"}, 0.3, "Frans Hals"},
		{"tie in a split majority goes to the earlier", []string{"Jan Steen", "Frans Hals"}, 0.3, "Jan Steen"},
		{"two against two", []string{"Jan Steen", "Jan Steen", "rembrandt"}, 0, ""},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			var parts []string
			for k, v := range test.voices {
				parts = append(parts, heardFrom(fmt.Sprintf("debater[%d]", k+2), v))
			}
			heard := msg("user", "", strings.Join(parts, "\n\n")+"\nKeep or revise.")
			got := frequency(many, func(i int) bool {
				answer := answered(t, ask(t, s, i, debateForm, nil, msg("user", "", easy), mine, heard))
				if answer != "Rembrandt" && answer != test.to {
					t.Fatalf("switched to %q", answer)
				}
				return answer != "Rembrandt"
			})
			near(t, "switches", got, test.p, many)
		})
	}
}

func TestDeciderTakesThePlurality(t *testing.T) {
	s := newSim(t, map[string]float64{"knows": 0})
	tests := []struct {
		name     string
		messages []model.Message
		want     string
	}{
		{"most voices", []model.Message{msg("user", "", easy+"\n"+heardFrom("a[1]", "X")+"\n\n"+heardFrom("a[2]", "Y")+"\n\n"+heardFrom("a[3]", "y")+"\nDecide.")}, "Y"},
		{"tie to the earliest", []model.Message{msg("user", "", easy+"\n"+heardFrom("a[1]", "X")+"\n\n"+heardFrom("a[2]", "Y"))}, "X"},
		{"named messages", []model.Message{msg("user", "a_1", `{"answer": "X"}`), msg("user", "a_2", `{"answer": 3}`), msg("user", "a_3", "I say so.\nAnswer: 3"), msg("user", "", easy)}, "3"},
		{"one voice a sender, the newest", []model.Message{msg("user", "", easy), msg("user", "a_1", `{"answer": "X"}`), msg("user", "b", `{"answer": "Z"}`), msg("user", "", heardFrom("a[1]", "Y")+"\n\n"+heardFrom("c", "Y"))}, "Y"},
		{"no voice, own belief", []model.Message{msg("user", "", easy), msg("user", "", "[orchestrator]\n"+easy)}, "Frans Hals"},
		{"the task's sender is no voice", []model.Message{msg("user", "user", easy+"\nAnswer: X")}, "Frans Hals"},
		{"null is no voice", []model.Message{msg("user", "", easy), msg("user", "a", `{"answer": null}`)}, "Frans Hals"},
		{"escapes", []model.Message{msg("user", "", easy), msg("user", "a", `{"reason": "{\"answer\": \"no\"}", "answer": "a \"b\""}`)}, `a "b"`},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			var got struct{ answer string }
			v, err := record("answer").Read(ask(t, s, 1, record("answer"), nil, test.messages...).Content)
			if err != nil {
				t.Fatal(err)
			}
			got.answer, _ = v.(map[string]any)["answer"].(string)
			if got.answer != test.want {
				t.Errorf("answers %q, want %q", got.answer, test.want)
			}
		})
	}
}
