package pack_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"math"
	"reflect"
	"runtime"
	"testing"
	"weak"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"parley/runtime/segment"
	"parley/runtime/store/pack"
	"parley/runtime/trace"
)

type inner struct {
	Name  string
	Value any `json:"value,omitempty"`
}

type sample struct {
	Text  string
	Int   int
	Small uint8
	Float float64
	Flag  bool
	Opt   *float64
	List  []inner
	Named map[string]inner
	Rows  map[int][]string
	Any   any
	Tree  *sample
}

func TestExactness(t *testing.T) {
	one := 1.0
	for name, v := range map[string]sample{
		"nothing":               {},
		"an int beside a float": {Any: []any{1, 1.0, -1, -1.5, math.Inf(1)}},
		"nil beside empty":      {List: []inner{}, Any: []any{nil, "", []any{}, map[string]any{}}},
		"broken text":           {Text: "\xff\x00\x1b[2J\u2028", Any: "\xed\xa0\x80"},
		"optional":              {Opt: &one},
		"maps":                  {Named: map[string]inner{"b": {Name: "x"}, "": {}}, Rows: map[int][]string{-1: nil, 2: {"a"}}},
		"extremes":              {Int: math.MinInt64, Small: 255, Float: math.SmallestNonzeroFloat64, Flag: true},
		"a tree":                {Tree: &sample{Tree: &sample{Text: "leaf"}}},
		"provenance":            {Any: map[string]any{"a": segment.Text{{Text: "p", Source: "s", Payloads: []string{"x/1"}}}}},
	} {
		b, err := pack.Marshal(&v, segment.Text{})
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		var back sample
		if err := pack.Unmarshal(b, &back, segment.Text{}); err != nil {
			t.Errorf("%s: %v", name, err)
		}
		if d := cmp.Diff(v, back); d != "" {
			t.Errorf("%s: (-written +read)\n%s", name, d)
		}
	}
}

func TestNamedTypesBecomePlain(t *testing.T) {
	type word string
	b, err := pack.Marshal(&inner{Value: map[word]any{"a": []word{"x"}, "b": int64(3), "c": float32(0.5)}})
	if err != nil {
		t.Fatal(err)
	}
	var back inner
	if err := pack.Unmarshal(b, &back); err != nil {
		t.Fatal(err)
	}
	want := inner{Value: map[string]any{"a": []any{"x"}, "b": 3, "c": 0.5}}
	if d := cmp.Diff(want, back); d != "" {
		t.Error(d)
	}
}

func TestForeignValues(t *testing.T) {
	c, err := pack.New(nil, nil, inner{})
	if err != nil {
		t.Fatal(err)
	}
	c.Plain = func(v any) (any, bool) {
		a, ok := v.(*trace.Agent)
		if !ok {
			return nil, false
		}
		return a.Name, true
	}
	b, err := c.Encoder().Encode(&inner{Value: []any{&trace.Agent{Name: "x"}, struct{ A int }{7}}})
	if err != nil {
		t.Fatal(err)
	}
	var back inner
	if err := c.Decoder().Decode(string(b), &back); err != nil {
		t.Fatal(err)
	}
	if d := cmp.Diff(inner{Value: []any{"x", map[string]any{"A": 7.0}}}, back); d != "" {
		t.Error(d)
	}
}

func TestWhatCannotBeWritten(t *testing.T) {
	if _, err := pack.Marshal(&inner{Value: struct{ F func() }{}}); err == nil {
		t.Error("a function passes where no type is given")
	}
	if _, err := pack.Marshal(&struct{ F func() }{}); err == nil {
		t.Error("a function passes")
	}
	deep := &inner{}
	for at := deep; at != nil; {
		v := []any{nil}
		for range 300 {
			v = []any{v}
		}
		at.Value, at = v, nil
	}
	if _, err := pack.Marshal(deep); err == nil {
		t.Error("any depth passes")
	}
}

func anyValue() *rapid.Generator[any] {
	leaf := rapid.OneOf(
		rapid.Just[any](nil), rapid.Bool().AsAny(), rapid.Int().AsAny(), rapid.Float64().AsAny(),
		rapid.SampledFrom([]string{"", "a", "often", "\xff", "long text that occurs again"}).AsAny(), rapid.String().AsAny(),
	)
	return rapid.Custom(func(t *rapid.T) any { return tree(t, leaf, 3) })
}

func tree(t *rapid.T, leaf *rapid.Generator[any], depth int) any {
	switch k := rapid.IntRange(0, 3).Draw(t, "kind"); {
	case depth > 0 && k == 0:
		list := make([]any, rapid.IntRange(0, 4).Draw(t, "n"))
		for i := range list {
			list[i] = tree(t, leaf, depth-1)
		}
		return list
	case depth > 0 && k == 1:
		m := map[string]any{}
		for range rapid.IntRange(0, 4).Draw(t, "n") {
			m[rapid.String().Draw(t, "key")] = tree(t, leaf, depth-1)
		}
		return m
	}
	return leaf.Draw(t, "leaf")
}

func TestAnyValueComesBack(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		v := inner{Value: anyValue().Draw(t, "v")}
		b, err := pack.Marshal(&v)
		if err != nil {
			t.Fatal(err)
		}
		again, _ := pack.Marshal(&v)
		if !bytes.Equal(b, again) {
			t.Fatal("equal values give different bytes")
		}
		var back inner
		if err := pack.Unmarshal(b, &back); err != nil {
			t.Fatal(err)
		}
		if d := cmp.Diff(v, back); d != "" {
			t.Fatal(d)
		}
	})
}

// Every field of a trace survives, those added later too.
func TestEveryFieldOfATrace(t *testing.T) {
	var v trace.Trial
	n := 0
	fillAll(reflect.ValueOf(&v).Elem(), &n)
	b, err := pack.Marshal(&v, segment.Text{})
	if err != nil {
		t.Fatal(err)
	}
	var back trace.Trial
	if err := pack.Unmarshal(b, &back, segment.Text{}); err != nil {
		t.Fatal(err)
	}
	want, _ := json.Marshal(&v)
	got, _ := json.Marshal(&back)
	if d := cmp.Diff(string(want), string(got)); d != "" {
		t.Error(d)
	}
}

func fillAll(v reflect.Value, n *int) {
	*n++
	switch v.Kind() {
	case reflect.Bool:
		v.SetBool(true)
	case reflect.String:
		v.SetString(string(rune('a' + *n%26)))
	case reflect.Int:
		v.SetInt(int64(*n))
	case reflect.Float64:
		v.SetFloat(float64(*n) + 0.5)
	case reflect.Interface:
		v.Set(reflect.ValueOf(map[string]any{"n": *n, "f": float64(*n)}))
	case reflect.Pointer:
		v.Set(reflect.New(v.Type().Elem()))
		fillAll(v.Elem(), n)
	case reflect.Slice:
		v.Set(reflect.MakeSlice(v.Type(), 2, 2))
		fillAll(v.Index(0), n)
		fillAll(v.Index(1), n)
	case reflect.Map:
		e := reflect.New(v.Type().Elem()).Elem()
		fillAll(e, n)
		v.Set(reflect.MakeMap(v.Type()))
		v.SetMapIndex(reflect.ValueOf("k"), e)
	case reflect.Struct:
		for i := range v.NumField() {
			if v.Type().Field(i).IsExported() {
				fillAll(v.Field(i), n)
			}
		}
	default:
		panic(v.Kind().String())
	}
}

// The second blob of a sequence does not repeat the texts of the first.
func TestBlobsShareTexts(t *testing.T) {
	c, err := pack.New(nil, nil, inner{})
	if err != nil {
		t.Fatal(err)
	}
	long := string(bytes.Repeat([]byte("x"), 1000))
	e := c.Encoder()
	a, _ := e.Encode(&inner{Name: long})
	b, _ := e.Encode(&inner{Name: long, Value: "new"})
	if len(b) > 100 {
		t.Errorf("the second blob has %d bytes", len(b))
	}
	d := c.Decoder()
	var first, second inner
	if err := errors.Join(d.Decode(string(a), &first), d.Decode(string(b), &second)); err != nil {
		t.Fatal(err)
	}
	if first.Name != long || second.Name != long || second.Value != "new" {
		t.Error("texts got lost between blobs")
	}
}

// A file outlives added fields, in both directions: new programs read old
// bytes, old programs say that they cannot read new ones.
func TestFieldsAreAdded(t *testing.T) {
	type v1 struct{ A, B string }
	type v2 struct{ New, B, A string }
	old, _ := pack.New(nil, nil, v1{})
	schema := pack.Schema{"pack_test.v2": old.Schema()["pack_test.v1"]}
	next, err := pack.New(schema, nil, v2{})
	if err != nil {
		t.Fatal(err)
	}
	b, _ := old.Encoder().Encode(&v1{A: "a", B: "b"})
	var back v2
	if err := next.Decoder().Decode(string(b), &back); err != nil || back != (v2{A: "a", B: "b"}) {
		t.Errorf("old bytes read as %+v, %v", back, err)
	}
	b, _ = next.Encoder().Encode(&v2{A: "a", New: "n"})
	if err := old.Decoder().Decode(string(b), &v1{}); !errors.Is(err, pack.ErrNewer) {
		t.Errorf("new bytes give %v", err)
	}
}

// A value that stands at several places is written once and read as one value;
// lists that only look alike, or were made in passing, are not mixed up.
func TestSharedValues(t *testing.T) {
	list := []inner{{Name: "a"}, {Name: "b"}}
	m := map[string]any{"k": []any{1, 2}}
	var many []any
	for i := range 200 {
		many = append(many, []string{"x", string(rune('a' + i%26))}, m)
	}
	type both struct {
		A, B, C []inner
		Any     any
	}
	v := both{A: list, B: list, C: list[:1], Any: many}
	b, err := pack.Marshal(&v)
	if err != nil {
		t.Fatal(err)
	}
	var back both
	if err := pack.Unmarshal(b, &back); err != nil {
		t.Fatal(err)
	}
	for i := 0; i < len(many); i += 2 {
		many[i] = []any{many[i].([]string)[0], many[i].([]string)[1]}
	}
	if d := cmp.Diff(v, back); d != "" {
		t.Fatal(d)
	}
	if &back.A[0] != &back.B[0] || &back.A[0] == &back.C[0] {
		t.Error("what was one value is two, or the other way round")
	}
	if grown := append(back.A, inner{}); &grown[0] == &back.B[0] {
		t.Error("appending to a shared list writes into it")
	}
}

func FuzzUnmarshal(f *testing.F) {
	one := 2.5
	b, err := pack.Marshal(&sample{Text: "a", Opt: &one, List: []inner{{Value: []any{1, "a"}}}, Rows: map[int][]string{1: {"x"}}})
	if err != nil {
		f.Fatal(err)
	}
	f.Add(b)
	f.Add([]byte{2, '{', '}', 1, 0, 0})
	f.Fuzz(func(t *testing.T, b []byte) {
		var v sample
		if err := pack.Unmarshal(b, &v); err != nil {
			return
		}
		if _, err := pack.Marshal(&v); err != nil {
			t.Errorf("what was read cannot be written: %v", err)
		}
	})
}

// What was read is kept by who reads it and by nobody else: neither the decoder
// nor a later sequence holds an earlier one.
func TestDecoderLetsGo(t *testing.T) {
	c, err := pack.New(nil, []any{segment.Text{}}, sample{})
	if err != nil {
		t.Fatal(err)
	}
	in := sample{Tree: &sample{Tree: &sample{Text: "leaf"}}, List: []inner{{Name: "a", Value: []any{"b"}}}}
	blob, err := c.Encoder().Encode(&in)
	if err != nil {
		t.Fatal(err)
	}
	d := c.Decoder()
	read := func() *sample {
		d.Reset()
		out := new(sample)
		if err := d.Decode(string(blob), out); err != nil {
			t.Fatal(err)
		}
		return out
	}
	var early []weak.Pointer[sample]
	for range 20 {
		out := read()
		early = append(early, weak.Make(out.Tree), weak.Make(out.Tree.Tree))
	}
	last := read()
	runtime.GC()
	for i, w := range early {
		if w.Value() != nil {
			t.Fatalf("value %d of %d is still held", i, len(early))
		}
	}
	if d := cmp.Diff(&in, last); d != "" {
		t.Error(d)
	}
	runtime.KeepAlive(d)
}
