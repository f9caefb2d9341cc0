package parse

import (
	"parley/lang/ast"
	"parley/lang/lex"
)

type sweepNode struct {
	place
	Names []*word    `parser:"'sweep' ( '(' @@ ( ',' @@ )* ','? ')'"`
	Name  *word      `parser:"| @@"`
	For   *who       `parser:"( 'for' @@ )? )"`
	In    expression `parser:"'in' @@"`
}

// clauseSweepNode is a sweep whose values are clauses of a scenario.
type clauseSweepNode struct {
	place
	Name word            `parser:"'sweep' @@"`
	For  *who            `parser:"( 'for' @@ )?"`
	Uses []*attackTarget `parser:"'in' '[' @@ ( ',' @@ )* ','? ']'"`
}

type acrossNode struct {
	place
	Over []*word `parser:"'score' ( 'across' @@ ( ',' @@ )* )?"`
	Body block   `parser:"@@"`
}

var (
	sweeps       = grammarOf[sweepNode]()
	clauseSweeps = grammarOf[clauseSweepNode]()
	acrosses     = grammarOf[acrossNode]()
)

// sweptClauses are the clauses of a scenario that an experiment can sweep.
var sweptClauses = map[string]bool{"team": true, "workspace": true, "attack": true, "defense": true, "model": true}

// sweep reads a sweep over values, or over what a clause of the scenario may be.
func (p *parser) sweep(b *body, at, to int) (*ast.Sweep, int) {
	if p.sweepsClause(at, to) {
		n, next := take(p, b, clauseSweeps, at, to)
		if n == nil {
			return nil, next
		}
		s := &ast.Sweep{Span: p.spanOf(n.place), Names: []*ast.Ident{p.ident(n.Name)}, For: p.whoOpt(n.For)}
		for _, u := range n.Uses {
			use := &ast.SweptUse{Span: p.spanOf(u.place), Ref: p.ref(&u.Ref), On: p.exprOpt(u.On)}
			if len(use.Ref.Path) == 1 && use.Ref.Path[0].Name == "none" && u.Ref.Args == nil {
				use.Ref = nil
			}
			s.Uses = append(s.Uses, use)
		}
		return s, next
	}
	n, next := take(p, b, sweeps, at, to)
	if n == nil {
		return nil, next
	}
	s := &ast.Sweep{Span: p.spanOf(n.place), Names: p.idents(n.Names), For: p.whoOpt(n.For), In: p.expr(n.In)}
	if n.Name != nil {
		s.Names = []*ast.Ident{p.ident(*n.Name)}
	}
	return s, next
}

// sweepsClause reports whether a sweep names a clause, and its list begins with a
// name: a list of texts or numbers is one of values.
func (p *parser) sweepsClause(at, to int) bool {
	if at+1 >= to || !sweptClauses[p.tokens[at+1].Text] {
		return false
	}
	in := at + 2
	if p.tokens[in].Is("for") {
		in = p.behindWho(in + 1)
	}
	if in+2 >= to || !p.tokens[in].Is("in") || !p.tokens[in+1].Is("[") {
		return false
	}
	first := p.tokens[in+2]
	return first.Kind == lex.Word && !lex.Reserved(first.Text)
}

// behindWho is the token behind name, name[1..3] or (expression).
func (p *parser) behindWho(at int) int {
	switch {
	case p.tokens[at].Kind == lex.Open:
		return p.tokens[at].Match + 1
	case p.tokens[at].Kind == lex.EOF:
		return at
	case p.tokens[at+1].Is("["):
		return p.tokens[at+1].Match + 1
	}
	return at + 1
}

// across reads scores over the scenarios of an experiment.
func (p *parser) across(b *body, at, to int) (*ast.Across, int) {
	n, next := take(p, b, acrosses, at, to)
	if n == nil {
		return nil, next
	}
	return &ast.Across{Span: p.spanOf(n.place), Over: p.idents(n.Over), Scores: p.scores(n.Body)}, next
}
