package eval

import (
	"context"
	"errors"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"parley/runtime/segment"
)

// rec is a record for tests; a key makes it comparable by that key.
type rec struct {
	key    string
	fields map[string]any
}

func (r *rec) Field(name string) (any, bool) { v, ok := r.fields[name]; return v, ok }

type keyed struct{ *rec }

func (k keyed) Key() string { return k.key }

func agent(name string, index int) any {
	return keyed{&rec{key: "agent/" + name, fields: map[string]any{"name": name, "index": index}}}
}

func message(from any, text any) any {
	return &rec{fields: map[string]any{"from": from, "text": text}}
}

func world() Map {
	d := []any{agent("debater[1]", 1), agent("debater[2]", 2), agent("debater[3]", 3)}
	lead := agent("lead", 1)
	return Map{
		"debater": Group{Name: "debater", Members: d},
		"lead":    lead,
		"again":   agent("debater[2]", 2),
		"xs":      []any{1, 2, 3},
		"empty":   []any{},
		"holes":   []any{1, Missing{Why: "no data"}, 3},
		"s":       "Hello",
		"t":       segment.Text{{Text: "bad", Source: "message:lead", Payloads: []string{"p/1"}}},
		"n":       nil,
		"gone":    Missing{Why: "the judge failed"},
		"task":    &rec{fields: map[string]any{"answer": "Clauser", "n": 3, "none": nil}},
		"state":   map[string]any{"balance": 12.5, "rows": []any{map[string]any{"b": 1, "a": "x"}}},
		"heard":   []any{message(lead, "one"), message(d[0], "two"), message(lead, "three")},
		"turns": []any{
			&rec{fields: map[string]any{"step": "debate", "agent": d[0], "reply": map[string]any{"answer": "A"}}},
			&rec{fields: map[string]any{"step": "debate", "agent": d[1], "reply": nil}},
			&rec{fields: map[string]any{"step": "decide", "agent": lead, "reply": map[string]any{"answer": "B"}}},
		},
	}
}

// run evaluates and plays unknown back as "unknown: why".
func run(t *testing.T, src string) any {
	t.Helper()
	p, err := Compile(src, nil)
	if err != nil {
		t.Fatalf("%s: %v", src, err)
	}
	v, err := p.Eval(context.Background(), world(), nil)
	if err != nil {
		t.Fatalf("%s: %v", src, err)
	}
	if m, ok := v.(Missing); ok {
		if m.Why == "" {
			t.Errorf("%s: no reason", src)
		}
		return "unknown: " + m.Why
	}
	return v
}

func TestValues(t *testing.T) {
	for src, want := range map[string]any{
		// arithmetic as expr has it
		"1 + 2 * 3": 7, "7 / 2": 3.5, "7 % 3": 1, "2 ** 3": 8.0, "1 == 1.0": true, "-3": -3, "1.5 + 1": 2.5,
		"0 / 0": "unknown: 0 divided by 0 has no value", "1 % 0": "unknown: there is no rest of a division by 0",
		`"a" < "b"`: true, `"a" + "b"`: "ab", "2 in 1..3": true, "4 in 1..3": false, "len(1..4)": 4,
		`1 + "a"`: "unknown: `1 + \"a\"` cannot be worked out: a number stands beside a text",
		`-s`:      "unknown: `s` is a text, not a number",
		// reads
		"task.answer": "Clauser", "task.nope": "unknown: `task.nope` is missing", "n.x": "unknown: `n` is nil, so `n.x` cannot be read",
		"nobody": "unknown: `nobody` is not there", "xs[0]": 1, "xs[-1]": 3, "xs[9]": "unknown: `xs` has 3 elements, none at 9",
		`state["balance"]`: 12.5, "state.balance": 12.5, "s[1:3]": "el", "xs[1:]": []any{2, 3},
		"s.x": "unknown: `s` is a text and has no field `x`",
		// groups from 1
		"debater[1].name": "debater[1]", "debater[3].index": 3, "len(debater[1..2])": 2, "debater[2..3][0].name": "debater[2]",
		"debater[0]":          "unknown: `debater` has members 1 to 3, none at 0",
		"debater[-1]":         "unknown: `debater` has members 1 to 3, none at -1",
		"debater[2..4]":       "unknown: `debater` has members 1 to 3, none at 4",
		"debater[1..0]":       []any{},
		"debater[1:2]":        "unknown: `debater` is a group; write a range, as in debater[1..2]",
		"len(debater[[1,3]])": 2,
		"again == debater[2]": true, "again in debater": true, "lead in debater": false, "again in debater[1..1]": false,
		"len(uniq(concat(debater, [again, lead])))": 4, `lead == "lead"`: true, `lead.name + "!"`: "lead!",
		// unknown
		`gone != true`: "unknown: the judge failed", `not (gone contains "x")`: "unknown: the judge failed",
		"gone ?? 1": 1, "n ?? 2": 2, "gone == nil": true, "gone != nil": false, "n == nil": true, "nil == gone": true,
		"gone?.x": nil, "n?.x.y": nil, "task?.nope": nil, "task?.answer": "Clauser", "gone?.x ?? 5": 5,
		"gone && false": false, "false && gone": false, "gone || true": true, "gone || false": "unknown: the judge failed",
		"!gone": "unknown: the judge failed", "gone ? 1 : 2": "unknown: the judge failed", "s && true": "unknown: `s` is a text, neither true nor false",
		"n > 1": "unknown: `n > 1` cannot be worked out: nil stands beside a number", `n == "x"`: false, `n != "x"`: true,
		"[gone, 1] == [1, 2]": false, "[gone, 2] == [1, 2]": "unknown: `[gone, 2] == [1, 2]` compares lists of which a part is missing",
		"3 in holes": true, "2 in holes": "unknown: a part of `holes` is missing",
		// loops
		"any(holes, # == 3)": true, "any(holes, # == 2)": "unknown: element 1 of `holes`: no data", "all(holes, # == 3)": false,
		"all(holes, # > 0)": "unknown: element 1 of `holes`: no data", "none(holes, # == 1)": false, "none(holes, # == 2)": "unknown: element 1 of `holes`: no data",
		"one(holes, # == 1)": "unknown: element 1 of `holes`: no data", "one(concat(holes, [1]), # == 1)": false,
		"count(holes, # > 0)": "unknown: element 1 of `holes`: no data", "filter(holes, # > 0)": "unknown: element 1 of `holes`: no data",
		"find(holes, # == 1)": 1, "find(holes, # == 3)": "unknown: element 1 of `holes`: no data", "findLast(holes, # == 3)": 3, "find(xs, # == 9)": nil,
		"findIndex(xs, # == 2)": 1, "findLastIndex(xs, # == 9)": -1, "map(holes, #)[2]": 3, "sum(holes)": "unknown: element 1 of `holes`: no data",
		"sum(xs)": 6, "sum(xs, # * 0.5)": 3.0, "reduce(xs, #acc + #)": 6, "reduce(empty, #acc + #, 0)": 0, "reduce(empty, #acc)": "unknown: `empty` is empty",
		"sortBy([3, 1, 2], #)": []any{1, 2, 3}, `sortBy([3, 1, 2], #, "desc")`: []any{3, 2, 1},
		"map(xs, #index)": []any{0, 1, 2}, "any(n, true)": "unknown: `n` is nil, not a list", "filter(xs, # > 1 && any(xs, # > 2))": []any{2, 3},
		"filter(xs, {let e = #; any(xs, # > e)})": []any{1, 2}, "count([true, false, true])": 2,
		`any(turns, .reply.answer == "B")`: true, `count(turns, .step == "debate")`: 2, `all(turns, .reply.answer != "C")`: "unknown: element 1 of `turns`: `.reply` is nil, so `.reply.answer` cannot be read",
		// lists and numbers
		"first(xs)": 1, "last(xs)": 3, "first(empty)": "unknown: the list is empty", "first(empty) ?? 7": 7, "last(empty) == nil": true, "last(debater).index": 3,
		"reverse(xs)": []any{3, 2, 1}, "take(xs, 2)": []any{1, 2}, "flatten([[1], [2, [3]]])": []any{1, 2, 3}, "uniq([1, 1.0, 2])": []any{1, 2},
		"min(3, 1, 2)": 1, "max(xs)": 3, "mean(xs)": 2.0, "median([1, 2, 3, 10])": 2.5, "mean(empty)": "unknown: the list is empty",
		"int(\" 4 \")": 4, "int(2.9)": 2, `int("x")`: "unknown: \"x\" is not a whole number", "float(2)": 2.0, "abs(-2)": 2, "ceil(1.2)": 2.0, "round(2.5)": 3.0,
		// texts
		`upper("a")`: "A", `split("a,b", ",")`: []any{"a", "b"}, `join(["a", "b"], "-")`: "a-b", `replace("aa", "a", "b", 1)`: "ba", `"abc" matches "^a.c$"`: true,
		`indexOf("äb", "b")`: 1, `len("äb")`: 2, `s contains "ell" and s startsWith "H" and s endsWith "o"`: true, `lines(["a", 1])`: "a\n1", `string(2.0)`: "2",
		`trim("  a ")`: "a", `trimPrefix("xa", "x")`: "a", `hasSuffix("ab", "b")`: true,
		// ours
		`names(lead)`: "lead", `names([])`: "", `names(debater[1..2])`: "debater[1], debater[2]", `map(latest(heard), .text)`: []any{"three", "two"},
		`mentions(heard, "THREE")`: true, `mentions(heard, "thre")`: false, `mentions("Say TERMINATE.", "terminate")`: true,
		`majority(["Yes.", "no", true, nil, gone])`: "Yes.", `majority(["a", "b"])`: "a", `majority([nil])`: nil,
		"let a = 2; a * a": 4, "{a: 1, b: [2]}": map[string]any{"a": 1, "b": []any{2}}, "xs | count(# > 1)": 2,
	} {
		if got := run(t, src); !cmp.Equal(got, want) {
			t.Errorf("%s = %#v, want %#v", src, got, want)
		}
	}
}

func TestTaint(t *testing.T) {
	for src, want := range map[string]segment.Text{
		`"x" + t`:                    {{Text: "x"}, {Text: "bad", Source: "message:lead", Payloads: []string{"p/1"}}},
		`gone ?? t`:                  {{Text: "bad", Source: "message:lead", Payloads: []string{"p/1"}}},
		`true ? t : "x"`:             {{Text: "bad", Source: "message:lead", Payloads: []string{"p/1"}}},
		`[t][0]`:                     {{Text: "bad", Source: "message:lead", Payloads: []string{"p/1"}}},
		`{a: t}.a`:                   {{Text: "bad", Source: "message:lead", Payloads: []string{"p/1"}}},
		`upper(t)`:                   {{Text: "BAD", Source: "message:lead", Payloads: []string{"p/1"}}},
		`t[1:]`:                      {{Text: "ad", Source: "message:lead", Payloads: []string{"p/1"}}},
		`split(t, "a")[0]`:           {{Text: "b", Source: "message:lead", Payloads: []string{"p/1"}}},
		`replace("x", "x", t)`:       {{Text: "bad", Source: "message:lead", Payloads: []string{"p/1"}}},
		`join(["a", t], "-")`:        {{Text: "a-"}, {Text: "bad", Source: "message:lead", Payloads: []string{"p/1"}}},
		`render("q ", t, " r")`:      {{Text: "q "}, {Text: "bad", Source: "message:lead", Payloads: []string{"p/1"}}, {Text: " r"}},
		`string([t, 1])`:             {{Text: `["`}, {Text: "bad", Source: "message:lead", Payloads: []string{"p/1"}}, {Text: `",1]`}},
		`reduce([t, "x"], #acc + #)`: {{Text: "bad", Source: "message:lead", Payloads: []string{"p/1"}}, {Text: "x"}},
	} {
		got, ok := run(t, src).(segment.Text)
		if !ok {
			t.Errorf("%s lost its origin", src)
			continue
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("%s: %s", src, diff)
		}
	}
	for src, want := range map[string]any{
		`t == "bad"`: true, `"bad" == t`: true, `t in ["bad"]`: true, `t contains "a"`: true, `t < "c"`: true, `len(t)`: 3, `{bad: 1}[t]`: 1,
		`t matches "b.d"`: true, `same(t, "BAD!")`: true,
	} {
		if got := run(t, src); got != want {
			t.Errorf("%s = %v, want %v", src, got, want)
		}
	}
}

func TestRender(t *testing.T) {
	for src, want := range map[string]string{
		`render("a ", 1, " ", 2.0, " ", 2.5, " ", true, nil)`: "a 1 2 2.5 true",
		`render(lead)`:           "lead",
		`render(heard)`:          "[lead]\none\n\n[debater[1]]\ntwo\n\n[lead]\nthree",
		`render(empty)`:          "",
		`render([empty])`:        "[[]]",
		`render(debater[1..2])`:  `["debater[1]","debater[2]"]`,
		`render(state.rows)`:     `[{"a":"x","b":1}]`,
		`render(["<é>", nil])`:   `["<é>",null]`,
		`render("a", gone, "b")`: "ab",
		`gone`:                   "",
		`render(latest(heard))`:  "[lead]\nthree\n\n[debater[1]]\ntwo",
	} {
		p, err := Compile(src, nil)
		if err != nil {
			t.Fatal(err)
		}
		got, err := p.Text(context.Background(), world(), nil)
		if err != nil || got.String() != want {
			t.Errorf("%s = %q, %v; want %q", src, got.String(), err, want)
		}
	}
	if got := run(t, `render("a", gone)`); got != "unknown: the judge failed" {
		t.Errorf("a template with a missing part is compared as %v", got)
	}
}

func TestURI(t *testing.T) {
	for src, want := range map[string]string{
		`uri("file:", "bills/december.txt")`:  "file:bills/december.txt", // a literal stays
		`uri("file:", s)`:                     "file:Hello",
		`uri("file:", "a/" + "b c")`:          "file:a/b%20c",
		`uri("file:", "x" + "/../../etc")`:    "file:x/../../etc",
		`uri("file:", "bills/../" + "a.txt")`: "file:bills/../a.txt",
		`uri("file:", "..%2f" + "*")`:         "file:..%252f%2A",
		`uri("payment:", "DE 12:3")`:          "payment:DE 12:3",
		`uri("payment:", "DE" + ":é")`:        "payment:DE%3A%C3%A9",
		`uri("https://example.org/", s)`:      "https://example.org/Hello",
		`uri("file:/", "a" + "/./b/")`:        "file:/a/./b/",
		`uri("file:bills/*")`:                 "file:bills/*",
	} {
		if got, _ := textOf(run(t, src)); got != want {
			t.Errorf("%s = %q, want %q", src, got, want)
		}
	}
	if got := run(t, `uri("file:", gone)`); got != "unknown: the judge failed" {
		t.Errorf("a resource with a missing part is %v", got)
	}
}

func TestSame(t *testing.T) {
	for _, c := range []struct {
		a, b any
		want Truth
	}{
		{"Paris", "paris.", True},
		{"The  Eiffel Tower!", "eiffel tower", True},
		{"1,000", 1000, True},
		{"$18", "18.00", True},
		{"18.", 18, True},
		{"-5", "5", False},
		{"3.14", "314", False},
		{0.5, "0.50", True},
		{"yes", true, True},
		{"False", false, True},
		{"No.", "false", True},
		{"yes", "no", False},
		{nil, "x", False},
		{Missing{"w"}, "x", False},
		{"x", nil, Unknown},
		{"x", Missing{"w"}, Unknown},
		{nil, nil, Unknown},
		{"b", []any{"a", "B"}, True},
		{"c", []any{"a", "b"}, False},
		{"c", []any{"a", nil}, Unknown},
		{nil, []any{"a", nil}, False},
		{"a", []any{}, False},
		{"U.S.", "US", True},
		{"well-known", "well known", True},
		{"O'Brien", "obrien", True},
		{"a", "an", False},
		{"", "", True},
		{"v1.2", "v12", False},
		{segment.Of("Paris", "x"), "paris", True},
		{"STRASSE", "strasse", True},
		{"ΣΑΣ", "σας", True},
		{"12,34", "1234", False},
		{agent("lead", 1), "lead", True},
	} {
		if got := Same(c.a, c.b); got != c.want {
			t.Errorf("same(%v, %v) = %v, want %v", c.a, c.b, got, c.want)
		}
	}
}

func TestRefused(t *testing.T) {
	for src, want := range map[string]string{
		"now()": "clock", "keys({})": "no order", "groupBy([1], #)": "filter", "sort([1])": "sortBy", "toJSON(1)": "template", "env(\"X\")": "models",
		"xs.size()": "write size(", "a; b": "several", `b"x"`: "byte strings", "if (true) { 1 } else { 2 }": "", "chance(0.5)": "no function chance",
		"#": "`#` cannot stand here", "len()": "1 argument, not 0", "upper(\"a\", \"b\")": "1 argument, not 2", `"a" matches "("`: "pattern",
		"$env": "$", "1 +": "too early", "a ?? b + 1": "brackets", `"a`: "no end", "": "too early", "a.": "", "xs[0](1)": "",
		strings.Repeat("(", 65) + "1" + strings.Repeat(")", 65): "nested", strings.Repeat("1+", 9000) + "1": "characters", strings.Repeat("1+", 3000) + "1": "parts",
	} {
		_, err := Compile(src, nil)
		var se *SyntaxError
		if !errors.As(err, &se) {
			t.Errorf("%.40s: %v", src, err)
			continue
		}
		if !strings.Contains(se.Message, want) || strings.Contains(se.Message, "Operator(") || strings.Contains(se.Message, "token") {
			t.Errorf("%.40s: %q does not say %q", src, se.Message, want)
		}
		if se.Start < 0 || se.End > len(src) || se.Start > se.End {
			t.Errorf("%.40s: place %d..%d", src, se.Start, se.End)
		}
	}
}
