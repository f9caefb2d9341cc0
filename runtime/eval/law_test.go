package eval

import (
	"context"
	"fmt"
	"testing"

	exprlang "github.com/expr-lang/expr"
	"pgregory.net/rapid"
)

func draw3(t *rapid.T, name string) any {
	return rapid.SampledFrom([]any{true, false, Missing{Why: "w"}}).Draw(t, name)
}

func TestKleeneLaws(t *testing.T) {
	laws := []struct{ left, right string }{
		{"a && b", "b && a"},
		{"a || b", "b || a"},
		{"a && (b && c)", "(a && b) && c"},
		{"a || (b || c)", "(a || b) || c"},
		{"!(a && b)", "!a || !b"},
		{"!(a || b)", "!a && !b"},
		{"!!a", "a"},
		{"a && (b || c)", "(a && b) || (a && c)"},
		{"a || (b && c)", "(a || b) && (a || c)"},
		{"a && true", "a"},
		{"a || false", "a"},
		{"a && false", "false"},
		{"a || true", "true"},
		{"a and b or not c", "(a && b) || !c"},
		{"any([a, b, c], #)", "a || b || c"},
		{"all([a, b, c], #)", "a && b && c"},
		{"none([a, b, c], #)", "!any([a, b, c], #)"},
		{"any([a, b, c], #)", "any([c, a, b], #)"},
		{"one([a, b, c], #)", "one([b, c, a], #)"},
		{"one([a, b], #)", "(a && !b) || (!a && b)"},
		{"count([a, b, c], #) == 3", "count([c, b, a], #) == 3"},
		{"len(filter([a, b, c], #)) > 1", "count([a, b, c], #) > 1"},
		{"a ? true : false", "a"},
		{"a ? false : true", "!a"},
		{"a == b", "b == a"},
		{"a != b", "!(a == b)"},
	}
	rapid.Check(t, func(t *rapid.T) {
		env := Map{"a": draw3(t, "a"), "b": draw3(t, "b"), "c": draw3(t, "c")}
		law := rapid.SampledFrom(laws).Draw(t, "law")
		p, _ := Compile(law.left, nil)
		q, _ := Compile(law.right, nil)
		x, err := p.Truth(context.Background(), env, nil)
		y, err2 := q.Truth(context.Background(), env, nil)
		if err != nil || err2 != nil {
			t.Fatal(err, err2)
		}
		if x != y {
			t.Fatalf("%s is %v, %s is %v", law.left, x, law.right, y)
		}
	})
}

// Filling in what was missing never turns a settled result over.
func TestMissingIsMonotone(t *testing.T) {
	sources := []string{
		"a && b || c", "any([a, b, c], # == true)", "a ? b : c", "one([a, b, c], #)", "a == b && !c", "none([a, b], #) || c", "all([a, b, c], #)",
		"len(filter([a, b, c], #)) == 2", "true in [a, b, c]", "[a, b] == [b, c]", "find([a, b, c], #) == true",
	}
	rapid.Check(t, func(t *rapid.T) {
		env, full := Map{}, Map{}
		for _, k := range []string{"a", "b", "c"} {
			env[k] = draw3(t, k)
			full[k] = env[k]
			if isMissing(env[k]) {
				full[k] = rapid.Bool().Draw(t, k+" filled")
			}
		}
		src := rapid.SampledFrom(sources).Draw(t, "src")
		p, _ := Compile(src, nil)
		before, _ := p.Truth(context.Background(), env, nil)
		after, _ := p.Truth(context.Background(), full, nil)
		if before != Unknown && before != after {
			t.Fatalf("%s: %v became %v", src, before, after)
		}
	})
}

// generated expressions that always have a value, by kind.
type gen struct{ t *rapid.T }

func (g gen) pick(n int) int { return rapid.IntRange(0, n-1).Draw(g.t, "pick") }

func (g gen) num(d int) string {
	if d <= 0 {
		return []string{"1", "2", "0", "3.5", "i", "f", "-1", "7"}[g.pick(8)]
	}
	switch g.pick(9) {
	case 0:
		return fmt.Sprintf("(%s %s %s)", g.num(d-1), []string{"+", "-", "*"}[g.pick(3)], g.num(d-1))
	case 1:
		return fmt.Sprintf("%s / 4", g.num(0))
	case 2:
		return fmt.Sprintf("len(%s)", g.list(d-1))
	case 3:
		return fmt.Sprintf("count(%s, # > %s)", g.list(d-1), g.num(0))
	case 4:
		return fmt.Sprintf("sum(%s, # * %s)", g.list(d-1), g.num(0))
	case 5:
		return fmt.Sprintf("(%s ? %s : %s)", g.cond(d-1), g.num(d-1), g.num(d-1))
	case 6:
		return fmt.Sprintf("abs(%s)", g.num(d-1))
	case 7:
		return fmt.Sprintf("reduce(%s, #acc + #, %s)", g.list(d-1), g.num(d-1))
	}
	return fmt.Sprintf("max(%s, %s)", g.num(d-1), g.num(d-1))
}

func (g gen) list(d int) string {
	if d <= 0 {
		return []string{"xs", "[1, 2.5]", "1..3", "ys"}[g.pick(4)]
	}
	switch g.pick(5) {
	case 0:
		return fmt.Sprintf("filter(%s, # != %s)", g.list(d-1), g.num(0))
	case 1:
		return fmt.Sprintf("map(%s, # + %s)", g.list(d-1), g.num(0))
	case 2:
		return fmt.Sprintf("reverse(%s)", g.list(d-1))
	case 3:
		return fmt.Sprintf("concat(%s, [%s])", g.list(d-1), g.num(d-1))
	}
	return fmt.Sprintf("[%s, %s]", g.num(d-1), g.num(0))
}

func (g gen) text(d int) string {
	if d <= 0 {
		return []string{`"a"`, `"Beta"`, "s", `""`}[g.pick(4)]
	}
	switch g.pick(4) {
	case 0:
		return fmt.Sprintf("(%s + %s)", g.text(d-1), g.text(d-1))
	case 1:
		return fmt.Sprintf("upper(%s)", g.text(d-1))
	case 2:
		return fmt.Sprintf("replace(%s, %s, %s)", g.text(d-1), `"a"`, g.text(0))
	}
	return fmt.Sprintf("{k: %s}.k", g.text(d-1))
}

func (g gen) cond(d int) string {
	if d <= 0 {
		return []string{"true", "false", "i > 2", `s == "x"`}[g.pick(4)]
	}
	switch g.pick(8) {
	case 0:
		return fmt.Sprintf("(%s %s %s)", g.cond(d-1), []string{"&&", "||", "and", "or"}[g.pick(4)], g.cond(d-1))
	case 1:
		return fmt.Sprintf("!(%s)", g.cond(d-1))
	case 2:
		return fmt.Sprintf("%s %s %s", g.num(d-1), []string{"<", "<=", ">", ">=", "==", "!="}[g.pick(6)], g.num(d-1))
	case 3:
		return fmt.Sprintf("%s %s %s", g.text(d-1), []string{"contains", "startsWith", "endsWith", "==", "<", "not contains"}[g.pick(6)], g.text(d-1))
	case 4:
		return fmt.Sprintf("%s(%s, # > %s)", []string{"any", "all", "none", "one"}[g.pick(4)], g.list(d-1), g.num(0))
	case 5:
		return fmt.Sprintf("%s in %s", g.num(0), g.list(d-1))
	case 6:
		return fmt.Sprintf("%s == %s", g.list(d-1), g.list(d-1))
	}
	return fmt.Sprintf("(let q = %s; q > 1)", g.num(d-1))
}

// On expressions that nothing is missing from, expr's own machine and ours agree.
func TestAgreesWithExpr(t *testing.T) {
	env := map[string]any{"i": 3, "f": 2.5, "s": "beta", "xs": []any{1, 2, 3}, "ys": []any{}}
	rapid.Check(t, func(t *rapid.T) {
		g := gen{t}
		src := []func(int) string{g.num, g.list, g.text, g.cond}[g.pick(4)](rapid.IntRange(0, 4).Draw(t, "depth"))
		theirs, err := exprlang.Compile(src)
		if err != nil {
			t.Skip(err)
		}
		want, err := exprlang.Run(theirs, env)
		if err != nil {
			t.Skip(err)
		}
		p, err := Compile(src, nil)
		if err != nil {
			t.Fatalf("%s: %v", src, err)
		}
		got, err := p.Eval(context.Background(), Map(env), nil)
		if err != nil {
			t.Fatalf("%s: %v", src, err)
		}
		if Equal(got, want) != True && !(want == nil && got == nil) {
			t.Fatalf("%s = %v, expr says %v", src, got, want)
		}
		tree, _ := Parse(src)
		checkFormat(t, src, Format(tree))
	})
}

// The canonical form parses to the tree it was written from.
func checkFormat(t interface{ Fatalf(string, ...any) }, src, form string) {
	a, err := Parse(src)
	if err != nil {
		return
	}
	b, err := Parse(form)
	if err != nil {
		t.Fatalf("%s: its form %s: %v", src, form, err)
		return
	}
	if !SameTree(a, b) {
		t.Fatalf("%s: its form %s is another tree", src, form)
	}
	if again := Format(b); again != form {
		t.Fatalf("%s: formats to %s, then to %s", src, form, again)
	}
}

func TestFormat(t *testing.T) {
	for src, want := range map[string]string{
		"a&&b&&c": "a && b && c", "a&&(b&&c)": "a && (b && c)", "a<b<c": "(a < b) && (b < c)", "-2**2": "-(2 ** 2)", "(-2)**2": "(-2) ** 2",
		"a?.b.c": "a?.b.c", "(a?.b).c": "a?.b.c", `(a?.b)["c"]`: `a?.b["c"]`, "a?.[0].c": "a?.[0].c", "a?.b[0]": "a?.b[0]", "filter(x, .y == 1)": "filter(x, .y == 1)",
		"filter(x, {let e = #; e > 1})": "filter(x, {let e = #; e > 1})", "map(x, { {a: 1} })": "map(x, {{a: 1}})", "a not in b": "not (a in b)", "not a": "not a", "!a": "!a",
		"a ? b : c ? d : e": "a ? b : (c ? d : e)", "1..2": "1 .. 2", `"a\nb\"é\u0007"`: `"a\nb\"é\u0007"`, "2.0": "2.0", "{a: 1, \"b c\": 2, (d): 3}": `{a: 1, "b c": 2, (d): 3}`,
		"(let a = 1; a) + 1": "(let a = 1; a) + 1", "a.not": "a.not", `a["b c"]`: `a["b c"]`, "x | filter(# > 1) | len()": "len(filter(x, # > 1))", "a ?: b": "a ? a : b",
		"(a ?? b) ?? c": "(a ?? b) ?? c", "map(x, #.y .. #.z)": "map(x, (.y) .. (.z))", "a[1:]": "a[1:]", "a[:]": "a[:]", `{"not": 1}`: `{"not": 1}`,
	} {
		tree, err := Parse(src)
		if err != nil {
			t.Errorf("%s: %v", src, err)
			continue
		}
		if got := Format(tree); got != want {
			t.Errorf("%s formats to %s, want %s", src, got, want)
		}
		checkFormat(t, src, Format(tree))
	}
}

func TestQuoteRoundTrip(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		s := rapid.String().Draw(t, "s")
		p, err := Compile(Quote(s), nil)
		if err != nil {
			t.Fatal(err)
		}
		if v, _ := p.Eval(context.Background(), nil, nil); v != s {
			t.Fatalf("%q became %q", s, v)
		}
	})
}
