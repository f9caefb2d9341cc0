package typing

import (
	"strconv"
	"strings"
	"sync"

	exprast "github.com/expr-lang/expr/ast"

	"parley/runtime/eval"
)

// maxKept bounds how many trees, and how many canonical texts, a memo keeps. One
// that is full forgets all: what is in use comes back at once.
const maxKept = 1 << 14

// Memo keeps what is the same for an expression wherever it stands: its tree, and
// its canonical text by the values put into it. Trees from a memo are shared and
// never changed. It is safe for concurrent use; a nil memo keeps nothing.
type Memo struct {
	mu    sync.Mutex
	trees map[string]*parsed
	texts map[string]canonical
}

// parsed is a source as read.
type parsed struct {
	tree  exprast.Node
	names []string // identifiers anywhere in it, each once
	err   error
}

type canonical struct {
	text string
	err  error
}

// NewMemo makes an empty memo.
func NewMemo() *Memo {
	return &Memo{trees: map[string]*parsed{}, texts: map[string]canonical{}}
}

// Parse is eval.Parse, done once for each source.
func (m *Memo) Parse(src string) (exprast.Node, error) {
	p := m.parse(src)
	return p.tree, p.err
}

func (m *Memo) parse(src string) *parsed {
	if m == nil {
		tree, err := eval.Parse(src)
		return &parsed{tree: tree, err: err}
	}
	m.mu.Lock()
	p := m.trees[src]
	m.mu.Unlock()
	if p != nil {
		return p
	}
	p = &parsed{}
	if p.tree, p.err = eval.Parse(src); p.err == nil {
		v := &identifiers{seen: map[string]bool{}}
		exprast.Walk(&p.tree, v)
		p.names = v.list
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	if len(m.trees) >= maxKept {
		clear(m.trees)
	}
	m.trees[src] = p
	return p
}

type identifiers struct {
	seen map[string]bool
	list []string
}

// Visit notes one identifier.
func (v *identifiers) Visit(n *exprast.Node) {
	if id, ok := (*n).(*exprast.IdentifierNode); ok && !v.seen[id.Value] {
		v.seen[id.Value] = true
		v.list = append(v.list, id.Value)
	}
}

// canonical is Checked.Canonical of a source that the memo has read.
func (m *Memo) canonical(src string, tree exprast.Node, subst map[string]any) (string, error) {
	key, ok := m.key(src, subst)
	if !ok {
		return writeCanonical(tree, subst)
	}
	m.mu.Lock()
	c, done := m.texts[key]
	m.mu.Unlock()
	if done {
		return c.text, c.err
	}
	c.text, c.err = writeCanonical(tree, subst)
	m.mu.Lock()
	defer m.mu.Unlock()
	if len(m.texts) >= maxKept {
		clear(m.texts)
	}
	m.texts[key] = c
	return c.text, c.err
}

// key is a source with the values that are put into it; false where one of them
// is a list or a record, which are rare and long.
func (m *Memo) key(src string, subst map[string]any) (string, bool) {
	if m == nil {
		return "", false
	}
	var b strings.Builder
	b.WriteString(src)
	for _, name := range m.parse(src).names {
		v, ok := subst[name]
		if !ok {
			continue
		}
		b.WriteString("\x00" + name + "\x00")
		switch x := v.(type) {
		case nil:
			b.WriteByte('n')
		case bool:
			b.WriteString("b" + strconv.FormatBool(x))
		case int:
			b.WriteString("i" + strconv.Itoa(x))
		case float64:
			b.WriteString("f" + strconv.FormatFloat(x, 'b', -1, 64))
		case string:
			b.WriteString("s" + strconv.Quote(x))
		default:
			return "", false
		}
	}
	return b.String(), true
}
