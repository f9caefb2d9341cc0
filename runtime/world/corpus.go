package world

import (
	"cmp"
	"math"
	"slices"
	"strconv"
	"unicode/utf8"

	"parley/runtime/segment"
)

// Okapi BM25 (Robertson and Zaragoza 2009) with the idf that stays positive:
//
//	score(q, d) = Σ_t∈q idf(t) · tf·(K1+1) / (tf + K1·(1 − B + B·|d|/avg))
//	idf(t)      = ln(1 + (N − df + ½)/(df + ½))
//
// N, df and the mean length avg are those of the agent's own store with
// everything inserted into it. Lengths are in words. A word that stands twice in
// the query counts twice.
const (
	K1 = 1.2
	B  = 0.75
)

// Doc is one document. A title or text may carry provenance.
type Doc struct {
	ID    string
	Title segment.Text
	Text  segment.Text
}

// Result is one retrieved document, best first.
type Result struct {
	ID    string
	Title segment.Text
	Text  segment.Text // cut to the store's limit
	Score float64
}

// Value returns the result as expressions and models see it.
func (r Result) Value() map[string]any {
	return map[string]any{"id": r.ID, "title": r.Title, "text": r.Text, "score": r.Score}
}

// Index is a searchable list of documents. It never changes, so any number of
// stores and trials may share it.
type Index struct {
	docs     []Doc
	lengths  []int
	words    int // total
	postings map[string][]posting
}

type posting struct{ doc, count int32 }

// NewIndex indexes documents in order. Titles are searched with the texts. A
// document without an id gets its position, from 1.
func NewIndex(docs []Doc) *Index {
	x := &Index{
		docs:     make([]Doc, len(docs)),
		lengths:  make([]int, len(docs)),
		postings: make(map[string][]posting),
	}
	for i, d := range docs {
		if d.ID == "" {
			d.ID = strconv.Itoa(i + 1)
		}
		x.docs[i] = d
		counts, n := countWords(d)
		x.lengths[i] = n
		x.words += n
		for word, count := range counts {
			x.postings[word] = append(x.postings[word], posting{int32(i), int32(count)})
		}
	}
	return x
}

func countWords(d Doc) (counts map[string]int, total int) {
	counts = make(map[string]int)
	count := func(word string) {
		counts[word]++
		total++
	}
	eachWord(d.Title.String(), count)
	eachWord(d.Text.String(), count)
	return counts, total
}

// Store is one agent's own documents: a shared index and what was inserted.
// Stores are values that never change; With makes a new one.
type Store struct {
	base     *Index
	added    []added
	addWords int
	top      int
	truncate int
}

type added struct {
	doc    Doc
	counts map[string]int
	length int
}

// DefaultTop is how many documents a retrieval returns where nothing is said.
const DefaultTop = 4

// NewStore makes a store over an index. Top is how many documents a retrieval
// returns (0: DefaultTop), truncate how many characters of each (0: all).
func NewStore(x *Index, top, truncate int) *Store {
	if top <= 0 {
		top = DefaultTop
	}
	return &Store{base: x, top: top, truncate: truncate}
}

// With returns the store with one document more, which stands last in document
// order. It costs no more than reading the document.
func (s *Store) With(d Doc) *Store {
	if d.ID == "" {
		d.ID = strconv.Itoa(s.Len() + 1)
	}
	counts, n := countWords(d)
	out := *s
	out.added = append(s.added[:len(s.added):len(s.added)], added{d, counts, n})
	out.addWords += n
	return &out
}

// Len is the number of documents.
func (s *Store) Len() int { return len(s.base.docs) + len(s.added) }

// Docs returns all documents in document order.
func (s *Store) Docs() []Doc {
	out := append([]Doc(nil), s.base.docs...)
	for _, a := range s.added {
		out = append(out, a.doc)
	}
	return out
}

// Search returns the best documents that share a word with the query. Equal
// scores stand in document order.
func (s *Store) Search(query string) []Result {
	scores := s.scores(query)
	hits := make([]int, 0, len(scores))
	for i, score := range scores {
		if score > 0 {
			hits = append(hits, i)
		}
	}
	slices.SortStableFunc(hits, func(a, b int) int { return cmp.Compare(scores[b], scores[a]) })
	if len(hits) > s.top {
		hits = hits[:s.top]
	}
	out := make([]Result, len(hits))
	for i, hit := range hits {
		d := s.doc(hit)
		out[i] = Result{ID: d.ID, Title: d.Title, Text: Truncate(d.Text, s.truncate), Score: scores[hit]}
	}
	return out
}

func (s *Store) doc(i int) Doc {
	if i < len(s.base.docs) {
		return s.base.docs[i]
	}
	return s.added[i-len(s.base.docs)].doc
}

// scores returns the score of every document. Words are taken in the order of
// the query, so that sums, and with them ties, are the same on every run.
func (s *Store) scores(query string) []float64 {
	n := s.Len()
	scores := make([]float64, n)
	words := s.base.words + s.addWords
	if n == 0 || words == 0 {
		return scores
	}
	average := float64(words) / float64(n)
	eachWord(query, func(word string) {
		list := s.base.postings[word]
		df := len(list)
		for _, a := range s.added {
			if a.counts[word] > 0 {
				df++
			}
		}
		if df == 0 {
			return
		}
		idf := math.Log(1 + (float64(n-df)+0.5)/(float64(df)+0.5))
		for _, p := range list {
			scores[p.doc] += idf * saturation(int(p.count), s.base.lengths[p.doc], average)
		}
		for i, a := range s.added {
			if count := a.counts[word]; count > 0 {
				scores[len(s.base.docs)+i] += idf * saturation(count, a.length, average)
			}
		}
	})
	return scores
}

func saturation(count, length int, average float64) float64 {
	tf := float64(count)
	return tf * (K1 + 1) / (tf + K1*(1-B+B*float64(length)/average))
}

// Truncate cuts a text to at most n characters (Unicode code points) and keeps
// the provenance of what is left; 0 keeps all.
func Truncate(t segment.Text, n int) segment.Text {
	if n <= 0 {
		return t
	}
	left := n
	for i, seg := range t {
		count := utf8.RuneCountInString(seg.Text)
		if count <= left {
			left -= count
			continue
		}
		out := append(segment.Text(nil), t[:i]...)
		end := 0
		for range left {
			_, size := utf8.DecodeRuneInString(seg.Text[end:])
			end += size
		}
		if end > 0 {
			seg.Text = seg.Text[:end]
			out = append(out, seg)
		}
		return out
	}
	return t
}
