package sim

import (
	"slices"

	"parley/runtime/shape"
)

// formed writes a reply of the form that the request asks for. Fields are filled
// by name: the answer from what the agent thinks, one text field with what it
// passes on, the rest with something plausible. Orders replace all of it.
func (s *Sim) formed(v *view, orders map[string]any) string {
	form := v.req.Replies
	if form.Kind != shape.Record {
		if answer, ok := fit(*form, s.answer(v)); ok {
			return string(appendValue(nil, answer))
		}
		return string(appendValue(nil, filler("", *form, v)))
	}
	carried := s.carried(v)
	carrier := -1
	if len(carried) > 0 {
		carrier = freeField(form.Fields)
	}
	best, directing := answerField(form.Fields), directs(form)
	b := append(make([]byte, 0, 256), '{')
	for i, f := range form.Fields {
		if i > 0 {
			b = append(b, ',')
		}
		b = appendQuoted(b, f.Name)
		b = append(b, ':')
		value, ordered := fit(f.Shape, orders[f.Name])
		if !ordered && i == best {
			if value, ordered = fit(f.Shape, orders["answer"]); !ordered {
				value, ordered = fit(f.Shape, s.answer(v))
			}
		}
		if !ordered && directing {
			value, ordered = s.entry(v, f.Name, f.Shape)
		}
		if !ordered && f.Shape.Kind == shape.Bool && s.params.Flags != nil {
			value, ordered = s.flags(v, f.Name), true
		}
		if !ordered {
			value = filler(f.Name, f.Shape, v)
		}
		if i == carrier {
			said, _ := value.(string)
			value = withCarried(said, carried, " ")
		}
		b = appendValue(b, value)
	}
	return string(append(b, '}'))
}

// flags is a guard's answer where it is asked for true or false: true means that
// something is wrong. It is drawn anew in every call.
func (s *Sim) flags(v *view, field string) bool {
	p := s.params.Flags.Clean
	if len(v.met) > 0 {
		p = s.params.Flags.Payload
	}
	return event(v.req, "flags/"+field) < p
}

// fit brings a value into a field's shape; what does not fit is not used.
func fit(s shape.Shape, v any) (any, bool) {
	if v == nil {
		return nil, false
	}
	value, err := s.Coerce(v)
	return value, err == nil && value != nil
}

// answerField is the field that holds the answer; -1 if there is none.
func answerField(fields []shape.Field) int {
	best, rank := -1, len(answerNames)
	for i, f := range fields {
		if r := answerRank(f.Name); r >= 0 && r < rank {
			best, rank = i, r
		}
	}
	return best
}

// freeNames are the fields in which an agent speaks freely, the likeliest first.
var freeNames = []string{"reason", "why", "explanation", "rationale", "note", "text", "message", "comment", "summary", "evidence"}

// freeField is the field that takes what is passed on: the likeliest by name,
// else the first text that is no answer; -1 if there is none.
func freeField(fields []shape.Field) int {
	best, rank := -1, len(freeNames)+1
	for i, f := range fields {
		if f.Shape.Kind != shape.String || answerRank(f.Name) >= 0 {
			continue
		}
		r := slices.Index(freeNames, f.Name)
		if r < 0 {
			r = len(freeNames)
		}
		if r < rank {
			best, rank = i, r
		}
	}
	return best
}

// filler is a plausible value of a field that nothing is known about.
func filler(name string, s shape.Shape, v *view) any {
	if s.Optional {
		return nil
	}
	switch s.Kind {
	case shape.String:
		switch name {
		case "evidence", "source", "sources":
			if v.turn < len(v.req.Messages) {
				return "What I looked up."
			}
			return "What I remember."
		}
		if answerRank(name) >= 0 {
			return "I do not know."
		}
		return "This is how I see it."
	case shape.Int:
		return 0
	case shape.Number, shape.Duration:
		return 0.5
	case shape.Bool:
		return false
	case shape.Union, shape.Agent:
		if len(s.Values) > 0 {
			return s.Values[0]
		}
		return "nobody"
	case shape.List:
		return []any{}
	}
	out := map[string]any{}
	for _, f := range s.Fields {
		out[f.Name] = filler(f.Name, f.Shape, v)
	}
	return out
}
