package load

import (
	"sort"

	"parley/runtime/shape"
)

// Column is what a set of records says about one field.
type Column struct {
	Name    string
	Shape   shape.Shape
	Have    int // how many records have the field with a value
	Lacking int // number of the first record without it; 0: none
}

// Infer describes the fields of records. A field that some records lack, or
// leave empty, is optional; one whose records disagree is of kind Any.
func Infer(records []Record) []Column {
	columns := map[string]*Column{}
	for _, r := range records {
		for name, v := range r.Fields {
			c := columns[name]
			if c == nil {
				c = &Column{Name: name}
				columns[name] = c
			}
			c.Shape = merge(c.Shape, of(v))
			if v != nil {
				c.Have++
			}
		}
	}
	list := make([]Column, 0, len(columns))
	for _, c := range columns {
		if c.Have < len(records) {
			c.Shape.Optional = true
			c.Lacking = lacking(records, c.Name)
		}
		list = append(list, *c)
	}
	sort.Slice(list, func(i, j int) bool { return list[i].Name < list[j].Name })
	return list
}

func lacking(records []Record, name string) int {
	for _, r := range records {
		if r.Fields[name] == nil {
			return r.N
		}
	}
	return 0
}

// of is the shape of one value; the zero shape is that of nothing at all.
func of(v any) shape.Shape {
	switch x := v.(type) {
	case nil:
		return shape.Shape{Optional: true}
	case bool:
		return shape.Shape{Kind: shape.Bool}
	case int:
		return shape.Shape{Kind: shape.Int}
	case float64:
		return shape.Shape{Kind: shape.Number}
	case string:
		return shape.Shape{Kind: shape.String}
	case []any:
		elem := shape.Shape{}
		for _, e := range x {
			elem = merge(elem, of(e))
		}
		return shape.Shape{Kind: shape.List, Elem: &elem}
	case map[string]any:
		fields := make([]shape.Field, 0, len(x))
		for name, e := range x {
			fields = append(fields, shape.Field{Name: name, Shape: of(e)})
		}
		sort.Slice(fields, func(i, j int) bool { return fields[i].Name < fields[j].Name })
		return shape.Shape{Kind: shape.Record, Fields: fields}
	}
	return shape.Shape{Kind: shape.Any}
}

// merge is the shape of a value that is of either shape.
func merge(a, b shape.Shape) shape.Shape {
	optional := a.Optional || b.Optional
	out := a
	switch {
	case a.Kind == "":
		out = b
	case b.Kind == "" || a.Kind == shape.Any:
	case a.Kind == b.Kind && a.Kind == shape.List:
		elem := merge(*a.Elem, *b.Elem)
		out = shape.Shape{Kind: shape.List, Elem: &elem}
	case a.Kind == b.Kind && a.Kind == shape.Record:
		out = shape.Shape{Kind: shape.Record, Fields: mergeFields(a.Fields, b.Fields)}
	case a.Kind == b.Kind:
	case numeric(a.Kind) && numeric(b.Kind):
		out = shape.Shape{Kind: shape.Number}
	default:
		out = shape.Shape{Kind: shape.Any}
	}
	out.Optional = optional
	return out
}

func numeric(k shape.Kind) bool { return k == shape.Int || k == shape.Number }

func mergeFields(a, b []shape.Field) []shape.Field {
	var out []shape.Field
	for len(a) > 0 || len(b) > 0 {
		switch {
		case len(b) == 0 || len(a) > 0 && a[0].Name < b[0].Name:
			f := a[0]
			f.Shape.Optional = true
			out, a = append(out, f), a[1:]
		case len(a) == 0 || b[0].Name < a[0].Name:
			f := b[0]
			f.Shape.Optional = true
			out, b = append(out, f), b[1:]
		default:
			out = append(out, shape.Field{Name: a[0].Name, Shape: merge(a[0].Shape, b[0].Shape)})
			a, b = a[1:], b[1:]
		}
	}
	return out
}
