package segment

import "strings"

// Merge joins neighbours of one origin, so that texts built piece by piece are
// as short as texts built at once. Empty segments go.
func (t Text) Merge() Text {
	if t.merged() {
		return t
	}
	out := make(Text, 0, len(t))
	for _, s := range t {
		if s.Text == "" {
			continue
		}
		if n := len(out); n > 0 && sameOrigin(out[n-1], s) {
			out[n-1].Text += s.Text
			continue
		}
		out = append(out, s)
	}
	return out
}

// merged reports whether Merge would change nothing.
func (t Text) merged() bool {
	for i := range t {
		if t[i].Text == "" || i > 0 && sameOrigin(t[i-1], t[i]) {
			return false
		}
	}
	return true
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
			if f.Source != "" && !contains(sources, f.Source) {
				sources = append(sources, f.Source)
			}
			for _, p := range f.Payloads {
				if !contains(seg.Payloads, p) {
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
