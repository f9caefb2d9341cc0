// Package shape describes values: replies, tool arguments, state. One shape
// gives the JSON schema a model sees, the check of what comes back, and the
// type an expression has.
package shape

// Kind is a shape's form.
type Kind string

// The kinds of the language's type grammar.
const (
	Int      Kind = "int"
	Number   Kind = "number"
	Bool     Kind = "bool"
	String   Kind = "string"
	Duration Kind = "duration" // seconds, a number
	Agent    Kind = "agent"    // an agent's name; Values lists a group's members if bound to one
	List     Kind = "list"
	Record   Kind = "record"
	Union    Kind = "union" // one of Values
	// Any is data whose records disagree on a field's kind: it can be shown and
	// compared as text, and no expression may look inside.
	Any Kind = "any"
)

// Shape is the type of a value.
type Shape struct {
	Kind     Kind
	Optional bool    // T?: nil is a value
	Elem     *Shape  `json:",omitempty"`
	Fields   []Field `json:",omitempty"`
	Values   []any   `json:",omitempty"` // string, int, float64 or bool
}

// Field is one field of a record, or one argument of a tool.
type Field struct {
	Name       string
	Shape      Shape
	HasDefault bool `json:",omitempty"`
	Default    any  `json:",omitempty"`
}
