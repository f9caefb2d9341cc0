package eval

import (
	"context"
	"errors"
	"math"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

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
