// Package typing checks expressions before anything runs: names, fields,
// operands and words of closed vocabularies, each reported at its true place in
// the file. It also gives expressions their canonical form.
package typing

import (
	"fmt"
	"sort"
	"strings"

	"parley/runtime/eval"
	"parley/runtime/shape"
)

// Kind is a type's form.
type Kind string

// The kinds. Open is what is not known yet, as where a team is checked without
// tasks: everything may be done with it. Unknown has a type that is lost for
// good: it can be shown, matched with same, and tested for nil, nothing else.
const (
	Open    Kind = "open"
	Unknown Kind = "unknown"
	Nil     Kind = "nil"
	Bool    Kind = "bool"
	Int     Kind = "int"
	Number  Kind = "number"
	String  Kind = "string"
	Agent   Kind = "agent"
	Group   Kind = "group"  // agents; members count from 1
	List    Kind = "list"   // elements of one type
	Record  Kind = "record" // known fields
	Table   Kind = "table"  // text keys, values of one type
)

// Type is what is known of a value before a run.
type Type struct {
	Kind     Kind
	Optional bool            // nil, or missing, is possible
	Elem     *Type           // List, Table
	Fields   map[string]Type // Record
	Values   []any           // all values there are: of a union, of a vocabulary
	Name     string          // what the values are called: step, tool; or the record's name
	Size     int             // Group: members; 0 where not known
	Why      string          // Unknown: why; List: why its elements cannot be picked by number; Record: how it would have fields
}

// Simple types.
var (
	OpenType   = Type{Kind: Open}
	NilType    = Type{Kind: Nil}
	BoolType   = Type{Kind: Bool}
	IntType    = Type{Kind: Int}
	NumberType = Type{Kind: Number}
	StringType = Type{Kind: String}
	AgentType  = Type{Kind: Agent}
)

// ListOf is a list of elements of one type.
func ListOf(elem Type) Type { return Type{Kind: List, Elem: &elem} }

// TableOf is a record with any text keys and values of one type.
func TableOf(elem Type) Type { return Type{Kind: Table, Elem: &elem} }

// RecordOf is a record with these fields and no others.
func RecordOf(name string, fields map[string]Type) Type {
	return Type{Kind: Record, Name: name, Fields: fields}
}

// GroupOf is a group of agents.
func GroupOf(name string, size int) Type { return Type{Kind: Group, Name: name, Size: size} }

// Vocabulary is a text that is one of words, which are called name: step, tool.
func Vocabulary(name string, words []string) Type {
	t := Type{Kind: String, Name: name, Values: []any{}}
	for _, w := range words {
		t.Values = append(t.Values, w)
	}
	return t
}

// Union is one of some literals.
func Union(values []any) Type {
	t := Type{Kind: Unknown, Why: "its values are of different kinds"}
	for i, v := range values {
		k := literalKind(v)
		if i == 0 {
			t = Type{Kind: k}
		}
		switch {
		case t.Kind == k:
		case isNumeric(t.Kind) && isNumeric(k):
			t.Kind = Number
		default:
			return Type{Kind: Unknown, Why: "its values are of different kinds"}
		}
	}
	t.Values = values
	return t
}

func literalKind(v any) Kind {
	switch v.(type) {
	case bool:
		return Bool
	case int:
		return Int
	case float64:
		return Number
	case string:
		return String
	case nil:
		return Nil
	}
	return Unknown
}

// Lost is a type that is not known, and why.
func Lost(why string) Type { return Type{Kind: Unknown, Why: why} }

// Maybe is the type with nil as a further value.
func (t Type) Maybe() Type { t.Optional = true; return t }

func (t Type) sure() Type { t.Optional = false; return t }

// FromShape is the type of values of a shape.
func FromShape(s shape.Shape) Type {
	var t Type
	switch s.Kind {
	case shape.Int:
		t = IntType
	case shape.Number, shape.Duration:
		t = NumberType
	case shape.Bool:
		t = BoolType
	case shape.String:
		t = StringType
	case shape.Agent:
		t = StringType
		if len(s.Values) > 0 {
			t.Name, t.Values = "agent", s.Values
		}
	case shape.List:
		elem := Lost("the list's elements have no declared type")
		if s.Elem != nil {
			elem = FromShape(*s.Elem)
		}
		t = ListOf(elem)
	case shape.Record:
		t = RecordOf("", FromFields(s.Fields))
	case shape.Union:
		t = Union(s.Values)
	default:
		t = Lost("the data has values of different kinds there")
	}
	t.Optional = s.Optional
	return t
}

// FromFields gives the types of a record's fields.
func FromFields(fields []shape.Field) map[string]Type {
	out := make(map[string]Type, len(fields))
	for _, f := range fields {
		out[f.Name] = FromShape(f.Shape)
	}
	return out
}

// Either is the type of a value that is of one of two types. Records keep all
// their fields; kinds that do not go together lose the type.
func Either(a, b Type) Type {
	out := either(a, b)
	out.Optional = a.Optional || b.Optional || a.Kind == Nil || b.Kind == Nil
	return out
}

func either(a, b Type) Type {
	switch {
	case a.Kind == Nil:
		return b
	case b.Kind == Nil:
		return a
	case a.Kind == Open:
		return a
	case b.Kind == Open:
		return b
	case a.Kind == Unknown:
		return a
	case b.Kind == Unknown:
		return b
	case isNumeric(a.Kind) && isNumeric(b.Kind):
		t := Type{Kind: Int, Values: joined(a, b)}
		if a.Kind == Number || b.Kind == Number {
			t.Kind = Number
		}
		return t
	case isList(a) && isList(b):
		return eitherList(a, b)
	case a.Kind != b.Kind:
		return Lost(fmt.Sprintf("it is %s in one case and %s in another", a, b))
	case a.Kind == Table:
		return TableOf(Either(*a.Elem, *b.Elem))
	case a.Kind == Record:
		return eitherRecord(a, b)
	}
	t := Type{Kind: a.Kind, Values: joined(a, b)}
	if a.Name == b.Name {
		t.Name = a.Name
	}
	return t
}

// eitherList keeps what is a group in any case a group. A value that may be a
// group or another list can be walked, but its elements have no one count.
func eitherList(a, b Type) Type {
	if a.Kind == Group && b.Kind == Group {
		if a.Name == b.Name && a.Size == b.Size {
			return a
		}
		return GroupOf("", 0)
	}
	t := ListOf(Either(a.elem(), b.elem()))
	if t.Why = a.Why + b.Why; t.Why == "" && a.Kind != b.Kind {
		t.Why = "a group counts its members from 1 and a list from 0"
	}
	return t
}

func eitherRecord(a, b Type) Type {
	fields := make(map[string]Type, len(a.Fields)+len(b.Fields))
	for n, t := range a.Fields {
		other, both := b.Fields[n]
		if both {
			t = Either(t, other)
		} else {
			t = t.Maybe()
		}
		fields[n] = t
	}
	for n, t := range b.Fields {
		if _, both := a.Fields[n]; !both {
			fields[n] = t.Maybe()
		}
	}
	t := RecordOf("", fields)
	if a.Name == b.Name {
		t.Name = a.Name
	}
	return t
}

// joined are the values of either; none where one side has no closed set.
func joined(a, b Type) []any {
	if a.Values == nil || b.Values == nil {
		return nil
	}
	out := append([]any(nil), a.Values...)
	for _, v := range b.Values {
		if !among(v, out) {
			out = append(out, v)
		}
	}
	return out
}

func among(v any, values []any) bool {
	for _, w := range values {
		if eval.Equal(v, w) == eval.True {
			return true
		}
	}
	return false
}

func isNumeric(k Kind) bool { return k == Int || k == Number }
func isList(t Type) bool    { return t.Kind == List || t.Kind == Group }

// elem is the type of a list's elements.
func (t Type) elem() Type {
	switch t.Kind {
	case Group:
		return AgentType
	case List, Table:
		if t.Elem != nil {
			return *t.Elem
		}
	case Open:
		return OpenType
	}
	return Lost("the list's elements have no known type")
}

var plural = map[Kind]string{
	Bool: "truth values", Int: "whole numbers", Number: "numbers", String: "texts", Agent: "agents", Group: "groups", List: "lists", Record: "records", Table: "records",
}

// String names the type for people.
func (t Type) String() string {
	switch t.Kind {
	case Open, Unknown:
		return "of no known type"
	case Nil:
		return "nil"
	case Bool:
		return "true or false"
	case Int:
		return "a whole number"
	case Number:
		return "a number"
	case String:
		return "a text"
	case Agent:
		return "an agent"
	case Group:
		return "a group of agents"
	case List:
		if t.Elem != nil && plural[t.Elem.Kind] != "" {
			return "a list of " + plural[t.Elem.Kind]
		}
		return "a list"
	case Table:
		return "a record"
	}
	if t.Name != "" {
		return "a " + t.Name
	}
	return "a record"
}

// words are the texts among a type's values.
func (t Type) words() []string {
	var out []string
	for _, v := range t.Values {
		if s, ok := v.(string); ok {
			out = append(out, s)
		}
	}
	return out
}

// written are values as a hint lists them: texts as they are, all else as literals.
func written(values []any) []string {
	out := make([]string, 0, len(values))
	for _, v := range values {
		if s, ok := v.(string); ok {
			out = append(out, s)
		} else if lit, err := Literal(v); err == nil {
			out = append(out, eval.Format(lit))
		}
	}
	return out
}

func keys(fields map[string]Type) []string {
	out := make([]string, 0, len(fields))
	for n := range fields {
		out = append(out, n)
	}
	sort.Strings(out)
	return out
}

// some lists a few names for a hint.
func some(names []string) string {
	if len(names) > 7 {
		return strings.Join(names[:7], ", ") + ", …"
	}
	return strings.Join(names, ", ")
}
