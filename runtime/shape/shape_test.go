package shape

import (
	"encoding/json"
	"math"
	"reflect"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"parley/runtime/segment"
)

func rec(fields ...Field) Shape        { return Shape{Kind: Record, Fields: fields} }
func field(name string, s Shape) Field { return Field{Name: name, Shape: s} }
func kind(k Kind) Shape                { return Shape{Kind: k} }
func maybe(s Shape) Shape              { s.Optional = true; return s }
func list(s Shape) Shape               { return Shape{Kind: List, Elem: &s} }
func union(values ...any) Shape        { return Shape{Kind: Union, Values: values} }
func agents(names ...any) Shape        { return Shape{Kind: Agent, Values: names} }
func def(name string, s Shape, v any) Field {
	return Field{Name: name, Shape: s, HasDefault: true, Default: v}
}

type person string

func (p person) Field(name string) (any, bool) { return string(p), name == "name" }

func TestCoerce(t *testing.T) {
	payment := rec(field("to", kind(String)), field("amount", kind(Number)))
	tests := []struct {
		name  string
		shape Shape
		in    any
		want  any
		err   string
	}{
		{"int", kind(Int), 3, 3, ""},
		{"integral number for int", kind(Int), 3.0, 3, ""},
		{"numeral for int", kind(Int), " 42 ", 42, ""},
		{"integral numeral for int", kind(Int), "42.0", 42, ""},
		{"fraction for int", kind(Int), 3.5, nil, "expected a whole number, got 3.5"},
		{"huge for int", kind(Int), 1e300, nil, "expected a whole number, got 1e+300"},
		{"words for int", kind(Int), "many", nil, `expected a whole number, got the text "many"`},
		{"int for number", kind(Number), 3, 3.0, ""},
		{"numeral for number", kind(Number), "2.5", 2.5, ""},
		{"not a number", kind(Number), math.NaN(), nil, "expected a number"},
		{"NaN in words", kind(Number), "NaN", nil, "expected a number"},
		{"bool", kind(Bool), true, true, ""},
		{"yes for bool", kind(Bool), "Yes", true, ""},
		{"no for bool", kind(Bool), "no", false, ""},
		{"one for bool", kind(Bool), 1, nil, "expected true or false, got 1"},
		{"text", kind(String), "a", "a", ""},
		{"number for text", kind(String), 42, "42", ""},
		{"integral float for text", kind(String), 42.0, "42", ""},
		{"list for text", kind(String), []any{}, nil, "expected text, got a list"},
		{"provenance kept", kind(String), segment.Of("x", "s"), segment.Of("x", "s"), ""},
		{"nothing for text", kind(String), nil, nil, "expected text, got nothing"},
		{"nothing for text?", maybe(kind(String)), nil, nil, ""},
		{"duration", kind(Duration), 30, 30.0, ""},
		{"duration with unit", kind(Duration), "2m", 120.0, ""},
		{"union", union("a", "b"), "b", "b", ""},
		{"union in another case", union("Yes", "No"), " yes", "Yes", ""},
		{"union of numbers", union(1, 2, 3), 2.0, 2, ""},
		{"union of numbers as text", union(1, 2, 3), "2", 2, ""},
		{"union of text given a number", union("1", "2"), 1, "1", ""},
		{"outside a union", union("a", "b", 3), "c", nil, `expected "a", "b" or 3, got the text "c"`},
		{"list", list(kind(Int)), []any{1, "2"}, []any{1, 2}, ""},
		{
			"in a list", list(payment),
			[]any{map[string]any{"to": "x", "amount": 1}, map[string]any{"to": "x", "amount": "much"}},
			nil, `[1].amount: expected a number, got the text "much"`,
		},
		{"record", payment, map[string]any{"To": "x", "amount": "1", "more": 1}, map[string]any{"to": "x", "amount": 1.0}, ""},
		{"missing field", payment, map[string]any{"to": "x"}, nil, `the field "amount" is missing`},
		{"default", rec(def("n", kind(Int), 7)), map[string]any{}, map[string]any{"n": 7}, ""},
		{"null means default", rec(def("n", kind(Int), 7)), map[string]any{"n": nil}, map[string]any{"n": 7}, ""},
		{"optional field", rec(field("n", maybe(kind(Int)))), map[string]any{}, map[string]any{"n": nil}, ""},
		{"ambiguous case", rec(field("n", kind(Int))), map[string]any{"N": 1, "ɴ": 2}, map[string]any{"n": 1}, ""},
		{"text for record", payment, "x", nil, "expected a record"},
		{"agent", agents("debater[1]", "debater[2]"), "debater_2", "debater[2]", ""},
		{"agent loosely", agents("debater[1]", "debater[2]"), "Debater 2", "debater[2]", ""},
		{"agent record", agents("debater[1]"), person("debater[1]"), "debater[1]", ""},
		{"no such agent", agents("debater[1]"), "debater_3", nil, `expected "debater[1]", got the text "debater_3"`},
		{"any agent", agents(), "x", "x", ""},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			got, err := test.shape.Coerce(test.in)
			checkError(t, err, test.err)
			if diff := cmp.Diff(test.want, got); diff != "" {
				t.Error(diff)
			}
		})
	}
}

func TestFitChangesNothingButNumbers(t *testing.T) {
	r := rec(field("n", kind(Int)), field("x", kind(Number)))
	got, err := r.Fit(map[string]any{"n": 4.0, "x": 1})
	checkError(t, err, "")
	if diff := cmp.Diff(any(map[string]any{"n": 4, "x": 1.0}), got); diff != "" {
		t.Error(diff)
	}
	for in, want := range map[string]struct {
		shape Shape
		value any
	}{
		`expected a whole number, got the text "4"`:  {kind(Int), "4"},
		`expected text, got 4`:                       {kind(String), 4},
		`expected true or false, got the text "yes"`: {kind(Bool), "yes"},
		`there is no field "more" here`:              {r, map[string]any{"n": 1, "x": 1, "more": 1}},
		`expected "A", got the text "a"`:             {union("A"), "a"},
	} {
		_, err := want.shape.Fit(want.value)
		checkError(t, err, in)
	}
}

func TestFitCopies(t *testing.T) {
	in := []any{map[string]any{"a": 1}}
	got, err := list(rec(field("a", kind(Int)))).Fit(in)
	checkError(t, err, "")
	in[0].(map[string]any)["a"] = 2
	if diff := cmp.Diff(any([]any{map[string]any{"a": 1}}), got); diff != "" {
		t.Error(diff)
	}
}

func TestParse(t *testing.T) {
	obj := map[string]any{"answer": "A"}
	tests := []struct {
		name, in string
		want     any
		err      string
	}{
		{"object", `{"answer": "A"}`, obj, ""},
		{"spaces", " \n{ \"answer\" :\t\"A\" }\n", obj, ""},
		{"number", "42", 42, ""},
		{"negative zero", "-0", 0, ""},
		{"fraction", "-1.50e1", -15.0, ""},
		{"beyond int", "123456789012345678901", 123456789012345678901.0, ""},
		{"beyond float", "1e999", nil, ErrNoJSON.Error()},
		{"leading zero", "007", nil, ErrNoJSON.Error()},
		{"list", `[1, 2.5, true, null,]`, []any{1, 2.5, true, nil}, ""},
		{"trailing comma", `{"answer": "A",}`, obj, ""},
		{"fenced", "Sure:\n```json\n{\"answer\": \"A\"}\n```\nDone.", obj, ""},
		{"fenced without a language", "```{\"answer\": \"A\"}```", obj, ""},
		{"second fence", "```sh\nls\n```\n```json\n{\"answer\": \"A\"}\n```", obj, ""},
		{"in text", `I think {braces} help. {"answer": "A"} and {"answer": "B"}`, obj, ""},
		{"after thoughts", `<think>{"answer": "B"}</think> {"answer": "A"} ok`, obj, ""},
		{"escapes", `"\u0041\n\"\\\/\ud83d\ude00"`, "A\n\"\\/😀", ""},
		{"lone high surrogate", `"\ud83dx"`, "\uFFFDx", ""},
		{"lone low surrogate", `"\ude00"`, "\uFFFD", ""},
		{"two high surrogates", `"\ud83d\ud83d"`, "\uFFFD\uFFFD", ""},
		{"high, then letter", `"\ud83d\u0041"`, "\uFFFDA", ""},
		{"broken utf-8", "\"a\xffb\"", "a\uFFFDb", ""},
		{"line break in string", "\"a\nb\"", "a\nb", ""},
		{"twice", `{"a": 1, "a": 2}`, nil, `the reply gives the field "a" twice`},
		{"twice hides a candidate", `{"x": {"answer": "A"}, "x": 1}`, nil, `the reply gives the field "x" twice`},
		{"deep", strings.Repeat("[", 65) + strings.Repeat("]", 65), nil, "the reply nests deeper than 64 levels"},
		{"deep enough", strings.Repeat("[", 64) + strings.Repeat("]", 64), nest(64), ""},
		{"long", strings.Repeat(" ", MaxReply+1), nil, "the reply is longer than 1048576 bytes"},
		{"words", "I cannot say.", nil, ErrNoJSON.Error()},
		{"empty", "", nil, ErrNoJSON.Error()},
		{"unclosed", `{"answer": "A"`, nil, ErrNoJSON.Error()},
		{"true and more", "true story", nil, ErrNoJSON.Error()},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			got, err := Parse(test.in)
			checkError(t, err, test.err)
			// cmp.Diff takes exponential time in the depth of lists.
			if !reflect.DeepEqual(test.want, got) {
				t.Errorf("got %#v, want %#v", got, test.want)
			}
		})
	}
}

func nest(n int) any {
	v := []any{}
	for range n - 1 {
		v = []any{v}
	}
	return v
}

func TestReadTakesTheFirstThatFits(t *testing.T) {
	s := rec(field("answer", kind(String)))
	got, err := s.Read(`Given {"note": 1}, my reply is {"answer": "A"}.`)
	checkError(t, err, "")
	if diff := cmp.Diff(any(map[string]any{"answer": "A"}), got); diff != "" {
		t.Error(diff)
	}
	_, err = s.Read(`{"note": 1}`)
	checkError(t, err, `the field "answer" is missing`)
	_, err = s.Read(`nothing`)
	checkError(t, err, ErrNoJSON.Error())
}

func TestJSONSchema(t *testing.T) {
	s := rec(
		field("to", kind(String)),
		field("kind", maybe(union("a", "b<c"))),
		def("n", kind(Int), 5),
		field("list", list(maybe(kind(Number)))),
		field("who", agents("x", "y[1]")),
		field("mixed", union(1, true)),
		def("wait", kind(Duration), 30.0),
		field("any", agents()),
		Field{Name: "both", Shape: maybe(kind(String)), HasDefault: true, Default: "x"},
	)
	want := `{"type":"object","properties":{` +
		`"to":{"type":"string"},` +
		`"kind":{"type":["string","null"],"enum":["a","b<c",null]},` +
		`"n":{"type":["integer","null"],"description":"null means 5"},` +
		`"list":{"type":"array","items":{"type":["number","null"]}},` +
		`"who":{"type":"string","enum":["x","y[1]"]},` +
		`"mixed":{"type":["integer","boolean"],"enum":[1,true]},` +
		`"wait":{"type":["number","null"],"description":"seconds; null means 30"},` +
		`"any":{"type":"string","description":"the name of an agent"},` +
		`"both":{"type":["string","null"]}` +
		`},"required":["to","kind","n","list","who","mixed","wait","any","both"],"additionalProperties":false}`
	got := s.JSONSchema()
	if diff := cmp.Diff(want, string(got)); diff != "" {
		t.Error(diff)
	}
	if !json.Valid(got) {
		t.Error("the schema is not JSON")
	}
}

func TestWords(t *testing.T) {
	s := rec(field("answer", kind(String)), field("sure", maybe(kind(Bool))), field("of", list(union("a", 2))))
	if diff := cmp.Diff(`{ answer: string, sure: bool?, of: ["a" | 2] }`, s.String()); diff != "" {
		t.Error(diff)
	}
	want := `Reply with one JSON object and nothing else, of this form: ` +
		`{"answer": <text>, "sure": <true or false or null>, "of": [<"a" or 2>, …]}`
	if diff := cmp.Diff(want, s.Instruction()); diff != "" {
		t.Error(diff)
	}
}

// Whatever is a value of a shape survives being written as JSON and read again.
func TestValuesSurviveJSON(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		s := drawShape(t, 3)
		v := drawValue(t, s)
		data, err := json.Marshal(v)
		if err != nil {
			t.Fatal(err)
		}
		got, err := s.Read(string(data))
		if err != nil {
			t.Fatalf("%s of %s: %v", data, s, err)
		}
		if diff := cmp.Diff(v, got); diff != "" {
			t.Fatalf("%s: %s", s, diff)
		}
		if _, err := s.Fit(got); err != nil {
			t.Fatal(err)
		}
	})
}

func drawShape(t *rapid.T, depth int) Shape {
	kinds := []Kind{Int, Number, Bool, String, Union, Agent}
	if depth > 0 {
		kinds = append(kinds, List, Record)
	}
	s := Shape{Kind: rapid.SampledFrom(kinds).Draw(t, "kind"), Optional: rapid.Bool().Draw(t, "optional")}
	switch s.Kind {
	case Union:
		s.Values = []any{"a", "B b", 3, true}
	case Agent:
		s.Values = []any{"a[1]", "b"}
	case List:
		elem := drawShape(t, depth-1)
		s.Elem = &elem
	case Record:
		for i, n := 0, rapid.IntRange(0, 3).Draw(t, "fields"); i < n; i++ {
			s.Fields = append(s.Fields, field(string(rune('a'+i)), drawShape(t, depth-1)))
		}
	}
	return s
}

func drawValue(t *rapid.T, s Shape) any {
	if s.Optional && rapid.Bool().Draw(t, "nil") {
		return nil
	}
	switch s.Kind {
	case Int:
		return rapid.IntRange(-1<<53, 1<<53).Draw(t, "int")
	case Number:
		return rapid.Float64().Draw(t, "number")
	case Bool:
		return rapid.Bool().Draw(t, "bool")
	case String:
		return rapid.String().Draw(t, "string")
	case Union, Agent:
		return rapid.SampledFrom(s.Values).Draw(t, "value")
	case List:
		out := []any{}
		for range rapid.IntRange(0, 3).Draw(t, "len") {
			out = append(out, drawValue(t, *s.Elem))
		}
		return out
	}
	out := map[string]any{}
	for _, f := range s.Fields {
		out[f.Name] = drawValue(t, f.Shape)
	}
	return out
}

func FuzzRead(f *testing.F) {
	for _, seed := range []string{
		`{"answer": "A", "n": 1}`, "```json\n{\"answer\":\"A\"}\n```", `{"a":{"a":{"a":`, `{"{"{"{"`, `"\ud83d\u00"`,
		`{"answer":1e999}`, `[[[[`, "<think>", `{"n":"1"} {"answer":"x"}`, "\"\\u12", `-`, `{"a":1,"a":1}`,
	} {
		f.Add(seed)
	}
	s := rec(field("answer", kind(String)), def("n", kind(Int), 1), field("l", maybe(list(kind(Number)))))
	f.Fuzz(func(t *testing.T, text string) {
		v, err := s.Read(text)
		if err != nil {
			if v != nil || err.Error() == "" {
				t.Fatalf("value %v beside error %q", v, err)
			}
			return
		}
		if _, err := s.Fit(v); err != nil {
			t.Fatalf("%q was read as %v, which does not fit: %v", text, v, err)
		}
		// Reading is a function of the text.
		if again, err := s.Read(text); err != nil || !cmp.Equal(v, again) {
			t.Fatalf("read differently the second time: %v, %v", again, err)
		}
	})
}

func checkError(t *testing.T, err error, want string) {
	t.Helper()
	switch {
	case want == "" && err != nil:
		t.Fatalf("unexpected error: %v", err)
	case want != "" && (err == nil || !strings.Contains(err.Error(), want)):
		t.Fatalf("error %v, want %q", err, want)
	}
}
