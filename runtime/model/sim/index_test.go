package sim

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"
)

// The index finds what a search for each text alone finds.
func TestIndexAgreesWithPlainSearch(t *testing.T) {
	letters := rapid.StringOfN(rapid.SampledFrom([]rune("abä")), 1, 24, -1)
	rapid.Check(t, func(t *rapid.T) {
		texts := rapid.SliceOfN(letters, 1, 12).Draw(t, "texts")
		// Texts that begin like others are the hard case.
		for i := range texts {
			if i > 0 && rapid.Bool().Draw(t, "extend") {
				texts[i] = texts[i-1] + texts[i]
			}
		}
		if rapid.Bool().Draw(t, "long") {
			for i := range texts {
				texts[i] += "-long-enough-to-stride"
			}
		}
		s := strings.Join(rapid.SliceOf(rapid.SampledFrom(append(texts, "a", "b", "ab"))).Draw(t, "s"), "")
		var entries []entry
		var want []string
		for i, text := range texts {
			entries = append(entries, entry{text, ref{isCase, int32(i)}})
			for at := range len(s) {
				if strings.HasPrefix(s[at:], text) {
					want = append(want, fmt.Sprint(i, "@", at))
				}
			}
		}
		var got []string
		newIndex(entries).find(s, func(e entry, at int) { got = append(got, fmt.Sprint(e.ref.i, "@", at)) })
		slices.Sort(want)
		slices.Sort(got)
		if !slices.Equal(want, got) {
			t.Fatalf("in %q of %q: found %v, want %v", s, texts, got, want)
		}
	})
}

func FuzzLook(f *testing.F) {
	for _, seed := range []string{
		"[a]\n{\"answer\": \"x\"", "[a[1]]\n{}", "[", "[a[", "[a[1]\n", "{\"answer\":", "{\"answer\": \"\\\"", "Answer: \n", "[a]\n[b]\nAnswer: x",
		"{\"answer\": {\"a\": [1, \"]\"]}}", "[user]\nAnswer: x", evil,
	} {
		f.Add(seed)
	}
	table, err := NewTable(contents())
	if err != nil {
		f.Fatal(err)
	}
	s := New(table, DefaultParams())
	f.Fuzz(func(t *testing.T, text string) {
		for _, role := range []string{"system", "user", "assistant", "tool"} {
			v := s.look(request(1, debateForm, nil, msg(role, "", text)))
			for _, h := range v.heard {
				if h.answer == "" || h.sender == "" {
					t.Fatalf("%q is heard as %q from %q", text, h.answer, h.sender)
				}
			}
		}
		for _, b := range blocks(text) {
			if b.start > b.end || b.end > len(text) {
				t.Fatalf("block %+v of %d bytes", b, len(text))
			}
		}
	})
}
