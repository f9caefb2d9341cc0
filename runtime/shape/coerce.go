package shape

import (
	"fmt"
	"math"
	"strconv"
	"strings"
	"unicode/utf8"

	"parley/runtime/segment"
)

// Coerce turns a value that a model wrote (JSON as Parse reads it) into a value
// of the shape. It is lenient where the meaning is plain: "42" for a whole
// number, 42 for text, "Yes" for true, another case of a field's or a value's
// name. Fields that the shape does not have are dropped. The result shares no
// list or record with v. Errors name the place and what was expected.
func (s Shape) Coerce(v any) (any, error) {
	return conversion{lenient: true}.value(s, v, "")
}

// Fit checks a value that the program itself computed and returns a copy of it.
// It changes nothing but the form of numbers (4.0 where a whole number is due)
// and refuses fields that the shape does not have.
func (s Shape) Fit(v any) (any, error) {
	return conversion{}.value(s, v, "")
}

type conversion struct{ lenient bool }

func (c conversion) value(s Shape, v any, path string) (any, error) {
	if v == nil {
		if s.Optional {
			return nil, nil
		}
		return nil, mismatch(s, v, path)
	}
	switch s.Kind {
	case Int:
		return c.integer(s, v, path)
	case Number, Duration:
		return c.number(s, v, path)
	case Bool:
		return c.boolean(s, v, path)
	case String:
		return c.text(s, v, path)
	case Agent:
		return c.agent(s, v, path)
	case List:
		return c.list(s, v, path)
	case Record:
		return c.record(s, v, path)
	case Union:
		return c.union(s, v, path)
	}
	return nil, fmt.Errorf("%sa shape without a kind accepts nothing", prefix(path))
}

func (c conversion) integer(s Shape, v any, path string) (any, error) {
	switch v := v.(type) {
	case int:
		return v, nil
	case float64:
		if whole(v) {
			return int(v), nil
		}
	}
	if text, ok := c.numeral(v); ok {
		if n, err := strconv.Atoi(text); err == nil {
			return n, nil
		}
		if f, err := strconv.ParseFloat(text, 64); err == nil && whole(f) {
			return int(f), nil
		}
	}
	return nil, mismatch(s, v, path)
}

// whole reports whether f is an integer that int holds exactly.
func whole(f float64) bool {
	return f == math.Trunc(f) && math.Abs(f) < 1<<62
}

func (c conversion) number(s Shape, v any, path string) (any, error) {
	switch v := v.(type) {
	case int:
		return float64(v), nil
	case float64:
		if !math.IsNaN(v) && !math.IsInf(v, 0) {
			return v, nil
		}
	}
	if text, ok := c.numeral(v); ok {
		if s.Kind == Duration {
			if f, ok := seconds(text); ok {
				return f, nil
			}
		}
		if f, err := strconv.ParseFloat(text, 64); err == nil && !math.IsNaN(f) && !math.IsInf(f, 0) {
			return f, nil
		}
	}
	return nil, mismatch(s, v, path)
}

// seconds reads 30s, 2m and 1h.
func seconds(text string) (float64, bool) {
	unit := map[string]float64{"s": 1, "m": 60, "h": 3600}
	if len(text) < 2 {
		return 0, false
	}
	factor, ok := unit[text[len(text)-1:]]
	f, err := strconv.ParseFloat(text[:len(text)-1], 64)
	if !ok || err != nil || math.IsNaN(f) || math.IsInf(f, 0) {
		return 0, false
	}
	return f * factor, true
}

// numeral returns text in which a lenient reading may look for a number.
func (c conversion) numeral(v any) (string, bool) {
	if !c.lenient {
		return "", false
	}
	text, ok := asText(v)
	return strings.TrimSpace(text), ok
}

func (c conversion) boolean(s Shape, v any, path string) (any, error) {
	if b, ok := v.(bool); ok {
		return b, nil
	}
	if text, ok := asText(v); ok && c.lenient {
		switch strings.ToLower(strings.TrimSpace(text)) {
		case "true", "yes":
			return true, nil
		case "false", "no":
			return false, nil
		}
	}
	return nil, mismatch(s, v, path)
}

func (c conversion) text(s Shape, v any, path string) (any, error) {
	switch v := v.(type) {
	case string, segment.Text:
		return v, nil
	case bool, int, float64:
		if c.lenient {
			return literal(v), nil
		}
	}
	return nil, mismatch(s, v, path)
}

func (c conversion) list(s Shape, v any, path string) (any, error) {
	in, ok := v.([]any)
	if !ok || s.Elem == nil {
		return nil, mismatch(s, v, path)
	}
	out := make([]any, len(in))
	for i, x := range in {
		y, err := c.value(*s.Elem, x, path+"["+strconv.Itoa(i)+"]")
		if err != nil {
			return nil, err
		}
		out[i] = y
	}
	return out, nil
}

func (c conversion) record(s Shape, v any, path string) (any, error) {
	in, ok := v.(map[string]any)
	if !ok {
		return nil, mismatch(s, v, path)
	}
	out := make(map[string]any, len(s.Fields))
	for _, f := range s.Fields {
		x, found := c.field(in, f.Name)
		if x == nil && f.HasDefault && !(found && f.Shape.Optional) {
			x = f.Default
		} else if !found && !f.Shape.Optional {
			return nil, fmt.Errorf("%sthe field %q is missing", prefix(path), f.Name)
		}
		y, err := c.value(f.Shape, x, join(path, f.Name))
		if err != nil {
			return nil, err
		}
		out[f.Name] = y
	}
	if !c.lenient {
		for name := range in {
			if _, known := out[name]; !known {
				return nil, fmt.Errorf("%sthere is no field %q here", prefix(path), name)
			}
		}
	}
	return out, nil
}

// field finds a field by name; leniently in another case if only one fits.
func (c conversion) field(in map[string]any, name string) (any, bool) {
	if x, ok := in[name]; ok || !c.lenient {
		return x, ok
	}
	var value any
	found := 0
	for key, x := range in {
		if strings.EqualFold(key, name) {
			value = x
			found++
		}
	}
	if found != 1 {
		return nil, false
	}
	return value, true
}

func (c conversion) union(s Shape, v any, path string) (any, error) {
	text, isText := asText(v)
	for _, want := range s.Values {
		if w, ok := want.(string); ok && isText {
			if w == text {
				return v, nil
			}
		} else if sameScalar(want, v) {
			return want, nil
		}
	}
	if c.lenient {
		if !isText {
			text = literal(v)
		}
		text = strings.TrimSpace(text)
		for _, want := range s.Values {
			if w, ok := want.(string); ok && strings.EqualFold(w, text) {
				return w, nil
			} else if !ok && isText && literal(want) == strings.ToLower(text) {
				return want, nil
			}
		}
	}
	return nil, mismatch(s, v, path)
}

func sameScalar(a, b any) bool {
	if x, ok := asFloat(a); ok {
		y, ok := asFloat(b)
		return ok && x == y
	}
	x, okX := a.(bool)
	y, okY := b.(bool)
	return okX && okY && x == y
}

func asFloat(v any) (float64, bool) {
	switch v := v.(type) {
	case int:
		return float64(v), true
	case float64:
		return v, true
	}
	return 0, false
}

func asText(v any) (string, bool) {
	switch v := v.(type) {
	case string:
		return v, true
	case segment.Text:
		return v.String(), true
	}
	return "", false
}

func join(path, name string) string {
	if path == "" {
		return name
	}
	return path + "." + name
}

func prefix(path string) string {
	if path == "" {
		return ""
	}
	return path + ": "
}

func mismatch(s Shape, v any, path string) error {
	return fmt.Errorf("%sexpected %s, got %s", prefix(path), wanted(s), got(v))
}

// got says in words what a value is, cut to a length that fits a message.
func got(v any) string {
	if text, ok := asText(v); ok {
		const most = 60
		if utf8.RuneCountInString(text) > most {
			text = string([]rune(text)[:most]) + "…"
		}
		return "the text " + strconv.Quote(text)
	}
	switch v := v.(type) {
	case nil:
		return "nothing"
	case bool, int, float64:
		return literal(v)
	case []any:
		return "a list"
	case map[string]any:
		return "a record"
	}
	return "something that is no plain value"
}
