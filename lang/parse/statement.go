package parse

import (
	"parley/lang/ast"
	"parley/lang/lex"
)

type stepNode struct {
	place
	Label word   `parser:"@@ ':'"`
	Each  string `parser:"( @'each'"`
	Group *who   `parser:"  @@"`
	Who   *who   `parser:"| @@ )"`
	Body  block  `parser:"@@"`
}

type repeatNode struct {
	place
	Key   word        `parser:"@@"`
	Only  *expression `parser:"( 'until' @@"`
	Count *expression `parser:"| @@"`
	Until *expression `parser:"  ( 'until' @@ )? )"`
	Body  block       `parser:"@@"`
}

type forNode struct {
	place
	Var  word       `parser:"'for' @@ 'in'"`
	List expression `parser:"@@"`
	Body block      `parser:"@@"`
}

type letNode struct {
	place
	Name  word       `parser:"'let' @@ '='"`
	Value expression `parser:"@@"`
}

type setNode struct {
	place
	Key    word       `parser:"@@"`
	Target expression `parser:"@@ '='"`
	Value  expression `parser:"@@"`
}

type sayNode struct {
	place
	Who  who        `parser:"'say' @@"`
	Text expression `parser:"@@"`
}

type resetNode struct {
	place
	Key word   `parser:"@@"`
	Who []*who `parser:"@@ ( ',' @@ )*"`
}

type returnNode struct {
	place
	Key   word        `parser:"@@"`
	Value *expression `parser:"@@?"`
}

type requireNode struct {
	place
	Cond expression `parser:"'require' @@"`
	Else expression `parser:"'else' @@"`
}

var (
	steps    = grammarOf[stepNode]()
	repeats  = grammarOf[repeatNode]()
	fors     = grammarOf[forNode]()
	lets     = grammarOf[letNode]()
	sets     = grammarOf[setNode]()
	says     = grammarOf[sayNode]()
	resets   = grammarOf[resetNode]()
	returns  = grammarOf[returnNode]()
	requires = grammarOf[requireNode]()
)

// isStep recognises label:, whatever the label is.
func (p *parser) isStep(at int) bool { return p.tokens[at+1].Is(":") }

// statements reads a turn program, a tool's body, or a block within them.
func (p *parser) statements(in lex.Place, bl block) []*ast.Stmt {
	from, to := p.inner(bl)
	return p.statementList(in, from, to, nil)
}

// statementList reads tokens[from:to]; about receives a tool's description
// where one may stand.
func (p *parser) statementList(in lex.Place, from, to int, about func(*ast.Expr)) []*ast.Stmt {
	var out []*ast.Stmt
	b := &body{in: in, title: titles[in], shape: p.isStep, formOfShape: `it is written: label: agent { prompt "…" }`}
	b.item = func(at int, word string) int {
		if word == "about" {
			n, next := take(p, b, keyExprs, at, to)
			switch {
			case n == nil:
			case about == nil:
				p.misplacedAbout(at)
			default:
				about(p.expr(n.Value))
			}
			return next
		}
		s, next := p.statement(b, at, to, word)
		if s != nil {
			out = append(out, s)
		}
		return next
	}
	p.items(b, from, to)
	return out
}

func (p *parser) statement(b *body, at, to int, word string) (*ast.Stmt, int) {
	switch word {
	case "":
		return p.step(b, at, to)
	case "repeat":
		return p.repeat(b, at, to)
	case "for":
		n, next := take(p, b, fors, at, to)
		if n == nil {
			return nil, next
		}
		span := p.spanOf(n.place)
		return &ast.Stmt{Span: span, For: &ast.For{Span: span, Var: p.ident(n.Var), List: p.expr(n.List), Body: p.statements(b.in, n.Body)}}, next
	case "if":
		n, next := take(p, b, ifs, at, to)
		if n == nil {
			return nil, next
		}
		read := func(bl block) []*ast.Stmt { return p.statements(b.in, bl) }
		return choice(p, n, read, func(span ast.Span, cond *ast.Expr, then, otherwise []*ast.Stmt) *ast.Stmt {
			return &ast.Stmt{Span: span, If: &ast.IfStmt{Span: span, Cond: cond, Then: then, Else: otherwise}}
		}), next
	case "let":
		n, next := take(p, b, lets, at, to)
		if n == nil {
			return nil, next
		}
		span := p.spanOf(n.place)
		return &ast.Stmt{Span: span, Let: &ast.Let{Span: span, Name: p.ident(n.Name), Value: p.expr(n.Value)}}, next
	}
	return p.simple(b, at, to, word)
}

// simple reads the statements without a block.
func (p *parser) simple(b *body, at, to int, word string) (*ast.Stmt, int) {
	switch word {
	case "set", "append":
		n, next := take(p, b, sets, at, to)
		if n == nil {
			return nil, next
		}
		span := p.spanOf(n.place)
		return &ast.Stmt{Span: span, Set: &ast.Set{Span: span, Append: word == "append", Target: p.expr(n.Target), Value: p.expr(n.Value)}}, next
	case "say":
		n, next := take(p, b, says, at, to)
		if n == nil {
			return nil, next
		}
		span := p.spanOf(n.place)
		return &ast.Stmt{Span: span, Say: &ast.Say{Span: span, Who: p.who(n.Who), Text: p.expr(n.Text)}}, next
	case "reset":
		n, next := take(p, b, resets, at, to)
		if n == nil {
			return nil, next
		}
		reset := &ast.Reset{Span: p.spanOf(n.place)}
		for _, w := range n.Who {
			reset.Who = append(reset.Who, p.who(*w))
		}
		return &ast.Stmt{Span: reset.Span, Reset: reset}, next
	case "return":
		n, next := take(p, b, returns, at, to)
		if n == nil {
			return nil, next
		}
		span := p.spanOf(n.place)
		return &ast.Stmt{Span: span, Return: &ast.Return{Span: span, Value: p.exprOpt(n.Value)}}, next
	case "require":
		n, next := take(p, b, requires, at, to)
		if n == nil {
			return nil, next
		}
		span := p.spanOf(n.place)
		return &ast.Stmt{Span: span, Require: &ast.Require{Span: span, Cond: p.expr(n.Cond), Else: p.expr(n.Else)}}, next
	case "block", "replace", "drop", "quarantine", "approve":
		return p.intervention(b, at, to, word)
	case "break":
		n, next := take(p, b, keys, at, to)
		if n == nil {
			return nil, next
		}
		span := p.spanOf(n.place)
		return &ast.Stmt{Span: span, Break: &ast.Break{Span: span}}, next
	}
	n, next := take(p, b, keyExprs, at, to) // stop, fail
	if n == nil {
		return nil, next
	}
	span := p.spanOf(n.place)
	return &ast.Stmt{Span: span, Stop: &ast.Stop{Span: span, Fail: word == "fail", Reason: p.expr(n.Value)}}, next
}

func (p *parser) step(b *body, at, to int) (*ast.Stmt, int) {
	n, next := take(p, b, steps, at, to)
	if n == nil {
		return nil, next
	}
	span := p.spanOf(n.place)
	s := &ast.Step{Span: span, Label: p.ident(n.Label), Each: n.Group != nil, Attrs: p.attrs(lex.InStep, n.Body)}
	if n.Group != nil {
		s.Who = p.who(*n.Group)
	} else {
		s.Who = p.who(*n.Who)
	}
	return &ast.Stmt{Span: span, Step: s}, next
}

func (p *parser) repeat(b *body, at, to int) (*ast.Stmt, int) {
	n, next := take(p, b, repeats, at, to)
	if n == nil {
		return nil, next
	}
	span := p.spanOf(n.place)
	r := &ast.Repeat{Span: span, Count: p.exprOpt(n.Count), Until: p.exprOpt(n.Until), Body: p.statements(b.in, n.Body)}
	if n.Only != nil {
		r.Until = p.expr(*n.Only)
	}
	return &ast.Stmt{Span: span, Repeat: r}, next
}
