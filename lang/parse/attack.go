package parse

import (
	"parley/lang/ast"
	"parley/lang/lex"
)

type attackNode struct {
	place
	Name   word    `parser:"'attack' @@"`
	Params *params `parser:"@@?"`
	Level  word    `parser:"'at' @@"`
	Body   block   `parser:"@@"`
}

type blockNode struct {
	place
	Key  word  `parser:"@@"`
	Body block `parser:"@@"`
}

type calls struct {
	place
	Calls []*callNode `parser:"'call' @@ ( ',' @@ )*"`
}

var (
	attacks  = grammarOf[attackNode]()
	blocks   = grammarOf[blockNode]()
	oneCalls = grammarOf[calls]()
)

func (p *parser) attack(b *body, at, to int) (*ast.Attack, int) {
	n, next := take(p, b, attacks, at, to)
	if n == nil {
		return nil, next
	}
	level := p.ident(n.Level)
	p.oneOf(level, "at", "L1", "L2", "L3")
	return &ast.Attack{
		Span: p.spanOf(n.place), Name: p.ident(n.Name), Params: p.params(n.Params), Level: level, Members: p.attackMembers(n.Body),
	}, next
}

func (p *parser) attackMembers(bl block) []*ast.AttackMember {
	var out []*ast.AttackMember
	b := &body{in: lex.InAttack, title: titles[lex.InAttack]}
	from, to := p.inner(bl)
	b.item = func(at int, word string) int {
		m, next := p.attackMember(b, at, to, word)
		if m != nil {
			out = append(out, m)
		}
		return next
	}
	p.items(b, from, to)
	return out
}

func (p *parser) attackMember(b *body, at, to int, word string) (*ast.AttackMember, int) {
	switch word {
	case "about", "goal":
		n, next := take(p, b, keyExprs, at, to)
		if n == nil {
			return nil, next
		}
		m := &ast.AttackMember{Span: p.spanOf(n.place)}
		if word == "about" {
			m.About = p.expr(n.Value)
		} else {
			m.Goal = p.expr(n.Value)
		}
		return m, next
	case "obeyed":
		n, next := take(p, b, blocks, at, to)
		if n == nil {
			return nil, next
		}
		span := p.spanOf(n.place)
		return &ast.AttackMember{Span: span, Obeyed: p.obeyed(span, n.Body)}, next
	case "verify":
		n, next := take(p, b, blocks, at, to)
		if n == nil {
			return nil, next
		}
		span := p.spanOf(n.place)
		return &ast.AttackMember{Span: span, Verify: &ast.Verify{Span: span, Preds: p.bindings(n.Body, titleOfVerify)}}, next
	case "if":
		n, next := take(p, b, ifs, at, to)
		if n == nil {
			return nil, next
		}
		return choice(p, n, p.attackMembers, func(span ast.Span, cond *ast.Expr, then, otherwise []*ast.AttackMember) *ast.AttackMember {
			return &ast.AttackMember{Span: span, If: &ast.If[ast.AttackMember]{Span: span, Cond: cond, Then: then, Else: otherwise}}
		}), next
	}
	return p.patch(b, at, to, word)
}

func (p *parser) obeyed(span ast.Span, bl block) *ast.Obeyed {
	out := &ast.Obeyed{Span: span}
	b := &body{in: lex.InObeyed, title: titles[lex.InObeyed]}
	from, to := p.inner(bl)
	b.item = func(at int, word string) int {
		if word == "call" {
			n, next := take(p, b, oneCalls, at, to)
			if n != nil {
				out.Call = p.call(n.Calls[0])
				p.onlyOne(n)
			}
			return next
		}
		n, next := take(p, b, keyExprs, at, to)
		switch {
		case n == nil:
		case word == "calls":
			out.Calls = p.expr(n.Value)
		default:
			out.Reply = p.expr(n.Value)
		}
		return next
	}
	p.items(b, from, to)
	if out.Call == nil && out.Calls == nil && out.Reply == nil {
		p.empty(bl, "obeyed says nothing", "it is written: obeyed { reply { answer: task.wrong } }, or obeyed { call send(to: \"x\") }")
	}
	return out
}
