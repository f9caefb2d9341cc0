package parse

import (
	"parley/lang/ast"
	"parley/lang/lex"
)

type testNode struct {
	place
	Title text  `parser:"'test' @@"`
	Body  block `parser:"@@"`
}

type scriptNode struct {
	place
	Who  speaker `parser:"'script' @@"`
	In   *word   `parser:"( 'in' @@ )?"`
	Body block   `parser:"@@"`
}

type entryNode struct {
	place
	Reply *expression `parser:"( 'reply' @@"`
	Calls []*callNode `parser:"| 'call' @@ ( ',' @@ )* )"`
	When  *expression `parser:"( 'when' 'request' 'contains' @@ )?"`
}

var (
	tests   = grammarOf[testNode]()
	scripts = grammarOf[scriptNode]()
	entries = grammarOf[entryNode]()
)

func (p *parser) test(b *body, at, to int) (*ast.Test, int) {
	n, next := take(p, b, tests, at, to)
	if n == nil {
		return nil, next
	}
	return &ast.Test{Span: p.spanOf(n.place), Title: p.plain(n.Title), Members: p.testMembers(n.Body)}, next
}

func (p *parser) testMembers(bl block) []*ast.TestMember {
	var out []*ast.TestMember
	b := &body{in: lex.InTest, title: titles[lex.InTest]}
	from, to := p.inner(bl)
	b.item = func(at int, word string) int {
		m := &ast.TestMember{}
		next := p.testMember(b, m, at, to, word)
		if m.Span != (ast.Span{}) {
			out = append(out, m)
		}
		return next
	}
	p.items(b, from, to)
	return out
}

// testMember fills m and its span, or leaves it as it is.
func (p *parser) testMember(b *body, m *ast.TestMember, at, to int, word string) int {
	switch word {
	case "scenario":
		n, next := take(p, b, refUses, at, to)
		if n != nil {
			m.Span, m.Scenario = p.spanOf(n.place), p.ref(&n.Ref)
		}
		return next
	case "task":
		t, next := p.taskRecord(b, at, to)
		return keep(&m.Span, &m.Task, t, next)
	case "model":
		use, next := p.modelUse(b, at, to)
		return keep(&m.Span, &m.Model, use, next)
	case "attack":
		use, next := p.attackUse(b, at, to)
		return keep(&m.Span, &m.Attack, use, next)
	case "defense":
		use, next := p.defenseUse(b, at, to)
		return keep(&m.Span, &m.Defense, use, next)
	case "script":
		n, next := take(p, b, scripts, at, to)
		if n != nil {
			m.Span = p.spanOf(n.place)
			m.Script = p.script(n)
		}
		return next
	case "expect":
		n, next := take(p, b, keyExprs, at, to)
		if n != nil {
			m.Span, m.Expect = p.spanOf(n.place), p.expr(n.Value)
		}
		return next
	}
	n, next := take(p, b, ifs, at, to)
	if n != nil {
		*m = *choice(p, n, p.testMembers, func(span ast.Span, cond *ast.Expr, then, otherwise []*ast.TestMember) *ast.TestMember {
			return &ast.TestMember{Span: span, If: &ast.If[ast.TestMember]{Span: span, Cond: cond, Then: then, Else: otherwise}}
		})
	}
	return next
}

func (p *parser) script(n *scriptNode) *ast.Script {
	s := &ast.Script{Span: p.spanOf(n.place), In: p.identOpt(n.In)}
	s.Who, s.Judge = p.speaker(&n.Who)
	if s.In != nil {
		p.oneOf(s.In, "in", "attacked", "clean", "baseline", "placebo", "undefended")
	}
	p.entries(s, n.Body)
	return s
}

func (p *parser) entries(s *ast.Script, bl block) {
	b := &body{in: lex.InScript, title: titles[lex.InScript]}
	from, to := p.inner(bl)
	b.item = func(at int, word string) int {
		if word == "repeat" {
			_, next := take(p, b, keys, at, to)
			s.Repeat = true
			return next
		}
		n, next := take(p, b, entries, at, to)
		if n == nil {
			return next
		}
		e := &ast.ScriptEntry{Span: p.spanOf(n.place), Reply: p.exprOpt(n.Reply), When: p.exprOpt(n.When)}
		for _, c := range n.Calls {
			e.Calls = append(e.Calls, p.call(c))
		}
		s.Entries = append(s.Entries, e)
		return next
	}
	p.items(b, from, to)
}
