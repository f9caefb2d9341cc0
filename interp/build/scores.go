package build

import (
	"fmt"

	exprast "github.com/expr-lang/expr/ast"

	"parley/interp/load"
	"parley/interp/score"
	"parley/lang/ast"
	"parley/lang/diag"
	"parley/runtime"
)

// item is one score of a scenario, from its own block or from a named set.
type item struct {
	sc   scope
	decl *ast.ScoreItem
	refs armRefs // what its expressions refer to
}

var estimators = []string{"rate", "grade", "mean", "median", "sum", "value"}

// itemsOf collects a scenario's scores; names are one space.
func (c *Compiler) itemsOf(sc scope, blocks []*ast.ScoreSet, refs []*ast.Ref, preds map[string]typ) []*item {
	var out []*item
	seen := map[string]bool{}
	add := func(sc scope, scores []*ast.ScoreItem) {
		for _, s := range scores {
			name := s.Name.Name
			_, param := sc.params[name]
			_, isPred := preds[name]
			switch {
			case seen[name]:
				c.fail(sc.m, diag.DeclaredTwice, s.Name.Span, "", "a score named %q exists already", name)
			case isPred:
				c.fail(sc.m, diag.NameTaken, s.Name.Span, "", "a predicate is already named %q", name)
			case param || taken(name):
				c.fail(sc.m, diag.NameTaken, s.Name.Span, "", "%q cannot be the name of a score: %s", name, takenWhy(name))
			case !contains(estimators, s.Kind.Name):
				c.fail(sc.m, diag.WrongValue, s.Kind.Span, load.Suggest(s.Kind.Name, estimators), "a score begins with %s, and this is %q", list(estimators), s.Kind.Name)
			default:
				seen[name] = true
				out = append(out, &item{sc: sc, decl: s})
			}
		}
	}
	for _, ref := range refs {
		m, decl := c.find(sc.m, load.Score, ref.Path)
		if decl == nil {
			continue
		}
		inner, ok := c.bind(m, "score "+refName(ref), decl.Score.Params, sc, ref)
		if !ok {
			continue
		}
		c.unused(m, "score "+decl.Score.Name.Name, decl.Score.Params, decl.Score.Scores)
		add(inner, decl.Score.Scores)
	}
	for _, b := range blocks {
		add(sc, b.Scores)
	}
	return out
}

// scorePlaces are the environments of scores: over trials, and over estimates.
type scorePlaces struct {
	trial  map[string]typ
	values map[string]typ
}

// compileItems types scores: those over trials first, then values in the order
// of what they read.
func (c *Compiler) compileItems(u *unit, places scorePlaces, items []*item) []score.Item {
	out := make([]score.Item, 0, len(items))
	trial, values := c.view(u, scoreFunctions, places.trial), c.view(u, noFunctions, places.values)
	elsewhere := map[string]string{}
	for _, it := range items {
		elsewhere[it.decl.Name.Name] = "a score is read by a value: value NAME = " + it.decl.Name.Name
	}
	for _, it := range items {
		d := it.decl
		s := score.Item{Kind: d.Kind.Name, Name: d.Name.Name, Text: d.Value.Text, At: it.sc.at(d.Span)}
		if d.Better != nil {
			s.Better = d.Better.Name
		}
		if d.Kind.Name == "value" {
			c.valueItem(values(it.sc), it, &s)
		} else {
			p := trial(it.sc)
			p.elsewhere = elsewhere
			c.trialItem(p, it, &s)
		}
		it.refs = c.refsOf(s.Expr.Src, s.Given.Src, s.Per.Src, s.By.Src)
		out = append(out, s)
	}
	c.valueOrder(items)
	return out
}

func (c *Compiler) trialItem(p place, it *item, s *score.Item) {
	d := it.decl
	if d.Per != nil {
		var per typ
		s.Per, per, _ = c.expr(p, d.Per, wantList, "per")
		p = p.fork()
		p.vars["self"] = elemOf(per)
	}
	want, what := wantNumber, fmt.Sprintf("the score %q", d.Name.Name)
	want.hint = "rate counts how often a condition holds"
	if d.Kind.Name == "rate" {
		want = wantBool
		want.hint = "a rate counts how often a condition holds; mean, median and sum take numbers"
	}
	s.Expr, _, _ = c.expr(p, d.Value, want, what)
	if d.Given != nil {
		s.Given, _, _ = c.expr(p, d.Given, wantBool, "given")
		s.Text += " given " + d.Given.Text
	}
	if d.By != nil {
		s.By, _, _ = c.expr(p, d.By, anyWanted, "by")
	}
}

func (c *Compiler) valueItem(p place, it *item, s *score.Item) {
	d := it.decl
	for _, extra := range []struct {
		word string
		e    *ast.Expr
	}{{"per", d.Per}, {"by", d.By}, {"given", d.Given}} {
		if extra.e != nil {
			c.fail(it.sc.m, diag.NotHere, extra.e.Span, "", "a value is computed from other scores and has no %s", extra.word)
		}
	}
	s.Expr, _, _ = c.expr(p, d.Value, wantNumber, fmt.Sprintf("the value %q", d.Name.Name))
}

// valueOrder reports values that read each other in a circle.
func (c *Compiler) valueOrder(items []*item) {
	var preds []pred
	for _, it := range items {
		if it.decl.Kind.Name == "value" {
			preds = append(preds, pred{it.sc, &ast.Let{Span: it.decl.Span, Name: it.decl.Name, Value: it.decl.Value}, false})
		}
	}
	c.ordered(preds)
}

// armRefs is what expressions refer to beyond the run itself.
type armRefs struct {
	clean      bool
	names      []string            // free names: scores, in a value
	of         map[string][]string // "baseline" → names read of it; also placebo, baseline.placebo
	baseline   bool
	placebo    bool
	undefended bool
}

// refsOf finds which arms expressions name.
func (c *Compiler) refsOf(sources ...string) armRefs {
	r := armRefs{of: map[string][]string{}}
	for _, src := range sources {
		if src == "" {
			continue
		}
		tree, err := c.memo.Parse(src)
		if err != nil {
			continue
		}
		r.names = append(r.names, freeNames(tree)...)
		exprast.Walk(&tree, &armVisitor{&r})
	}
	for _, n := range r.names {
		switch n {
		case "clean":
			r.clean = true
		case "baseline":
			r.baseline = true
		case "placebo":
			r.placebo = true
		case "undefended":
			r.undefended = true
		}
	}
	return r
}

type armVisitor struct{ refs *armRefs }

func (v *armVisitor) Visit(node *exprast.Node) {
	at, ok := (*node).(*exprast.MemberNode)
	if !ok {
		return
	}
	name, named := at.Property.(*exprast.StringNode)
	if !named {
		return
	}
	switch inner := at.Node.(type) {
	case *exprast.IdentifierNode:
		if inner.Value == "baseline" || inner.Value == "placebo" || inner.Value == "clean" || inner.Value == "undefended" {
			v.refs.of[inner.Value] = append(v.refs.of[inner.Value], name.Value)
		}
	case *exprast.MemberNode:
		id, isName := inner.Node.(*exprast.IdentifierNode)
		word, isWord := inner.Property.(*exprast.StringNode)
		if isName && isWord && id.Value == "baseline" && word.Value == "placebo" {
			v.refs.of["baseline.placebo"] = append(v.refs.of["baseline.placebo"], name.Value)
		}
	}
}

// exchanged says which arm a score reads instead of the one it is written for.
var exchanged = map[string]map[runtime.ArmName]runtime.ArmName{
	"baseline":         {runtime.Attacked: runtime.BaselineAttacked, runtime.Clean: runtime.BaselineClean, runtime.Placebo: runtime.BaselinePlacebo},
	"placebo":          {runtime.Attacked: runtime.Placebo, runtime.Clean: runtime.Clean},
	"undefended":       {runtime.Attacked: runtime.Undefended, runtime.Clean: runtime.Undefended},
	"baseline.placebo": {runtime.Attacked: runtime.BaselinePlacebo, runtime.Clean: runtime.BaselineClean},
}
