package shape

import (
	"strings"
)

// String writes the shape in the language's own type grammar, for messages.
func (s Shape) String() string {
	var b strings.Builder
	writeShape(&b, s)
	return b.String()
}

func writeShape(b *strings.Builder, s Shape) {
	switch s.Kind {
	case List:
		b.WriteByte('[')
		if s.Elem != nil {
			writeShape(b, *s.Elem)
		}
		b.WriteByte(']')
	case Record:
		b.WriteString("{ ")
		for i, f := range s.Fields {
			if i > 0 {
				b.WriteString(", ")
			}
			b.WriteString(f.Name + ": ")
			writeShape(b, f.Shape)
			if f.HasDefault {
				b.WriteString(" = " + literal(f.Default))
			}
		}
		b.WriteString(" }")
	case Union:
		for i, v := range s.Values {
			if i > 0 {
				b.WriteString(" | ")
			}
			b.WriteString(literal(v))
		}
	default:
		b.WriteString(string(s.Kind))
	}
	if s.Optional {
		b.WriteByte('?')
	}
}

// Instruction tells a model in words which reply is wanted. It is sent beside
// the schema, apart from an agent's system prompt, so that replacing that
// prompt does not make replies unreadable.
func (s Shape) Instruction() string {
	var b strings.Builder
	if s.Kind != Record {
		b.WriteString("Reply with one JSON value and nothing else: ")
		writeWanted(&b, s)
		return b.String()
	}
	b.WriteString("Reply with one JSON object and nothing else, of this form: ")
	writeWanted(&b, s)
	return b.String()
}

// writeWanted writes a JSON-like example whose values say what they must be.
func writeWanted(b *strings.Builder, s Shape) {
	switch s.Kind {
	case Record:
		b.WriteByte('{')
		for i, f := range s.Fields {
			if i > 0 {
				b.WriteString(", ")
			}
			b.WriteString(literal(f.Name) + ": ")
			field := f.Shape
			field.Optional = field.Optional || f.HasDefault
			writeWanted(b, field)
		}
		b.WriteByte('}')
		if s.Optional {
			b.WriteString(" or null")
		}
	case List:
		b.WriteByte('[')
		if s.Elem != nil {
			writeWanted(b, *s.Elem)
			b.WriteString(", ")
		}
		b.WriteString("…]")
		if s.Optional {
			b.WriteString(" or null")
		}
	default:
		b.WriteString("<" + wanted(s))
		if s.Optional {
			b.WriteString(" or null")
		}
		b.WriteByte('>')
	}
}

// wanted says in words what a value of the shape is.
func wanted(s Shape) string {
	switch s.Kind {
	case Int:
		return "a whole number"
	case Number:
		return "a number"
	case Duration:
		return "a number of seconds"
	case Bool:
		return "true or false"
	case String:
		return "text"
	case List:
		return "a list"
	case Record:
		return "a record"
	case Agent:
		if len(s.Values) == 0 {
			return "an agent's name"
		}
		return oneOf(s.Values)
	case Union:
		return oneOf(s.Values)
	}
	return "a value"
}

func oneOf(values []any) string {
	if len(values) == 1 {
		return literal(values[0])
	}
	parts := make([]string, len(values))
	for i, v := range values {
		parts[i] = literal(v)
	}
	last := len(parts) - 1
	return strings.Join(parts[:last], ", ") + " or " + parts[last]
}

func literal(v any) string {
	return string(appendJSON(nil, v))
}
