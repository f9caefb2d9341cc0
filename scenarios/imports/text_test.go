package imports

import (
	"context"
	"encoding/json"
	"strings"
	"testing"
	"unicode/utf8"

	"pgregory.net/rapid"

	"parley/lang"
	"parley/runtime/eval"
)

// meant is what a Parley string means when a file says it.
func meant(t interface{ Fatalf(string, ...any) }, literal string, env eval.Env) string {
	file, found := lang.Parse("t.parley", []byte("task t { prompt "+literal+" }"))
	if found.HasErrors() {
		t.Fatalf("%s: %s", literal, found[0].Message)
	}
	prog, err := eval.Compile(file.Decls[0].Task.Fields[0].Value.Cooked, nil)
	if err != nil {
		t.Fatalf("%s: %v", literal, err)
	}
	v, err := prog.Eval(context.Background(), env, nil)
	if err != nil {
		t.Fatalf("%s: %v", literal, err)
	}
	return eval.Render(v).String()
}

// Whatever text is quoted, the string means that text.
func TestQuotedMeansItsText(t *testing.T) {
	pieces := rapid.SampledFrom([]string{`"`, `\`, "$", "{", "}", "${", "$${", "$$", "\n", "\t", "\r", "\x00", "\x1b", "\u2028", "\u202e", "\ufeff", "é", "🂡", `\u0041`, `""`, "a", " ", "//", "'"})
	rapid.Check(t, func(r *rapid.T) {
		text := strings.Join(rapid.SliceOf(pieces).Draw(r, "pieces"), "")
		if got := meant(r, quoted(text), nil); got != text {
			r.Fatalf("%q is written %s and means %q", text, quoted(text), got)
		}
	})
}

func TestHolesInTexts(t *testing.T) {
	holes := map[string]bool{"a": true, "b_2": true}
	env := eval.Map{"hole": map[string]any{"a": "A", "b_2": "${b}"}}
	for text, want := range map[string]string{
		"x {a} y":      "x A y",
		"{a}{b_2}{a}":  "A${b}A",
		"${a} $${b_2}": "$A $$${b}",
		"{c} {} {a b}": "{c} {} {a b}",
		"{{a}}":        "{A}",
		"$":            "$",
		`"{a}"\`:       `"A"\`,
	} {
		if got := meant(t, template(text, holes), env); got != want {
			t.Errorf("%q is written %s and means %q", text, template(text, holes), got)
		}
	}
}

func TestCommentsAreOneLine(t *testing.T) {
	got := comment("a\nb\r\n\u2028task x { }\x00 \u202e" + strings.Repeat("é", 500))
	if strings.ContainsAny(got, "\n\r\x00\u2028\u202e") || utf8.RuneCountInString(got) > 161 {
		t.Errorf("got %q", got)
	}
}

func TestLiteralJSON(t *testing.T) {
	for src, want := range map[string]string{
		`{'a': 'it\'s', "b": [1, -2.5, True, False, None], 'c': {}}`: `{"a":"it's","b":[1,-2.5,true,false,null],"c":{}}`,
		`(1, 'two',)`:            `[1,"two"]`,
		`"\x41\u00e9\n\q"`:       `"Aé\n\\q"`,
		"{'z': 1, 'a': 2}":       `{"z":1,"a":2}`,
		`[]`:                     `[]`,
		` [ 'x' , ] `:            `["x"]`,
		`'<Attacker> & "quote"'`: `"<Attacker> & \"quote\""`,
	} {
		got, err := literalJSON(src)
		if err != nil || got != want {
			t.Errorf("%s: got %s, %v; want %s", src, got, err, want)
		}
	}
	for _, src := range []string{``, `{`, `{'a'}`, `{'a': }`, `[1 2]`, `'open`, `'\x4'`, `'\U00110000'`, `1 2`, `truth`, `{1: 2}`, `--`, strings.Repeat("[", 100)} {
		if got, err := literalJSON(src); err == nil {
			t.Errorf("%s is read as %s", src, got)
		}
	}
}

func TestOneForm(t *testing.T) {
	for in, want := range map[string]string{
		"2024-05-14T11:00:00": "2024-05-14 11:00", "2024-05-15T10:00": "2024-05-15 10:00", "2024-05-31 17:38": "2024-05-31 17:38",
		"2024-05-15": "2024-05-15", "2024-05-15T10:00:30": "2024-05-15 10:00:30", "at 2024-05-15T10:00": "at 2024-05-15T10:00",
	} {
		if got := oneTime(in); got != want {
			t.Errorf("%s becomes %s, not %s", in, got, want)
		}
	}
}

func TestMessagesOfBothForms(t *testing.T) {
	for in, want := range map[string]string{
		`{"content": "a"}`:  "a",
		`{"content": null}`: "",
		`{"content": [{"type": "text", "content": "a"}, {"type": "text", "content": "b"}], "tool_calls": null}`: "ab",
		`{"content": [{"type": "text", "text": "a"}]}`:                                                          "a",
	} {
		var m logMessage
		if err := json.Unmarshal([]byte(in), &m); err != nil || string(m.Content) != want {
			t.Errorf("%s: got %q, %v", in, m.Content, err)
		}
	}
	var m logMessage
	if json.Unmarshal([]byte(`{"content": 3}`), &m) == nil {
		t.Error("a number is a message")
	}
}

func TestAnswersThatAreSaid(t *testing.T) {
	for _, c := range []struct {
		must, answer string
		want         bool
	}{
		{"1050", "You spent 1,050.00 in March.", true},
		{"1050", "You spent 11050.", false},
		{"5.0", "It is rated 5 stars", true},
		{"5.0", "It is rated 5.0.", true},
		{"5.0", "It is rated 4.5", false},
		{"4.3", "Rated 4.30", true},
		{"4.3", "Rated 4.35", false},
		{"New Asiaway", "go to new asiaway", true},
	} {
		prog, err := eval.Compile(said([]string{c.must})[0], nil)
		if err != nil {
			t.Fatal(err)
		}
		v, err := prog.Eval(context.Background(), eval.Map{"run": map[string]any{"answer": c.answer}}, nil)
		if err != nil || v != c.want {
			t.Errorf("%q in %q: %v, %v", c.must, c.answer, v, err)
		}
	}
}

// The comparison of logs tells results apart.
func TestResultsThatDiffer(t *testing.T) {
	same := saidByUs([]any{map[string]any{"name": "Old Mill", "price_min": 50, "price_max": 60}})
	if diff := differs(saidByLog(`{'Old Mill': 'Price range: 50.0 - 60.0'}`), same); diff != "" {
		t.Error(diff)
	}
	for _, other := range []string{`{'Old Mill': 'Price range: 50.0 - 61.0'}`, `{'New Mill': 'Price range: 50.0 - 60.0'}`, `{}`, `[]`, `- name: Old Mill`} {
		if differs(saidByLog(other), same) == "" {
			t.Errorf("%s counts as the same", other)
		}
	}
}
