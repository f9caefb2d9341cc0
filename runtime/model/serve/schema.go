package serve

import (
	"encoding/json"
	"errors"
	"strings"

	"parley/runtime/model/rawjson"
	"parley/runtime/shape"
)

// maxDepth bounds how deep a schema may nest.
const maxDepth = 64

var errSchema = errors.New("the schema is of a form that is not understood here")

// shapeOf reads a JSON schema, the inverse of what Shape.JSONSchema writes. Of
// other schemas it takes what a shape can say.
func shapeOf(v rawjson.Value) (shape.Shape, error) { return read(v, maxDepth) }

func read(v rawjson.Value, depth int) (shape.Shape, error) {
	var s shape.Shape
	if !v.Object() || depth == 0 {
		return s, errSchema
	}
	var types []string
	if t, ok := v.Get("type").Text(); ok {
		types = append(types, t)
	}
	for e := range v.Get("type").Elements() {
		if t, _ := e.Text(); t == "null" {
			s.Optional = true
		} else {
			types = append(types, t)
		}
	}
	note, _ := v.Get("description").Text()
	if values := v.Get("enum"); values.Array() {
		s.Kind = shape.Union
		for e := range values.Elements() {
			if x := constant(e); x != nil {
				s.Values = append(s.Values, x)
			}
		}
		return s, nil
	}
	if len(types) == 0 {
		return s, errSchema
	}
	switch types[0] {
	case "string":
		s.Kind = shape.String
		if strings.HasPrefix(note, "the name of an agent") {
			s.Kind = shape.Agent
		}
	case "integer":
		s.Kind = shape.Int
	case "number":
		s.Kind = shape.Number
		if strings.HasPrefix(note, "seconds") {
			s.Kind = shape.Duration
		}
	case "boolean":
		s.Kind = shape.Bool
	case "array":
		s.Kind = shape.List
		elem := shape.Shape{Kind: shape.String}
		if items := v.Get("items"); items.Object() && items.Get("type") != nil {
			var err error
			if elem, err = read(items, depth-1); err != nil {
				return s, err
			}
		}
		s.Elem = &elem
	case "object":
		s.Kind = shape.Record
		for name, member := range v.Get("properties").Members() {
			f, err := field(name, member, v.Get("required"), depth)
			if err != nil {
				return s, err
			}
			s.Fields = append(s.Fields, f)
		}
	default:
		return s, errSchema
	}
	return s, nil
}

// field reads a member. One that may be null for its default has the default;
// one that is not required may be left out.
func field(name string, v, required rawjson.Value, depth int) (shape.Field, error) {
	s, err := read(v, depth-1)
	if err != nil {
		return shape.Field{}, err
	}
	f := shape.Field{Name: name, Shape: s}
	note, _ := v.Get("description").Text()
	if _, text, ok := strings.Cut("; "+note, "; null means "); ok && s.Optional {
		if c, err := rawjson.Parse([]byte(text)); err == nil {
			f.HasDefault, f.Default, f.Shape.Optional = true, value(c), false
		}
	}
	if required.Array() {
		named := false
		for r := range required.Elements() {
			text, _ := r.Text()
			named = named || text == name
		}
		f.Shape.Optional = f.Shape.Optional || !named && !f.HasDefault
	}
	return f, nil
}

// constant is one of an enum's values; nil for null and what cannot be one.
func constant(v rawjson.Value) any {
	if v.Object() || v.Array() {
		return nil
	}
	return value(v)
}

// value is a JSON value in the language's own types.
func value(v rawjson.Value) any {
	x, err := shape.Parse(string(v))
	if err == nil {
		return x
	}
	var plain any
	if json.Unmarshal(v, &plain) != nil {
		return nil
	}
	return plain
}
