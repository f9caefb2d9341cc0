package query

import (
	"parley/interp/load"
	"parley/lang/ast"
)

// node resolves the names in a node and in what it holds.
func (r *resolver) node(node any, sc *scope) {
	children(node, func(node any) bool { return r.visit(node, sc) })
}

// visit resolves one node, and says whether its children still have to be.
func (r *resolver) visit(node any, sc *scope) bool {
	switch n := node.(type) {
	case *ast.Expr:
		r.expr(n, sc)
		return false
	case block:
		r.statements(n, sc)
		return false
	case *ast.Type:
		r.typ(n, sc)
		return false
	case *ast.Param:
		r.param(n, sc)
		return false
	case *ast.Tool:
		r.tool(n, sc)
		return false
	case *ast.Agent:
		r.own(Agent, n.Name)
		r.exprs(sc, n.Count)
		inner := &scope{outer: sc, step: r.lookup(nil, n.Name.Name, Agent)}
		r.each(n.Attrs, inner)
		return false
	case *ast.AddAgent:
		r.own(Agent, n.Name)
	case *ast.Attr:
		return r.attr(n)
	case *ast.Hole:
		r.own(Hole, n.Name)
	case *ast.Let: // of predicates and mappings; statements do their own
		r.own(Predicate, n.Name)
		r.own(TaskField, n.Name)
	case *ast.ScoreItem:
		r.own(Estimate, n.Name)
	case *ast.State:
		for _, f := range n.Fields {
			r.own(State, f.Name)
			r.typ(f.Type, sc)
			r.exprs(sc, f.Default)
		}
		return false
	case *ast.Slot:
		return r.slot(n, sc)
	case *ast.CallForm:
		r.call(n, sc)
		return false
	}
	return r.clause(node, sc)
}

// clause resolves what scenarios, experiments and tests name.
func (r *resolver) clause(node any, sc *scope) bool {
	switch n := node.(type) {
	case *ast.ScenarioMember:
		r.ref(load.Team, n.Team, sc)
		r.ref(load.Workspace, n.Workspace, sc)
		r.ref(load.Verify, n.VerifyRef, sc)
		r.ref(load.Score, n.ScoreRef, sc)
		r.ref(load.Judge, n.Judge, sc)
	case *ast.JudgeName:
		r.ref(load.Judge, &ast.Ref{Span: n.Span, Path: n.Path}, sc)
	case *ast.Baseline:
		r.ref(load.Team, n.Team, sc)
	case *ast.AttackItem:
		r.ref(load.Attack, n.Ref, sc)
	case *ast.DefenseItem:
		r.ref(load.Defense, n.Ref, sc)
	case *ast.TestMember:
		r.ref(load.Scenario, n.Scenario, sc)
	case *ast.ExperimentMember:
		for _, ref := range n.Scenario {
			r.ref(load.Scenario, ref, sc)
		}
		for _, name := range n.Compare {
			r.named(name, Estimate)
		}
	case *ast.Tasks:
		for _, ref := range n.Paths {
			r.ref(load.Tasks, ref, sc)
		}
	case *ast.ModelUse:
		r.model(n.Name)
	case *ast.Patch:
		r.model(n.Model)
	case *ast.Sweep:
		if len(n.Uses) == 0 {
			for _, name := range n.Names {
				r.swept(name)
			}
			break
		}
		for _, use := range n.Uses {
			r.ref(load.Kind(n.Names[0].Name), use.Ref, sc)
		}
	case *ast.Ref:
		return false // done where its kind is known
	}
	return true
}

func (r *resolver) each(attrs []*ast.Attr, sc *scope) {
	for _, a := range attrs {
		if r.visit(a, sc) {
			r.node(a, sc)
		}
	}
}

func (r *resolver) exprs(sc *scope, list ...*ast.Expr) {
	for _, e := range list {
		r.expr(e, sc)
	}
}

// named resolves a bare name of one kind.
func (r *resolver) named(name *ast.Ident, kinds ...Kind) {
	if name == nil {
		return
	}
	if syms := r.lookup(nil, name.Name, kinds...); len(syms) > 0 {
		r.add(Occurrence{Span: name.Span, Symbols: syms})
	}
}

func (r *resolver) model(name *ast.Ident) {
	if name == nil {
		return
	}
	if sym := r.space().find(name.Name, Parameter); sym != nil {
		r.add(Occurrence{Span: name.Span, Symbols: []*Symbol{sym}})
		return
	}
	if d := r.n.target(r.m, load.Model, []*ast.Ident{name}); d != nil {
		r.add(Occurrence{Span: name.Span, Symbols: []*Symbol{r.n.decls[d].decls[d]}})
	}
}

// swept resolves the name of a parameter that an experiment sweeps.
func (r *resolver) swept(name *ast.Ident) {
	var out []*Symbol
	for _, x := range r.d.Experiment.Members {
		for _, ref := range x.Scenario {
			if d := r.n.target(r.m, load.Scenario, ref.Path); d != nil {
				if sym := r.n.decls[d].spaces[d].find(name.Name, Parameter); sym != nil {
					out = append(out, sym)
				}
			}
		}
	}
	if len(out) > 0 {
		r.add(Occurrence{Span: name.Span, Symbols: distinct(out)})
	}
}

// ref resolves a reference, and its arguments by the parameters of what it names.
func (r *resolver) ref(kind load.Kind, ref *ast.Ref, sc *scope) {
	if ref == nil || len(ref.Path) == 0 {
		return
	}
	if len(ref.Path) == 2 {
		if sym := r.ix.uses[ref.Path[0].Name]; sym != nil {
			r.add(Occurrence{Span: ref.Path[0].Span, Symbols: []*Symbol{sym}})
		}
	}
	var names space
	if d := r.n.target(r.m, kind, ref.Path); d != nil {
		ix := r.n.decls[d]
		names = ix.spaces[d]
		r.add(Occurrence{Span: ref.Path[len(ref.Path)-1].Span, Symbols: []*Symbol{ix.decls[d]}})
	}
	for _, a := range ref.Args {
		if a.Name != nil {
			if p := names.find(a.Name.Name, Parameter); p != nil {
				r.add(Occurrence{Span: a.Name.Span, Symbols: []*Symbol{p}})
			}
		}
		r.expr(a.Value, sc)
	}
}

func (r *resolver) param(p *ast.Param, sc *scope) {
	if sym := r.space().find(p.Name.Name, Parameter); sym != nil && sym.Span == p.Name.Span {
		r.define(sym)
	}
	r.typ(p.Type, sc)
	r.exprs(sc, p.Default)
}

// typ resolves the groups that a type names, and declares the fields of records.
func (r *resolver) typ(t *ast.Type, sc *scope) {
	if t == nil {
		return
	}
	if t.Kind == ast.TypeName && t.Name != nil {
		if syms := r.lookup(nil, t.Name.Name); len(syms) > 0 {
			r.add(Occurrence{Span: t.Name.Span, Symbols: syms})
		}
	}
	r.typ(t.Elem, sc)
	for _, f := range t.Fields {
		r.define(r.ix.field(Reply, f))
		r.typ(f.Type, sc)
		r.exprs(sc, f.Default)
	}
}

// tool resolves a tool with its parameters in reach of its headers and its body.
func (r *resolver) tool(t *ast.Tool, sc *scope) {
	r.own(Tool, t.Name)
	inner := &scope{outer: sc, tool: t}
	for _, p := range t.Params {
		sym := r.ix.field(Parameter, p)
		r.define(sym)
		r.typ(p.Type, sc)
		r.exprs(sc, p.Default)
		inner = inner.with(sym, thing{})
	}
	r.exprs(inner, t.About)
	r.exprs(inner, t.Reads...)
	r.exprs(inner, t.Writes...)
	r.statements(t.Body, inner)
}

func (r *resolver) attr(a *ast.Attr) bool {
	if a.Key == nil {
		return true
	}
	switch {
	case a.Key.Name == "model" && a.Word != nil:
		r.model(a.Word)
		return false
	case a.Tools != nil:
		for _, name := range a.Tools.Names {
			r.named(name, Tool)
		}
	}
	return a.Key.Name != "role"
}

// slot resolves the agent, hole or tool whose slot a patch changes.
func (r *resolver) slot(s *ast.Slot, sc *scope) bool {
	switch s.Head.Name {
	case "task", "agent", "resource", "edge", "corpus":
		return true
	case "hole", "tool":
		kind := Hole
		if s.Head.Name == "tool" {
			kind = Tool
		}
		if s.Arg == nil {
			return false
		}
		if syms := r.lookup(nil, s.Arg.Text, kind); len(syms) > 0 && r.space().find(s.Arg.Text, Parameter) == nil {
			r.add(Occurrence{Span: s.Arg.Span, Symbols: syms})
			return false
		}
		return true
	}
	r.named(s.Head, Parameter, Agent)
	return true
}

func (r *resolver) call(c *ast.CallForm, sc *scope) {
	r.named(c.Name, Tool)
	for _, a := range c.Args {
		r.argument(c.Name, a.Name)
		r.expr(a.Value, sc)
	}
}

// argument resolves the name of a tool's argument.
func (r *resolver) argument(tool, name *ast.Ident) {
	if tool == nil || name == nil {
		return
	}
	var out []*Symbol
	for _, t := range r.lookup(nil, tool.Name, Tool) {
		for _, p := range t.tool.Params {
			if p.Name.Name == name.Name {
				out = append(out, r.n.byName[t.File].field(Parameter, p))
			}
		}
	}
	if len(out) > 0 {
		r.add(Occurrence{Span: name.Span, Symbols: distinct(out)})
	}
}

// statements resolves a block: what a let binds is known to what follows it.
func (r *resolver) statements(list []*ast.Stmt, sc *scope) {
	for _, s := range list {
		switch {
		case s.Let != nil:
			r.expr(s.Let.Value, sc)
			sym := r.variable(s.Let.Name, s.Let.Span)
			sc = sc.with(sym, thing{})
		case s.For != nil:
			r.expr(s.For.List, sc)
			r.statements(s.For.Body, sc.with(r.variable(s.For.Var, s.For.Span), thing{}))
		case s.Step != nil:
			r.step(s.Step, sc)
		default:
			r.node(s, sc)
		}
	}
}

func (r *resolver) variable(name *ast.Ident, whole ast.Span) *Symbol {
	sym := r.ix.symbol(Variable, name, whole)
	r.define(sym)
	return sym
}

func (r *resolver) step(s *ast.Step, sc *scope) {
	r.own(Label, s.Label)
	r.expr(s.Who, sc)
	inner := sc
	if s.Label != nil {
		inner = &scope{outer: sc, step: r.speakersOf(r.lookup(nil, s.Label.Name, Label))}
	}
	r.each(s.Attrs, inner)
}
