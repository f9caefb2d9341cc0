package parse

import (
	"parley/lang/ast"
	"parley/lang/lex"
)

type hookNode struct {
	place
	When  word        `parser:"@@"`
	Point word        `parser:"@@"`
	Cond  *expression `parser:"( 'when' @@ )?"`
	Body  block       `parser:"@@"`
}

type swapNode struct {
	place
	Target expression `parser:"'replace' @@"`
	Value  expression `parser:"'with' @@"`
}

type approveNode struct {
	place
	By expression `parser:"'approve' 'by' @@"`
}

type defenseUseNode struct {
	place
	Items []*attackTarget `parser:"'defense' @@ ( ',' @@ )*"`
}

var (
	hooks       = grammarOf[hookNode]()
	swaps       = grammarOf[swapNode]()
	approvals   = grammarOf[approveNode]()
	defenseUses = grammarOf[defenseUseNode]()
)

func (p *parser) defense(b *body, at, to int) (*ast.Defense, int) {
	n, next := take(p, b, nameds, at, to)
	if n == nil {
		return nil, next
	}
	return &ast.Defense{
		Span: p.spanOf(n.place), Doc: p.doc(at), Name: p.ident(n.Name), Params: p.params(n.Params), Members: p.defenseMembers(n.Body),
	}, next
}

func (p *parser) defenseMembers(bl block) []*ast.DefenseMember {
	var out []*ast.DefenseMember
	b := &body{in: lex.InDefense, title: titles[lex.InDefense]}
	from, to := p.inner(bl)
	b.item = func(at int, word string) int {
		m, next := p.defenseMember(b, at, to, word)
		if m != nil {
			out = append(out, m)
		}
		return next
	}
	p.items(b, from, to)
	return out
}

func (p *parser) defenseMember(b *body, at, to int, word string) (*ast.DefenseMember, int) {
	switch word {
	case "about":
		n, next := take(p, b, keyExprs, at, to)
		if n == nil {
			return nil, next
		}
		return &ast.DefenseMember{Span: p.spanOf(n.place), About: p.expr(n.Value)}, next
	case "agent":
		a, next := p.agent(b, at, to)
		if a == nil {
			return nil, next
		}
		return &ast.DefenseMember{Span: a.Span, Agent: a}, next
	case "before", "after":
		h, next := p.hook(b, at, to)
		if h == nil {
			return nil, next
		}
		return &ast.DefenseMember{Span: h.Span, Hook: h}, next
	case "if":
		n, next := take(p, b, ifs, at, to)
		if n == nil {
			return nil, next
		}
		return choice(p, n, p.defenseMembers, func(span ast.Span, cond *ast.Expr, then, otherwise []*ast.DefenseMember) *ast.DefenseMember {
			return &ast.DefenseMember{Span: span, If: &ast.If[ast.DefenseMember]{Span: span, Cond: cond, Then: then, Else: otherwise}}
		}), next
	}
	patch, next := p.put(b, at, to)
	if patch == nil {
		return nil, next
	}
	return &ast.DefenseMember{Span: patch.Span, Patch: patch}, next
}

func (p *parser) hook(b *body, at, to int) (*ast.Hook, int) {
	n, next := take(p, b, hooks, at, to)
	if n == nil {
		return nil, next
	}
	h := &ast.Hook{
		Span: p.spanOf(n.place), When: p.ident(n.When), Point: p.ident(n.Point), Cond: p.exprOpt(n.Cond), Body: p.statements(lex.InHook, n.Body),
	}
	if h.When.Name == "before" {
		p.oneOf(h.Point, "before", "task", "prompt", "tools", "call", "message", "answer")
	} else {
		p.oneOf(h.Point, "after", "result", "reply", "round")
	}
	return h, next
}

// intervention reads the statements that only hooks have.
func (p *parser) intervention(b *body, at, to int, word string) (*ast.Stmt, int) {
	switch word {
	case "drop":
		n, next := take(p, b, keys, at, to)
		if n == nil {
			return nil, next
		}
		span := p.spanOf(n.place)
		return &ast.Stmt{Span: span, Drop: &ast.DropIt{Span: span}}, next
	case "replace":
		n, next := take(p, b, swaps, at, to)
		if n == nil {
			return nil, next
		}
		span := p.spanOf(n.place)
		return &ast.Stmt{Span: span, Swap: &ast.Swap{Span: span, Target: p.expr(n.Target), Value: p.expr(n.Value)}}, next
	case "approve":
		n, next := take(p, b, approvals, at, to)
		if n == nil {
			return nil, next
		}
		span := p.spanOf(n.place)
		return &ast.Stmt{Span: span, Approve: &ast.Approve{Span: span, By: p.expr(n.By)}}, next
	}
	n, next := take(p, b, keyExprs, at, to) // block, quarantine
	if n == nil {
		return nil, next
	}
	span := p.spanOf(n.place)
	if word == "block" {
		return &ast.Stmt{Span: span, Block: &ast.Block{Span: span, Why: p.expr(n.Value)}}, next
	}
	return &ast.Stmt{Span: span, Quarantine: &ast.Quarantine{Span: span, Who: p.expr(n.Value)}}, next
}

// defenseUse reads the clause of a scenario, an experiment or a test.
func (p *parser) defenseUse(b *body, at, to int) (*ast.DefenseUse, int) {
	n, next := take(p, b, defenseUses, at, to)
	if n == nil {
		return nil, next
	}
	use := &ast.DefenseUse{Span: p.spanOf(n.place)}
	for _, t := range n.Items {
		use.Items = append(use.Items, &ast.DefenseItem{Span: p.spanOf(t.place), Ref: p.ref(&t.Ref), On: p.exprOpt(t.On)})
	}
	if len(use.Items) == 1 && use.Items[0].On == nil {
		if ref := use.Items[0].Ref; len(ref.Path) == 1 && ref.Path[0].Name == "none" && len(ref.Args) == 0 {
			use.None, use.Items = ref.Path[0], nil
		}
	}
	return use, next
}
