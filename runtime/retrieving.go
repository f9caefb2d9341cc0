package runtime

import (
	"slices"
	"strings"

	"github.com/expr-lang/expr/ast"

	"parley/runtime/eval"
)

// CorpusTools names the tools of a program that look into stores of documents:
// those whose body retrieves, or whose header names a resource of the scheme corpus.
func (p *Program) CorpusTools() []string {
	var out []string
	for _, t := range p.Tools {
		if slices.ContainsFunc(t.Reads, namesCorpus) || retrieves(t.Body) {
			out = append(out, t.Name)
		}
	}
	return out
}

func namesCorpus(e Expr) bool {
	return finds(e, func(node ast.Node) bool {
		s, ok := node.(*ast.StringNode)
		return ok && strings.HasPrefix(s.Value, "corpus:")
	})
}

// retrieves reports whether a statement of a body, or one within it, asks for
// documents.
func retrieves(body []Stmt) bool {
	return slices.ContainsFunc(body, func(s Stmt) bool {
		parts := append([]Expr{s.Who, s.Expr, s.Until, s.Else}, s.Target...)
		return slices.ContainsFunc(parts, callsRetrieve) || retrieves(s.Body) || retrieves(s.Elses)
	})
}

func callsRetrieve(e Expr) bool {
	return finds(e, func(node ast.Node) bool {
		call, ok := node.(*ast.CallNode)
		if !ok {
			return false
		}
		name, ok := call.Callee.(*ast.IdentifierNode)
		return ok && name.Value == "retrieve"
	})
}

// finds reports whether some part of an expression has a property.
func finds(e Expr, has func(ast.Node) bool) bool {
	if e.Absent() {
		return false
	}
	tree, err := eval.Parse(e.Src)
	if err != nil {
		return false
	}
	f := &finder{has: has}
	ast.Walk(&tree, f)
	return f.found
}

type finder struct {
	has   func(ast.Node) bool
	found bool
}

func (f *finder) Visit(node *ast.Node) { f.found = f.found || f.has(*node) }
