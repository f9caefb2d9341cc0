// Package segment keeps where text came from. Whatever an agent is sent, and
// whatever it says, is a list of segments until the request is written: who met
// a payload, who passed it on and what the viewer marks is read off these.
package segment

import (
	"slices"
	"strings"
)

// Segment is a run of text from one source. Payloads are the ids of the attack
// payloads it is part of; most segments have none.
type Segment struct {
	Text     string   `json:"t"`
	Source   string   `json:"s,omitempty"` // e.g. "system", "task.prompt", "message:debater[2]", "file:a.txt"
	Payloads []string `json:"p,omitempty"`
}

// Text is a string with provenance. The zero value is the empty text.
type Text []Segment

// Of makes a text of one segment; empty strings give an empty text.
func Of(s, source string) Text {
	if s == "" {
		return nil
	}
	return Text{{Text: s, Source: source}}
}

// String joins the segments.
func (t Text) String() string {
	switch len(t) {
	case 0:
		return ""
	case 1:
		return t[0].Text
	}
	n := 0
	for i := range t {
		n += len(t[i].Text)
	}
	var b strings.Builder
	b.Grow(n)
	for i := range t {
		b.WriteString(t[i].Text)
	}
	return b.String()
}

// Payloads returns the ids of all payloads in the text, in order of appearance.
func (t Text) Payloads() []string {
	var ids []string
	for _, s := range t {
		for _, p := range s.Payloads {
			if !slices.Contains(ids, p) {
				ids = append(ids, p)
			}
		}
	}
	return ids
}

// Mark returns the text with every segment also attributed to payload id.
func (t Text) Mark(id string) Text {
	out := make(Text, len(t))
	for i, s := range t {
		if !slices.Contains(s.Payloads, id) {
			s.Payloads = append(append([]string(nil), s.Payloads...), id)
		}
		out[i] = s
	}
	return out
}

// Concat joins texts.
func Concat(ts ...Text) Text {
	var out Text
	for _, t := range ts {
		out = append(out, t...)
	}
	return out
}
