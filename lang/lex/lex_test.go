package lex_test

import (
	"fmt"
	"strings"
	"testing"

	plexer "github.com/alecthomas/participle/v2/lexer"

	"parley/lang/diag"
	"parley/lang/lex"
	"parley/lang/source"
)

var kindNames = map[lex.Kind]string{
	lex.Word: "word", lex.Number: "number", lex.Duration: "duration", lex.String: "string", lex.Element: "element",
	lex.Op: "op", lex.Open: "open", lex.Close: "close", lex.Illegal: "illegal",
}

func scan(text string) *lex.Result { return lex.Scan(source.New("x", text)) }

// show writes tokens as kind:text.
func show(tokens []lex.Token) string {
	var out []string
	for _, t := range tokens {
		if t.Kind != lex.EOF {
			out = append(out, kindNames[t.Kind]+":"+t.Text)
		}
	}
	return strings.Join(out, " ")
}

func TestScan(t *testing.T) {
	for _, c := range []struct{ text, want string }{
		{"team t_1 {}", "word:team word:t_1 open:{ close:}"},
		{"a<->b->c", "word:a op:<-> word:b op:-> word:c"},
		{"a < -b", "word:a op:< op:- word:b"},
		{"a<-1", "word:a op:< op:- number:1"},
		{"a <- > b", "word:a op:< op:- op:> word:b"},
		{"1..20", "number:1 op:.. number:20"},
		{"1.5 .5 1e3 1e+3 0xFF 0b01 0o17 1_000", "number:1.5 number:.5 number:1e3 number:1e+3 number:0xFF number:0b01 number:0o17 number:1_000"},
		{"30s 2m 500ms 1.5h", "duration:30s duration:2m duration:500ms duration:1.5h"},
		{"a?.b??c?d", "word:a op:?. word:b op:?? word:c op:? word:d"},
		{"x ? .a : #.b", "word:x op:? op:. word:a op:: element:# op:. word:b"},
		{"#acc#index # x", "element:#acc element:#index element:# word:x"},
		{"a // b\n//c\r\nd", "word:a word:d"},
		{`"a" "" """b"""`, `string:"a" string:"" string:"""b"""`},
		{`"${"${"x"}"}" y`, `string:"${"${"x"}"}" word:y`},
		{`"a ${ {b: "}"}.c } d" e`, `string:"a ${ {b: "}"}.c } d" word:e`},
		{`b"x"`, `word:b string:"x"`},
		{"a&&b||!c", "word:a op:&& word:b op:|| op:! word:c"},
		{"a | b || c", "word:a op:| word:b op:|| word:c"},
		{"x**2^3", "word:x op:** number:2 op:^ number:3"},
		{"'a' `b` 12x @ ~ é", "illegal:'a' illegal:`b` illegal:12x illegal:@ illegal:~ illegal:é"},
		{"a === b", "word:a illegal:=== word:b"},
		{"naïve x", "illegal:naïve word:x"},
	} {
		if got := show(scan(c.text).Tokens); got != c.want {
			t.Errorf("%s\n\tgives %s\n\twant  %s", c.text, got, c.want)
		}
	}
}

func TestStrings(t *testing.T) {
	for _, c := range []struct {
		name, text string
		want       string // parts: literal text quoted, interpolations as tokens
		code       diag.Code
	}{
		{"plain", `"a b"`, `"a b"`, ""},
		{"escapes", `"\n\t\r\"\\\u00e9\u{1F600}"`, `"\n\t\r\"\\é😀"`, ""},
		{"literal ${", `"$${a} $$ $a $"`, `"${a} $$ $a $"`, ""},
		{"dollar before ${", `"$${a}${b}"`, `"${a}" ${word:b}`, ""},
		{"three dollars", `"$$${a}"`, `"$${a}"`, ""},
		{"holes", `"${a}${ b + 1 }c"`, `${word:a} ${word:b op:+ number:1} "c"`, ""},
		{"dedent", "\"\"\"\n    a\n      b\n\n    c\n    \"\"\"", `"a\n  b\n\nc"`, ""},
		{"first line counts not", "\"\"\"a\n    b\n    c\"\"\"", `"a\nb\nc"`, ""},
		{"less than the first", "\"\"\"\n    a\n  b\n\"\"\"", `"  a\nb"`, ""},
		{"blank lines become empty", "\"\"\"\n  a\n        \n  b\n\"\"\"", `"a\n\nb"`, ""},
		{"only one break falls", "\"\"\"\n\n  a\n\n\"\"\"", `"\na\n"`, ""},
		{"hole at a line's beginning", "\"\"\"\n  ${a} b\n    ${c}\n\"\"\"", `${word:a} " b\n  " ${word:c}`, ""},
		{"hole over lines", "\"\"\"\n  x ${ a\n+ b } y\n  z\n\"\"\"", `"x " ${word:a op:+ word:b} " y\nz"`, ""},
		{"carriage returns", "\"\"\"\r\n  a\r\n\r\n  b\r\n  \"\"\"", `"a\n\nb"`, ""},
		{"escaped break is text", "\"\"\"\n  a\\n  b\n\"\"\"", `"a\n  b"`, ""},
		{"tabs alike", "\"\"\"\n\ta\n\t\tb\n\"\"\"", `"a\n\tb"`, ""},
		{"tabs and spaces", "\"\"\"\n\ta\n  b\n\"\"\"", `"\ta\n  b"`, diag.MixedIndent},
		{"quotes inside", `"""a "b" ""c"" """`, `"a \"b\" \"\"c\"\" "`, ""},
		{"unclosed", "\"a", `"a"`, diag.OpenString},
		{"unclosed at a line's end", "\"a\nb", `"a"`, diag.OpenString},
		{"unclosed with a block's end", "\"a }\nb", `"a"`, diag.OpenString},
		{"unclosed hole", `"a ${b"`, `"a "`, diag.OpenTemplate},
		{"empty hole", `"a ${ }"`, `"a " ${}`, diag.EmptyHole},
		{"unknown escape", `"\x41"`, `""`, diag.BadEscape},
		{"bad number of a character", `"\u{110000}"`, `"{110000}"`, diag.BadEscape},
		{"half a surrogate", `"\ud800"`, `"d800"`, diag.BadEscape},
		{"control character", "\"a\x00b\"", `"a\x00b"`, diag.IllegalChar},
		{"reordering character", "\"a\u202eb\"", `"a\u202eb"`, diag.HiddenChar},
	} {
		t.Run(c.name, func(t *testing.T) {
			r := scan(c.text)
			var got []string
			for _, p := range r.Tokens[0].Str.Parts {
				if p.Tokens != nil {
					got = append(got, "${"+show(p.Tokens)+"}")
				} else {
					got = append(got, fmt.Sprintf("%q", p.Text))
				}
			}
			want := c.want
			if want == `""` {
				want = ""
			}
			if have := strings.Join(got, " "); c.code != diag.BadEscape && have != want {
				t.Errorf("parts %s, want %s", have, want)
			}
			code := diag.Code("")
			if len(r.Problems) > 0 {
				code = r.Problems[0].Code
			}
			if code != c.code {
				t.Errorf("code %q, want %q: %v", code, c.code, r.Problems)
			}
			if r.Tokens[0].Str.Broken != (c.code != "") {
				t.Errorf("broken is %v", r.Tokens[0].Str.Broken)
			}
		})
	}
}

func TestBalance(t *testing.T) {
	for _, c := range []struct{ name, text, want string }{
		{"right", "a { b [ c ( d ) ] }", "a { b [ c ( d ) ] }"},
		{"end of file", "a { b (", "a { b ( ) }"},
		{"declaration ahead", "team a {\n  b {\nteam c { }", "team a { b { } } team c { }"},
		{"right: a label is no declaration", "team a {\n  b {\ntest: x { } } }", "team a { b { test : x { } } }"},
		{"by indentation", "team a {\n  b {\n    c\n  d\n}", "team a { b { c } d }"},
		{"stray", "a } b ) c", "a b c"},
		{"round within a block", "a { b (\n c }", "a { b ( ) c }"},
		{"square closes no block", "a { b ] }", "a { b }"},
		{"crossed", "f(a ] , b)", "f ( a , b )"},
	} {
		t.Run(c.name, func(t *testing.T) {
			r := scan(c.text)
			var got []string
			for _, tok := range r.Tokens {
				if tok.Kind != lex.EOF {
					got = append(got, tok.Text)
				}
			}
			if have := strings.Join(got, " "); have != c.want {
				t.Errorf("%s\n\tbecomes %s\n\twant    %s", c.text, have, c.want)
			}
			for i, tok := range r.Tokens {
				if (tok.Kind == lex.Open || tok.Kind == lex.Close) && r.Tokens[tok.Match].Match != i {
					t.Errorf("bracket %d has no match", i)
				}
			}
			if (len(r.Problems) > 0) != !strings.HasPrefix(c.name, "right") {
				t.Errorf("problems: %v", r.Problems)
			}
		})
	}
}

func TestComments(t *testing.T) {
	r := scan("// one\na // two\n\"// three\" //four")
	var got []string
	for _, c := range r.Comments {
		got = append(got, c.Text)
	}
	if have := strings.Join(got, "|"); have != " one| two|four" {
		t.Errorf("comments %q", have)
	}
}

func TestSeconds(t *testing.T) {
	for text, want := range map[string]string{"30s": "30", "2m": "120", "500ms": "0.5", "1h": "3600", "1.5m": "90", "1_000ms": "1", "1e3s": "1000"} {
		if got := lex.Seconds(text); got != want {
			t.Errorf("%s is %s, want %s", text, got, want)
		}
	}
}

// A keyword is a word that the lexer reads as one, is told once in its place,
// and has a form unless it is of a later version.
func TestKeywords(t *testing.T) {
	for _, in := range []lex.Place{
		lex.InFile, lex.InModel, lex.InTeam, lex.InAgent, lex.InStep, lex.InTurns, lex.InTool, lex.InWorkspace, lex.InCorpus, lex.InTask,
		lex.InAttack, lex.InObeyed, lex.InScore, lex.InScenario, lex.InBudget, lex.InExperiment, lex.InTest, lex.InScript,
	} {
		seen := map[string]bool{}
		if len(lex.Keywords(in)) == 0 {
			t.Errorf("no words in %s", in)
		}
		for _, k := range lex.Keywords(in) {
			if seen[k.Word] {
				t.Errorf("%s is told twice in %s", k.Word, in)
			}
			seen[k.Word] = true
			if k.Later == (k.Form != "") {
				t.Errorf("%s in %s: later %v, form %q", k.Word, in, k.Later, k.Form)
			}
			if !k.Later && !strings.HasPrefix(k.Form, k.Word) {
				t.Errorf("%s in %s is written %q", k.Word, in, k.Form)
			}
			if lex.Reserved(k.Word) && k.Word != "if" && k.Word != "let" {
				t.Errorf("%s in %s is an operator", k.Word, in)
			}
		}
	}
}

// The lexer serves participle as a definition of its own.
func TestDefinition(t *testing.T) {
	l, err := lex.Definition{}.Lex("x", strings.NewReader("a { 'b' }"))
	if err != nil {
		t.Fatal(err)
	}
	tokens, err := plexer.ConsumeAll(l)
	if err != nil {
		t.Fatal(err)
	}
	names := plexer.SymbolsByRune(lex.Definition{})
	var got []string
	for i, tok := range tokens {
		got = append(got, names[tok.Type]+":"+tok.Value)
		if tok.Pos.Line != i {
			t.Errorf("token %d says it is %d", i, tok.Pos.Line)
		}
	}
	if have := strings.Join(got, " "); have != "Word:a Open:{ Illegal:'b' Close:} EOF:" {
		t.Errorf("tokens %s", have)
	}
}
