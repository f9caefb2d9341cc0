package segment

import (
	"slices"
	"strings"
)

// Merge joins neighbours of one origin, so that texts built piece by piece are
// as short as texts built at once. Empty segments go.
func (t Text) Merge() Text {
	var out Text
	for i := 0; i < len(t); {
		j, size := i, 0
		for j < len(t) && (t[j].Text == "" || size == 0 || sameOrigin(t[i], t[j])) {
			if size == 0 {
				i = j // what came before was empty
			}
			size += len(t[j].Text)
			j++
		}
		if size > 0 {
			s := t[i]
			s.Text = t[i:j].String()
			out = append(out, s)
		}
		i = j
	}
	return out
}

// Whole makes one segment of a text that was computed from others, such as an
// upper-cased copy: it counts as coming from all of them, every payload included.
func Whole(s string, from ...Text) Text {
	if s == "" {
		return nil
	}
	seg := Segment{Text: s}
	var sources []string
	for _, t := range from {
		for _, f := range t {
			if f.Source != "" && !slices.Contains(sources, f.Source) {
				sources = append(sources, f.Source)
			}
			for _, p := range f.Payloads {
				if !slices.Contains(seg.Payloads, p) {
					seg.Payloads = append(seg.Payloads, p)
				}
			}
		}
	}
	seg.Source = strings.Join(sources, "+")
	return Text{seg}
}

// Plain reports whether the text carries no origin at all, so that a string says
// as much.
func (t Text) Plain() bool {
	for _, s := range t {
		if s.Source != "" || len(s.Payloads) > 0 {
			return false
		}
	}
	return true
}

// From gives the segments that have no source of their own this one.
func (t Text) From(source string) Text {
	out := make(Text, len(t))
	for i, s := range t {
		if s.Source == "" {
			s.Source = source
		}
		out[i] = s
	}
	return out
}

func sameOrigin(a, b Segment) bool {
	if a.Source != b.Source || len(a.Payloads) != len(b.Payloads) {
		return false
	}
	for i := range a.Payloads {
		if a.Payloads[i] != b.Payloads[i] {
			return false
		}
	}
	return true
}
