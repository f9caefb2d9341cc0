package build

import (
	"fmt"
	"math"
	"strconv"
	"strings"

	"parley/interp/load"
	"parley/lang/ast"
	"parley/lang/diag"
	"parley/runtime/eval"
	"parley/runtime/shape"
)

var typeNames = map[string]shape.Kind{
	"int": shape.Int, "number": shape.Number, "bool": shape.Bool, "string": shape.String, "duration": shape.Duration, "agent": shape.Agent,
}

// shapeOf gives a written type its shape. groups are the group names in reach,
// each with its members; nil where no team is known.
func (c *Compiler) shapeOf(sc scope, t *ast.Type, groups map[string][]string) (shape.Shape, bool) {
	switch t.Kind {
	case ast.TypeOpt:
		s, ok := c.shapeOf(sc, t.Elem, groups)
		s.Optional = true
		return s, ok
	case ast.TypeList:
		elem, ok := c.shapeOf(sc, t.Elem, groups)
		return shape.Shape{Kind: shape.List, Elem: &elem}, ok
	case ast.TypeRecord:
		fields, ok := c.fieldShapes(sc, t.Fields, groups)
		return shape.Shape{Kind: shape.Record, Fields: fields}, ok
	case ast.TypeUnion:
		s := shape.Shape{Kind: shape.Union}
		for _, l := range t.Literals {
			v, ok := c.constant(scope{m: sc.m}, l, "a value of a union")
			if !ok {
				return s, false
			}
			s.Values = append(s.Values, v)
		}
		return s, true
	}
	return c.namedShape(sc, t, groups)
}

func (c *Compiler) namedShape(sc scope, t *ast.Type, groups map[string][]string) (shape.Shape, bool) {
	name := t.Name.Name
	if kind, ok := typeNames[name]; ok {
		return shape.Shape{Kind: kind}, true
	}
	if name == "agents" {
		return shape.Shape{Kind: shape.List, Elem: &shape.Shape{Kind: shape.Agent}}, true
	}
	if members, ok := groups[name]; ok {
		s := shape.Shape{Kind: shape.Agent}
		for _, m := range members {
			s.Values = append(s.Values, m)
		}
		return s, true
	}
	known := append(keysOf(typeNames), "agents")
	hint := load.Suggest(name, append(known, keysOf(groups)...))
	if hint == "" {
		hint = "the types are int, number, bool, string, duration, agent, T?, [T], { field: T } and unions of values"
	}
	c.fail(sc.m, diag.NoSuchDecl, t.Name.Span, hint, "no type is named %q", name)
	return shape.Shape{}, false
}

// fieldShapes gives declared fields their shapes and defaults.
func (c *Compiler) fieldShapes(sc scope, params []*ast.Param, groups map[string][]string) ([]shape.Field, bool) {
	ok := true
	seen := map[string]bool{}
	fields := make([]shape.Field, 0, len(params))
	for _, p := range params {
		if seen[p.Name.Name] {
			c.fail(sc.m, diag.DeclaredTwice, p.Name.Span, "", "%q stands twice", p.Name.Name)
			ok = false
			continue
		}
		seen[p.Name.Name] = true
		if p.Type == nil {
			c.fail(sc.m, diag.ClauseMissing, p.Span, "", "%q has no type", p.Name.Name)
			ok = false
			continue
		}
		s, good := c.shapeOf(sc, p.Type, groups)
		f := shape.Field{Name: p.Name.Name, Shape: s}
		ok = ok && good
		if p.Default != nil && good {
			f.Default, f.HasDefault = c.constantAs(sc, p.Default, s, fmt.Sprintf("the default of %q", p.Name.Name))
			ok = ok && f.HasDefault
		}
		fields = append(fields, f)
	}
	return fields, ok
}

// fit makes a value one of the shape, or says in what it does not fit. The
// sentence goes on after the value's name: "must be …".
func fit(v any, s shape.Shape) (any, string) {
	if v == nil {
		if s.Optional || s.Kind == shape.Any {
			return nil, ""
		}
		return nil, "must be " + nameShape(s) + ", and it is nil"
	}
	misfit := func() (any, string) { return nil, "must be " + nameShape(s) + ", and it is " + nameValue(v) }
	switch s.Kind {
	case shape.Int:
		if f, ok := v.(float64); ok && f == math.Trunc(f) && math.Abs(f) < 1<<53 {
			return int(f), ""
		}
		if _, ok := v.(int); !ok {
			return misfit()
		}
	case shape.Number, shape.Duration:
		if _, ok := toFloat(v); !ok {
			return misfit()
		}
	case shape.Bool:
		if _, ok := v.(bool); !ok {
			return misfit()
		}
	case shape.String:
		if _, ok := v.(string); !ok {
			return misfit()
		}
	case shape.Agent, shape.Union:
		return fitOneOf(v, s)
	case shape.List:
		return fitList(v, s)
	case shape.Record:
		return fitRecord(v, s)
	}
	return v, ""
}

func fitOneOf(v any, s shape.Shape) (any, string) {
	if s.Kind == shape.Agent && len(s.Values) == 0 {
		switch v.(type) {
		case string, agentRef:
			return v, ""
		}
	}
	for _, w := range s.Values {
		if w == v {
			return w, ""
		}
		a, num := toFloat(v)
		if b, also := toFloat(w); num && also && a == b {
			return w, ""
		}
	}
	return nil, "must be " + nameShape(s) + ", and it is " + nameValue(v)
}

func fitList(v any, s shape.Shape) (any, string) {
	list, ok := v.([]any)
	if !ok {
		return nil, "must be " + nameShape(s) + ", and it is " + nameValue(v)
	}
	out := make([]any, len(list))
	for i, e := range list {
		fitted, why := fit(e, *s.Elem)
		if why != "" {
			return nil, fmt.Sprintf("has an element (number %d) that %s", i+1, why)
		}
		out[i] = fitted
	}
	return out, ""
}

func fitRecord(v any, s shape.Shape) (any, string) {
	fields, ok := v.(map[string]any)
	if !ok {
		return nil, "must be " + nameShape(s) + ", and it is " + nameValue(v)
	}
	out := make(map[string]any, len(s.Fields))
	known := map[string]bool{}
	for _, f := range s.Fields {
		known[f.Name] = true
		value, has := fields[f.Name]
		if !has {
			switch {
			case f.HasDefault:
				value = f.Default
			case !f.Shape.Optional:
				return nil, fmt.Sprintf("lacks the field %q", f.Name)
			}
		}
		fitted, why := fit(value, f.Shape)
		if why != "" {
			return nil, fmt.Sprintf("has a field %q that %s", f.Name, why)
		}
		out[f.Name] = fitted
	}
	for _, name := range keysOf(fields) {
		if !known[name] {
			return nil, fmt.Sprintf("has a field %q that its type does not have", name)
		}
	}
	return out, ""
}

// nameShape writes a shape as an author would.
func nameShape(s shape.Shape) string {
	text := string(s.Kind)
	switch s.Kind {
	case shape.Int:
		text = "a whole number"
	case shape.Number:
		text = "a number"
	case shape.Bool:
		text = "true or false"
	case shape.String:
		text = "text"
	case shape.Duration:
		text = "a duration such as 30s"
	case shape.Agent:
		text = "an agent"
		if len(s.Values) > 0 {
			text = "one of " + listValues(s.Values)
		}
	case shape.List:
		text = "a list"
	case shape.Record:
		text = "a record"
	case shape.Union:
		text = listValues(s.Values)
	}
	if s.Optional {
		text += " or nil"
	}
	return text
}

func listValues(values []any) string {
	parts := make([]string, len(values))
	for i, v := range values {
		parts[i] = nameValue(v)
	}
	if len(parts) > 8 {
		parts = append(parts[:7], "…")
	}
	if len(parts) < 2 {
		return strings.Join(parts, "")
	}
	return strings.Join(parts[:len(parts)-1], ", ") + " or " + parts[len(parts)-1]
}

func nameValue(v any) string {
	switch x := v.(type) {
	case nil:
		return "nil"
	case string:
		if len(x) > 40 {
			x = x[:40] + "…"
		}
		return strconv.Quote(x)
	case []any:
		return "a list"
	case map[string]any:
		return "a record"
	case agentRef:
		return "the agent " + x.m.Name
	case eval.Group:
		return "the agents " + displayAgents(x, true)
	}
	return fmt.Sprint(v)
}
