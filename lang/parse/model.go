package parse

import (
	"parley/lang/ast"
	"parley/lang/lex"
)

type modelNode struct {
	place
	Name word  `parser:"'model' @@"`
	Body block `parser:"@@"`
}

type modelUseNode struct {
	place
	Name word     `parser:"'model' @@"`
	For  *speaker `parser:"( 'for' @@ )?"`
}

var (
	models    = grammarOf[modelNode]()
	modelUses = grammarOf[modelUseNode]()
)

func (p *parser) model(b *body, at, to int) (*ast.Model, int) {
	n, next := take(p, b, models, at, to)
	if n == nil {
		return nil, next
	}
	return &ast.Model{Span: p.spanOf(n.place), Name: p.ident(n.Name), Attrs: p.settings(lex.InModel, n.Body)}, next
}

// settings reads a block whose items are a key and an expression.
func (p *parser) settings(in lex.Place, bl block) []*ast.ModelAttr {
	var out []*ast.ModelAttr
	b := &body{in: in, title: titles[in]}
	from, to := p.inner(bl)
	b.item = func(at int, _ string) int {
		n, next := take(p, b, keyExprs, at, to)
		if n != nil {
			out = append(out, &ast.ModelAttr{Span: p.spanOf(n.place), Key: p.ident(n.Key), Value: p.expr(n.Value)})
		}
		return next
	}
	p.items(b, from, to)
	return out
}

func (p *parser) modelUse(b *body, at, to int) (*ast.ModelUse, int) {
	n, next := take(p, b, modelUses, at, to)
	if n == nil {
		return nil, next
	}
	use := &ast.ModelUse{Span: p.spanOf(n.place), Name: p.ident(n.Name)}
	use.For, use.Judge = p.speaker(n.For)
	return use, next
}
