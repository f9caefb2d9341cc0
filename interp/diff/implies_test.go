package diff_test

import (
	"context"
	"fmt"
	"testing"

	"pgregory.net/rapid"

	"parley/interp/diff"
	"parley/runtime/eval"
)

func TestConditions(t *testing.T) {
	cases := []struct {
		before, after string
		want          diff.Direction
	}{
		{"a && b", "a && b", diff.Same},
		{"b && a", "a && b", diff.Same},
		{"!(a || b)", "!a && !b", diff.Same},
		{"none(xs, .bad)", "all(xs, !.bad)", diff.Same},
		{"any(filter(xs, .bad), .big)", "any(xs, .bad && .big)", diff.Same},
		{"a && b", "a", diff.Wider},
		{"a", "a || b", diff.Wider},
		{"!a", "!(a && b)", diff.Wider},
		{"n > 3", "n > 5", diff.Narrower},
		{"n >= 3", "n > 3", diff.Narrower},
		{"n == 3", "n >= 3", diff.Wider},
		{"3 < n", "n > 2", diff.Wider},
		{"!(n > 3)", "n <= 2", diff.Narrower},
		{`x in ["a", "b"]`, `x in ["a", "b", "c"]`, diff.Wider},
		{`x not in ["a"]`, `x not in ["a", "b"]`, diff.Narrower},
		{`x == "a"`, `x in ["b", "a"]`, diff.Wider},
		{`x == "a"`, `x != "b"`, diff.Wider},
		{"any(writes, !.authorized)", "any(writes, !.authorized && .effected)", diff.Narrower},
		{"all(xs, .ok)", "all(xs, .ok && .fast)", diff.Narrower},
		{"none(xs, .bad)", "none(xs, .bad && .big)", diff.Wider},
		{"count(xs, .bad) >= 2", "count(xs, .bad) >= 1", diff.Wider},
		{"count(xs, .bad) >= 2", "count(xs, .bad && .big) >= 2", diff.Narrower},
		{"count(xs, .bad) < 2", "count(xs, .bad && .big) < 2", diff.Wider},
		{"len(filter(xs, .bad)) > 0", "count(xs, .bad) > 0", diff.Same},
		{"any(xs, .bad)", "all(xs, .bad)", diff.Unclear},
		{"a", "b", diff.Unclear},
		{`same(x, "a")`, `same(x, "b")`, diff.Unclear},
		{"a ? b : c", "a ? b : d", diff.Unclear},
		{"true", "a", diff.Narrower},
		{"false", "a", diff.Wider},
	}
	for _, c := range cases {
		t.Run(c.before+" → "+c.after, func(t *testing.T) {
			if got := diff.Conditions(c.before, c.after); got != c.want {
				t.Errorf("got %d, want %d", got, c.want)
			}
			if got := diff.Conditions(c.after, c.before); got != turned(c.want) {
				t.Errorf("exchanged: got %d, want %d", got, turned(c.want))
			}
		})
	}
}

// What is called wider holds wherever the other one did, tried out on values.
func TestDirectionsAreTrue(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		a, b := condition(t, 3), condition(t, 3)
		if rapid.Bool().Draw(t, "related") {
			op := rapid.SampledFrom([]string{" && ", " || "}).Draw(t, "op")
			b = "(" + a + ")" + op + "(" + b + ")"
		}
		d := diff.Conditions(a, b)
		if d == diff.Unclear {
			return
		}
		for x := -1; x <= 4; x++ {
			for bits := range 8 {
				env := map[string]any{"n": x, "p": bits&1 > 0, "xs": []any{
					map[string]any{"k": x, "q": bits&2 > 0}, map[string]any{"k": 2 - x, "q": bits&4 > 0},
				}}
				before, after := truth(t, a, env), truth(t, b, env)
				wrong := d == diff.Wider && before && !after || d == diff.Narrower && after && !before || d == diff.Same && before != after
				if wrong {
					t.Fatalf("%s → %s is called %d, and is %t → %t on %v", a, b, d, before, after, env)
				}
			}
		}
	})
}

func condition(t *rapid.T, depth int) string {
	if depth == 0 || rapid.IntRange(0, 3).Draw(t, "leaf") == 0 {
		op := rapid.SampledFrom([]string{"<", ">", "<=", ">=", "==", "!="}).Draw(t, "op")
		return rapid.SampledFrom([]string{"p", fmt.Sprintf("n %s %d", op, rapid.IntRange(0, 3).Draw(t, "c")), "n in [1, 2]", "n not in [1]", "true"}).Draw(t, "atom")
	}
	element := rapid.SampledFrom([]string{".q", ".k > 1", ".k > 0 && .q", ".k == 2", "!.q"}).Draw(t, "element")
	list := rapid.SampledFrom([]string{"xs", "filter(xs, .q)", "filter(xs, .k > 1)"}).Draw(t, "list")
	switch rapid.IntRange(0, 5).Draw(t, "kind") {
	case 0:
		return "(" + condition(t, depth-1) + ") && (" + condition(t, depth-1) + ")"
	case 1:
		return "(" + condition(t, depth-1) + ") || (" + condition(t, depth-1) + ")"
	case 2:
		return "!(" + condition(t, depth-1) + ")"
	case 3:
		return fmt.Sprintf("count(%s, %s) %s %d", list, element, rapid.SampledFrom([]string{"<", ">", "<=", ">=", "=="}).Draw(t, "op"), rapid.IntRange(0, 2).Draw(t, "c"))
	}
	return fmt.Sprintf("%s(%s, %s)", rapid.SampledFrom([]string{"any", "all", "none"}).Draw(t, "quantifier"), list, element)
}

func truth(t *rapid.T, src string, env map[string]any) bool {
	p, err := eval.Compile(src, nil)
	if err != nil {
		t.Fatalf("%s: %v", src, err)
	}
	v, err := p.Truth(context.Background(), eval.Map(env), nil)
	if err != nil {
		t.Fatalf("%s: %v", src, err)
	}
	return v == eval.True
}

// turned is the direction with the two sides exchanged.
func turned(d diff.Direction) diff.Direction {
	switch d {
	case diff.Wider:
		return diff.Narrower
	case diff.Narrower:
		return diff.Wider
	}
	return d
}
