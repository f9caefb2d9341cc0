package region_test

import (
	"strings"
	"testing"

	"pgregory.net/rapid"

	"parley/lang/lex"
	"parley/lang/region"
	"parley/lang/source"
)

func scan(text string) []lex.Token {
	return lex.Scan(source.New("x", text)).Tokens
}

// end returns how much of a text the expression at its beginning takes.
func end(text string) string {
	tokens := scan(text)
	r := &sliceReader{tokens: tokens}
	if fault := region.Read(r); fault != nil {
		return "fault: " + fault.Message
	}
	return text[:tokens[r.at-1].End]
}

// sliceReader reads tokens that are all there.
type sliceReader struct {
	tokens []lex.Token
	at     int
}

func (r *sliceReader) Peek() (lex.Kind, string) {
	if r.at >= len(r.tokens) {
		return lex.EOF, ""
	}
	return r.tokens[r.at].Kind, r.tokens[r.at].Text
}

func (r *sliceReader) Next() { r.at++ }

func TestEnd(t *testing.T) {
	for _, c := range []struct{ text, want string }{
		{`x system "y"`, `x`},
		{`temperature temperature 0`, `temperature`},
		{`a + b c`, `a + b`},
		{`done { s: a { } }`, `done`},
		{`{ a: 1 } { b }`, `{ a: 1 }`},
		{`x == { a: 1 } { b }`, `x == { a: 1 }`},
		{`!{ } { }`, `!{ }`},
		{`"text" when x`, `"text"`},
		{`"a" "b"`, `"a"`},
		{`"a" + "b" "c"`, `"a" + "b"`},
		{`x ? y : z : w`, `x ? y : z`},
		{`x ? { a: 1 } : y { }`, `x ? { a: 1 } : y`},
		{`a ? b ? c : d : e : f`, `a ? b ? c : d : e`},
		{`name: 1`, `name`},
		{`a not in b c`, `a not in b`},
		{`not a b`, `not a`},
		{`not not a in b in`, "fault: a value is missing after `in`"},
		{`a.not.in.if x`, `a.not.in.if`},
		{`a?.b?.[0](1) c`, `a?.b?.[0](1)`},
		{`a(1)[2].b (3) [4] { }`, `a(1)[2].b (3) [4]`},
		{`.field == 1 x`, `.field == 1`},
		{`# in xs ys`, `# in xs`},
		{`#acc + #index x`, `#acc + #index`},
		{`a <-1 b`, `a <-1`},
		{`a < -b c`, `a < -b`},
		{`a -> b`, `a`},
		{`a[1..n] <-> b`, `a[1..n]`},
		{`1..20 sample 5`, `1..20`},
		{`30s x`, `30s`},
		{`a = b`, `a`},
		{`a, b`, `a`},
		{`(let x = 1; if) y`, `(let x = 1; if)`},
		{`f(a b c "d" = ;) e`, `f(a b c "d" = ;)`},
		{`a | f(1) b`, `a | f(1)`},
		{`a ?? b true`, `a ?? b`},
		{`true false`, `true`},
		{`nil else`, `nil`},
		{`-1 - -1 -> x`, `-1 - -1`},
		{`let x`, "fault: `let` stands inside brackets only"},
		{`if x`, "fault: an expression is missing here"},
		{`a + if x`, "fault: a value is missing after `+`"},
		{`a and }`, "fault: a value is missing after `and`"},
		{`a ? b`, `a ? b`}, // the : is missed by Check
		{`a. }`, "fault: a name is missing after `.`"},
		{`a not b`, "fault: after a value, `not` is followed by in, contains, matches, startsWith or endsWith"},
	} {
		if got := end(c.text); got != c.want {
			t.Errorf("%s\n\tends after %q, want %q", c.text, got, c.want)
		}
	}
}

// A generated expression before any follower ends where it ends, and reads
// as one expression.
func TestEndOfGenerated(t *testing.T) {
	followers := []string{
		"", "{ }", `"text"`, "x", "limit 3", "then", "system", "when y", "given z", "if a", "let b = 1", "else", "true", "nil", "5", "30s",
		", x", ")", "]", "}", "= 1", ": y", "; z", "-> b", "<-> c", "! d", "# e", "'f'",
	}
	rapid.Check(t, func(t *rapid.T) {
		g := generator{t}
		text := g.expr(rapid.IntRange(0, 4).Draw(t, "depth"))
		follower := rapid.SampledFrom(followers).Draw(t, "follower")
		if got := end(text + " " + follower); got != text {
			t.Fatalf("%q before %q ends after %q", text, follower, got)
		}
		// .field and # have a meaning inside a function over a list only.
		whole := "any(list, " + text + ")"
		tokens := scan(whole)
		if _, found := region.Expr(whole, tokens[:len(tokens)-1]); len(found) > 0 {
			t.Fatalf("%q: %v", whole, found)
		}
	})
}

// generator draws expressions by the grammar of the rule.
type generator struct{ *rapid.T }

func (g generator) pick(label string, from ...string) string {
	return rapid.SampledFrom(from).Draw(g.T, label)
}

func (g generator) expr(depth int) string {
	left := g.unary(depth)
	if depth == 0 {
		return left
	}
	switch g.pick("form", "operand", "binary", "binary", "word", "negated", "ternary", "coalesce") {
	case "binary":
		op := g.pick("op", "+", "-", "*", "/", "%", "^", "**", "==", "!=", "<", ">", "<=", ">=", "&&", "||", "..")
		space := g.pick("space", " ", "")
		if op == ".." {
			space = " " // ...5 is no operator
		}
		return left + " " + op + space + g.expr(depth-1)
	case "word":
		return left + " " + g.pick("op", "and", "or", "in", "matches", "contains", "startsWith", "endsWith") + " " + g.expr(depth-1)
	case "negated":
		return left + " not " + g.pick("op", "in", "matches", "contains", "startsWith", "endsWith") + " " + g.expr(depth-1)
	case "ternary":
		return left + " ? " + g.expr(depth-1) + " : " + g.expr(depth-1)
	case "coalesce":
		return "((" + left + ") ?? (" + g.expr(depth-1) + "))"
	}
	return left
}

func (g generator) unary(depth int) string {
	return g.pick("prefix", "", "", "", "!", "-", "+", "not ") + g.postfix(depth)
}

func (g generator) postfix(depth int) string {
	out := g.primary(depth)
	for range rapid.IntRange(0, 2).Draw(g.T, "postfixes") {
		if depth == 0 || strings.ContainsAny(out[:min(2, len(out))], "0123456789") || out == "true" || out == "nil" {
			break // expr reads no member of a literal number or truth value
		}
		switch g.pick("postfix", "member", "optional", "index", "slice") {
		case "member":
			out += "." + g.name()
		case "optional":
			out += "?." + g.name()
		case "index":
			out += "[" + g.expr(depth-1) + "]"
		case "slice":
			out += "[1:2]"
		}
	}
	return out
}

func (g generator) name() string {
	return g.pick("name", "a", "turns", "limit", "when", "agent", "system", "given", "len_x", "each", "until")
}

func (g generator) primary(depth int) string {
	kinds := []string{"name", "number", "string", "field", "element", "duration", "truth"}
	if depth > 0 {
		kinds = append(kinds, "group", "list", "map", "call", "any", "template", "let")
	}
	switch rapid.SampledFrom(kinds).Draw(g.T, "primary") {
	case "number":
		return g.pick("number", "0", "12", "1.5", ".5", "1e3", "0x1F", "1_000")
	case "string":
		return g.pick("string", `""`, `"text"`, `"a \"quoted\" {"`, `"é ☺ }"`, "\"\"\"\n  two\n  lines\n\"\"\"")
	case "field":
		return "." + g.name()
	case "element":
		return "#"
	case "duration":
		return g.pick("duration", "30s", "2m", "500ms", "1h")
	case "truth":
		return g.pick("truth", "true", "nil")
	case "group":
		return "(" + g.expr(depth-1) + ")"
	case "list":
		return "[" + g.expr(depth-1) + ", " + g.expr(depth-1) + "]"
	case "map":
		return "{ " + g.name() + ": " + g.expr(depth-1) + `, "k": ` + g.expr(depth-1) + " }"
	case "call":
		return g.name() + "(" + g.expr(depth-1) + ")"
	case "any":
		return g.pick("over", "any", "filter", "map", "count") + "(xs, " + g.expr(depth-1) + ")"
	case "template":
		return `"x ${` + g.expr(depth-1) + `} y"`
	case "let":
		return "(let v = " + g.expr(depth-1) + "; " + g.expr(depth-1) + ")"
	}
	return g.name()
}
