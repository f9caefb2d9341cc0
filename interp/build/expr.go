package build

import (
	"parley/interp/load"
	"parley/lang/ast"
	"parley/lang/diag"
	"parley/runtime"
	"parley/runtime/eval"
	"parley/runtime/shape"

	exprast "github.com/expr-lang/expr/ast"
)

// place is where an expression stands: its file, the parameters in reach, and
// the names that have a value there.
type place struct {
	sc   scope
	u    *unit
	vars map[string]typ
}

// fork copies the names, so that more can be added.
func (p place) fork() place {
	vars := make(map[string]typ, len(p.vars)+4)
	for n, t := range p.vars {
		vars[n] = t
	}
	p.vars = vars
	return p
}

// wanted is what a place needs an expression to be.
type wanted struct {
	t     typ
	any   bool
	list  bool   // a list or a group of anything
	agent string // one, some
}

var (
	anyWanted     = wanted{any: true}
	wantBool      = wanted{t: boolType}
	wantText      = wanted{t: textType}
	wantNumber    = wanted{t: numberType}
	wantInt       = wanted{t: intType}
	wantList      = wanted{list: true}
	wantAgent     = wanted{t: agentType}
	wantAgents    = wanted{agent: "one or some"}
	wantAgentList = wanted{agent: "some"}
	wantURIs      = wanted{any: true}
)

func wantType(t typ) wanted          { return wanted{t: t, any: t.kind == anything} }
func wantShape(s shape.Shape) wanted { return wantType(shapeType(s)) }

var documentType = recordOf(map[string]typ{"id": optional(textType), "title": optional(textType), "text": textType})

// wantDocuments is one document or a list of them, as the value is written.
func wantDocuments(e *ast.Expr) wanted {
	tree, err := eval.Parse(e.Cooked)
	if err != nil {
		return anyWanted
	}
	switch tree.(type) {
	case *exprast.MapNode:
		return wantType(documentType)
	case *exprast.ArrayNode:
		return wantType(listOf(documentType))
	}
	return anyWanted
}

// expr types an expression in its place and gives its canonical form.
func (c *Compiler) expr(p place, e *ast.Expr, want wanted, what string) (runtime.Expr, typ, bool) {
	ok := true
	for _, n := range c.namesIn(e) {
		_, param := p.sc.params[n]
		_, known := p.vars[n]
		if !param && !known {
			c.fail(p.sc.m, diag.NoSuchDecl, c.spanOf(e, n), load.Suggest(n, append(keysOf(p.vars), keysOf(p.sc.params)...)), "%s has no name %q", what, n)
			ok = false
		}
	}
	return runtime.Expr{Src: c.canonical(p, e), At: p.sc.at(e.Span)}, anyType, ok
}
