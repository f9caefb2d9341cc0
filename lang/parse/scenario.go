package parse

import (
	"parley/lang/ast"
	"parley/lang/lex"
)

type refUse struct {
	place
	Key word    `parser:"@@"`
	Ref refNode `parser:"@@"`
}

type baselineNode struct {
	place
	Team   refNode `parser:"'baseline' @@"`
	Corpus *who    `parser:"( 'corpus' @@ )?"`
}

type attackUseNode struct {
	place
	Any   bool            `parser:"'attack' @'any'?"`
	Items []*attackTarget `parser:"@@ ( ',' @@ )*"`
}

type attackTarget struct {
	place
	Ref refNode     `parser:"@@"`
	On  *expression `parser:"( 'on' @@ )?"`
}

type failNode struct {
	place
	Cond expression `parser:"'fail' 'when' @@"`
}

var (
	refUses    = grammarOf[refUse]()
	baselines  = grammarOf[baselineNode]()
	attackUses = grammarOf[attackUseNode]()
	fails      = grammarOf[failNode]()
)

func (p *parser) scenario(b *body, at, to int) (*ast.Scenario, int) {
	n, next := take(p, b, nameds, at, to)
	if n == nil {
		return nil, next
	}
	return &ast.Scenario{
		Span: p.spanOf(n.place), Doc: p.doc(at), Name: p.ident(n.Name), Params: p.params(n.Params), Members: p.scenarioMembers(n.Body),
	}, next
}

func (p *parser) scenarioMembers(bl block) []*ast.ScenarioMember {
	var out []*ast.ScenarioMember
	b := &body{in: lex.InScenario, title: titles[lex.InScenario]}
	from, to := p.inner(bl)
	b.item = func(at int, word string) int {
		m := &ast.ScenarioMember{}
		next := p.scenarioMember(b, m, at, to, word)
		if m.Span != (ast.Span{}) {
			out = append(out, m)
		}
		return next
	}
	p.items(b, from, to)
	return out
}

// keep notes in a member what was read, if anything was, and where that stands.
func keep[T any, P interface {
	*T
	ast.Node
}](span *ast.Span, into *P, read P, next int) int {
	if read != nil {
		*span, *into = read.Range(), read
	}
	return next
}

// scenarioMember fills m and its span, or leaves it as it is.
func (p *parser) scenarioMember(b *body, m *ast.ScenarioMember, at, to int, word string) int {
	switch word {
	case "about":
		n, next := take(p, b, keyExprs, at, to)
		if n != nil {
			m.Span, m.About = p.spanOf(n.place), p.expr(n.Value)
		}
		return next
	case "team", "workspace":
		n, next := take(p, b, refUses, at, to)
		if n == nil {
			return next
		}
		m.Span = p.spanOf(n.place)
		if word == "team" {
			m.Team = p.ref(&n.Ref)
		} else {
			m.Workspace = p.ref(&n.Ref)
		}
		return next
	case "tasks":
		t, next := p.tasks(b, at, to)
		return keep(&m.Span, &m.Tasks, t, next)
	case "model":
		use, next := p.modelUse(b, at, to)
		return keep(&m.Span, &m.Model, use, next)
	case "baseline":
		n, next := take(p, b, baselines, at, to)
		if n != nil {
			m.Span = p.spanOf(n.place)
			m.Baseline = &ast.Baseline{Span: m.Span, Team: p.ref(&n.Team), Corpus: p.whoOpt(n.Corpus)}
		}
		return next
	case "attack":
		use, next := p.attackUse(b, at, to)
		return keep(&m.Span, &m.Attack, use, next)
	case "defense":
		use, next := p.defenseUse(b, at, to)
		return keep(&m.Span, &m.Defense, use, next)
	case "verify", "score":
		return p.verifyOrScore(b, m, at, to, word)
	case "judge":
		n, next := take(p, b, refUses, at, to)
		if n != nil {
			m.Span, m.Judge = p.spanOf(n.place), p.ref(&n.Ref)
		}
		return next
	case "budget":
		budget, next := p.budget(b, at, to)
		if budget != nil {
			m.Span, m.Budget = budget.Span, budget
		}
		return next
	case "fail":
		n, next := take(p, b, fails, at, to)
		if n != nil {
			m.Span, m.Fail = p.spanOf(n.place), p.expr(n.Cond)
		}
		return next
	}
	n, next := take(p, b, ifs, at, to)
	if n != nil {
		*m = *choice(p, n, p.scenarioMembers, func(span ast.Span, cond *ast.Expr, then, otherwise []*ast.ScenarioMember) *ast.ScenarioMember {
			return &ast.ScenarioMember{Span: span, If: &ast.If[ast.ScenarioMember]{Span: span, Cond: cond, Then: then, Else: otherwise}}
		})
	}
	return next
}

// attackUse reads the clause of a scenario or a test.
func (p *parser) attackUse(b *body, at, to int) (*ast.AttackUse, int) {
	n, next := take(p, b, attackUses, at, to)
	if n == nil {
		return nil, next
	}
	use := &ast.AttackUse{Span: p.spanOf(n.place), Any: n.Any}
	for _, t := range n.Items {
		use.Items = append(use.Items, &ast.AttackItem{Span: p.spanOf(t.place), Ref: p.ref(&t.Ref), On: p.exprOpt(t.On)})
	}
	return use, next
}

func (p *parser) verifyOrScore(b *body, m *ast.ScenarioMember, at, to int, word string) int {
	n, next := take(p, b, usesOrBlocks, at, to)
	if n == nil {
		return next
	}
	m.Span = p.spanOf(n.place)
	switch {
	case word == "verify" && n.Ref != nil:
		m.VerifyRef = p.ref(n.Ref)
	case word == "verify":
		m.Verify = &ast.Verify{Span: m.Span, Preds: p.bindings(*n.Body, titleOfVerify)}
	case n.Ref != nil:
		m.ScoreRef = p.ref(n.Ref)
	default:
		m.Score = &ast.ScoreSet{Span: m.Span, Scores: p.scores(*n.Body)}
	}
	return next
}

func (p *parser) budget(b *body, at, to int) (*ast.Budget, int) {
	n, next := take(p, b, blocks, at, to)
	if n == nil {
		return nil, next
	}
	return &ast.Budget{Span: p.spanOf(n.place), Items: p.settings(lex.InBudget, n.Body)}, next
}
