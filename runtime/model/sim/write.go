package sim

import (
	"encoding/json"
	"maps"
	"slices"
	"strconv"
	"strings"
)

// appendValue writes a value as compact JSON, fields by name.
func appendValue(b []byte, v any) []byte {
	switch v := v.(type) {
	case nil:
		return append(b, "null"...)
	case bool:
		return strconv.AppendBool(b, v)
	case int:
		return strconv.AppendInt(b, int64(v), 10)
	case float64:
		return append(b, text(v)...)
	case string:
		return appendQuoted(b, v)
	case []any:
		b = append(b, '[')
		for i, x := range v {
			if i > 0 {
				b = append(b, ',')
			}
			b = appendValue(b, x)
		}
		return append(b, ']')
	case map[string]any:
		b = append(b, '{')
		for i, name := range slices.Sorted(maps.Keys(v)) {
			if i > 0 {
				b = append(b, ',')
			}
			b = appendQuoted(b, name)
			b = append(b, ':')
			b = appendValue(b, v[name])
		}
		return append(b, '}')
	}
	return append(b, "null"...)
}

func appendQuoted(b []byte, s string) []byte {
	b = append(b, '"')
	return append(appendEscaped(b, s), '"')
}

// appendEscaped writes text as the inside of a JSON string, only what JSON
// demands escaped.
func appendEscaped(b []byte, s string) []byte {
	if !strings.ContainsFunc(s, func(r rune) bool {
		return r < 0x20 || r == '"' || r == '\\' || r == '\uFFFD' || r == '\u2028' || r == '\u2029'
	}) {
		return append(b, s...)
	}
	var out strings.Builder
	enc := json.NewEncoder(&out)
	enc.SetEscapeHTML(false)
	if err := enc.Encode(s); err != nil {
		return b
	}
	quoted := strings.TrimSuffix(out.String(), "\n")
	return append(b, quoted[1:len(quoted)-1]...)
}

// text writes a plain value as people do: whole numbers without a fraction.
func text(v any) string {
	switch v := v.(type) {
	case string:
		return v
	case float64:
		if v == float64(int64(v)) {
			return strconv.FormatInt(int64(v), 10)
		}
		return number(v)
	}
	return string(appendValue(nil, v))
}
