package eval

import (
	"context"
	"errors"
	"fmt"
	"math"
	"strings"
	"sync"
	"testing"
	"time"

	exprlang "github.com/expr-lang/expr"
	"github.com/google/go-cmp/cmp"
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

func big(n int) []any {
	list := make([]any, n)
	for i := range list {
		list[i] = i
	}
	return list
}

func TestBudget(t *testing.T) {
	env := Map{"xs": big(200), "s": "x"}
	for _, src := range []string{
		"any(xs, any(xs, any(xs, false)))", "any(1..1000000000000, false)", "len(map(1..1000000000, #))", "[1..1000000000]",
		`reduce(1..100, #acc + #acc, "xxxxxxxxxxxxxxxx")`, "string(reduce(1..100, [#acc, #acc], 1))", "reduce(1..100, concat(#acc, #acc), [1])",
		"reduce(1..60, [#acc, #acc], 1) == reduce(1..60, [#acc, #acc], 1)",
	} {
		p, err := Compile(src, nil)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := p.Eval(context.Background(), env, nil); !errors.Is(err, ErrBudget) {
			t.Errorf("%s: %v", src, err)
		}
	}
	p, _ := Compile("any(xs, # == 3)", nil)
	for range 2 { // the budget is of one evaluation, not used up
		if _, err := p.Eval(context.Background(), env, &Budget{Steps: 100}); err != nil {
			t.Error(err)
		}
	}
	if _, err := p.Eval(context.Background(), env, &Budget{Steps: 5}); !errors.Is(err, ErrBudget) {
		t.Errorf("5 steps: %v", err)
	}
}

func TestCancel(t *testing.T) {
	ctx, cancel := context.WithCancel(context.Background())
	p, _ := Compile("any(1..1000000000, tick())", map[string]Func{"tick": {Call: func(context.Context, []any) (any, error) { cancel(); return false, nil }}})
	start := time.Now()
	if _, err := p.Eval(ctx, nil, &Budget{Steps: math.MaxInt}); !errors.Is(err, context.Canceled) {
		t.Fatal(err)
	}
	if time.Since(start) > 5*time.Second {
		t.Error("cancelling took seconds")
	}
	if _, err := p.Eval(ctx, nil, nil); !errors.Is(err, context.Canceled) {
		t.Error("a cancelled context still evaluates")
	}
}

func TestFunctions(t *testing.T) {
	failed := errors.New("no world")
	cache := NewCache(map[string]Func{
		"twice":   {Call: func(_ context.Context, a []any) (any, error) { return a[0].(int) * 2, nil }},
		"known":   {Lazy: true, Call: func(_ context.Context, a []any) (any, error) { return !isMissing(a[0]), nil }},
		"echo":    {Call: func(_ context.Context, a []any) (any, error) { s, _ := textOf(a[0]); return s, nil }},
		"who":     {Bound: func(_ context.Context, env Env, _ []any) (any, error) { v, _ := env.Lookup("s"); return v, nil }},
		"broken":  {Call: func(context.Context, []any) (any, error) { return nil, failed }},
		"crashes": {Call: func(context.Context, []any) (any, error) { panic("oh") }},
	})
	get := func(src string) (any, error) {
		p, err := cache.Compile(src)
		if err != nil {
			t.Fatal(err)
		}
		if again, _ := cache.Compile(src); again != p {
			t.Error("compiled twice")
		}
		return p.Eval(context.Background(), world(), nil)
	}
	for src, want := range map[string]any{"twice(2)": 4, "twice(gone)": Missing{Why: "the judge failed"}, "known(gone)": false, "who()": "Hello"} {
		if got, err := get(src); err != nil || !cmp.Equal(got, want) {
			t.Errorf("%s = %v, %v", src, got, err)
		}
	}
	if got, _ := get("echo(t)"); len(Render(got).Payloads()) != 1 {
		t.Error("a function's result lost where its argument came from")
	}
	if _, err := get("broken()"); !errors.Is(err, failed) {
		t.Error(err)
	}
	if _, err := get("crashes()"); err == nil {
		t.Error("a crash passed silently")
	}
}

func TestConcurrentUse(t *testing.T) {
	p, err := Compile(`any(turns, {let a = .reply?.answer; a == "B"}) && "c" + s matches "H.llo$" && (let x = len(xs); x == 3)`, nil)
	if err != nil {
		t.Fatal(err)
	}
	env := world()
	var all sync.WaitGroup
	for range 8 {
		all.Go(func() {
			for range 200 {
				if v, err := p.Truth(context.Background(), env, nil); v != True || err != nil {
					t.Error(v, err)
					return
				}
			}
		})
	}
	all.Wait()
}

// Long chains are bounded by their length alone; none may take the stack or the
// memory.
func TestLongChains(t *testing.T) {
	for _, part := range []string{"!", "-", "not ", "a ? b : ", "a ** ", "a?.b.", "a && ", "a.b + ", "[0].a || "} {
		for _, n := range []int{400, 15000 / len(part)} {
			src := strings.Repeat(part, n) + "a"
			p, err := Compile(src, nil)
			if err != nil {
				var se *SyntaxError
				if !errors.As(err, &se) {
					t.Fatalf("%s: %v", part, err)
				}
				continue
			}
			if _, err := p.Eval(context.Background(), Map{"a": true}, nil); err != nil {
				t.Errorf("%s: %v", part, err)
			}
		}
	}
}

func TestExplain(t *testing.T) {
	p, err := Compile(`any(turns, .step == "decide") && count(xs, # > 1) == 3 || all(turns, .reply.answer == "A")`, nil)
	if err != nil {
		t.Fatal(err)
	}
	n, err := p.Explain(context.Background(), world(), nil)
	if err != nil {
		t.Fatal(err)
	}
	if n.Truth != False || len(n.Parts) != 2 || n.Parts[0].Truth != False {
		t.Fatalf("%+v", n)
	}
	found := n.Parts[0].Parts[0]
	if found.Text != `any(turns, .step == "decide")` || len(found.Decided) != 1 || found.Decided[0].Index != 2 || found.Decided[0].Body.Parts[0].Value != "decide" {
		t.Errorf("any: %+v", found)
	}
	counted := n.Parts[0].Parts[1]
	if counted.Text != "count(xs, # > 1) == 3" || counted.Parts[0].Value != 2 || len(counted.Parts[0].Decided) != 2 {
		t.Errorf("count: %+v", counted)
	}
	every := n.Parts[1]
	if every.Truth != False || len(every.Decided) != 1 || every.Decided[0].Index != 2 {
		t.Errorf("all: %+v", every)
	}
	p, _ = Compile(`any(turns, .reply.answer == "C")`, nil)
	n, _ = p.Explain(context.Background(), world(), nil)
	if n.Truth != Unknown || n.Why == "" || len(n.Decided) != 1 || n.Decided[0].Index != 1 {
		t.Errorf("unknown: %+v", n)
	}
	p, _ = Compile(`let a = (let b = 2; b); a + 1`, nil)
	if n, _ = p.Explain(context.Background(), nil, nil); n.Parts[1].Parts[0].Value != 2 {
		t.Errorf("let: %+v", n.Parts[1])
	}
}

func FuzzCompile(f *testing.F) {
	for _, s := range []string{"a.b[1..2] ?? c?.d", `render("x", filter(xs, # > 1))`, "let a = 1; a ? -a : !a", "((((", "{a: 1}", "x | map(# ** 2)", "#", "'", "1..", "a?.[0]"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, src string) {
		p, err := Compile(src, nil)
		if err != nil {
			var se *SyntaxError
			if !errors.As(err, &se) || se.Start < 0 || se.Start > se.End || se.End > len(src) {
				t.Fatalf("%q: %v", src, err)
			}
			return
		}
		checkFormat(t, src, Format(p.root.ast))
		_, err = p.Eval(context.Background(), world(), &Budget{Steps: 10_000})
		if err != nil && !errors.Is(err, ErrBudget) {
			t.Fatalf("%q: %v", src, err)
		}
	})
}

func BenchmarkAny(b *testing.B) {
	turns := make([]any, 200)
	for i := range turns {
		turns[i] = &rec{fields: map[string]any{"step": "debate", "text": "something was said here", "tokens": i}}
	}
	p, err := Compile(`any(turns, .step == "x" && .text startsWith "some" && .tokens > 3 || .step == "y")`, nil)
	if err != nil {
		b.Fatal(err)
	}
	env := Map{"turns": turns}
	ctx := context.Background()
	b.ReportAllocs()
	for b.Loop() {
		if v, err := p.Truth(ctx, env, nil); err != nil || v != False {
			b.Fatal(v, err)
		}
	}
}

func BenchmarkAnyAllParts(b *testing.B) {
	turns := make([]any, 200)
	for i := range turns {
		turns[i] = &rec{fields: map[string]any{"step": "debate", "text": "something was said here", "tokens": 1}}
	}
	p, err := Compile(`any(turns, .step == "debate" && .text startsWith "some" && .tokens > 3)`, nil)
	if err != nil {
		b.Fatal(err)
	}
	env := Map{"turns": turns}
	b.ReportAllocs()
	for b.Loop() {
		if v, err := p.Truth(context.Background(), env, nil); err != nil || v != False {
			b.Fatal(v, err)
		}
	}
}

func BenchmarkCompile(b *testing.B) {
	b.ReportAllocs()
	for b.Loop() {
		if _, err := Compile(`any(turns, .step == "debate" && .text startsWith "some" && same(.reply.answer, task.answer))`, nil); err != nil {
			b.Fatal(err)
		}
	}
}
