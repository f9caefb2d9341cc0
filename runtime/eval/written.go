package eval

import (
	"strings"

	"github.com/expr-lang/expr/ast"
)

// Written shows a compiled expression the way its author wrote templates:
// render("Argue for ", task.wrong) becomes Argue for ${task.wrong}. What is no
// template is shown as it is.
func Written(src string) string {
	tree, err := Parse(src)
	if err != nil {
		return src
	}
	switch n := tree.(type) {
	case *ast.StringNode:
		return n.Value
	case *ast.CallNode:
		if callee, ok := n.Callee.(*ast.IdentifierNode); ok && (callee.Value == "render" || callee.Value == "uri") {
			return template(n.Arguments)
		}
	}
	return src
}

func template(parts []ast.Node) string {
	var b strings.Builder
	for _, p := range parts {
		if s, ok := p.(*ast.StringNode); ok {
			b.WriteString(s.Value)
			continue
		}
		b.WriteString("${" + p.String() + "}")
	}
	return b.String()
}

// OneLine joins the words of a text with single blanks and cuts it to a number of
// characters, the last of which then says that something is left out.
func OneLine(text string, most int) string {
	r := []rune(strings.Join(strings.Fields(text), " "))
	if len(r) > most {
		return string(r[:most-1]) + "…"
	}
	return string(r)
}
