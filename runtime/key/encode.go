package key

import (
	"crypto/sha256"
	"encoding/binary"
	"math"
	"sync"
)

// Every value is written as a tag and then its length or a fixed width, so no
// two different sequences of parts give the same bytes.
const (
	tagNil    = 'n'
	tagFalse  = '0'
	tagTrue   = '1'
	tagInt    = 'i'
	tagUint   = 'u'
	tagFloat  = 'f'
	tagString = 's'
	tagList   = 'l'
	tagMap    = 'm'
	tagStruct = 't'
)

// encoder collects the bytes under a key.
type encoder struct{ b []byte }

var encoders = sync.Pool{New: func() any { return &encoder{b: make([]byte, 0, 4096)} }}

// begin starts the key of one kind of thing: kinds never collide.
func begin(kind string) *encoder {
	e := encoders.Get().(*encoder)
	e.b = e.b[:0]
	e.str(kind)
	return e
}

// sum ends the key; the encoder is not to be used afterwards.
func (e *encoder) sum() Key {
	k := Key(sha256.Sum256(e.b))
	if cap(e.b) <= 1<<20 { // a rare giant must not stay in memory
		encoders.Put(e)
	}
	return k
}

func (e *encoder) null() { e.b = append(e.b, tagNil) }

func (e *encoder) flag(v bool) {
	if v {
		e.b = append(e.b, tagTrue)
	} else {
		e.b = append(e.b, tagFalse)
	}
}

func (e *encoder) int(v int64) {
	e.b = binary.BigEndian.AppendUint64(append(e.b, tagInt), uint64(v))
}

func (e *encoder) uint(v uint64) {
	e.b = binary.BigEndian.AppendUint64(append(e.b, tagUint), v)
}

func (e *encoder) float(v float64) {
	switch {
	case v == 0:
		v = 0 // no negative zero
	case math.IsNaN(v):
		v = math.NaN()
	}
	e.b = binary.BigEndian.AppendUint64(append(e.b, tagFloat), math.Float64bits(v))
}

func (e *encoder) str(s string) {
	e.b = binary.AppendUvarint(append(e.b, tagString), uint64(len(s)))
	e.b = append(e.b, s...)
}

// open starts a container of n members.
func (e *encoder) open(tag byte, n int) {
	e.b = binary.AppendUvarint(append(e.b, tag), uint64(n))
}

func (e *encoder) optFloat(v *float64) {
	if v == nil {
		e.null()
		return
	}
	e.float(*v)
}
