package region_test

import (
	"strings"
	"testing"

	exprast "github.com/expr-lang/expr/ast"
	"github.com/expr-lang/expr/parser"
	"pgregory.net/rapid"

	"parley/lang/region"
)

func cook(text string) string {
	tokens := scan(text)
	e, _ := region.Expr(text, tokens[:len(tokens)-1])
	return e.Cooked
}

func TestCook(t *testing.T) {
	for _, c := range []struct{ text, want string }{
		{`a+b`, `a + b`},
		{"a\n // comment\n +  b", `a + b`},
		{`! a . b ( 1 ,2 ) [ 3 ]`, `!a.b(1, 2)[3]`},
		{`-1 - - 1`, `-1 - -1`},
		{`x ? .a : #.b`, `x ? .a : #.b`},
		{`not(a) in [1..2]`, `not (a) in [1 .. 2]`},
		{`any(xs, .not.in)`, `any(xs, .not.in)`},
		{`30s + 500ms + 1.5h`, `30 + 0.5 + 5400`},
		{`"plain"`, `"plain"`},
		{`"é\t\"☺\u{1F600}"`, `"\u00E9\t\"\u263A\U0001F600"`},
		{`"a ${b} c"`, `render("a ", (b), " c")`},
		{`"${b}"`, `render((b))`},
		{`"$${b} $x $"`, `"${b} $x $"`},
		{`"a ${ x == "y" ? "b ${c}" : d } e"`, `render("a ", (x == "y" ? render("b ", (c)) : d), " e")`},
		{"\"\"\"\n    one\n      two ${x}\n\n    three\n  \"\"\"", `render("one\n  two ", (x), "\n\nthree")`},
		{"\"\"\"one\n  two\"\"\"", `"one\ntwo"`},
		{"\"\"\"\n\tone\n\t\ttwo\n\"\"\"", `"one\n\ttwo"`},
		{"\"\"\"\n\\tone \"\"quoted\"\" $${x}\n\"\"\"", `"\tone \"\"quoted\"\" ${x}"`},
		{"\"\"\"\r\n  one\r\n  two\r\n  \"\"\"", `"one\ntwo"`},
		{"\"\"\"\n\"\"\"", `""`},
		{"\"\"\"\"\"\"", `""`},
		{"\"\"\"\n  ${a}\n  ${b}\n\"\"\"", `render((a), "\n", (b))`},
		{`{ a: "x", "b": [1, 2] }`, `{a : "x", "b" : [1, 2]}`},
		{`map(xs, { a: #, b: { c: 1 } })`, `map(xs, ({a : #, b : {c : 1}}))`},
		{`xs | map({ a: 1 }) | f({ b: 2 })`, `xs | map(({a : 1})) | f({b : 2})`},
		{`f(a, [1, 2,], { b: 1, },)`, `f(a, [1, 2], {b : 1})`},
		{`b "x"`, `b "x"`}, // not expr's byte string b"x"
	} {
		if got := cook(c.text); got != c.want {
			t.Errorf("%s\n\tcooks to %s\n\twant     %s", c.text, got, c.want)
		}
	}
}

// Where a token was taken over as it is, its place in the cooked text leads
// back to the same characters of the file.
func TestPosMap(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		text := generator{t}.expr(3)
		tokens := scan(text)
		e, _ := region.Expr(text, tokens[:len(tokens)-1])
		if _, err := parser.Parse("any(list, (" + e.Cooked + "))"); err != nil {
			t.Fatalf("%q cooks to %q: %v", text, e.Cooked, err)
		}
		for i, p := range e.Map {
			end := len(e.Cooked)
			if i+1 < len(e.Map) {
				end = e.Map[i+1].Cooked
			}
			piece := strings.TrimRight(e.Cooked[p.Cooked:end], " ")
			span := e.Map.Span(p.Cooked, p.Cooked+len(piece))
			if p.Exact && text[span.Start:span.End] != piece {
				t.Fatalf("%q: %q leads to %q", text, piece, text[span.Start:span.End])
			}
			if span.Start < 0 || span.End > len(text) {
				t.Fatalf("%q: %q leads outside", text, piece)
			}
		}
	})
}

// Any text that can be written can be cooked and is what expr then reads.
func TestQuote(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		want := rapid.String().Draw(t, "text")
		quoted := region.Quote(want)
		for _, r := range quoted {
			if r > 0x7e || r < 0x20 {
				t.Fatalf("%q is not printable ASCII", quoted)
			}
		}
		tree, err := parser.Parse(quoted)
		if err != nil {
			t.Fatal(err)
		}
		if got := tree.Node.(*exprast.StringNode).Value; got != want {
			t.Fatalf("%q came out as %q", want, got)
		}
	})
}

func TestCheckPlaces(t *testing.T) {
	for _, c := range []struct{ text, at, says string }{
		{`a +* b`, "*", "missing between `+` and `*`"},
		{`any(turns, )`, ")", "an argument is missing"},
		{`[, 1]`, ",", "missing between `[` and `,`"},
		{`f(a, )  + [, ]`, ",", "missing between `[` and `,`"},
		{`any(turns)`, ")", "an argument is missing"},
		{`f(a b)`, "b", "a comma or a closing bracket"},
		{`"é ${ f(a b) } x"`, "b", "a comma or a closing bracket"},
		{`{ (1): 2, +: 3 }`, "+", "a key of"},
		{`x == .y`, ".", "`.y` means a member"},
		{`(a ? b)`, ")", "missing"},
		{`f(let)`, ")", "a name is missing after `let`"},
		{`f(1 let)`, "let", "`let` stands only"},
		{`a ?? b + c`, "+", "`??` stands beside"},
		{`a + b ?? c`, "??", "`??` stands beside"},
		{`f(x, a in b ?? c)`, "??", "`??` stands beside"},
		{`"${a ?? b == c}"`, "==", "`??` stands beside"},
		{`f(in)`, "in", "cannot be a name"},
	} {
		tokens := scan(c.text)
		_, found := region.Expr(c.text, tokens[:len(tokens)-1])
		if len(found) == 0 {
			t.Errorf("%s: nothing is found", c.text)
			continue
		}
		d := found[0]
		if got := c.text[d.Span.Start:d.Span.End]; got != c.at || !strings.Contains(d.Message, c.says) {
			t.Errorf("%s: at %q: %s", c.text, got, d.Message)
		}
	}
}

// ?? stands well beside itself, beside a choice, and beside operators that
// brackets or commas keep from it.
func TestCoalesceAlone(t *testing.T) {
	for _, text := range []string{
		`a ?? b ?? c`, `(a ?? b) + c`, `a + (b ?? c)`, `f(a + b, c ?? d)`, `a ?? b ? c + 1 : d ?? e`, `-a ?? b`, `a ?? b | f()`, `[1 + 2, a ?? -1]`,
		`(let x = a ?? b; x + 1)`, `any(xs, .a == 1) ? y ?? z : w`,
	} {
		tokens := scan(text)
		if _, found := region.Expr(text, tokens[:len(tokens)-1]); len(found) > 0 {
			t.Errorf("%s: %v", text, found)
		}
	}
}

// Several interpolations of one text are each looked at.
func TestCheckFindsEachHole(t *testing.T) {
	const text = `"${a +} ${f(b c)} ${d} ${any(x)}"`
	tokens := scan(text)
	if _, found := region.Expr(text, tokens[:len(tokens)-1]); len(found) != 3 {
		t.Errorf("%d findings: %v", len(found), found)
	}
}
