package sim

import (
	"strings"

	"parley/runtime/model"
	"parley/runtime/shape"
)

// chosen names who speaks next, where a prompt asks in prose for one of several
// names and nothing else.
func (s *Sim) chosen(v *view) (string, bool) {
	if len(v.req.Tools) > 0 {
		return "", false
	}
	m := v.prompt()
	if m == nil {
		return "", false
	}
	lower := strings.ToLower(m.Content)
	for _, words := range [...]string{"speaks next", "next speaker", "next role", "select one of", "select another one of", "select exactly one of"} {
		if strings.Contains(lower, words) {
			if among := candidates(m.Content); len(among) > 0 {
				return s.who(v, among), true
			}
		}
	}
	return "", false
}

// candidates are the names that a prompt offers.
func candidates(prompt string) []string {
	return listed(prompt, "one of ", "who of ", "select from: ", "next role from ", "select from ")
}

// who is the candidate with the next open call; where nobody has one, who has not
// spoken for longest.
func (s *Sim) who(v *view, among []string) string {
	a := s.agenda(v)
	for k := range a.duties {
		if d := &a.duties[k]; !d.past && d.Agent != "" {
			for _, name := range among {
				if is(d.Agent, model.WireName(name)) {
					return name
				}
			}
		}
	}
	best, longest := among[0], len(a.turns)
	for _, name := range among {
		if heard := a.heardAt(name); heard < longest {
			best, longest = name, heard
		}
	}
	return best
}

// directs reports whether a form asks who is next. Only then does the simulator
// give a meaning to what else such a form asks.
func directs(form *shape.Shape) bool {
	for _, f := range form.Fields {
		if picks(f) {
			return true
		}
	}
	return false
}

// picks reports whether a field says who is next: by itself, or inside of a record
// that also has a reason.
func picks(f shape.Field) bool {
	if !hasWord(f.Name, "next", "speaker") {
		return false
	}
	if f.Shape.Kind == shape.Record {
		return answerField(f.Shape.Fields) >= 0
	}
	return isName(f.Shape)
}

func isName(s shape.Shape) bool {
	return s.Kind == shape.String || s.Kind == shape.Agent || s.Kind == shape.Union && len(s.Values) > 0
}

func hasWord(name string, words ...string) bool {
	for _, w := range words {
		if strings.Contains(name, w) {
			return true
		}
	}
	return false
}

// entry is a field of a form that asks who is next.
func (s *Sim) entry(v *view, name string, f shape.Shape) (any, bool) {
	if f.Kind == shape.Record {
		at := answerField(f.Fields)
		if at < 0 {
			return nil, false
		}
		value, ok := s.entry(v, name, f.Fields[at].Shape)
		if !ok {
			return nil, false
		}
		out := map[string]any{}
		for i, part := range f.Fields {
			if i == at {
				out[part.Name] = value
			} else {
				out[part.Name] = filler(part.Name, part.Shape, v)
			}
		}
		return out, true
	}
	a := s.agenda(v)
	switch {
	case f.Kind == shape.Bool && hasWord(name, "satisf", "done", "complete", "finish"):
		return s.finished(v, a), true
	case f.Kind == shape.Bool && hasWord(name, "progress"):
		return len(a.turns) == 0 || a.moved && !a.repeated, true
	case f.Kind == shape.Bool && hasWord(name, "loop", "stall", "stuck", "circl"):
		return a.repeated, true
	case isName(f) && hasWord(name, "next", "speaker"):
		among := valuesOf(f)
		if m := v.prompt(); m != nil && len(among) == 0 {
			among = candidates(m.Content)
		}
		if len(among) == 0 {
			return nil, false
		}
		return s.who(v, among), true
	case f.Kind == shape.String && hasWord(name, "instruction", "question"):
		if k := a.first(); k >= 0 {
			return v.briefing(a, k), true
		}
		if v.task != nil {
			return v.task.Prompt, true
		}
	}
	return nil, false
}

func valuesOf(s shape.Shape) []string {
	var out []string
	for _, x := range s.Values {
		if name, ok := x.(string); ok {
			out = append(out, name)
		}
	}
	return out
}

// finished reports whether the task is done as far as the agent can see: each call
// was made or will not be, and where no call is anybody's, somebody has answered.
func (s *Sim) finished(v *view, a *agenda) bool {
	if len(a.duties) == 0 {
		return len(v.heard) > 0
	}
	return a.first() < 0
}

// listed are the names in the longest list that follows one of some words: names
// between commas, "and" or "or".
func listed(text string, after ...string) []string {
	var best []string
	for _, words := range after {
		for rest := text; ; {
			i := strings.Index(rest, words)
			if i < 0 {
				break
			}
			rest = rest[i+len(words):]
			if list := namesIn(rest); len(list) > len(best) {
				best = list
			}
		}
	}
	return best
}

// namesIn reads names up to what is none.
func namesIn(s string) []string {
	var out []string
	s = strings.TrimLeft(s, "[")
	for {
		s = strings.TrimLeft(s, `"' `)
		end := 0
		for end < len(s) && (nameByte(s[end], end == 0) || end > 0 && (s[end] == '[' || s[end] == ']' && strings.Contains(s[:end], "["))) {
			end++
		}
		if end == 0 {
			return out
		}
		name := s[:end]
		rest := strings.TrimLeft(s[end:], `"'`)
		if name != "and" && name != "or" {
			out = append(out, name)
			if !strings.HasPrefix(rest, ",") && !strings.HasPrefix(rest, " and ") && !strings.HasPrefix(rest, " or ") {
				return out
			}
		}
		s = strings.TrimPrefix(rest, ",")
	}
}

// transcript finds what others said in a prompt that lists it line by line, NAME:
// TEXT, beginning with a line of the user's. Speakers are those whom the prompt
// offers, and those who have calls to make.
func (v *view) transcript(content string) []block {
	start := strings.Index(content, "\nuser: ")
	if start < 0 {
		return nil
	}
	among := candidates(content)
	var out []block
	for at := start + 1; at < len(content); {
		end := len(content)
		if i := strings.IndexByte(content[at:], '\n'); i >= 0 {
			end = at + i
		}
		if name, _, ok := strings.Cut(content[at:end], ": "); ok && v.speaks(name, among) {
			out = append(out, block{name, at + len(name) + 2, end})
		} else if n := len(out); n > 0 {
			out[n-1].end = end
		}
		at = end + 1
	}
	return out
}

func (v *view) speaks(name string, among []string) bool {
	if name == "user" || named(among, name) {
		return true
	}
	for _, c := range v.task.calls() {
		if is(c.Agent, model.WireName(name)) {
			return true
		}
	}
	return false
}

func (c *Case) calls() []Call {
	if c == nil {
		return nil
	}
	return c.Calls
}
