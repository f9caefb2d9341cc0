package build

import (
	"sort"

	exprast "github.com/expr-lang/expr/ast"

	"parley/runtime"
)

// allFields stands for every field of a task: it was read as a whole.
const allFields = "*"

// fieldsRead lists which fields of the named record a tree reads, sorted;
// allFields where it reads the record as a whole.
func fieldsRead(tree exprast.Node, record string) []string {
	v := &fieldVisitor{record: record, fields: map[string]bool{}, owners: map[exprast.Node]bool{}}
	exprast.Walk(&tree, v)
	for _, id := range v.whole {
		if !v.owners[id] {
			v.fields[allFields] = true
		}
	}
	return keysOf(v.fields)
}

type fieldVisitor struct {
	record string
	fields map[string]bool
	owners map[exprast.Node]bool // identifiers that a field was read from
	whole  []exprast.Node
}

func (v *fieldVisitor) Visit(node *exprast.Node) {
	switch n := (*node).(type) {
	case *exprast.IdentifierNode:
		if n.Value == v.record {
			v.whole = append(v.whole, n)
		}
	case *exprast.MemberNode:
		id, ok := n.Node.(*exprast.IdentifierNode)
		name, named := n.Property.(*exprast.StringNode)
		if ok && named && id.Value == v.record {
			v.fields[name.Value] = true
			v.owners[id] = true
		}
	}
}

// taskFields are the task fields that a program reads, by their names; a field
// read as a whole stands for all of known.
func (c *Compiler) taskFields(p *runtime.Program, known []string) []string {
	fields := map[string]bool{}
	for _, f := range c.fieldsOf(p) {
		if f != allFields {
			fields[f] = true
			continue
		}
		for _, k := range known {
			fields[k] = true
		}
	}
	list := keysOf(fields)
	sort.Strings(list)
	return list
}

// fieldsOf are the task fields that a program names, allFields among them where it
// reads a task as a whole. A program without patches serves many cells.
func (c *Compiler) fieldsOf(p *runtime.Program) []string {
	if list, done := c.fields[p]; done {
		return list
	}
	fields := map[string]bool{}
	eachSource(p, func(src string) {
		for _, f := range c.readsOfTask(src) {
			fields[f] = true
		}
	})
	list := keysOf(fields)
	if len(p.Patches) == 0 {
		c.fields[p] = list
	}
	return list
}

func (c *Compiler) readsOfTask(src string) []string {
	key := "task\x00" + src
	if f, ok := c.names[key]; ok {
		return f
	}
	var fields []string
	if tree, err := c.memo.Parse(src); err == nil {
		fields = fieldsRead(tree, "task")
	}
	c.names[key] = fields
	return fields
}
