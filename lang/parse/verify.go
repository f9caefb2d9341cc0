package parse

import (
	"parley/lang/ast"
	"parley/lang/diag"
	"parley/lang/lex"
)

// titleOfVerify names a block of predicates in messages.
const titleOfVerify = "verify"

type namedNode struct {
	place
	Key    word    `parser:"@@"`
	Name   word    `parser:"@@"`
	Params *params `parser:"@@?"`
	Body   block   `parser:"@@"`
}

type useOrBlock struct {
	place
	Key  word     `parser:"@@"`
	Body *block   `parser:"( @@"`
	Ref  *refNode `parser:"| @@ )"`
}

type scoreNode struct {
	place
	Kind   word        `parser:"@@"`
	Name   word        `parser:"@@"`
	Per    *expression `parser:"( 'per' @@ )?"`
	By     *expression `parser:"( 'by' @@ )?"`
	Value  expression  `parser:"'=' @@"`
	Given  *expression `parser:"( 'given' @@ )?"`
	Better *direction  `parser:"@@?"`
}

type direction struct {
	place
	Word string `parser:"@( 'lower' | 'higher' ) 'is' 'better'"`
}

var (
	nameds       = grammarOf[namedNode]()
	usesOrBlocks = grammarOf[useOrBlock]()
	scoreItems   = grammarOf[scoreNode]()
)

func (p *parser) namedVerify(b *body, at, to int) (*ast.Verify, int) {
	n, next := take(p, b, nameds, at, to)
	if n == nil {
		return nil, next
	}
	return &ast.Verify{
		Span: p.spanOf(n.place), Name: p.ident(n.Name), Params: p.params(n.Params), Preds: p.bindings(n.Body, titleOfVerify),
	}, next
}

func (p *parser) namedScore(b *body, at, to int) (*ast.ScoreSet, int) {
	n, next := take(p, b, nameds, at, to)
	if n == nil {
		return nil, next
	}
	return &ast.ScoreSet{
		Span: p.spanOf(n.place), Name: p.ident(n.Name), Params: p.params(n.Params), Scores: p.scores(n.Body),
	}, next
}

// givenHint is for who writes if behind a score.
const givenHint = "which runs a score counts is said by `given`: rate NAME = CONDITION given CONDITION; to choose a value, write `condition ? a : b`"

func (p *parser) scores(bl block) []*ast.ScoreItem {
	var out []*ast.ScoreItem
	seen := map[string]bool{}
	b := &body{in: lex.InScore, title: titles[lex.InScore]}
	from, to := p.inner(bl)
	b.item = func(at int, _ string) int {
		n, next := take(p, b, scoreItems, at, to)
		if n == nil {
			return next
		}
		before := len(p.found)
		s := &ast.ScoreItem{
			Span: p.spanOf(n.place), Kind: p.ident(n.Kind), Name: p.ident(n.Name), Per: p.exprOpt(n.Per), By: p.exprOpt(n.By),
			Value: p.expr(n.Value), Given: p.exprOpt(n.Given),
		}
		for i := before; i < len(p.found); i++ {
			if p.found[i].Code == diag.LetOrIf {
				p.found[i].Hint = givenHint
			}
		}
		if n.Better != nil {
			s.Better = p.ident(word{n.Better.from()})
		}
		p.distinct(seen, n.Name)
		out = append(out, s)
		return next
	}
	p.items(b, from, to)
	return out
}

// empty reports a block that says nothing where something is due.
func (p *parser) empty(bl block, message, hint string) {
	for i := bl.from; i < bl.to; i++ {
		if p.tokens[i].Kind == lex.Word {
			return // what stands there was reported
		}
	}
	p.report(diag.MissingPart, p.span(bl.from, bl.to), message, hint)
}

// onlyOne reports several calls where one answer's worth of one is due.
func (p *parser) onlyOne(n *calls) {
	if len(n.Calls) > 1 {
		p.report(diag.Unexpected, p.spanOf(n.Calls[1].place), "one call stands here", "an attack is obeyed by one call")
	}
}
