package imports

import (
	"fmt"
	"io/fs"
	"path"
	"regexp"
	"strings"

	"gopkg.in/yaml.v3"
)

// maxNodes bounds how many values one environment may have.
const maxNodes = 200_000

// tree is one value of an environment, with keys in the order they stand. All
// scalars are texts: a decoder's idea of what is a time differs from line to line.
type tree struct {
	kind treeKind
	text string // of a scalar
	tag  string // what YAML takes the scalar for: !!str, !!int, …
	keys []string
	vals []*tree
}

type treeKind string

const (
	scalarTree treeKind = "a value"
	listTree   treeKind = "a list"
	mapTree    treeKind = "a mapping"
	nullTree   treeKind = "nothing"
)

// treeReader reads YAML files of one folder. A file may take in others of the
// same folder with !include.
type treeReader struct {
	from  fs.FS
	nodes int
}

func (t *treeReader) read(name string, depth int) (*tree, error) {
	if depth > 4 {
		return nil, &Problem{File: name, Want: "files that take each other in at most 4 deep", Got: "more"}
	}
	data, err := readFile(t.from, name)
	if err != nil {
		return nil, err
	}
	var doc yaml.Node
	if err := yaml.Unmarshal(data, &doc); err != nil {
		return nil, &Problem{File: name, Want: "YAML", Got: short(strings.TrimPrefix(err.Error(), "yaml: "))}
	}
	if doc.Kind != yaml.DocumentNode || len(doc.Content) != 1 {
		return nil, &Problem{File: name, Want: "one YAML document", Got: "none"}
	}
	return t.convert(name, doc.Content[0], depth, 0)
}

func (t *treeReader) convert(name string, n *yaml.Node, depth, nested int) (*tree, error) {
	at := fmt.Sprintf("line %d", n.Line)
	if t.nodes++; t.nodes > maxNodes || nested > maxNested {
		return nil, &Problem{File: name, Field: at, Want: "at most 200,000 values, nested at most 32 deep", Got: "more"}
	}
	switch n.Kind {
	case yaml.ScalarNode:
		return t.scalar(name, n, depth)
	case yaml.SequenceNode, yaml.MappingNode:
		out := &tree{kind: listTree}
		seen := map[string]bool{}
		for i, c := range n.Content {
			if n.Kind == yaml.MappingNode && i%2 == 0 {
				if c.Kind != yaml.ScalarNode {
					return nil, &Problem{File: name, Field: at, Want: "a key that is a text", Got: "something else"}
				}
				if seen[c.Value] {
					return nil, &Problem{File: name, Field: c.Value, Want: "each key once", Got: "it twice"}
				}
				seen[c.Value] = true
				out.keys = append(out.keys, c.Value)
				continue
			}
			v, err := t.convert(name, c, depth, nested+1)
			if err != nil {
				return nil, err
			}
			out.vals = append(out.vals, v)
		}
		if n.Kind == yaml.MappingNode {
			out.kind = mapTree
		}
		return out, nil
	}
	return nil, &Problem{File: name, Field: at, Want: "a value, a list or a mapping", Got: "an alias"}
}

func (t *treeReader) scalar(name string, n *yaml.Node, depth int) (*tree, error) {
	if n.Tag == "!include" {
		other := path.Join(path.Dir(name), n.Value)
		if !fs.ValidPath(other) || path.IsAbs(n.Value) || !strings.HasPrefix(other, path.Dir(name)+"/") {
			return nil, &Problem{File: name, Field: fmt.Sprintf("line %d", n.Line), Want: "a file of the same folder", Got: fmt.Sprintf("%q", short(n.Value))}
		}
		return t.read(other, depth+1)
	}
	if n.ShortTag() == "!!null" {
		return &tree{kind: nullTree}, nil
	}
	if len(n.Value) > maxText {
		return nil, &Problem{File: name, Field: fmt.Sprintf("line %d", n.Line), Want: "at most 256 KiB of text", Got: "more"}
	}
	return &tree{kind: scalarTree, text: oneTime(n.Value), tag: n.ShortTag()}, nil
}

var moment = regexp.MustCompile(`^(\d{4}-\d{2}-\d{2})[T ](\d{2}:\d{2})(:\d{2})?$`)

// oneTime brings a moment into the one form YYYY-MM-DD HH:MM; seconds stay where
// they count. Other texts stay as they are.
func oneTime(s string) string {
	m := moment.FindStringSubmatch(s)
	if m == nil {
		return s
	}
	if m[3] == ":00" {
		m[3] = ""
	}
	return m[1] + " " + m[2] + m[3]
}

// at follows a dotted path; `*` joins the lists under all keys into one.
func (t *tree) at(path string) (*tree, error) {
	for part := range strings.SplitSeq(path, ".") {
		if part == "*" {
			joined := &tree{kind: listTree}
			for _, v := range t.vals {
				joined.vals = append(joined.vals, v.vals...)
			}
			t = joined
			continue
		}
		next := t.get(part)
		if next == nil {
			return nil, fmt.Errorf("there is no %s", path)
		}
		t = next
	}
	return t, nil
}

// get is the value under a key; nil where there is none.
func (t *tree) get(key string) *tree {
	if t == nil {
		return nil
	}
	for i, k := range t.keys {
		if k == key {
			return t.vals[i]
		}
	}
	return nil
}

// str is the text under a key; empty where there is none.
func (t *tree) str(key string) string {
	if v := t.get(key); v != nil {
		return v.text
	}
	return ""
}

// list is the list at a path; empty where there is none.
func (t *tree) list(path string) []*tree {
	v, err := t.at(path)
	if err != nil {
		return nil
	}
	return v.vals
}
