package pack

import (
	"encoding/binary"
	"fmt"
	"math"
	"reflect"
	"sort"
	"unsafe"
)

// format is the first byte of every blob.
const format = 1

// maxDepth bounds nesting, so that no value can exhaust the stack.
const maxDepth = 200

// Encoder writes values that share their texts: what the first blob holds, the
// next ones point at, so they are read back in the same order. Not for
// concurrent use.
type Encoder struct {
	c     *Codec
	index map[string]uint64 // text → its number, from 1
	fresh []string          // texts that this blob adds
	body  []byte
	depth int

	lists  map[place]uint64 // lists of this blob → their number, from 0
	shared map[place]uint64 // the same for values of no static type
	alive  []any            // made in passing; kept, so that no other takes its place
}

// place is where a list or a map lies in memory: what is one value in a trace
// (a text that five agents hear) is written once and read back as one.
type place struct {
	at  unsafe.Pointer
	len int
	of  *node
}

// Encoder starts a sequence of blobs.
func (c *Codec) Encoder() *Encoder {
	return &Encoder{c: c, index: map[string]uint64{}, lists: map[place]uint64{}, shared: map[place]uint64{}}
}

// Reset readies the encoder for another sequence, and lets go of all it wrote.
func (e *Encoder) Reset() {
	clear(e.index)
	clear(e.lists)
	clear(e.shared)
	clear(e.fresh[:cap(e.fresh)])
	e.alive = nil
}

// Encode writes what v points at; its type must be one of the codec's.
func (e *Encoder) Encode(v any) ([]byte, error) {
	val := reflect.ValueOf(v).Elem()
	n, ok := e.c.nodes[val.Type()]
	if !ok {
		return nil, fmt.Errorf("pack: the codec was not made for a %s", val.Type())
	}
	e.fresh, e.body, e.depth = e.fresh[:0], e.body[:0], 0
	clear(e.lists)
	clear(e.shared)
	e.alive = nil
	if err := e.value(n, val); err != nil {
		return nil, err
	}
	size := 16 + len(e.body)
	for _, s := range e.fresh {
		size += len(s) + 3
	}
	out := binary.AppendUvarint(append(make([]byte, 0, size), format), uint64(len(e.fresh)))
	for _, s := range e.fresh {
		out = binary.AppendUvarint(out, uint64(len(s)))
	}
	for _, s := range e.fresh {
		out = append(out, s...)
	}
	return append(out, e.body...), nil
}

func (e *Encoder) value(n *node, v reflect.Value) error {
	switch n.kind {
	case reflect.Bool:
		b := byte(0)
		if v.Bool() {
			b = 1
		}
		e.body = append(e.body, b)
	case reflect.String:
		e.text(v.String())
	case reflect.Int, reflect.Int8, reflect.Int16, reflect.Int32, reflect.Int64:
		e.body = binary.AppendVarint(e.body, v.Int())
	case reflect.Uint, reflect.Uint8, reflect.Uint16, reflect.Uint32, reflect.Uint64:
		e.body = binary.AppendUvarint(e.body, v.Uint())
	case reflect.Float64:
		e.body = binary.BigEndian.AppendUint64(e.body, math.Float64bits(v.Float()))
	default:
		return e.nested(n, v)
	}
	return nil
}

func (e *Encoder) nested(n *node, v reflect.Value) error {
	if e.depth++; e.depth > maxDepth {
		return fmt.Errorf("a value is nested more than %d deep", maxDepth)
	}
	defer func() { e.depth-- }()
	switch n.kind {
	case reflect.Interface:
		return e.dynamic(v)
	case reflect.Pointer:
		if v.IsNil() {
			e.body = append(e.body, 0)
			return nil
		}
		e.body = append(e.body, 1)
		return e.value(n.elem, v.Elem())
	case reflect.Slice:
		return e.list(n, v)
	case reflect.Map:
		return e.table(n, v)
	}
	for _, at := range n.known {
		f := &n.fields[at]
		fv := v.Field(f.index)
		if fv.IsZero() {
			continue
		}
		e.body = binary.AppendUvarint(e.body, uint64(at)+1)
		if err := e.value(f.node, fv); err != nil {
			return err
		}
	}
	e.body = append(e.body, 0)
	return nil
}

// text writes a text's number and remembers a new one.
func (e *Encoder) text(s string) {
	if s == "" {
		e.body = append(e.body, 0)
		return
	}
	i, ok := e.index[s]
	if !ok {
		i = uint64(len(e.index)) + 1
		e.index[s] = i
		e.fresh = append(e.fresh, s)
	}
	e.body = binary.AppendUvarint(e.body, i)
}

// The head of a list: nil, the number of an earlier one, or a length.
const (
	listNil = iota
	listAgain
	listLength
)

func (e *Encoder) list(n *node, v reflect.Value) error {
	if v.IsNil() {
		e.body = append(e.body, listNil)
		return nil
	}
	here := place{v.UnsafePointer(), v.Len(), n}
	if i, ok := e.lists[here]; ok {
		e.body = binary.AppendUvarint(append(e.body, listAgain), i)
		return nil
	}
	e.body = binary.AppendUvarint(e.body, uint64(v.Len())+listLength)
	for i := range v.Len() {
		if err := e.value(n.elem, v.Index(i)); err != nil {
			return err
		}
	}
	if v.Len() > 0 {
		e.lists[here] = uint64(len(e.lists))
	}
	return nil
}

// table writes a map in the order of its keys: equal values, equal bytes.
func (e *Encoder) table(n *node, v reflect.Value) error {
	if v.IsNil() {
		e.body = append(e.body, 0)
		return nil
	}
	keys := v.MapKeys()
	switch n.key.kind {
	case reflect.String:
		sort.Slice(keys, func(i, j int) bool { return keys[i].String() < keys[j].String() })
	case reflect.Int:
		sort.Slice(keys, func(i, j int) bool { return keys[i].Int() < keys[j].Int() })
	default:
		return fmt.Errorf("pack: keys of type %s cannot be written", n.key.typ)
	}
	e.body = binary.AppendUvarint(e.body, uint64(len(keys))+1)
	for _, k := range keys {
		if err := e.value(n.key, k); err != nil {
			return err
		}
		if err := e.value(n.elem, v.MapIndex(k)); err != nil {
			return err
		}
	}
	return nil
}
