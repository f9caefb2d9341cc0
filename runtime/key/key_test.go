package key_test

import (
	"crypto/sha256"
	"encoding/hex"
	"math"
	"strconv"
	"testing"

	"pgregory.net/rapid"

	"parley/runtime/key"
	"parley/runtime/model"
)

func TestDifferentPartsDiffer(t *testing.T) {
	zero := 0.0
	parts := map[string][]any{
		"nothing":       {},
		"nil":           {nil},
		"false":         {false},
		"true":          {true},
		"empty text":    {""},
		"int":           {1},
		"float":         {1.0},
		"unsigned":      {uint(1)},
		"digit":         {"1"},
		"ab":            {"ab"},
		"a, b":          {"a", "b"},
		"[a, b]":        {[]string{"a", "b"}},
		"[ab]":          {[]string{"ab"}},
		"[[a], b]":      {[]any{[]any{"a"}, "b"}},
		"[a, [b]]":      {[]any{"a", []any{"b"}}},
		"empty list":    {[]string{}},
		"empty map":     {map[string]any{}},
		"map with nil":  {map[string]any{"a": nil}},
		"map":           {map[string]any{"a": "b"}},
		"map, swapped":  {map[string]any{"b": "a"}},
		"struct":        {struct{ A string }{"b"}},
		"other field":   {struct{ B string }{"b"}},
		"pointer to 0":  {&zero},
		"absent 0":      {struct{ A *float64 }{}},
		"present 0":     {struct{ A *float64 }{&zero}},
		"nil and empty": {nil, ""},
	}
	seen := map[key.Key]string{}
	for name, p := range parts {
		k := key.Of(p...)
		if other, ok := seen[k]; ok {
			t.Errorf("%s and %s have the same key", name, other)
		}
		seen[k] = name
	}
}

func TestEqualPartsAgree(t *testing.T) {
	type tagged struct {
		A    string
		Note string `key:"-"`
	}
	for name, pair := range map[string][2]any{
		"a list and its typed form": {[]any{"a", "b"}, []string{"a", "b"}},
		"a map and its typed form":  {map[string]any{"bb": 1, "a": 2}, map[string]int{"a": 2, "bb": 1}},
		"nil and empty lists":       {[]string(nil), []string{}},
		"widths of an int":          {int(7), int32(7)},
		"a pointer and its value":   {&tagged{A: "x"}, tagged{A: "x"}},
		"what has no part in a key": {tagged{"x", "one"}, tagged{"x", "two"}},
		"the two zeros":             {0.0, math.Copysign(0, -1)},
		"numbers that are none":     {math.NaN(), -math.NaN()},
	} {
		if key.Of(pair[0]) != key.Of(pair[1]) {
			t.Errorf("%s differ", name)
		}
	}
}

// The bytes under a key are written out here by hand, so that stored runs stay
// readable by later versions.
func TestBytesOfAKey(t *testing.T) {
	bytes := "s\x04user" + "u\x00\x00\x00\x00\x00\x00\x00\x07" + "s\x04main" + "s\x01c" + "i\x00\x00\x00\x00\x00\x00\x00\x02" + "s\x0adebater[2]"
	sum := sha256.Sum256([]byte(bytes))
	table := key.Table{Seed: 7, Stream: "main", Case: "c", Repeat: 2}
	if got, want := table.User("debater[2]"), hex.EncodeToString(sum[:16]); got != want {
		t.Errorf("user is %s, want %s", got, want)
	}
}

func TestFunctionsHaveNoKey(t *testing.T) {
	defer func() {
		if recover() == nil {
			t.Error("a function got a key")
		}
	}()
	key.Of(func() {})
}

func TestCaseAndFields(t *testing.T) {
	row := map[string]any{"question": "q", "answer": 1, "wrong": "w", "none": nil}
	base := key.Case(row, []string{"question", "answer"})
	with := func(name string, v any) map[string]any {
		m := map[string]any{}
		for k, v := range row {
			m[k] = v
		}
		m[name] = v
		return m
	}
	if key.Case(with("wrong", "other"), []string{"question", "answer"}) != base {
		t.Error("a field that is not read changes the case")
	}
	if key.Case(row, []string{"answer", "question", "answer"}) != base {
		t.Error("order or repetition of the names changes the case")
	}
	for name, k := range map[string]key.Key{
		"a read field":    key.Case(with("answer", 2), []string{"question", "answer"}),
		"a number's kind": key.Case(with("answer", 1.0), []string{"question", "answer"}),
		"one more field":  key.Case(row, []string{"question", "answer", "wrong"}),
		"the kind of key": key.Fields(row, []string{"question", "answer"}),
	} {
		if k == base {
			t.Errorf("%s does not change the key", name)
		}
	}
	if key.Case(row, []string{"none"}) == key.Case(row, []string{"absent"}) {
		t.Error("a missing field equals one that is nil")
	}
}

func TestPayloadAndJudge(t *testing.T) {
	f, g := key.Of("f"), key.Of("g")
	distinct(t, map[string]key.Key{
		"payload": key.Payload("a", "g", f, 1, 2), "attack": key.Payload("b", "g", f, 1, 2),
		"generator": key.Payload("a", "h", f, 1, 2), "fields": key.Payload("a", "g", g, 1, 2),
		"repeat": key.Payload("a", "g", f, 2, 2), "seed": key.Payload("a", "g", f, 1, 3),
		"judge": key.Judge("j", "r", "in"), "judge name": key.Judge("k", "r", "in"),
		"revision": key.Judge("j", "s", "in"), "input": key.Judge("j", "r", "other"),
	})
}

func distinct(t *testing.T, keys map[string]key.Key) {
	t.Helper()
	seen := map[key.Key]string{}
	for name, k := range keys {
		if other, ok := seen[k]; ok {
			t.Errorf("%s and %s have the same key", name, other)
		}
		seen[k] = name
	}
}

// Tool-call ids are made up by servers: their names do not count, what they
// point at does.
func TestToolCallIDs(t *testing.T) {
	table := key.Table{Seed: 1, Stream: "main", Case: "c", Repeat: 1}
	call := func(a, b, answered string) key.Key {
		return table.Call("p", &model.Spec{}, "", &model.Request{Messages: []model.Message{
			{Role: "assistant", ToolCalls: []model.ToolCall{{ID: a, Name: "read"}, {ID: b, Name: "read"}}},
			{Role: "tool", ToolCallID: answered, Content: "x"},
		}})
	}
	if call("c1", "c2", "c1") != call("x9", "x7", "x9") {
		t.Error("the spelling of an id changes the key")
	}
	if call("c1", "c2", "c1") == call("c1", "c2", "c2") {
		t.Error("which call was answered does not change the key")
	}
}

func TestTextForm(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		k := key.Of(rapid.String().Draw(t, "s"))
		back, err := key.Parse(k.String())
		if err != nil || back != k || len(k.Short()) != 12 || k.String()[:12] != k.Short() {
			t.Fatalf("%s reads back as %s (%v)", k, back, err)
		}
	})
	for _, s := range []string{"", "12", key.Key{}.String() + "0", "g" + key.Key{}.String()[1:]} {
		if _, err := key.Parse(s); err == nil {
			t.Errorf("%q passes for a key", s)
		}
	}
}

// Draws are uniform: the mean of 20,000 is within 5 standard errors of a half,
// and of ten boxes none is far from its share.
func TestUnitIsUniform(t *testing.T) {
	const n = 20000
	table := key.Table{Seed: 1, Stream: "main", Case: "c", Repeat: 1}
	var sum float64
	var box [10]int
	for i := range n {
		u := table.Chance(strconv.Itoa(i), "u").Unit()
		if u < 0 || u >= 1 {
			t.Fatalf("%v is outside of [0, 1)", u)
		}
		sum += u
		box[int(u*10)]++
	}
	if d := math.Abs(sum/n - 0.5); d > 5*math.Sqrt(1.0/12/n) {
		t.Errorf("the mean is off by %v", d)
	}
	for i, c := range box {
		if math.Abs(float64(c)-n/10) > 5*math.Sqrt(n*0.09) {
			t.Errorf("box %d holds %d of %d", i, c, n)
		}
	}
}

func TestPosition(t *testing.T) {
	p := key.Position{Path: "rounds#2/debate#1", Agent: "debater[2]", Role: "turn", Round: 3, Repair: 1}
	if got, want := p.String(), "rounds#2/debate#1/debater[2]/turn/t3/r1"; got != want {
		t.Errorf("got %s, want %s", got, want)
	}
	rapid.Check(t, func(t *rapid.T) {
		word := rapid.StringMatching(`[a-z][a-z0-9_#\[\]]{0,8}`)
		p := key.Position{
			Path:  rapid.StringMatching(`[a-z#0-9]{1,5}(/[a-z#0-9]{1,5}){0,3}`).Draw(t, "path"),
			Agent: word.Draw(t, "agent"), Role: word.Draw(t, "role"),
			Round: rapid.IntRange(0, 99).Draw(t, "round"), Repair: rapid.IntRange(0, 9).Draw(t, "repair"),
		}
		back, err := key.ParsePosition(p.String())
		if err != nil || back != p {
			t.Fatalf("%+v reads back as %+v (%v)", p, back, err)
		}
	})
	for _, s := range []string{"", "a/b/turn/t0", "a/b/turn/0/0", "a/b/turn/t-1/r0", "a/b/turn/t00/r0", "a/b/turn/r0/t0"} {
		if _, err := key.ParsePosition(s); err == nil {
			t.Errorf("%q passes for a position", s)
		}
	}
}

func FuzzParsePosition(f *testing.F) {
	f.Add("debate#1/debater[2]/turn/t0/r0")
	f.Add("a/b/c/t/r")
	f.Fuzz(func(t *testing.T, s string) {
		if p, err := key.ParsePosition(s); err == nil && p.String() != s {
			t.Errorf("%q reads as %+v, which writes %q", s, p, p)
		}
	})
}
