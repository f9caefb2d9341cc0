package parse

import (
	"parley/lang/ast"
	"parley/lang/lex"
)

type agentSetNode struct {
	place
	Name word  `parser:"'agents' @@"`
	Body block `parser:"@@"`
}

var agentSets = grammarOf[agentSetNode]()

// agentSet reads `agents NAME { agent … }`.
func (p *parser) agentSet(b *body, at, to int) (*ast.AgentSet, int) {
	n, next := take(p, b, agentSets, at, to)
	if n == nil {
		return nil, next
	}
	return &ast.AgentSet{Span: p.spanOf(n.place), Name: p.ident(n.Name), Agents: p.agentsOf(n.Body)}, next
}

// agentsOf reads the agents of a set.
func (p *parser) agentsOf(bl block) []*ast.Agent {
	var out []*ast.Agent
	b := &body{in: lex.InAgents, title: titles[lex.InAgents]}
	from, to := p.inner(bl)
	b.item = func(at int, _ string) int {
		a, next := p.agent(b, at, to)
		if a != nil {
			out = append(out, a)
		}
		return next
	}
	p.items(b, from, to)
	return out
}
