package load

import (
	"bytes"
	"reflect"
	"slices"
	"sync"

	"parley/interp/typing"
	"parley/lang/ast"
	"parley/lang/diag"
	"parley/lang/source"
)

// Cache keeps parsed and decoded files, so that many programs that read the same
// ones read them once. A file is read anew when its text is another. It is safe for
// concurrent use; trees are never changed after parsing.
type Cache struct {
	mu    sync.Mutex
	files map[string]*parsed
	older map[string]*parsed // the text before, which an editor asks for again
	data  map[string]*decoded
	memo  *typing.Memo

	columns map[inferKey]*inferred
}

// maxKept bounds the data files that are kept, in bytes each.
const maxKept = 1 << 20

// decoded is one data file as read. Its records are never changed.
type decoded struct {
	raw     []byte
	records []Record
}

func (c *Cache) records(name string, raw []byte) ([]Record, bool) {
	if c == nil {
		return nil, false
	}
	c.mu.Lock()
	d := c.data[name]
	c.mu.Unlock()
	if d == nil || !bytes.Equal(d.raw, raw) {
		return nil, false
	}
	return d.records, true
}

func (c *Cache) keep(name string, raw []byte, records []Record) {
	if c == nil || len(raw) > maxKept {
		return
	}
	c.mu.Lock()
	c.data[name] = &decoded{raw, records}
	c.mu.Unlock()
}

// inferred is what a set of records was found to hold.
type inferred struct {
	records []Record
	columns []Column
}

// maxInferred bounds how many sets of records are kept with their columns.
const maxInferred = 1 << 10

// Infer is the function of that name, done once for the same records: those that
// the cache gave out and that stand in the same order.
func (c *Cache) Infer(records []Record) []Column {
	if c == nil || len(records) == 0 {
		return Infer(records)
	}
	k := inferKey{identity(records[0]), len(records)}
	c.mu.Lock()
	old := c.columns[k]
	c.mu.Unlock()
	if old != nil && slices.EqualFunc(old.records, records, func(a, b Record) bool { return a.N == b.N && identity(a) == identity(b) }) {
		return slices.Clip(old.columns)
	}
	columns := Infer(records)
	c.mu.Lock()
	defer c.mu.Unlock()
	if len(c.columns) >= maxInferred {
		clear(c.columns)
	}
	c.columns[k] = &inferred{slices.Clone(records), columns}
	return slices.Clip(columns)
}

type inferKey struct {
	first uintptr
	count int
}

// identity tells a record's fields from all others that are in use.
func identity(r Record) uintptr { return reflect.ValueOf(r.Fields).Pointer() }

// NewCache makes an empty cache.
func NewCache() *Cache {
	return &Cache{files: map[string]*parsed{}, older: map[string]*parsed{}, data: map[string]*decoded{}, memo: typing.NewMemo(), columns: map[inferKey]*inferred{}}
}

// Memo keeps expressions as the cache keeps files; that of a nil cache is new.
func (c *Cache) Memo() *typing.Memo {
	if c == nil {
		return typing.NewMemo()
	}
	return c.memo
}

// parsed is one file as read.
type parsed struct {
	source *source.Source
	file   *ast.File
	found  diag.List
}

func (c *Cache) parse(name, text string, parse Parser) *parsed {
	if c != nil {
		c.mu.Lock()
		p, o := c.files[name], c.older[name]
		c.mu.Unlock()
		if p != nil && p.source.Text == text {
			return p
		}
		if o != nil && o.source.Text == text {
			return o
		}
	}
	p := &parsed{source: source.New(name, text)}
	if p.file, p.found = parse(name, []byte(text)); p.file == nil {
		p.file = &ast.File{Name: name}
	}
	if c != nil {
		c.mu.Lock()
		if last := c.files[name]; last != nil {
			c.older[name] = last
		}
		c.files[name] = p
		c.mu.Unlock()
	}
	return p
}
