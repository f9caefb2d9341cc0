package rawjson

import (
	"encoding/json"
	"testing"
)

func parse(t testing.TB, s string) Value {
	t.Helper()
	v, err := Parse([]byte(s))
	if err != nil {
		t.Fatalf("%s: %v", s, err)
	}
	return v
}

func TestGetTakesTheFirstOfExactlyThatName(t *testing.T) {
	v := parse(t, ` { "CONTENT" : "shadow", "content":"a\"b" , "content":"again","n": [1, {"x":[ ]}, "]" ] } `)
	if got, _ := v.Get("content").Text(); got != `a"b` {
		t.Errorf("content is %q", got)
	}
	if v.Get("Content") != nil {
		t.Error("another case of a name was found")
	}
	var elements []string
	for e := range v.Get("n").Elements() {
		elements = append(elements, string(e))
	}
	if len(elements) != 3 || elements[1] != `{"x":[ ]}` || elements[2] != `"]"` {
		t.Errorf("elements are %q", elements)
	}
}

func TestText(t *testing.T) {
	for in, want := range map[string]string{
		`"plain"`:         "plain",
		`"\ud83d\ude00"`:  "😀",
		`"\ud83d lone"`:   "\uFFFD lone",
		"\"\xff broken\"": "\uFFFD broken",
		`""`:              "",
	} {
		if got, ok := parse(t, in).Text(); !ok || got != want {
			t.Errorf("%s is %q", in, got)
		}
	}
	for _, in := range []string{`1`, `null`, `{}`, `[]`, `true`} {
		if _, ok := parse(t, in).Text(); ok {
			t.Errorf("%s is a text", in)
		}
	}
}

func TestNumber(t *testing.T) {
	for in, want := range map[string]float64{`12`: 12, `12.0`: 12, `"7"`: 7, `-1`: -1, `1.7e9`: 1.7e9} {
		if got, ok := parse(t, in).Number(); !ok || got != want {
			t.Errorf("%s is %v", in, got)
		}
	}
	for _, in := range []string{`null`, `"x"`, `1e999`, `"NaN"`, `{}`} {
		if got, ok := parse(t, in).Number(); ok {
			t.Errorf("%s is the number %v", in, got)
		}
	}
}

func TestParseRefuses(t *testing.T) {
	for _, in := range []string{``, `{`, `{} {}`, `<html>`, `{"a":1,}`, `{"a":NaN}`} {
		if _, err := Parse([]byte(in)); err == nil {
			t.Errorf("%q was taken for JSON", in)
		}
	}
}

// FuzzValue holds the reader against the standard one: the same members, in
// number, and the same values.
func FuzzValue(f *testing.F) {
	for _, s := range []string{`{"a":{"b":[1,2,{"c":"\\\""}]},"a":2}`, `[[],{},"",null,true,-1.5e3]`, `"\ud800"`, "\xEF\xBB\xBF{}"} {
		f.Add([]byte(s))
	}
	f.Fuzz(func(t *testing.T, b []byte) {
		v, err := Parse(b)
		if err != nil {
			return
		}
		check(t, v)
	})
}

func check(t *testing.T, v Value) {
	switch {
	case v.Object():
		var want map[string]json.RawMessage
		if err := json.Unmarshal(v, &want); err != nil {
			t.Fatal(err)
		}
		seen := map[string]bool{}
		for name, m := range v.Members() {
			if _, ok := want[name]; !ok {
				t.Fatalf("%s has no member %q", v, name)
			}
			seen[name] = true
			check(t, m)
		}
		if len(seen) != len(want) {
			t.Fatalf("%s: %d members, not %d", v, len(seen), len(want))
		}
	case v.Array():
		var want []json.RawMessage
		if err := json.Unmarshal(v, &want); err != nil {
			t.Fatal(err)
		}
		n := 0
		for e := range v.Elements() {
			if string(e) != string(want[n]) {
				t.Fatalf("element %d of %s is %s", n, v, e)
			}
			n++
			check(t, e)
		}
		if n != len(want) {
			t.Fatalf("%s: %d elements, not %d", v, n, len(want))
		}
	case v.String():
		var want string
		if err := json.Unmarshal(v, &want); err != nil {
			t.Fatal(err)
		}
		if got, _ := v.Text(); got != want {
			t.Fatalf("%s is %q, not %q", v, got, want)
		}
	}
}

func FuzzAppendString(f *testing.F) {
	for _, s := range []string{"", "a\"\\\n\r\t\x00\x1b\x7f<&>\u2028ä😀", "\xff\xfe", "\xed\xa0\x80"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		var got string
		if err := json.Unmarshal(AppendString(nil, s), &got); err != nil {
			t.Fatalf("%q: %v", s, err)
		}
		b, err := json.Marshal(s)
		if err != nil {
			t.Fatal(err)
		}
		var want string
		if err := json.Unmarshal(b, &want); err != nil {
			t.Fatal(err)
		}
		if got != want {
			t.Fatalf("%q came back as %q, not %q", s, got, want)
		}
	})
}

// Several members at once are what each of them is alone.
func TestPick(t *testing.T) {
	names := []string{"a", "b", "c", "missing"}
	for _, text := range []string{`{"b":2,"a":[1,{"c":0}],"b":3,"\u0063":"x"}`, `{"A":1,"c":null}`, `[]`, `{}`, `"a"`} {
		v, err := Parse([]byte(text))
		if err != nil {
			t.Fatal(err)
		}
		got := make([]Value, len(names))
		v.Pick(names, got)
		for i, name := range names {
			if want := v.Get(name); string(got[i]) != string(want) {
				t.Errorf("%s of %s: %s, want %s", name, text, got[i], want)
			}
		}
	}
}
