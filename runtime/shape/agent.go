package shape

import (
	"strings"

	"parley/runtime/segment"
)

// agent accepts an agent's name, or an agent as expressions know it: a record
// with a field `name`. The result is the name. Models see names in a form that
// endpoints accept (debater_2), so that form is understood too.
func (c conversion) agent(s Shape, v any, path string) (any, error) {
	name, ok := agentName(v)
	if !ok || name == "" {
		return nil, mismatch(s, v, path)
	}
	if len(s.Values) == 0 {
		return name, nil
	}
	for _, want := range s.Values {
		if w, ok := want.(string); ok && w == name {
			return w, nil
		}
	}
	if c.lenient {
		for _, want := range s.Values {
			if w, ok := want.(string); ok && bareName(w) == bareName(name) {
				return w, nil
			}
		}
	}
	return nil, mismatch(s, v, path)
}

func agentName(v any) (string, bool) {
	switch v := v.(type) {
	case string:
		return v, true
	case segment.Text:
		return v.String(), true
	case interface{ Field(string) (any, bool) }:
		field, ok := v.Field("name")
		if !ok {
			return "", false
		}
		return asText(field)
	}
	return "", false
}

// bareName makes debater[2], debater_2, Debater 2 and debater2 equal.
func bareName(name string) string {
	return strings.Map(func(r rune) rune {
		switch r {
		case '[', ']', '_', ' ', '-', '#':
			return -1
		}
		return r
	}, strings.ToLower(strings.TrimSpace(name)))
}
