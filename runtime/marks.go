package runtime

import (
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"parley/runtime/segment"
	"parley/runtime/trace"
)

// shortestMark is the fewest characters of an interpolated value that tell a
// payload from ordinary text.
const shortestMark = 3

// mark is what betrays a payload in a text: the words of the whole payload, or
// of a value that its template interpolates.
type mark struct {
	payload string
	words   []string
	longest string // of the words, to rule out quickly
}

// learn remembers a rendered payload's marks for the rest of the trial. A
// placebo has none: nothing in it can be obeyed or passed on.
func (r *run) learn(p *patch, f *frame, text string) error {
	if p.src.Placebo {
		return nil
	}
	if !r.addMark(p.src.ID, text) {
		return nil // the same text has the same parts
	}
	for _, x := range p.marks {
		t, err := x.text(f, "")
		if err != nil {
			return err
		}
		value := t.String()
		if utf8.RuneCountInString(strings.TrimSpace(value)) < shortestMark || r.ordinary(value) {
			continue
		}
		r.addMark(p.src.ID, value)
	}
	return nil
}

// ordinary reports whether the task's own prompt contains the value, so that
// repeating it betrays nothing.
func (r *run) ordinary(value string) bool {
	prompt, _ := r.now.Fields["prompt"].(string)
	return len(find(split(prompt), wordsOf(value))) > 0
}

// addMark reports whether the mark is new.
func (r *run) addMark(payload, text string) bool {
	id := markKey{payload, text}
	if r.known[id] {
		return false
	}
	r.known[id] = true
	if words := wordsOf(text); len(words) > 0 {
		longest := slices.MaxFunc(words, func(a, b string) int { return len(a) - len(b) })
		r.marks = append(r.marks, mark{payload: payload, words: words, longest: longest})
	}
	return true
}

type markKey struct{ payload, text string }

// word is a word of a text and where it stands, in bytes.
type word struct {
	text       string // lower case
	start, end int
}

// split cuts a text into words: runs of letters and digits.
func split(s string) []word {
	out := make([]word, 0, len(s)/5+1)
	start := -1
	for i, c := range s {
		if unicode.IsLetter(c) || unicode.IsDigit(c) {
			if start < 0 {
				start = i
			}
			continue
		}
		if start >= 0 {
			out = append(out, word{strings.ToLower(s[start:i]), start, i})
			start = -1
		}
	}
	if start >= 0 {
		out = append(out, word{strings.ToLower(s[start:]), start, len(s)})
	}
	return out
}

func wordsOf(s string) []string {
	var out []string
	for _, w := range split(s) {
		out = append(out, w.text)
	}
	return out
}

// find returns where the words stand together in a text, as byte spans.
func find(text []word, words []string) [][2]int {
	if len(words) == 0 {
		return nil
	}
	var spans [][2]int
	for i := 0; i+len(words) <= len(text); i++ {
		k := 0
		for k < len(words) && text[i+k].text == words[k] {
			k++
		}
		if k == len(words) {
			spans = append(spans, [2]int{text[i].start, text[i+k-1].end})
			i += k - 1
		}
	}
	return spans
}

// markText attributes to the payloads that the agent has met those spans of
// what it says that repeat them.
func (j *job) markText(t segment.Text) segment.Text {
	if len(j.run.marks) == 0 || len(t) == 0 {
		return t
	}
	s := t.String()
	lower := strings.ToLower(s)
	var text []word
	for _, m := range j.run.marks {
		if !j.met(m.payload) || !strings.Contains(lower, m.longest) {
			continue
		}
		if text == nil {
			text = split(s)
		}
		t = markSpans(t, find(text, m.words), m.payload)
	}
	return t
}

func (j *job) met(payload string) bool {
	return j.member.exposed[payload] || j.exposed[payload]
}

// markSpans attributes spans of bytes, in order and apart from each other, to a
// payload. One pass, however many there are: what models say is hostile.
func markSpans(t segment.Text, spans [][2]int, payload string) segment.Text {
	if len(spans) == 0 {
		return t
	}
	out := make(segment.Text, 0, len(t)+2*len(spans))
	at := 0 // where the current segment begins
	for _, s := range t {
		end := at + len(s.Text)
		from := at
		for len(spans) > 0 && spans[0][0] < end {
			lo, hi := max(spans[0][0], from), min(spans[0][1], end)
			out = append(cut(out, s, from-at, lo-at), cut(nil, s, lo-at, hi-at).Mark(payload)...)
			from = hi
			if spans[0][1] > end {
				break // it goes on in the next segment
			}
			spans = spans[1:]
		}
		out = cut(out, s, from-at, len(s.Text))
		at = end
	}
	return out
}

// cut appends a part of a segment, unless it is empty.
func cut(out segment.Text, s segment.Segment, from, to int) segment.Text {
	if from >= to {
		return out
	}
	s.Text = s.Text[from:to]
	return append(out, s)
}

// markValue marks the texts inside a reply or a call's arguments. A text that
// repeats nothing stays a plain string.
func (j *job) markValue(v any) any {
	switch v := v.(type) {
	case string:
		if t := j.markText(segment.Of(v, "model:"+j.member.agent.Name)); len(t.Payloads()) > 0 {
			return t
		}
	case []any:
		out := make([]any, len(v))
		for i, x := range v {
			out[i] = j.markValue(x)
		}
		return out
	case map[string]any:
		out := make(map[string]any, len(v))
		for name, x := range v {
			out[name] = j.markValue(x)
		}
		return out
	}
	return v
}

// markArgs marks the arguments of a tool call: what an exposed agent writes into
// the world carries the payload to whoever reads it there.
func (j *job) markArgs(args map[string]any) map[string]any {
	if len(j.run.marks) == 0 {
		return args
	}
	return j.markValue(args).(map[string]any)
}

// meet records the payloads that stand in what an agent is sent, once a turn.
// What it said itself does not count.
func (j *job) meet(messages []*message) {
	if len(j.run.program.patches) == 0 {
		return
	}
	for _, m := range messages {
		if m.Role == "assistant" {
			continue
		}
		for _, s := range m.Text {
			for _, id := range s.Payloads {
				if !j.exposed[id] {
					j.encounter(id, stands(m, s))
				}
			}
		}
	}
}

// meetTools does it for what the agent is told of its tools.
func (j *job) meetTools() {
	for _, d := range j.described {
		for _, id := range d.Text.Payloads() {
			if !j.exposed[id] {
				j.encounter(id, "description")
			}
		}
	}
}

// encounter records that a payload was met, the first time in a turn.
func (j *job) encounter(id, slot string) {
	if j.exposed == nil {
		j.exposed = map[string]bool{}
	}
	j.exposed[id] = true
	j.record(trace.Event{Kind: trace.KindExposure, Exposure: &trace.Exposure{
		Agent: j.member.agent.Name, Payload: id, Slot: slot, Turn: j.turn.ID,
	}})
}

// stands names the slot through which a segment reached an agent.
func stands(m *message, s segment.Segment) string {
	source := s.Source
	switch {
	case m.Role == "system":
		return "system"
	case strings.HasPrefix(source, "corpus:"):
		return "corpus"
	case m.Role == "tool":
		return "tool"
	case source == string(SlotMemory):
		return "memory"
	case m.Name != "" || strings.HasPrefix(source, "message:"):
		return "message"
	case strings.HasPrefix(source, "task"):
		return "task"
	}
	return "prompt"
}
