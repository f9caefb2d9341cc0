// Package pack writes Go values as bytes and reads them back exactly: an int
// stays an int beside a float, broken UTF-8 stays as it was, text that occurs
// often is written once. It serves what JSON does too slowly or not at all:
// traces are read by the hundred thousand, and hostile bytes must survive.
//
// A value is written by its static type. Of a struct only the fields that are
// not zero are written, each under its number in a Schema, so that files
// outlive added fields.
package pack

import (
	"errors"
	"fmt"
	"reflect"
	"strings"
)

// ErrCorrupt says that bytes were not written by this package, or were changed.
var ErrCorrupt = errors.New("the stored bytes are damaged")

// ErrNewer says that the bytes hold fields that this program does not know.
var ErrNewer = errors.New("the stored bytes hold fields that this version does not know")

// Schema lists the fields of each struct type by name, in the order of their numbers.
type Schema map[string][]string

// Codec knows how a set of types is written. It is safe for concurrent use.
type Codec struct {
	// Plain gives the form in which a value of another type is written where no
	// type is given; it may be nil.
	Plain func(v any) (any, bool)

	nodes  map[reflect.Type]*node
	extra  []*node // types that a value of no static type may have
	schema Schema
}

// node is how one type is written.
type node struct {
	typ    reflect.Type
	kind   reflect.Kind
	elem   *node
	key    *node
	fields []field // by number; structs only
	known  []int   // numbers of the fields this program has
	extra  int     // its number among Codec.extra, from 1
	number int     // counts the codec's nodes
	slice  reflect.Type
}

// field is one field of a struct. The program lacks fields whose node is nil.
type field struct {
	index int
	node  *node
}

// New makes a codec for the types of roots (values or nil pointers to them) and
// all they are made of. Extra types may also stand where a field is of no
// static type. Known is the schema of earlier bytes, or nil: its numbers are kept.
func New(known Schema, extra []any, roots ...any) (*Codec, error) {
	c := &Codec{nodes: map[reflect.Type]*node{}, schema: Schema{}}
	for name, fields := range known {
		c.schema[name] = append([]string(nil), fields...)
	}
	for i, x := range extra {
		n, err := c.node(reflect.TypeOf(x))
		if err != nil {
			return nil, err
		}
		n.extra = i + 1
		c.extra = append(c.extra, n)
	}
	for _, r := range roots {
		t := reflect.TypeOf(r)
		if t.Kind() == reflect.Pointer {
			t = t.Elem()
		}
		if _, err := c.node(t); err != nil {
			return nil, err
		}
	}
	return c, nil
}

// Schema returns the field numbers in use.
func (c *Codec) Schema() Schema { return c.schema }

func (c *Codec) node(t reflect.Type) (*node, error) {
	if n, ok := c.nodes[t]; ok {
		return n, nil
	}
	n := &node{typ: t, kind: t.Kind(), number: len(c.nodes), slice: reflect.SliceOf(t)}
	c.nodes[t] = n
	var err error
	switch n.kind {
	case reflect.Bool, reflect.String, reflect.Float64,
		reflect.Int, reflect.Int8, reflect.Int16, reflect.Int32, reflect.Int64,
		reflect.Uint, reflect.Uint8, reflect.Uint16, reflect.Uint32, reflect.Uint64:
	case reflect.Interface:
		if t.NumMethod() > 0 {
			err = fmt.Errorf("pack: %s has methods, so its values cannot be read back", t)
		}
	case reflect.Pointer, reflect.Slice:
		n.elem, err = c.node(t.Elem())
	case reflect.Map:
		if n.key, err = c.node(t.Key()); err == nil {
			n.elem, err = c.node(t.Elem())
		}
	case reflect.Struct:
		err = c.structure(n)
	default:
		err = fmt.Errorf("pack: a %s cannot be written", t)
	}
	return n, err
}

// structure numbers the exported fields of a struct.
func (c *Codec) structure(n *node) error {
	name := n.typ.String()
	list := c.schema[name]
	number := make(map[string]int, len(list))
	for i, f := range list {
		number[f] = i
	}
	n.fields = make([]field, len(list))
	for i := range n.typ.NumField() {
		f := n.typ.Field(i)
		if !f.IsExported() {
			continue
		}
		label := fieldName(f)
		at, ok := number[label]
		if !ok {
			at = len(list)
			list = append(list, label)
			n.fields = append(n.fields, field{})
		}
		inner, err := c.node(f.Type)
		if err != nil {
			return err
		}
		n.fields[at] = field{index: i, node: inner}
		n.known = append(n.known, at)
	}
	c.schema[name] = list
	return nil
}

// fieldName is the name that the field has in JSON, where it has one.
func fieldName(f reflect.StructField) string {
	name, _, _ := strings.Cut(f.Tag.Get("json"), ",")
	if name == "" || name == "-" {
		return f.Name
	}
	return name
}
