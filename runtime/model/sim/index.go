package sim

import (
	"sort"
	"strings"
)

// index finds many texts in one pass. It looks at every stride-th place only, so
// it knows the eight bytes at each of a text's first places; a bitmap over their
// hashes says at almost every place that no text stands there. Where one may,
// the texts that begin with the same eight bytes stand together in sorted order,
// and a binary search finds those that do stand there, however many are alike at
// their beginning.
type index struct {
	filter  [filterBits / 64]uint64
	stride  int
	offsets map[uint64]uint8 // eight bytes → at which places of some text they stand, a bit each
	sorted  []entry
	parents []int32 // the longest other text that this one begins with; -1: none
	heads   map[uint64]span
	short   []entry // texts of fewer than eight bytes, looked for one by one
}

const (
	width      = 8
	mostStride = 8
	filterLog  = 17
	filterBits = 1 << filterLog
)

// entry is a text and what it belongs to.
type entry struct {
	text string
	ref  ref
}

// ref points at a case or a payload of the table.
type ref struct {
	kind kind
	i    int32
}

type kind uint8

const (
	isCase kind = iota
	isPayload
)

// span is a range of the sorted texts.
type span struct{ lo, hi int32 }

func newIndex(entries []entry) *index {
	x := &index{heads: map[uint64]span{}, offsets: map[uint64]uint8{}, stride: mostStride}
	for _, e := range entries {
		if len(e.text) < width {
			x.short = append(x.short, e)
			continue
		}
		x.sorted = append(x.sorted, e)
		x.stride = min(x.stride, len(e.text)-width+1)
	}
	sort.SliceStable(x.sorted, func(i, j int) bool { return x.sorted[i].text < x.sorted[j].text })
	x.parents = make([]int32, len(x.sorted))
	var open []int32 // texts that the current one may begin with
	for i, e := range x.sorted {
		for len(open) > 0 && !strings.HasPrefix(e.text, x.sorted[open[len(open)-1]].text) {
			open = open[:len(open)-1]
		}
		x.parents[i] = -1
		if len(open) > 0 {
			x.parents[i] = open[len(open)-1]
		}
		open = append(open, int32(i))
		x.note(int32(i))
	}
	return x
}

// note makes a text known to the filter.
func (x *index) note(i int32) {
	text := x.sorted[i].text
	head := load(text)
	s, ok := x.heads[head]
	if !ok {
		s.lo = i
	}
	s.hi = i + 1
	x.heads[head] = s
	for k := range x.stride {
		gram := load(text[k:])
		h := bit(gram)
		x.filter[h>>6] |= 1 << (h & 63)
		x.offsets[gram] |= 1 << k
	}
}

// find calls hit for every text that stands in s, with the byte where it begins.
func (x *index) find(s string, hit func(e entry, at int)) {
	for i := 0; i+width <= len(s); i += x.stride {
		gram := load(s[i:])
		h := bit(gram)
		if x.filter[h>>6]&(1<<(h&63)) == 0 {
			continue
		}
		places := x.offsets[gram]
		for k := x.stride - 1; places != 0 && k >= 0; k-- {
			if places&(1<<k) == 0 || k > i {
				continue
			}
			if among, ok := x.heads[load(s[i-k:])]; ok {
				x.at(s, i-k, among, hit)
			}
		}
	}
	for _, e := range x.short {
		for from := 0; ; {
			i := strings.Index(s[from:], e.text)
			if i < 0 {
				break
			}
			hit(e, from+i)
			from += i + 1
		}
	}
}

// at reports the texts that begin at s[i]. Each is the beginning of the last
// text that is not greater than s[i:], or is that text.
func (x *index) at(s string, i int, among span, hit func(e entry, at int)) {
	rest := s[i:]
	n := sort.Search(int(among.hi-among.lo), func(k int) bool { return x.sorted[int(among.lo)+k].text > rest })
	for k := among.lo + int32(n) - 1; k >= among.lo; k = x.parents[k] {
		if strings.HasPrefix(rest, x.sorted[k].text) {
			hit(x.sorted[k], i)
		}
	}
}

func load(s string) uint64 {
	_ = s[width-1]
	return uint64(s[0]) | uint64(s[1])<<8 | uint64(s[2])<<16 | uint64(s[3])<<24 |
		uint64(s[4])<<32 | uint64(s[5])<<40 | uint64(s[6])<<48 | uint64(s[7])<<56
}

func bit(head uint64) uint64 {
	return head * 0x9e3779b97f4a7c15 >> (64 - filterLog)
}
