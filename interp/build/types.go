package build

import "parley/runtime/shape"

// typ describes what a name holds, before the type checker sees it. Types are
// built from the plan, so they never go stale against what the engine gives.
type typ struct {
	kind   kind
	opt    bool // nil is a value
	elem   *typ
	fields map[string]typ
	values []any // of a union
	name   string
	size   int // members of a group
}

type kind int

// The kinds of types. Anything is data whose kind is not known: it can be shown
// and compared as text, and nothing may look inside.
const (
	anything kind = iota
	integer
	number
	boolean
	text
	agent
	group // of agents; members count from 1
	array
	record
	union
	table // text keys, values of one type
	nothing
)

var (
	anyType    = typ{kind: anything}
	intType    = typ{kind: integer}
	numberType = typ{kind: number}
	boolType   = typ{kind: boolean}
	textType   = typ{kind: text}
	agentType  = typ{kind: agent}
)

func listOf(elem typ) typ   { return typ{kind: array, elem: &elem} }
func optional(t typ) typ    { t.opt = true; return t }
func tableOf(value typ) typ { return typ{kind: table, elem: &value} }
func unionOf(name string, values []string) typ {
	t := typ{kind: union, name: name}
	for _, v := range values {
		t.values = append(t.values, v)
	}
	return t
}

func recordOf(fields map[string]typ) typ { return typ{kind: record, fields: fields} }

func recordType(fields []shape.Field) typ {
	out := make(map[string]typ, len(fields))
	for _, f := range fields {
		out[f.Name] = shapeType(f.Shape)
	}
	return recordOf(out)
}

// shapeType is the type of a value of that shape.
func shapeType(s shape.Shape) typ {
	var t typ
	switch s.Kind {
	case shape.Int:
		t = intType
	case shape.Number, shape.Duration:
		t = numberType
	case shape.Bool:
		t = boolType
	case shape.String:
		t = textType
	case shape.Agent:
		t = agentType
	case shape.List:
		t = listOf(anyType)
		if s.Elem != nil {
			t = listOf(shapeType(*s.Elem))
		}
	case shape.Record:
		t = recordType(s.Fields)
	case shape.Union:
		t = typ{kind: union, values: s.Values}
	}
	t.opt = s.Optional
	return t
}

// elemOf is the type of a list's elements.
func elemOf(t typ) typ {
	switch t.kind {
	case group:
		return agentType
	case array, table:
		return *t.elem
	}
	return anyType
}

func isList(t typ) bool { return t.kind == array || t.kind == group }

// widened is the type of a name that is bound to a value of type t and may be
// set to others.
func widened(t typ) typ {
	if t.kind == integer {
		return t
	}
	return t
}

// either is the type of a value that is of one of two types.
func either(a, b typ) typ {
	opt := a.opt || b.opt
	out := anyType
	switch {
	case a.kind == record && b.kind == record:
		fields := map[string]typ{}
		for n, t := range a.fields {
			fields[n] = t
		}
		for n, t := range b.fields {
			if other, both := fields[n]; both {
				t = either(other, t)
			}
			fields[n] = t
		}
		out = recordOf(fields)
	case a.kind == array && b.kind == array:
		out = listOf(either(*a.elem, *b.elem))
	case a.kind == union && b.kind == union:
		out = typ{kind: union, values: joinValues(a.values, b.values)}
	case a.kind == b.kind:
		out = a
	case (a.kind == integer || a.kind == number) && (b.kind == integer || b.kind == number):
		out = numberType
	}
	out.opt = opt
	return out
}

func joinValues(a, b []any) []any {
	out := append([]any(nil), a...)
	for _, v := range b {
		known := false
		for _, w := range a {
			known = known || v == w
		}
		if !known {
			out = append(out, v)
		}
	}
	return out
}
