package segment

import (
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"
)

func texts() *rapid.Generator[Text] {
	return rapid.Custom(func(t *rapid.T) Text {
		return rapid.SliceOfN(rapid.Custom(func(t *rapid.T) Segment {
			return Segment{
				Text:     rapid.SampledFrom([]string{"", "a", "bc", "é"}).Draw(t, "text"),
				Source:   rapid.SampledFrom([]string{"", "system", "task"}).Draw(t, "source"),
				Payloads: rapid.SampledFrom([][]string{nil, {"p/1"}, {"p/1", "q/1"}}).Draw(t, "payloads"),
			}
		}), 0, 6).Draw(t, "segments")
	})
}

// origins says of every byte where it came from.
func origins(t Text) string {
	var b strings.Builder
	for _, s := range t {
		for i := range len(s.Text) {
			b.WriteString(s.Source + "|" + strings.Join(s.Payloads, ",") + "|" + s.Text[i:i+1] + ";")
		}
	}
	return b.String()
}

// Merging changes neither a byte nor its origin, and leaves no two neighbours alike.
func TestMerge(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		in := texts().Draw(t, "in")
		before := origins(in)
		out := in.Merge()
		if origins(out) != before || origins(in) != before {
			t.Fatalf("%v became %v", in, out)
		}
		for i, s := range out {
			if s.Text == "" || i > 0 && sameOrigin(out[i-1], s) {
				t.Fatalf("%v is not merged: %v", in, out)
			}
		}
	})
}

// What is derived, marked or joined keeps every payload.
func TestPayloadsSurvive(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		a, b := texts().Draw(t, "a"), texts().Draw(t, "b")
		whole := Whole("derived", a, b)
		for _, p := range Concat(a, b).Payloads() {
			if !slices.Contains(whole.Payloads(), p) {
				t.Fatalf("%v from %v and %v lost %s", whole, a, b, p)
			}
		}
		marked := a.Mark("new")
		if a.String() != "" && !slices.Contains(marked.Payloads(), "new") || slices.Contains(a.Payloads(), "new") {
			t.Fatalf("%v marked is %v", a, marked)
		}
		if Concat(a, b).String() != a.String()+b.String() {
			t.Fatal("joining changed the text")
		}
	})
}

func TestDerived(t *testing.T) {
	in := Text{{Text: "a", Source: "system"}, {Text: "b"}, {Text: "c", Source: "task", Payloads: []string{"p/1"}}, {Text: "d", Source: "task", Payloads: []string{"p/2"}}}
	want := Text{{Text: "ABCD", Source: "system+task", Payloads: []string{"p/1", "p/2"}}}
	if diff := cmp.Diff(want, Whole("ABCD", in)); diff != "" {
		t.Error(diff)
	}
	if Whole("", in) != nil || Of("", "x") != nil {
		t.Error("the empty text has segments")
	}
	if in.Plain() || !(Text{{Text: "b"}}).Plain() || !Text(nil).Plain() {
		t.Error("plain")
	}
	want = Text{{Text: "a", Source: "system"}, {Text: "b", Source: "here"}}
	if diff := cmp.Diff(want, in[:2].From("here")); diff != "" {
		t.Error(diff)
	}
	if in[1].Source != "" {
		t.Error("From changed its text")
	}
}
