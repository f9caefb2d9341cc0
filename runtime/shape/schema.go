package shape

import (
	"bytes"
	"encoding/json"
	"strconv"

	"parley/runtime/model/rawjson"
)

// JSONSchema returns the shape as a JSON schema, fields in declared order. It
// keeps to what strict structured output asks for: every field is required, no
// others are allowed, and what may be absent may be null instead. A field with
// a default may be null too, which means the default.
func (s Shape) JSONSchema() json.RawMessage {
	return appendSchema(nil, s, s.Optional, "")
}

func appendSchema(b []byte, s Shape, null bool, note string) []byte {
	b = append(b, '{')
	b = appendTypes(b, s, null)
	if note = described(s, note); note != "" {
		b = append(b, `,"description":`...)
		b = appendJSON(b, note)
	}
	switch s.Kind {
	case List:
		b = append(b, `,"items":`...)
		if s.Elem != nil {
			b = appendSchema(b, *s.Elem, s.Elem.Optional, "")
		} else {
			b = append(b, '{', '}')
		}
	case Record:
		b = appendFields(b, s.Fields)
	case Union, Agent:
		b = appendEnum(b, s.Values, null)
	}
	return append(b, '}')
}

// described adds what a type's name does not say.
func described(s Shape, note string) string {
	is := ""
	switch {
	case s.Kind == Duration:
		is = "seconds"
	case s.Kind == Agent && len(s.Values) == 0:
		is = "the name of an agent"
	}
	if is != "" && note != "" {
		return is + "; " + note
	}
	return is + note
}

func appendTypes(b []byte, s Shape, null bool) []byte {
	types := typeNames(s)
	if null {
		types = append(types, "null")
	}
	b = append(b, `"type":`...)
	if len(types) == 1 {
		return appendJSON(b, types[0])
	}
	return appendJSON(b, types)
}

func typeNames(s Shape) []string {
	switch s.Kind {
	case Int:
		return []string{"integer"}
	case Number, Duration:
		return []string{"number"}
	case Bool:
		return []string{"boolean"}
	case List:
		return []string{"array"}
	case Record:
		return []string{"object"}
	case Union:
		return unionTypes(s.Values)
	default:
		return []string{"string"}
	}
}

// unionTypes names the JSON types of the values, each once, in order.
func unionTypes(values []any) []string {
	var types []string
	seen := map[string]bool{}
	for _, v := range values {
		name := "string"
		switch v := v.(type) {
		case bool:
			name = "boolean"
		case int:
			name = "integer"
		case float64:
			name = "number"
			if v == float64(int64(v)) {
				name = "integer"
			}
		}
		if !seen[name] {
			seen[name] = true
			types = append(types, name)
		}
	}
	if types == nil {
		types = []string{"string"}
	}
	return types
}

func appendFields(b []byte, fields []Field) []byte {
	b = append(b, `,"properties":{`...)
	for i, f := range fields {
		if i > 0 {
			b = append(b, ',')
		}
		b = appendJSON(b, f.Name)
		b = append(b, ':')
		note := ""
		if f.HasDefault && f.Default != nil && !f.Shape.Optional {
			note = "null means " + literal(f.Default)
		}
		b = appendSchema(b, f.Shape, f.Shape.Optional || f.HasDefault, note)
	}
	b = append(b, `},"required":[`...)
	for i, f := range fields {
		if i > 0 {
			b = append(b, ',')
		}
		b = appendJSON(b, f.Name)
	}
	return append(b, `],"additionalProperties":false`...)
}

func appendEnum(b []byte, values []any, null bool) []byte {
	if len(values) == 0 {
		return b
	}
	b = append(b, `,"enum":[`...)
	for i, v := range values {
		if i > 0 {
			b = append(b, ',')
		}
		b = appendJSON(b, v)
	}
	if null {
		b = append(b, `,null`...)
	}
	return append(b, ']')
}

// appendJSON writes a value of the language. Values that JSON cannot hold,
// which no compiled shape has, become null.
func appendJSON(b []byte, v any) []byte {
	if f, ok := v.(float64); ok && f == float64(int64(f)) {
		return strconv.AppendInt(b, int64(f), 10)
	}
	if s, ok := v.(string); ok {
		return rawjson.AppendString(b, s)
	}
	var out bytes.Buffer
	enc := json.NewEncoder(&out)
	enc.SetEscapeHTML(false) // a model reads this, not a browser
	if err := enc.Encode(v); err != nil {
		return append(b, "null"...)
	}
	return append(b, bytes.TrimSuffix(out.Bytes(), []byte("\n"))...)
}
