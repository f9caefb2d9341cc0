package typing

import (
	"context"
	"fmt"
	"testing"

	"pgregory.net/rapid"

	"parley/runtime/eval"
)

func TestCanonical(t *testing.T) {
	subst := map[string]any{
		"n": 5, "f": 3, "mode": "colluding", "x": -2, "list": []any{"a", "b"}, "none": nil, "half": 0.5, "rec": map[string]any{"b": 1, "a": "z"}, "on": true,
	}
	for src, want := range map[string]string{
		"debater[1..f]": "debater[1 .. 3]", `mode == "colluding" && step == "x"`: `step == "x"`, `mode == "other" && step == "x"`: "false", `mode == "other" || a > 1`: "a > 1", `mode == "other" || a`: "false || a", "on ? nil : a": "true ? nil : a",
		"a and  b or not c": "(a && b) || !c", "((a))": "a", "list[0]": `"a"`, "rec.a": `"z"`, "rec": `{a: "z", b: 1}`, "x + 1": "-1", "a - x": "a - (-2)",
		`render("You are ", self.index, " of ", n, ".")`: `render("You are ", self.index, " of 5.")`, `render("n is ", n)`: `"n is 5"`, `render("a", render("b", q), "c")`: `render("ab", q, "c")`,
		"on ? a : b": "a", "none ?? a": "none" + "", "(let n = a; n)": "let n = a; n", "half * 2": "1.0", "upper(mode)": `"COLLUDING"`,
		"filter(xs, # > n)": "filter(xs, # > 5)", "1 / 0": "1 / 0", "task.list": "task.list", "len(list)": "2", "first([])": "first([])", "uri(\"a:\", mode)": `uri("a:", "colluding")`,
		"rec?.a": `"z"`, "a ^ 2": "a ** 2", "render()": `""`, "list | len()": "2", "!on": "false",
	} {
		if src == "none ?? a" {
			want = "nil ?? a"
		}
		got, err := Canonical(src, subst)
		if err != nil || got != want {
			t.Errorf("%s: %q, %v; want %q", src, got, err, want)
		}
	}
	if _, err := Canonical("a", map[string]any{"a": struct{}{}}); err == nil {
		t.Error("a value of no kind was written")
	}
}

// What is canonical means the same, and is its own canonical form.
func TestCanonicalKeepsMeaning(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		pick := func(of ...string) string { return rapid.SampledFrom(of).Draw(t, "part") }
		var gen func(d int) string
		gen = func(d int) string {
			if d == 0 {
				return pick("p", "q", "a", "b", "1", "2.5", `"s"`, "true", "nil", "xs", `"q ${b}"`)
			}
			switch rapid.IntRange(0, 9).Draw(t, "form") {
			case 0:
				return fmt.Sprintf("(%s %s %s)", gen(d-1), pick("+", "-", "*", "/", "%", "**"), gen(d-1))
			case 1:
				return fmt.Sprintf("(%s %s %s)", gen(d-1), pick("==", "!=", "<", ">="), gen(d-1))
			case 2:
				return fmt.Sprintf("(%s %s %s)", gen(d-1), pick("&&", "||", "and", "or", "??"), gen(d-1))
			case 3:
				return fmt.Sprintf("(%s ? %s : %s)", gen(d-1), gen(d-1), gen(d-1))
			case 4:
				return fmt.Sprintf("render(%s, \"t\", %s)", gen(d-1), gen(d-1))
			case 5:
				return fmt.Sprintf("[%s, %s][%s]", gen(d-1), gen(d-1), gen(d-1))
			case 6:
				return fmt.Sprintf("any([%s, a], # == %s)", gen(d-1), gen(d-1))
			case 7:
				return fmt.Sprintf("(let l = %s; l == p)", gen(d-1))
			case 8:
				return fmt.Sprintf("{k: %s}?.k", gen(d-1))
			}
			return fmt.Sprintf("!(%s)", gen(d-1))
		}
		src := gen(rapid.IntRange(0, 4).Draw(t, "depth"))
		values := []any{nil, true, false, 0, 3, -1, 2.5, "s", []any{1, "x"}, map[string]any{"k": 1}}
		// a parameter that is nil becomes the word nil, and x == nil also asks whether x is there
		subst := map[string]any{"p": rapid.SampledFrom(values[1:]).Draw(t, "p"), "q": rapid.SampledFrom(values[1:]).Draw(t, "q")}
		free := eval.Map{"a": rapid.SampledFrom(append(values, eval.Missing{Why: "w"})).Draw(t, "a"), "b": rapid.SampledFrom(values).Draw(t, "b"), "xs": []any{1, 2}}
		all := eval.Map{"p": subst["p"], "q": subst["q"]}
		for n, v := range free {
			all[n] = v
		}
		form, err := Canonical(src, subst)
		if err != nil {
			t.Skip(err)
		}
		again, err := Canonical(form, nil)
		if err != nil || again != form {
			t.Fatalf("%s: %s, then %s, %v", src, form, again, err)
		}
		before, after := value(t, src, all), value(t, form, free)
		if eval.TruthOf(before) != eval.TruthOf(after) {
			t.Fatalf("%s is %v, its form %s is %v", src, before, form, after)
		}
		_, m := before.(eval.Missing)
		_, m2 := after.(eval.Missing)
		if m != m2 || eval.Equal(before, after) == eval.False {
			t.Fatalf("%s is %v, its form %s is %v", src, before, form, after)
		}
	})
}

func value(t interface{ Fatalf(string, ...any) }, src string, env eval.Map) any {
	p, err := eval.Compile(src, nil)
	if err != nil {
		t.Fatalf("%s: %v", src, err)
		return nil
	}
	v, err := p.Eval(context.Background(), env, nil)
	if err != nil {
		t.Fatalf("%s: %v", src, err)
	}
	return v
}
