package world

import (
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"parley/runtime/segment"
)

func docs(texts ...string) []Doc {
	out := make([]Doc, len(texts))
	for i, text := range texts {
		out[i] = Doc{Text: segment.Of(text, "corpus")}
	}
	return out
}

// Three documents of 2, 3 and 4 words, mean 3, by hand from the formula:
//
//	cat: df 2, idf ln(1 + 1.5/2.5)  = 0.470004
//	sat: df 1, idf ln(1 + 2.5/1.5)  = 0.980829
//	d1 "the cat"          |d| 2: cat 2.2/(1 + 1.2·(0.25 + 0.75·2/3)) = 2.2/1.9  → 0.544215
//	d2 "the cat sat"      |d| 3: both 2.2/(1 + 1.2) = 1                        → 1.450833
//	d3 "the dog the dog"  |d| 4: none
func TestScoresByHand(t *testing.T) {
	s := NewStore(NewIndex(docs("The cat", "the CAT sat", "the dog the dog")), 5, 0)
	got := s.Search("cat sat?")
	want := []struct {
		id    string
		score float64
	}{{"2", 1.450833}, {"1", 0.544215}}
	if len(got) != len(want) {
		t.Fatalf("%d results, want %d", len(got), len(want))
	}
	for i, w := range want {
		if got[i].ID != w.id || math.Abs(got[i].Score-w.score) > 1e-6 {
			t.Errorf("result %d: %s %.6f, want %s %.6f", i, got[i].ID, got[i].Score, w.id, w.score)
		}
	}
	// A word that stands twice in d3: tf 2, |d| 4: 2·2.2/(2 + 1.2·1.25) = 4.4/3.5,
	// idf of dog ln(1 + 2.5/1.5).
	if got := s.Search("dog"); math.Abs(got[0].Score-0.980829*4.4/3.5) > 1e-6 {
		t.Errorf("dog scores %v", got[0].Score)
	}
}

// An inserted document counts as if it had been there from the start.
func TestInsertionEqualsIndexing(t *testing.T) {
	texts := []string{"red green", "blue red red", "yellow", "green red blue and red", "Red"}
	whole := NewStore(NewIndex(docs(texts...)), 10, 0)
	for cut := range texts {
		grown := NewStore(NewIndex(docs(texts[:cut]...)), 10, 0)
		for _, text := range texts[cut:] {
			grown = grown.With(Doc{Text: segment.Of(text, "corpus")})
		}
		for _, query := range []string{"red", "green blue", "yellow red", "nothing", "", "red red"} {
			if diff := cmp.Diff(whole.Search(query), grown.Search(query)); diff != "" {
				t.Errorf("cut at %d, %q: %s", cut, query, diff)
			}
		}
	}
}

func TestTiesStandInDocumentOrder(t *testing.T) {
	s := NewStore(NewIndex(docs("same words", "same words", "other", "same words")), 3, 0)
	s = s.With(Doc{ID: "late", Text: segment.Of("same words", "")})
	var ids []string
	for _, r := range s.Search("words same") {
		ids = append(ids, r.ID)
	}
	if diff := cmp.Diff([]string{"1", "2", "4"}, ids); diff != "" {
		t.Error(diff)
	}
}

func TestManyTiesStandInDocumentOrder(t *testing.T) {
	texts := []string{"same words", "same", "same words and more", "same same", "words"}
	s := NewStore(NewIndex(docs(slices.Repeat(texts, 60)...)), 300, 0)
	last := Result{ID: "0", Score: math.Inf(1)}
	for _, r := range s.Search("same words") {
		before, _ := strconv.Atoi(last.ID)
		now, _ := strconv.Atoi(r.ID)
		if r.Score > last.Score || r.Score == last.Score && now < before {
			t.Fatalf("document %s with %v stands behind %s with %v", r.ID, r.Score, last.ID, last.Score)
		}
		last = r
	}
}

func TestStoresBranch(t *testing.T) {
	base := NewStore(NewIndex(docs("a")), 0, 0).With(Doc{Text: segment.Of("b", "")})
	left, right := base.With(Doc{Text: segment.Of("left", "")}), base.With(Doc{Text: segment.Of("right", "")})
	if base.Len() != 2 || len(left.Search("left")) != 1 || len(left.Search("right")) != 0 || len(right.Search("right")) != 1 {
		t.Error("stores made from one store share a document")
	}
	if len(left.Docs()) != 3 || left.Docs()[2].ID != "3" {
		t.Errorf("documents %v", left.Docs())
	}
}

func TestResultsKeepProvenance(t *testing.T) {
	d := Doc{Title: segment.Of("news", "t"), Text: segment.Concat(segment.Of("äöü ", "doc"), segment.Of("payload text", "patch").Mark("p/1"))}
	s := NewStore(NewIndex(nil), 1, 8).With(d)
	got := s.Search("PAYLOAD")
	if len(got) != 1 || got[0].Text.String() != "äöü payl" || !cmp.Equal(got[0].Text.Payloads(), []string{"p/1"}) {
		t.Errorf("got %v", got)
	}
	if len(s.Search("news")) != 1 {
		t.Error("the title is not searched")
	}
}

func TestTruncate(t *testing.T) {
	text := segment.Concat(segment.Of("aé", "1"), segment.Of("漢字", "2"))
	for n, want := range []string{"aé漢字", "a", "aé", "aé漢", "aé漢字", "aé漢字"} {
		if got := Truncate(text, n).String(); got != want {
			t.Errorf("%d: %q, want %q", n, got, want)
		}
	}
	if got := Truncate(text, 2); len(got) != 1 {
		t.Errorf("an empty segment is left: %v", got)
	}
}

func TestWords(t *testing.T) {
	got := Words("Don't stop, ÉCOLE naïve 42nd—x_y 東京 e\u0301 \xff!A")
	want := []string{"don", "t", "stop", "école", "naïve", "42nd", "x", "y", "東京", "e\u0301", "a"}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
}

func BenchmarkSearch(b *testing.B) {
	var texts []string
	for i := range 200 {
		texts = append(texts, strings.Repeat(fmt.Sprintf("word%d some common text about topic%d ", i, i%10), 20))
	}
	x := NewIndex(docs(texts...))
	b.ReportAllocs()
	for b.Loop() {
		s := NewStore(x, 4, 1000).With(Doc{Text: segment.Of("poison about topic3", "")})
		s.Search("what is common about topic3 and word17")
	}
}

func TestIndexesAreSharedWhereDocumentsAreEqual(t *testing.T) {
	var x Indexes
	one := x.Of(docs("a", "b"))
	if x.Of(docs("a", "b")) != one {
		t.Error("equal documents have two indexes")
	}
	marked := docs("a", "b")
	marked[0].Text = marked[0].Text.Mark("p")
	for name, other := range map[string][]Doc{
		"order": docs("b", "a"), "text": docs("a", "c"), "cut": docs("ab"), "fewer": docs("a"), "provenance": marked,
		"title": {{Title: segment.Of("a", "corpus")}, {Text: segment.Of("b", "corpus")}},
	} {
		if x.Of(other) == one {
			t.Errorf("documents that differ by %s share an index", name)
		}
	}
	for i := range 2 * mostIndexes {
		x.Of(docs(fmt.Sprint(i)))
	}
	if len(x.byDocs) > mostIndexes {
		t.Errorf("%d indexes are kept", len(x.byDocs))
	}
}
