package world

import (
	"fmt"
	"strconv"

	"parley/runtime/segment"
	"parley/runtime/shape"
)

// Set writes a value at a path: root "state" and field names or list positions
// (from 0), or root "files" and one path. The value must fit the declared shape;
// provenance in it is kept. Errors name the place.
func (w *World) Set(root string, keys []any, value any) error {
	return w.write(root, keys, value, false)
}

// Append adds an element to a list of the state, or text to the end of a file
// or of a text of the state.
func (w *World) Append(root string, keys []any, value any) error {
	return w.write(root, keys, value, true)
}

func (w *World) write(root string, keys []any, value any, add bool) error {
	switch root {
	case "files":
		return w.writeFile(keys, value, add)
	case "state":
	default:
		return fmt.Errorf("%s cannot be written: only state and files can", root)
	}
	if len(keys) == 0 {
		return fmt.Errorf("a path into the state begins with a field's name")
	}
	name, ok := plainKey(keys[0]).(string)
	s, declared := w.shapes[name]
	if !ok || !declared {
		return fmt.Errorf("the state has no field %s", keyText(keys[0]))
	}
	v, err := edit(s, w.now.state[name], keys[1:], value, add, "state."+name)
	if err != nil {
		return err
	}
	w.now.state = with(w.now.state, name, v)
	return nil
}

func (w *World) writeFile(keys []any, value any, add bool) error {
	if len(keys) != 1 {
		return fmt.Errorf("a file is written as files[path]")
	}
	path, ok := plainKey(keys[0]).(string)
	if !ok {
		return fmt.Errorf("a file's path is text, got %s", keyText(keys[0]))
	}
	if add {
		old, ok := w.File(path)
		if !ok {
			return fmt.Errorf("there is no file %q", path)
		}
		if !isText(value) {
			return fmt.Errorf("files[%q]: a file holds text", path)
		}
		value = joinTexts(old, value)
	}
	return w.SetFile(path, value)
}

// edit returns v with the value at keys replaced or appended to; what it passes
// on the way is copied.
func edit(s shape.Shape, v any, keys []any, value any, add bool, at string) (any, error) {
	if len(keys) == 0 {
		return put(s, v, value, add, at)
	}
	key := plainKey(keys[0])
	switch s.Kind {
	case shape.Record:
		name, ok := key.(string)
		field, declared := fieldOf(s, name)
		if !ok || !declared {
			return nil, fmt.Errorf("%s has no field %s", at, keyText(key))
		}
		old, ok := v.(map[string]any)
		if !ok {
			return nil, fmt.Errorf("%s is empty, so its field %s cannot be set", at, name)
		}
		x, err := edit(field, old[name], keys[1:], value, add, at+"."+name)
		if err != nil {
			return nil, err
		}
		return with(old, name, x), nil
	case shape.List:
		old, _ := v.([]any)
		i, ok := key.(int)
		if !ok {
			return nil, fmt.Errorf("%s is a list, and %s is no position in it", at, keyText(key))
		}
		if i < 0 || i >= len(old) {
			return nil, fmt.Errorf("%s has %d elements, counted from 0; there is none at %d", at, len(old), i)
		}
		x, err := edit(*s.Elem, old[i], keys[1:], value, add, at+"["+strconv.Itoa(i)+"]")
		if err != nil {
			return nil, err
		}
		out := append([]any(nil), old...)
		out[i] = x
		return out, nil
	}
	return nil, fmt.Errorf("%s has no parts, so there is no %s in it", at, keyText(key))
}

func put(s shape.Shape, old, value any, add bool, at string) (any, error) {
	if !add {
		v, err := s.Fit(value)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", at, err)
		}
		return v, nil
	}
	switch s.Kind {
	case shape.List:
		x, err := s.Elem.Fit(value)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", at, err)
		}
		list, _ := old.([]any)
		return append(list[:len(list):len(list)], x), nil
	case shape.String:
		if !isText(value) {
			return nil, fmt.Errorf("%s: only text can be appended to text", at)
		}
		return joinTexts(old, value), nil
	}
	return nil, fmt.Errorf("%s is neither a list nor text, so nothing can be appended to it", at)
}

// joinTexts joins two texts and keeps provenance if either has any.
func joinTexts(a, b any) any {
	x, plainA := a.(string)
	y, plainB := b.(string)
	if plainA && plainB {
		return x + y
	}
	return segment.Concat(asText(a), asText(b))
}

func asText(v any) segment.Text {
	switch v := v.(type) {
	case segment.Text:
		return v
	case string:
		return segment.Of(v, "")
	}
	return nil
}

func fieldOf(s shape.Shape, name string) (shape.Shape, bool) {
	for _, f := range s.Fields {
		if f.Name == name {
			return f.Shape, true
		}
	}
	return shape.Shape{}, false
}

// plainKey makes a key that expressions computed a string or an int.
func plainKey(key any) any {
	switch key := key.(type) {
	case segment.Text:
		return key.String()
	case float64:
		if key == float64(int(key)) {
			return int(key)
		}
	}
	return key
}

func keyText(key any) string {
	switch key := plainKey(key).(type) {
	case string:
		return strconv.Quote(key)
	case int:
		return strconv.Itoa(key)
	case float64:
		return strconv.FormatFloat(key, 'g', -1, 64)
	case nil:
		return "nothing"
	}
	return "that"
}
