package load

import (
	"crypto/sha256"
	"encoding/binary"
	"sort"
)

// Window keeps records first to last by position, from 1, both ends included;
// last 0 means no end.
func Window(records []Record, first, last int) []Record {
	if first < 1 {
		first = 1
	}
	if last == 0 || last > len(records) {
		last = len(records)
	}
	if first > last {
		return nil
	}
	return records[first-1 : last]
}

// Sample draws n records under a seed, and keeps their order in the file. A
// record's chance hangs on the seed and its number alone, so a file that grows
// at its end keeps most of its sample.
func Sample(records []Record, n int, seed uint64) []Record {
	if n >= len(records) {
		return records
	}
	type ranked struct {
		record Record
		rank   uint64
	}
	order := make([]ranked, len(records))
	for i, r := range records {
		var b [16]byte
		binary.BigEndian.PutUint64(b[:8], seed)
		binary.BigEndian.PutUint64(b[8:], uint64(r.N))
		sum := sha256.Sum256(b[:])
		order[i] = ranked{r, binary.BigEndian.Uint64(sum[:8])}
	}
	sort.Slice(order, func(i, j int) bool {
		if order[i].rank != order[j].rank {
			return order[i].rank < order[j].rank
		}
		return order[i].record.N < order[j].record.N
	})
	out := make([]Record, n)
	for i := range out {
		out[i] = order[i].record
	}
	sort.Slice(out, func(i, j int) bool { return out[i].N < out[j].N })
	return out
}
