package load

import (
	"bytes"
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
	data  map[string]*decoded
	memo  *typing.Memo
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

// NewCache makes an empty cache.
func NewCache() *Cache {
	return &Cache{files: map[string]*parsed{}, data: map[string]*decoded{}, memo: typing.NewMemo()}
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
		p := c.files[name]
		c.mu.Unlock()
		if p != nil && p.source.Text == text {
			return p
		}
	}
	p := &parsed{source: source.New(name, text)}
	if p.file, p.found = parse(name, []byte(text)); p.file == nil {
		p.file = &ast.File{Name: name}
	}
	if c != nil {
		c.mu.Lock()
		c.files[name] = p
		c.mu.Unlock()
	}
	return p
}
