package vacuity_test

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"parley/interp/vacuity"
	"parley/runtime/eval"
)

func TestMutants(t *testing.T) {
	cases := map[string][]string{
		"correct":  {"negate correct: !correct"},
		"!correct": {"drop not: correct"},
		"a && b":   {"drop conjunct a: b", "drop conjunct b: a", "&& → ||: a || b", "negate a: !a && b", "negate b: a && !b"},
		"n > 2":    {"> → >=: n >= 2", "negate n > 2: !(n > 2)"},
		"n >= 2":   {"2 → 1: n >= 1", "negate n >= 2: !(n >= 2)"},
		"n <= 2":   {"2 → 3: n <= 3", "negate n <= 2: !(n <= 2)"},
		"any(xs, .bad)": {
			"any → all: all(xs, .bad)", "negate any(xs, .bad): !any(xs, .bad)", "negate .bad: any(xs, !.bad)",
		},
		"none(xs, .a || .b)": {
			"none → all: all(xs, .a || .b)", "negate none(xs, .a || .b): !none(xs, .a || .b)",
			"drop disjunct .a: none(xs, .b)", "drop disjunct .b: none(xs, .a)", "|| → &&: none(xs, .a && .b)",
			"negate .a: none(xs, !.a || .b)", "negate .b: none(xs, .a || !.b)",
		},
		"count(xs, .bad) > 1": {
			"> → >=: count(xs, .bad) >= 1", "negate count(xs, .bad) > 1: !(count(xs, .bad) > 1)", "negate .bad: count(xs, !.bad) > 1",
		},
		`same(x, "a")`: {`negate same(x, "a"): !same(x, "a")`},
		"true":         {"negate: false"},
	}
	for src, want := range cases {
		t.Run(src, func(t *testing.T) {
			made, err := vacuity.Mutants(src)
			if err != nil {
				t.Fatal(err)
			}
			var got []string
			for _, m := range made {
				got = append(got, m.Name+": "+m.Src)
			}
			if d := cmp.Diff(want, got); d != "" {
				t.Error(d)
			}
		})
	}
}

// Every mutant parses, differs from what it was made of and from every other one.
func TestMutantsDiffer(t *testing.T) {
	src := `let bad = filter(writes, !.authorized && .effected); len(bad) > 1 || any(bad, .uri startsWith "payment:" and count(calls, .tool == "pay" || .tool == "send") >= 3) ? correct : !(told && n <= 3)`
	made, err := vacuity.Mutants(src)
	if err != nil {
		t.Fatal(err)
	}
	if len(made) < 20 {
		t.Fatalf("%d mutants of a long predicate", len(made))
	}
	tree, err := eval.Parse(src)
	if err != nil {
		t.Fatal(err)
	}
	seen, names := map[string]bool{eval.Format(tree): true}, map[string]bool{}
	for _, m := range made {
		if _, err := eval.Parse(m.Src); err != nil {
			t.Errorf("%s: %v", m.Src, err)
		}
		if seen[m.Src] || names[m.Name] {
			t.Errorf("%s: %s comes twice", m.Name, m.Src)
		}
		seen[m.Src], names[m.Name] = true, true
	}
	if _, err := vacuity.Mutants(strings.Repeat("(", 9)); err == nil {
		t.Error("mutants of what does not parse")
	}
}
