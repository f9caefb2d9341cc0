package load

import (
	"sync"

	"parley/lang/ast"
	"parley/lang/diag"
	"parley/lang/source"
)

// Cache keeps parsed files, so that many programs that import one library parse
// it once. A file is parsed again when its text is another. It is safe for
// concurrent use; trees are never changed after parsing.
type Cache struct {
	mu    sync.Mutex
	files map[string]*parsed
}

// NewCache makes an empty cache.
func NewCache() *Cache { return &Cache{files: map[string]*parsed{}} }

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
