package build

import (
	"fmt"

	"parley/interp/load"
	"parley/interp/score"
	"parley/lang/ast"
	"parley/lang/diag"
)

// pred is one predicate of a scenario, from its own block or from a named set.
type pred struct {
	sc   scope
	decl *ast.Let
	bad  bool // its name is taken, which has been said
}

// predsOf collects a scenario's predicates; names are one space.
func (c *Compiler) predsOf(sc scope, blocks []*ast.Verify, refs []*ast.Ref) []pred {
	var out []pred
	seen := map[string]*load.Module{}
	add := func(sc scope, list []*ast.Let) {
		for _, l := range list {
			name := l.Name.Name
			if _, twice := seen[name]; twice {
				c.fail(sc.m, diag.DeclaredTwice, l.Name.Span, "", "a predicate named %q exists already", name)
				continue
			}
			if _, param := sc.params[name]; param || taken(name) {
				c.fail(sc.m, diag.NameTaken, l.Name.Span, "", "%q cannot be the name of a predicate: %s", name, takenWhy(name))
				out = append(out, pred{sc, l, true})
				continue
			}
			seen[name] = sc.m
			out = append(out, pred{sc, l, false})
		}
	}
	for _, ref := range refs {
		m, decl := c.find(sc.m, load.Verify, ref.Path)
		if decl == nil {
			continue
		}
		inner, ok := c.bind(m, "verify "+refName(ref), decl.Verify.Params, sc, ref)
		if !ok {
			continue
		}
		c.unused(m, "verify "+decl.Verify.Name.Name, decl.Verify.Params, decl.Verify.Preds)
		add(inner, decl.Verify.Preds)
	}
	for _, b := range blocks {
		add(sc, b.Preds)
	}
	return out
}

// ordered sorts predicates so that each stands after those it reads; their order
// is otherwise as written. It reports those that read each other in a circle.
func (c *Compiler) ordered(preds []pred) (out []pred, sound bool) {
	byName := map[string]int{}
	for i, p := range preds {
		byName[p.decl.Name.Name] = i
	}
	const open, done = 1, 2
	state := make([]int, len(preds))
	sound = true
	var visit func(i int)
	visit = func(i int) {
		state[i] = open
		for _, n := range c.namesIn(preds[i].decl.Value) {
			j, ok := byName[n]
			switch {
			case !ok || state[j] == done:
			case state[j] == open:
				sound = false
				name, via := preds[j].decl.Name, preds[i].decl.Name.Name
				c.fail(preds[j].sc.m, diag.PredicateOrder, name.Span, "", "%q reads itself, through %q", name.Name, via)
			default:
				visit(j)
			}
		}
		state[i] = done
		out = append(out, preds[i])
	}
	for i := range preds {
		if state[i] == 0 {
			visit(i)
		}
	}
	return out, sound
}

// compilePreds types predicates over a finished trial and adds their names to
// the place, each in reach of those after it.
func (c *Compiler) compilePreds(u *unit, base map[string]typ, preds []pred) ([]score.Pred, map[string]typ) {
	types := map[string]typ{}
	var out []score.Pred
	sorted, sound := c.ordered(preds)
	if !sound {
		for _, p := range preds {
			types[p.decl.Name.Name] = openType
		}
	}
	for _, p := range sorted {
		if name := p.decl.Name.Name; p.bad {
			if _, known := base[name]; !known {
				types[name] = openType // whoever reads it is not wrong for that
			}
			continue
		}
		at := c.place(u, p.sc, scoreFunctions, copyVars(base, types))
		x, t, ok := c.expr(at, p.decl.Value, anyWanted, fmt.Sprintf("the predicate %q", p.decl.Name.Name))
		if !ok {
			t = openType
		}
		types[p.decl.Name.Name] = t
		if x.Src == "true" || x.Src == "false" {
			c.warn(p.sc.m, diag.PredicateConstant, p.decl.Value.Span, "", "the predicate %q is always %s", p.decl.Name.Name, x.Src)
		}
		out = append(out, score.Pred{Name: p.decl.Name.Name, Expr: x, Text: p.decl.Value.Text})
	}
	return out, types
}

// predItems are the predicates as the arms they need are worked out from them.
func (c *Compiler) predItems(declared []pred, compiled []score.Pred) []*item {
	sources := map[string]string{}
	for _, p := range compiled {
		sources[p.Name] = p.Expr.Src
	}
	out := make([]*item, len(declared))
	for i, p := range declared {
		d := &ast.ScoreItem{Span: p.decl.Span, Kind: &ast.Ident{Name: "rate"}, Name: p.decl.Name}
		out[i] = &item{sc: p.sc, decl: d, refs: c.refsOf(sources[p.decl.Name.Name])}
	}
	return out
}

// ownVerify compiles the predicates that a task or an attack brings.
func (c *Compiler) ownVerify(u *unit, base map[string]typ, sc scope, v *ast.Verify) ([]score.Pred, map[string]typ) {
	if v == nil {
		return nil, nil
	}
	seen := map[string]bool{}
	var preds []pred
	for _, l := range v.Preds {
		c.once(sc.m, seen, "predicate", l.Name)
		preds = append(preds, pred{sc, l, false})
	}
	return c.compilePreds(u, base, preds)
}
