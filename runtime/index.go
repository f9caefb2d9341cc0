package runtime

import (
	"math"
	"sort"
	"strings"
)

// index ranks documents by BM25 (Robertson et al.; k1 = 1.2, b = 0.75).
type index struct {
	docs []map[string]int
	size []int
	in   map[string]int
	mean float64
}

type hit struct {
	doc   int
	score float64
}

func newIndex(docs []document) *index {
	x := &index{in: map[string]int{}}
	total := 0
	for _, d := range docs {
		words := wordsOf(d.title.String() + " " + d.text.String())
		counts := map[string]int{}
		for _, w := range words {
			counts[w]++
		}
		for w := range counts {
			x.in[w]++
		}
		x.docs, x.size = append(x.docs, counts), append(x.size, len(words))
		total += len(words)
	}
	x.mean = math.Max(1, float64(total)/math.Max(1, float64(len(docs))))
	return x
}

func (x *index) search(query string, top int) []hit {
	var hits []hit
	words := wordsOf(query)
	for i, counts := range x.docs {
		score := 0.0
		for _, w := range words {
			tf := float64(counts[w])
			if tf == 0 {
				continue
			}
			n, in := float64(len(x.docs)), float64(x.in[w])
			idf := math.Log(1 + (n-in+0.5)/(in+0.5))
			score += idf * tf * 2.2 / (tf + 1.2*(0.25+0.75*float64(x.size[i])/x.mean))
		}
		if score > 0 {
			hits = append(hits, hit{i, score})
		}
	}
	sort.SliceStable(hits, func(i, j int) bool { return hits[i].score > hits[j].score })
	if top > 0 && len(hits) > top {
		hits = hits[:top]
	}
	return hits
}

func matchURI(pattern, uri string) bool {
	head, tail, wild := strings.Cut(pattern, "*")
	if !wild {
		return pattern == uri
	}
	if !strings.HasPrefix(uri, head) {
		return false
	}
	rest := uri[len(head):]
	for i := 0; i <= len(rest); i++ {
		if matchURI(tail, rest[i:]) {
			return true
		}
		if i < len(rest) && rest[i] == '/' {
			break
		}
	}
	return false
}
