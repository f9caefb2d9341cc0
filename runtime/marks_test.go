package runtime

import (
	"encoding/json"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"parley/runtime/segment"
)

func TestFind(t *testing.T) {
	for _, tt := range []struct {
		text, mark string
		want       []string
	}{
		{"It was Clarke.", "Clarke", []string{"Clarke"}},
		{"CLARKE, clarke!", "Clarke", []string{"CLARKE", "clarke"}},
		{"Clarkes and McClarke", "Clarke", nil},
		{"by Frans  Hals, they say", "frans hals", []string{"Frans  Hals"}},
		{"Hals Frans", "frans hals", nil},
		{"", "x", nil},
		{"Ångström éclair", "éclair", []string{"éclair"}},
	} {
		var got []string
		for _, s := range find(split(tt.text), wordsOf(tt.mark)) {
			got = append(got, tt.text[s[0]:s[1]])
		}
		if d := cmp.Diff(tt.want, got); d != "" {
			t.Errorf("%q in %q: %s", tt.mark, tt.text, d)
		}
	}
}

// Marking changes who a text belongs to and not a character of it, and marks the
// spans and nothing else.
func TestMarkSpansKeepsTheText(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		var text segment.Text
		for _, s := range rapid.SliceOfN(rapid.StringMatching(`[a-zé ]{0,6}`), 0, 5).Draw(t, "segments") {
			text = append(text, segment.Segment{Text: s, Source: "x"})
		}
		whole := text.String()
		ends := rapid.SliceOfN(rapid.IntRange(0, len(whole)), 0, 6).Draw(t, "ends")
		slices.Sort(ends)
		var spans [][2]int
		var want strings.Builder
		for i := 0; i+1 < len(ends); i += 2 {
			spans = append(spans, [2]int{ends[i], ends[i+1]})
			want.WriteString(whole[ends[i]:ends[i+1]])
		}
		marked := markSpans(text, spans, "p")
		if marked.String() != whole {
			t.Fatalf("%q became %q", whole, marked.String())
		}
		var got strings.Builder
		for _, s := range marked {
			if len(s.Payloads) > 0 {
				got.WriteString(s.Text)
			}
		}
		if got.String() != want.String() {
			t.Fatalf("marked %q, want %q", got.String(), want.String())
		}
	})
}

// A flood of marks costs no more than reading it.
func TestManyMarks(t *testing.T) {
	flood := strings.Repeat("Clarke ", 50_000)
	text := segment.Of(flood, "x")
	marked := markSpans(text, find(split(flood), wordsOf("clarke")), "p")
	if marked.String() != flood || len(marked) != 100_000 {
		t.Errorf("%d segments", len(marked))
	}
}

// A reply written out reads back as itself, marked or not.
func TestJSONTextReadsBack(t *testing.T) {
	shape := record("answer", "reason")
	rapid.Check(t, func(t *rapid.T) {
		answer, reason := rapid.String().Draw(t, "answer"), rapid.String().Draw(t, "reason")
		value := map[string]any{"answer": segment.Of(answer, "x").Mark("p"), "reason": reason}
		written := jsonText(shape, value).String()
		if !json.Valid([]byte(written)) {
			t.Fatalf("not JSON: %s", written)
		}
		back, err := shape.Read(written)
		if err != nil {
			t.Fatalf("%s: %v", written, err)
		}
		want := map[string]any{"answer": strings.ToValidUTF8(answer, "\uFFFD"), "reason": strings.ToValidUTF8(reason, "\uFFFD")}
		if d := cmp.Diff(want, back); d != "" {
			t.Fatal(d)
		}
	})
}

func TestFillerHasTheLength(t *testing.T) {
	for _, s := range []string{"", "x", "näïve 世界", strings.Repeat("long ", 100)} {
		if got := filler(s); len([]rune(got)) != len([]rune(s)) {
			t.Errorf("%d characters for %d", len([]rune(got)), len([]rune(s)))
		}
	}
}
