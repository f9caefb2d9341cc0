package ast

import "sort"

// Span returns where the cooked bytes [from, to) stand in the file. Cooked
// text is ASCII, so that expr's positions, which count characters, are bytes.
func (m PosMap) Span(from, to int) Span {
	if len(m) == 0 {
		return Span{}
	}
	first, last := m.piece(from), m.piece(max(to-1, from))
	span := Span{Start: m[first].File, End: m[last].FileEnd}
	if e := m[first]; e.Exact {
		span.Start = min(e.File+max(from-e.Cooked, 0), e.FileEnd)
	}
	if e := m[last]; e.Exact {
		span.End = min(e.File+max(to-e.Cooked, 0), e.FileEnd)
	}
	span.End = max(span.End, span.Start)
	return span
}

// piece is the index of the entry that a cooked byte belongs to.
func (m PosMap) piece(at int) int {
	i := sort.Search(len(m), func(i int) bool { return m[i].Cooked > at })
	return max(i-1, 0)
}
