package world

import (
	"crypto/sha256"
	"encoding/binary"
	"hash"
	"sync"

	"parley/runtime/segment"
)

// Indexes shares one index between all stores whose documents are equal: the
// agents of a trial, and the trials of a run. The zero value is ready; it is
// safe for concurrent use.
type Indexes struct {
	mu     sync.Mutex
	byDocs map[[sha256.Size]byte]*Index
}

// mostIndexes bounds what is kept. A run takes its cases in order, so what was
// needed long ago is not needed again soon.
const mostIndexes = 256

// Of returns the index of these documents.
func (x *Indexes) Of(docs []Doc) *Index {
	key := digest(docs)
	x.mu.Lock()
	index := x.byDocs[key]
	x.mu.Unlock()
	if index != nil {
		return index
	}
	index = NewIndex(docs)
	x.mu.Lock()
	defer x.mu.Unlock()
	if x.byDocs == nil || len(x.byDocs) >= mostIndexes {
		x.byDocs = make(map[[sha256.Size]byte]*Index)
	}
	x.byDocs[key] = index
	return index
}

// digest tells apart all lists of documents, provenance included.
func digest(docs []Doc) (key [sha256.Size]byte) {
	h := sha256.New()
	for _, d := range docs {
		writePart(h, d.ID)
		writeText(h, d.Title)
		writeText(h, d.Text)
	}
	h.Sum(key[:0])
	return key
}

func writeText(h hash.Hash, t segment.Text) {
	writeLength(h, len(t))
	for _, s := range t {
		writePart(h, s.Text)
		writePart(h, s.Source)
		writeLength(h, len(s.Payloads))
		for _, p := range s.Payloads {
			writePart(h, p)
		}
	}
}

func writePart(h hash.Hash, s string) {
	writeLength(h, len(s))
	h.Write([]byte(s))
}

func writeLength(h hash.Hash, n int) {
	var b [8]byte
	binary.LittleEndian.PutUint64(b[:], uint64(n))
	h.Write(b[:])
}
