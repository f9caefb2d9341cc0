package pack

import (
	"encoding/binary"
	"fmt"
	"math"
	"reflect"
	"slices"
)

// Decoder reads the blobs of one Encoder, in their order. What it reads keeps
// the blob's bytes alive and shares its texts. Not for concurrent use.
type Decoder struct {
	c     *Codec
	texts []string
	in    string
	at    int // how far in has been read
	depth int
	err   error

	lists  []reflect.Value // lists of this blob, by number
	shared []any           // and maps and lists of no static type
	slabs  []slab          // by node
}

// Decoder starts a sequence of blobs.
func (c *Codec) Decoder() *Decoder { return &Decoder{c: c} }

// Reset readies the decoder for another sequence; what was read stays valid. The
// decoder lets go of all of it: room that two sequences shared would tie their
// values together, and so keep everything ever read as long as the last of it.
func (d *Decoder) Reset() {
	clear(d.texts[:cap(d.texts)])
	clear(d.lists[:cap(d.lists)])
	clear(d.shared[:cap(d.shared)])
	d.texts, d.lists, d.shared = d.texts[:0], d.lists[:0], d.shared[:0]
	for i := range d.slabs {
		s := &d.slabs[i]
		*s = slab{usual: max(s.made+s.next-s.size, s.usual/2)}
	}
}

// Decode reads a blob (as a string, which is not copied) into what v points at,
// which must be zero. Bytes that do not fit give ErrCorrupt or ErrNewer, never a panic, and never more memory
// than a small multiple of the blob.
func (d *Decoder) Decode(blob string, v any) error {
	val := reflect.ValueOf(v).Elem()
	n, ok := d.c.nodes[val.Type()]
	if !ok {
		return fmt.Errorf("pack: the codec was not made for a %s", val.Type())
	}
	d.in, d.at, d.depth, d.err = blob, 0, 0, nil
	d.lists, d.shared = d.lists[:0], d.shared[:0]
	d.header()
	d.value(n, val)
	if d.err == nil && d.left() > 0 {
		d.err = ErrCorrupt
	}
	d.in = ""
	return d.err
}

func (d *Decoder) header() {
	if d.byte() != format {
		d.fail(ErrCorrupt)
		return
	}
	n := d.count()
	lengths := d.at // the lengths come first, then all texts
	total := uint64(0)
	for range n {
		total += d.uint()
		if total > uint64(d.left()) {
			d.fail(ErrCorrupt)
			return
		}
	}
	d.texts = slices.Grow(d.texts, n)
	for range n {
		l, w := uvarint(d.in[lengths:])
		lengths += w
		d.texts = append(d.texts, d.in[d.at:d.at+int(l)])
		d.at += int(l)
	}
}

// left is how many bytes have not been read.
func (d *Decoder) left() int { return len(d.in) - d.at }

// fail keeps the first error and leaves nothing to read.
func (d *Decoder) fail(err error) {
	if d.err == nil {
		d.err = err
	}
	d.at = len(d.in)
}

func (d *Decoder) byte() byte {
	if d.at >= len(d.in) {
		d.fail(ErrCorrupt)
		return 0
	}
	b := d.in[d.at]
	d.at++
	return b
}

func (d *Decoder) uint() uint64 {
	if d.at < len(d.in) && d.in[d.at] < 0x80 {
		d.at++
		return uint64(d.in[d.at-1])
	}
	v, w := uvarint(d.in[d.at:])
	if w <= 0 {
		d.fail(ErrCorrupt)
		return 0
	}
	d.at += w
	return v
}

// uvarint is binary.Uvarint for a string; w is 0 where there is no number.
func uvarint(s string) (v uint64, w int) {
	for i := 0; i < len(s) && i < binary.MaxVarintLen64; i++ {
		b := s[i]
		if b < 0x80 {
			return v | uint64(b)<<(7*i), i + 1
		}
		v |= uint64(b&0x7f) << (7 * i)
	}
	return 0, 0
}

func (d *Decoder) int() int64 {
	u := d.uint()
	return int64(u>>1) ^ -int64(u&1)
}

// count is the length of something whose members take at least a byte each.
func (d *Decoder) count() int {
	n := d.uint()
	if n > uint64(d.left()) {
		d.fail(ErrCorrupt)
		return 0
	}
	return int(n)
}

func (d *Decoder) text() string {
	i := d.uint()
	if i == 0 {
		return ""
	}
	if i > uint64(len(d.texts)) {
		d.fail(ErrCorrupt)
		return ""
	}
	return d.texts[i-1]
}

func (d *Decoder) float() float64 {
	if d.left() < 8 {
		d.fail(ErrCorrupt)
		return 0
	}
	u := binary.BigEndian.Uint64([]byte(d.in[d.at : d.at+8]))
	d.at += 8
	return math.Float64frombits(u)
}

func (d *Decoder) value(n *node, v reflect.Value) {
	switch n.kind {
	case reflect.Bool:
		v.SetBool(d.byte() != 0)
	case reflect.String:
		v.SetString(d.text())
	case reflect.Int, reflect.Int8, reflect.Int16, reflect.Int32, reflect.Int64:
		v.SetInt(d.int())
	case reflect.Uint, reflect.Uint8, reflect.Uint16, reflect.Uint32, reflect.Uint64:
		v.SetUint(d.uint())
	case reflect.Float64:
		v.SetFloat(d.float())
	default:
		if d.depth++; d.depth > maxDepth {
			d.fail(ErrCorrupt)
		}
		d.nested(n, v)
		d.depth--
	}
}

func (d *Decoder) nested(n *node, v reflect.Value) {
	if d.err != nil {
		return
	}
	switch n.kind {
	case reflect.Interface:
		if x := d.dynamic(); x != nil {
			v.Set(reflect.ValueOf(x))
		}
	case reflect.Pointer:
		if d.byte() != 0 {
			target := d.target(n.elem)
			v.Set(target.Addr())
			d.value(n.elem, target)
		}
	case reflect.Slice:
		d.list(n, v)
	case reflect.Map:
		d.table(n, v)
	case reflect.Struct:
		d.structure(n, v)
	}
}

// target is room for what a pointer points at. Traces hold many small values of
// few types, so room is made for some at a time, more as more are met.
func (d *Decoder) target(n *node) reflect.Value {
	if n.kind != reflect.Struct {
		return reflect.New(n.typ).Elem()
	}
	for len(d.slabs) <= n.number {
		d.slabs = append(d.slabs, slab{})
	}
	s := &d.slabs[n.number]
	if s.next == s.size {
		s.size, s.next = max(min(max(4*s.size, s.usual), 64), 2), 0
		s.made += s.size
		s.room = reflect.MakeSlice(n.slice, s.size, s.size)
	}
	s.next++
	return s.room.Index(s.next - 1)
}

// slab is room for values of one type. It counts the room it has made, so that
// the next sequence, which is often alike, begins with as much as this one took.
type slab struct {
	room       reflect.Value
	next, size int
	made       int
	usual      int
}

// smallStep is how many members a list gets before any of them was read: a
// false length must not cost memory.
const smallStep = 256

func (d *Decoder) list(n *node, v reflect.Value) {
	head := d.uint()
	switch head {
	case listNil:
		return
	case listAgain:
		i := d.uint()
		if i >= uint64(len(d.lists)) || d.lists[i].Type() != n.typ {
			d.fail(ErrCorrupt)
			return
		}
		v.Set(d.lists[i])
		return
	}
	size := head - listLength
	if size > uint64(d.left()) {
		d.fail(ErrCorrupt)
		return
	}
	if size == 0 {
		v.Set(reflect.MakeSlice(n.typ, 0, 0))
		return
	}
	first := int(min(size, smallStep))
	v.SetZero()
	v.Grow(first) // in place: MakeSlice takes room for a slice header too
	v.SetLen(first)
	for i := 0; i < int(size) && d.err == nil; i++ {
		if i == v.Len() {
			more := min(int(size), 2*i)
			v.Grow(more - i)
			v.SetLen(more)
		}
		d.value(n.elem, v.Index(i))
	}
	v.SetCap(v.Len()) // it may be shared: who appends must copy
	d.lists = append(d.lists, v)
}

func (d *Decoder) table(n *node, v reflect.Value) {
	size := d.uint()
	if size == 0 {
		return
	}
	size--
	if size > uint64(d.left()) {
		d.fail(ErrCorrupt)
		return
	}
	v.Set(reflect.MakeMapWithSize(n.typ, int(min(size, smallStep))))
	for range size {
		k := reflect.New(n.key.typ).Elem()
		d.value(n.key, k)
		e := reflect.New(n.elem.typ).Elem()
		d.value(n.elem, e)
		if d.err != nil {
			return
		}
		v.SetMapIndex(k, e)
	}
}

func (d *Decoder) structure(n *node, v reflect.Value) {
	for d.err == nil {
		at := d.uint()
		if at == 0 {
			return
		}
		if at > uint64(len(n.fields)) || n.fields[at-1].node == nil {
			d.fail(ErrNewer)
			return
		}
		f := &n.fields[at-1]
		d.value(f.node, v.Field(f.index))
	}
}
