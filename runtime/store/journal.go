package store

import (
	"encoding/binary"
	"errors"
	"hash/crc32"
	"os"
	"sync"

	"parley/runtime/model"
	"parley/runtime/store/pack"
)

// journalEnding is the ending of the file beside a run in which paid answers are
// noted while it goes on. Closing a run leaves none.
const journalEnding = "-calls"

// journalSize is how long the file may grow before what it holds that is still
// needed moves into the run.
const journalSize = 64 << 20

// journal notes answers as they arrive. A note is one write, which a killed
// process does not lose, where a commit costs as much as many calls; so the run
// file takes bodies and spending of many answers at a time, and of an answer
// itself nothing unless its unit is left unfinished. Notes are not synced: a power
// cut may lose the newest answers, but no trial that was said to be stored.
type journal struct {
	path  string
	codec *pack.Codec

	mu      sync.Mutex
	file    *os.File // nil before the first note
	size    int64
	last    uint64             // number of the newest note
	buf     []byte             // of one note
	waiting []*note            // not in the run file yet
	open    map[string][]*note // by unit: what is still needed
	tabled  bool               // the run file may have answers too
	failed  error
	closed  bool // nothing more is taken
}

// note is an answer as the journal keeps it; a drop has a unit alone.
type note struct {
	number uint64
	a      Answer // Response is in blob
	blob   []byte
	spent  Spend
}

var errTorn = errors.New("a note that was not written to its end")

// add notes an answer and keeps it for the run file.
func (j *journal) add(a Answer, blob []byte, s Spend) error {
	n := &note{a: a, blob: blob, spent: s}
	n.a.Response = nil
	j.mu.Lock()
	defer j.mu.Unlock()
	if j.closed {
		return ErrClosed
	}
	n.number = j.last + 1
	if err := j.write(n); err != nil {
		return err
	}
	j.last++
	j.waiting = append(j.waiting, n)
	j.open[a.Unit] = append(j.open[a.Unit], n)
	return nil
}

// close ends the noting; what was noted by then is written by who closes.
func (j *journal) close() {
	j.mu.Lock()
	defer j.mu.Unlock()
	j.closed = true
}

// write appends notes to the file in one write. After a failure nothing more is
// written, since what follows a torn note is not found again.
func (j *journal) write(notes ...*note) error {
	if j.failed != nil {
		return j.failed
	}
	if j.file == nil {
		if j.failed = j.openFile(); j.failed != nil {
			return j.failed
		}
	}
	j.buf = j.buf[:0]
	for _, n := range notes {
		j.buf = n.append(j.buf)
	}
	_, j.failed = j.file.WriteAt(j.buf, j.size)
	if j.failed == nil {
		j.size += int64(len(j.buf))
	}
	return j.failed
}

func (j *journal) openFile() (err error) {
	j.file, err = os.OpenFile(j.path, os.O_CREATE|os.O_RDWR, 0o666)
	return err
}

// append writes length, sum and members.
func (n *note) append(b []byte) []byte {
	at := len(b)
	b = append(b, 0, 0, 0, 0, 0, 0, 0, 0)
	b = binary.AppendUvarint(b, n.number)
	for _, s := range [...]string{n.a.Unit, n.a.Key, n.a.Trial, n.a.Position, n.a.Call, n.spent.Model, n.spent.Role} {
		b = append(binary.AppendUvarint(b, uint64(len(s))), s...)
	}
	for _, s := range [...][]byte{n.blob, n.a.Body} {
		b = append(binary.AppendUvarint(b, uint64(len(s))), s...)
	}
	for _, i := range [...]int{n.a.Attempt, n.spent.Calls, n.spent.Input, n.spent.Output, n.spent.Estimated} {
		b = binary.AppendVarint(b, int64(i))
	}
	binary.LittleEndian.PutUint32(b[at:], uint32(len(b)-at-8))
	binary.LittleEndian.PutUint32(b[at+4:], crc32.ChecksumIEEE(b[at+8:]))
	return b
}

// readNote reads the first note of b and gives what follows it.
func readNote(b []byte) (n note, rest []byte, err error) {
	if len(b) < 8 {
		return n, nil, errTorn
	}
	length, sum := int(binary.LittleEndian.Uint32(b)), binary.LittleEndian.Uint32(b[4:])
	if b = b[8:]; length > len(b) || crc32.ChecksumIEEE(b[:length]) != sum {
		return n, nil, errTorn
	}
	r := noteReader{b[:length], nil}
	n.number = r.uint()
	for _, s := range [...]*string{&n.a.Unit, &n.a.Key, &n.a.Trial, &n.a.Position, &n.a.Call, &n.spent.Model, &n.spent.Role} {
		*s = string(r.bytes())
	}
	n.blob = r.bytes()
	if body := r.bytes(); len(body) > 0 {
		n.a.Body = body
	}
	for _, i := range [...]*int{&n.a.Attempt, &n.spent.Calls, &n.spent.Input, &n.spent.Output, &n.spent.Estimated} {
		*i = r.int()
	}
	if r.err == nil && len(r.b) > 0 {
		r.err = errTorn
	}
	return n, b[length:], r.err
}

// noteReader reads members; after the first that is not there it gives zeros.
type noteReader struct {
	b   []byte
	err error
}

func (r *noteReader) uint() uint64 {
	v, w := binary.Uvarint(r.b)
	return r.took(v, w)
}

func (r *noteReader) int() int {
	v, w := binary.Varint(r.b)
	return int(r.took(uint64(v), w))
}

func (r *noteReader) took(v uint64, w int) uint64 {
	if w <= 0 {
		r.b, r.err = nil, errTorn
		return 0
	}
	r.b = r.b[w:]
	return v
}

func (r *noteReader) bytes() []byte {
	n := r.uint()
	if n > uint64(len(r.b)) {
		r.b, r.err = nil, errTorn
		return nil
	}
	s := r.b[:n:n]
	r.b = r.b[n:]
	return s
}

// readJournal reads the notes that a process left, up to one that it did not
// write to its end. No file is no notes.
func readJournal(path string) ([]note, error) {
	b, err := os.ReadFile(path)
	if errors.Is(err, os.ErrNotExist) {
		return nil, nil
	}
	var notes []note
	for err == nil && len(b) > 0 {
		var n note
		var bad error
		if n, b, bad = readNote(b); bad != nil {
			break
		}
		notes = append(notes, n)
	}
	return notes, err
}

// left are the answers of a unit that are not in the run file.
func (j *journal) left(unit string, into map[string]*model.Response) error {
	j.mu.Lock()
	defer j.mu.Unlock()
	for _, n := range j.open[unit] {
		resp := &model.Response{}
		if err := j.codec.Decoder().Decode(string(n.blob), resp); err != nil {
			return err
		}
		into[n.a.Key] = resp
	}
	return nil
}

// any reports whether there are answers that are not in the run file.
func (j *journal) any() bool {
	j.mu.Lock()
	defer j.mu.Unlock()
	return len(j.open) > 0
}

// idle reports whether the run file has all that it should.
func (j *journal) idle() bool {
	j.mu.Lock()
	defer j.mu.Unlock()
	return len(j.waiting) == 0
}

// part is what one commit brings into the run file.
type part struct {
	waiting []*note
	drops   []string // units that end with this commit
	all     bool     // the journal is emptied
	open    []*note  // then: what is still needed of it
	last    uint64
}

// take gives what waits for the run file. Where the journal is to be emptied, or
// has grown large, nothing is noted until settle.
func (j *journal) take(all bool) part {
	j.mu.Lock()
	p := part{waiting: j.waiting, all: all || j.size > journalSize, last: j.last}
	j.waiting = nil
	if !p.all {
		j.mu.Unlock()
		return p
	}
	for _, list := range j.open {
		p.open = append(p.open, list...)
	}
	j.tabled = j.tabled || len(p.open) > 0
	return p
}

// settle says whether the commit of a part went well.
func (j *journal) settle(p part, committed bool) error {
	if !p.all {
		j.mu.Lock()
	}
	defer j.mu.Unlock()
	if !committed {
		return nil // nothing more is written, and the file stays for who resumes
	}
	for _, n := range p.waiting {
		n.a.Body = nil // the run file has it
	}
	if p.all {
		clear(j.open)
		j.size = 0
		if j.file == nil {
			return nil
		}
		return j.file.Truncate(0)
	}
	var gone []*note
	for _, unit := range p.drops {
		if _, ok := j.open[unit]; ok {
			delete(j.open, unit)
			gone = append(gone, &note{a: Answer{Unit: unit}})
		}
	}
	if len(gone) == 0 {
		return nil
	}
	return j.write(gone...)
}

// remove closes the file and takes it away if the run file has all of it.
func (j *journal) remove(kept bool) error {
	j.mu.Lock()
	defer j.mu.Unlock()
	var errs []error
	if j.file != nil {
		errs = append(errs, j.file.Close())
		j.file = nil
	}
	if kept {
		if err := os.Remove(j.path); !errors.Is(err, os.ErrNotExist) {
			errs = append(errs, err)
		}
	}
	return errors.Join(errs...)
}
