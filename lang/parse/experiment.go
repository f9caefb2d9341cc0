package parse

import (
	"parley/lang/ast"
	"parley/lang/lex"
)

type experimentNode struct {
	place
	Name word  `parser:"'experiment' @@"`
	Body block `parser:"@@"`
}

type scenariosNode struct {
	place
	Refs []*refNode `parser:"'scenario' @@ ( ',' @@ )*"`
}

type comparesNode struct {
	place
	Names []*word `parser:"'compare' @@ ( ',' @@ )*"`
}

var (
	compares      = grammarOf[comparesNode]()
	experiments   = grammarOf[experimentNode]()
	scenarioLists = grammarOf[scenariosNode]()
)

func (p *parser) experiment(b *body, at, to int) (*ast.Experiment, int) {
	n, next := take(p, b, experiments, at, to)
	if n == nil {
		return nil, next
	}
	return &ast.Experiment{Span: p.spanOf(n.place), Doc: p.doc(at), Name: p.ident(n.Name), Members: p.experimentMembers(n.Body)}, next
}

func (p *parser) experimentMembers(bl block) []*ast.ExperimentMember {
	var out []*ast.ExperimentMember
	b := &body{in: lex.InExperiment, title: titles[lex.InExperiment]}
	from, to := p.inner(bl)
	b.item = func(at int, word string) int {
		m := &ast.ExperimentMember{}
		next := p.experimentMember(b, m, at, to, word)
		if m.Span != (ast.Span{}) {
			out = append(out, m)
		}
		return next
	}
	p.items(b, from, to)
	return out
}

// experimentMember fills m and its span, or leaves it as it is.
func (p *parser) experimentMember(b *body, m *ast.ExperimentMember, at, to int, word string) int {
	switch word {
	case "scenario":
		n, next := take(p, b, scenarioLists, at, to)
		if n != nil {
			m.Span = p.spanOf(n.place)
			for _, r := range n.Refs {
				m.Scenario = append(m.Scenario, p.ref(r))
			}
		}
		return next
	case "sweep":
		sw, next := p.sweep(b, at, to)
		if sw != nil {
			m.Span, m.Sweep = sw.Span, sw
		}
		return next
	case "score":
		across, next := p.across(b, at, to)
		if across != nil {
			m.Span, m.Score = across.Span, across
		}
		return next
	case "compare":
		n, next := take(p, b, compares, at, to)
		if n != nil {
			m.Span, m.Compare = p.spanOf(n.place), p.idents(n.Names)
		}
		return next
	case "tasks":
		t, next := p.tasks(b, at, to)
		return keep(&m.Span, &m.Tasks, t, next)
	case "model":
		use, next := p.modelUse(b, at, to)
		return keep(&m.Span, &m.Model, use, next)
	case "defense":
		use, next := p.defenseUse(b, at, to)
		return keep(&m.Span, &m.Defense, use, next)
	case "pairs":
		n, next := take(p, b, keyWords, at, to)
		if n != nil {
			m.Span, m.Pairs = p.spanOf(n.place), p.ident(n.Value)
			p.oneOf(m.Pairs, "pairs", "independent", "shared")
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
	return p.experimentValue(b, m, at, to, word)
}

// experimentValue reads a member that is a word and an expression.
func (p *parser) experimentValue(b *body, m *ast.ExperimentMember, at, to int, word string) int {
	n, next := take(p, b, keyExprs, at, to)
	if n == nil {
		return next
	}
	m.Span = p.spanOf(n.place)
	switch value := p.expr(n.Value); word {
	case "about":
		m.About = value
	case "runs":
		m.Runs = value
	case "seed":
		m.Seed = value
	case "reference":
		m.Reference = value
	}
	return next
}
