package runtime

import (
	"encoding/json"
	"maps"
	"slices"
	"strings"

	"parley/runtime/eval"
	"parley/runtime/segment"
	"parley/runtime/shape"
)

// jsonText writes a reply as compact JSON, fields in the order of its shape;
// texts inside keep their provenance.
func jsonText(s *shape.Shape, v any) segment.Text {
	w := &jsonWriter{}
	w.value(s, v)
	w.flush()
	return w.out
}

type jsonWriter struct {
	out   segment.Text
	plain []byte
}

func (w *jsonWriter) flush() {
	if len(w.plain) > 0 {
		w.out = append(w.out, segment.Segment{Text: string(w.plain)})
		w.plain = w.plain[:0]
	}
}

func (w *jsonWriter) value(s *shape.Shape, v any) {
	switch v := v.(type) {
	case segment.Text:
		w.plain = append(w.plain, '"')
		for _, part := range v {
			if len(part.Payloads) == 0 {
				w.plain = appendEscaped(w.plain, part.Text)
				continue
			}
			w.flush()
			part.Text = string(appendEscaped(nil, part.Text))
			w.out = append(w.out, part)
		}
		w.plain = append(w.plain, '"')
	case string:
		w.plain = append(w.plain, '"')
		w.plain = appendEscaped(w.plain, v)
		w.plain = append(w.plain, '"')
	case []any:
		w.list(s, v)
	case map[string]any:
		w.record(s, v)
	default:
		w.plain = append(w.plain, scalar(v)...)
	}
}

func (w *jsonWriter) list(s *shape.Shape, list []any) {
	var elem *shape.Shape
	if s != nil {
		elem = s.Elem
	}
	w.plain = append(w.plain, '[')
	for i, x := range list {
		if i > 0 {
			w.plain = append(w.plain, ',')
		}
		w.value(elem, x)
	}
	w.plain = append(w.plain, ']')
}

func (w *jsonWriter) record(s *shape.Shape, m map[string]any) {
	w.plain = append(w.plain, '{')
	n := 0
	field := func(name string, s *shape.Shape) {
		if n++; n > 1 {
			w.plain = append(w.plain, ',')
		}
		w.plain = append(w.plain, '"')
		w.plain = appendEscaped(w.plain, name)
		w.plain = append(w.plain, '"', ':')
		w.value(s, m[name])
	}
	if s != nil && len(s.Fields) > 0 {
		for i := range s.Fields {
			field(s.Fields[i].Name, &s.Fields[i].Shape)
		}
	} else {
		for _, name := range slices.Sorted(maps.Keys(m)) {
			field(name, nil)
		}
	}
	w.plain = append(w.plain, '}')
}

// scalar writes numbers and truth values; whole numbers have no fraction.
func scalar(v any) string {
	switch v := v.(type) {
	case nil:
		return "null"
	case bool, int, float64:
		return eval.Render(v).String()
	}
	return "null"
}

// appendEscaped writes text as the inside of a JSON string. Only what JSON
// demands is escaped, so that people and models read the rest as it is.
func appendEscaped(b []byte, s string) []byte {
	if !strings.ContainsFunc(s, func(c rune) bool { return c < 0x20 || c == '"' || c == '\\' || c == '\uFFFD' }) {
		return append(b, s...)
	}
	var text strings.Builder
	enc := json.NewEncoder(&text)
	enc.SetEscapeHTML(false)
	if err := enc.Encode(s); err != nil {
		return b
	}
	quoted := strings.TrimSuffix(text.String(), "\n")
	return append(b, quoted[1:len(quoted)-1]...)
}

// plainValue is v with texts as strings, for the record: what is stored has
// provenance in its Text fields alone. It copies only what it has to change.
func plainValue(v any) any {
	switch v := v.(type) {
	case segment.Text:
		return v.String()
	case eval.Missing:
		return nil
	case []any:
		for i, x := range v {
			if needsPlain(x) {
				out := append([]any(nil), v...)
				for k := i; k < len(out); k++ {
					out[k] = plainValue(out[k])
				}
				return out
			}
		}
	case map[string]any:
		for _, x := range v {
			if needsPlain(x) {
				out := make(map[string]any, len(v))
				for name, y := range v {
					out[name] = plainValue(y)
				}
				return out
			}
		}
	case eval.Record:
		return agentName(v)
	}
	return v
}

func needsPlain(v any) bool {
	switch v := v.(type) {
	case segment.Text, eval.Missing, eval.Record:
		return true
	case []any:
		for _, x := range v {
			if needsPlain(x) {
				return true
			}
		}
	case map[string]any:
		for _, x := range v {
			if needsPlain(x) {
				return true
			}
		}
	}
	return false
}
