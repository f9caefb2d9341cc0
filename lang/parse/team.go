package parse

import (
	"parley/lang/ast"
	"parley/lang/lex"
)

type teamNode struct {
	place
	Name   word    `parser:"'team' @@"`
	Params *params `parser:"@@?"`
	Body   block   `parser:"@@"`
}

type agentNode struct {
	place
	Name  word        `parser:"'agent' @@"`
	Count *expression `parser:"( '[' @@ ']' )?"`
	Body  block       `parser:"@@"`
}

type edgeNode struct {
	place
	From who    `parser:"@@"`
	Sign string `parser:"@( '->' | '<->' )"`
	To   who    `parser:"@@"`
}

type graphNode struct {
	place
	Kind word          `parser:"@@"`
	Args []*expression `parser:"'(' ( @@ ( ',' @@ )* ','? )? ')'"`
}

type turnsNode struct {
	place
	Limit *expression `parser:"'turns' ( 'limit' @@ )?"`
	Body  block       `parser:"@@"`
}

var (
	teams   = grammarOf[teamNode]()
	agents  = grammarOf[agentNode]()
	edges   = grammarOf[edgeNode]()
	graphs  = grammarOf[graphNode]()
	turnses = grammarOf[turnsNode]()
)

func (p *parser) team(b *body, at, to int) (*ast.Team, int) {
	n, next := take(p, b, teams, at, to)
	if n == nil {
		return nil, next
	}
	return &ast.Team{
		Span: p.spanOf(n.place), Name: p.ident(n.Name), Params: p.params(n.Params), Members: p.teamMembers(n.Body),
	}, next
}

func (p *parser) teamMembers(bl block) []*ast.TeamMember {
	var out []*ast.TeamMember
	b := &body{in: lex.InTeam, title: titles[lex.InTeam], shape: p.isEdge, formOfShape: "it is written: a -> b, or a <-> b"}
	from, to := p.inner(bl)
	b.item = func(at int, word string) int {
		m, next := p.teamMember(b, at, to, word)
		if m != nil {
			out = append(out, m)
		}
		return next
	}
	p.items(b, from, to)
	return out
}

func (p *parser) teamMember(b *body, at, to int, word string) (m *ast.TeamMember, next int) {
	switch word {
	case "": // an edge
		e, next := p.edge(b, at, to)
		if e == nil {
			return nil, next
		}
		return &ast.TeamMember{Span: e.Span, Edge: e}, next
	case "about", "answer":
		n, next := take(p, b, keyExprs, at, to)
		if n == nil {
			return nil, next
		}
		m = &ast.TeamMember{Span: p.spanOf(n.place)}
		if word == "about" {
			m.About = p.expr(n.Value)
		} else {
			m.Answer = p.expr(n.Value)
		}
		return m, next
	case "agent":
		a, next := p.agent(b, at, to)
		if a == nil {
			return nil, next
		}
		return &ast.TeamMember{Span: a.Span, Agent: a}, next
	case "tool":
		t, next := p.tool(b, at, to)
		if t == nil {
			return nil, next
		}
		return &ast.TeamMember{Span: t.Span, Tool: t}, next
	case "turns":
		n, next := take(p, b, turnses, at, to)
		if n == nil {
			return nil, next
		}
		turns := &ast.Turns{Span: p.spanOf(n.place), Limit: p.exprOpt(n.Limit), Body: p.statements(lex.InTurns, n.Body)}
		return &ast.TeamMember{Span: turns.Span, Turns: turns}, next
	case "if":
		n, next := take(p, b, ifs, at, to)
		if n == nil {
			return nil, next
		}
		return choice(p, n, p.teamMembers, func(span ast.Span, cond *ast.Expr, then, otherwise []*ast.TeamMember) *ast.TeamMember {
			return &ast.TeamMember{Span: span, If: &ast.If[ast.TeamMember]{Span: span, Cond: cond, Then: then, Else: otherwise}}
		}), next
	}
	n, next := take(p, b, graphs, at, to)
	if n == nil {
		return nil, next
	}
	g := &ast.Graph{Span: p.spanOf(n.place), Kind: p.ident(n.Kind), Args: p.exprs(n.Args)}
	return &ast.TeamMember{Span: g.Span, Graph: g}, next
}

// isEdge recognises name -> and name[…] ->, whatever the name is.
func (p *parser) isEdge(at int) bool {
	next := at + 1
	if p.tokens[next].Is("[") {
		next = p.tokens[next].Match + 1
	}
	return p.tokens[next].Is("->") || p.tokens[next].Is("<->")
}

func (p *parser) edge(b *body, at, to int) (*ast.Edge, int) {
	n, next := take(p, b, edges, at, to)
	if n == nil {
		return nil, next
	}
	return &ast.Edge{Span: p.spanOf(n.place), From: p.who(n.From), To: p.who(n.To), Both: n.Sign == "<->"}, next
}

func (p *parser) agent(b *body, at, to int) (*ast.Agent, int) {
	n, next := take(p, b, agents, at, to)
	if n == nil {
		return nil, next
	}
	return &ast.Agent{
		Span: p.spanOf(n.place), Doc: p.doc(at), Name: p.ident(n.Name), Count: p.exprOpt(n.Count),
		Attrs: p.attrs(lex.InAgent, n.Body),
	}, next
}
