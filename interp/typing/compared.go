package typing

import (
	exprast "github.com/expr-lang/expr/ast"

	"parley/lang/ast"
)

// Comparison is a field that an expression holds against a text that stands in it.
type Comparison struct {
	Field    string // the field's name
	Operator string // ==, != or startsWith
	Text     string
	Span     ast.Span // of the text
}

// Compared lists what fields of an expression are held against, in no order.
func (m *Memo) Compared(e *ast.Expr) []Comparison {
	tree, err := m.Parse(e.Cooked)
	if err != nil {
		return nil
	}
	k := &checker{src: e.Cooked, at: e}
	var out []Comparison
	exprast.Walk(&tree, visitor(func(n exprast.Node) {
		b, ok := n.(*exprast.BinaryNode)
		if !ok || b.Operator != "==" && b.Operator != "!=" && b.Operator != "startsWith" {
			return
		}
		field, text := b.Left, b.Right
		if _, literal := field.(*exprast.StringNode); literal && b.Operator != "startsWith" {
			field, text = text, field
		}
		at, isField := field.(*exprast.MemberNode)
		s, isText := text.(*exprast.StringNode)
		if !isField || !isText {
			return
		}
		if name, ok := at.Property.(*exprast.StringNode); ok {
			out = append(out, Comparison{Field: name.Value, Operator: b.Operator, Text: s.Value, Span: k.place(s)})
		}
	}))
	return out
}
