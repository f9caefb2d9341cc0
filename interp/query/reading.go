package query

import (
	exprast "github.com/expr-lang/expr/ast"

	"parley/interp/load"
	"parley/lang/ast"
	"parley/runtime/eval"
)

// thing is what a part of an expression stands for, as far as names go: symbols,
// or a place that holds names, such as state.
type thing struct {
	syms  []*Symbol
	holds string    // state hole task attack arm world reply: what its fields are
	of    []*Symbol // the steps or agents whose reply it is
	types []placed
}

// placed is a written type and the file it stands in.
type placed struct {
	t  *ast.Type
	ix *index
}

// reader resolves the names in one expression.
type reader struct {
	r     *resolver
	e     *ast.Expr
	sc    *scope
	elems []thing
}

// expr resolves an expression in a scope.
func (r *resolver) expr(e *ast.Expr, sc *scope) {
	if e == nil {
		return
	}
	tree, err := eval.Parse(e.Cooked)
	if err != nil {
		return
	}
	rd := &reader{r: r, e: e, sc: sc}
	rd.read(tree)
}

func (rd *reader) span(n exprast.Node) ast.Span {
	loc := n.Location()
	if len(rd.e.Map) == 0 {
		return rd.e.Span
	}
	return rd.e.Map.Span(loc.From, max(loc.To, loc.From+1))
}

// read resolves a part and tells what it stands for.
func (rd *reader) read(n exprast.Node) thing {
	switch n := n.(type) {
	case *exprast.IdentifierNode:
		return rd.name(n)
	case *exprast.ChainNode:
		return rd.read(n.Node)
	case *exprast.MemberNode:
		base := rd.read(n.Node)
		field, named := n.Property.(*exprast.StringNode)
		if !named {
			rd.read(n.Property)
			return base // one of several of the same
		}
		return rd.field(base, field, field.Value)
	case *exprast.PointerNode:
		if len(rd.elems) > 0 && n.Name == "" {
			return rd.elems[len(rd.elems)-1]
		}
	case *exprast.PredicateNode:
		return rd.read(n.Node)
	case *exprast.BuiltinNode:
		return rd.builtin(n)
	case *exprast.CallNode:
		return rd.call(n)
	case *exprast.VariableDeclaratorNode:
		value := rd.read(n.Value)
		sym := &Symbol{Kind: Variable, Name: n.Name, File: rd.r.m.Name, Span: rd.span(n), Whole: rd.e.Span, module: rd.r.m, Form: rd.r.ix.line(rd.e.Span)}
		rd.r.add(Occurrence{Span: sym.Span, Symbols: []*Symbol{sym}, Def: true})
		outer := rd.sc
		rd.sc = outer.with(sym, value)
		t := rd.read(n.Expr)
		rd.sc = outer
		return t
	case *exprast.ConditionalNode:
		rd.read(n.Cond)
		a := rd.read(n.Exp1)
		rd.read(n.Exp2)
		return a
	case *exprast.BinaryNode:
		a := rd.read(n.Left)
		b := rd.read(n.Right)
		rd.compared(a, n.Right)
		rd.compared(b, n.Left)
		if n.Operator == "??" {
			return a
		}
	case *exprast.UnaryNode:
		rd.read(n.Node)
	case *exprast.SliceNode:
		base := rd.read(n.Node)
		for _, e := range []exprast.Node{n.From, n.To} {
			if e != nil {
				rd.read(e)
			}
		}
		return base
	case *exprast.ArrayNode:
		for _, e := range n.Nodes {
			rd.read(e)
		}
	case *exprast.MapNode:
		for _, p := range n.Pairs {
			if pair, ok := p.(*exprast.PairNode); ok {
				rd.read(pair.Value)
			}
		}
	}
	return thing{}
}

// compared resolves a text beside something whose words are names.
func (rd *reader) compared(of thing, n exprast.Node) {
	var list []exprast.Node
	switch n := n.(type) {
	case *exprast.StringNode:
		list = []exprast.Node{n}
	case *exprast.ArrayNode:
		list = n.Nodes
	}
	for _, n := range list {
		s, ok := n.(*exprast.StringNode)
		if !ok {
			continue
		}
		switch of.holds {
		case "step word":
			rd.quoted(s, Label)
		case "tool word":
			rd.quoted(s, Tool)
		case "agent word":
			rd.quoted(s, Agent)
		}
	}
}

func (rd *reader) quoted(s *exprast.StringNode, kind Kind) {
	span := rd.span(s)
	text := rd.r.m.Source.Text
	if span.End-span.Start != len(s.Value)+2 || text[span.Start+1:span.End-1] != s.Value {
		return // written with escapes
	}
	span.Start, span.End = span.Start+1, span.End-1
	if syms := rd.r.lookup(nil, s.Value, kind); len(syms) > 0 {
		rd.r.add(Occurrence{Span: span, Symbols: syms, Quoted: true})
	}
}

func (rd *reader) builtin(n *exprast.BuiltinNode) thing {
	var first thing
	for i, a := range n.Arguments {
		if i == 0 {
			first = rd.read(a)
			continue
		}
		rd.elems = append(rd.elems, first)
		rd.read(a)
		rd.elems = rd.elems[:len(rd.elems)-1]
	}
	return rd.passed(n.Name, first)
}

func (rd *reader) call(n *exprast.CallNode) thing {
	id, ok := n.Callee.(*exprast.IdentifierNode)
	if !ok {
		rd.read(n.Callee)
		return thing{}
	}
	var first thing
	for i, a := range n.Arguments {
		t := rd.read(a)
		if i == 0 {
			first = t
		}
		if s, text := a.(*exprast.StringNode); text && id.Value == "calls_of" {
			rd.quoted(s, Tool)
		}
	}
	return rd.passed(id.Value, first)
}

// passed is what a function gives, where it gives something of its list.
func (rd *reader) passed(name string, list thing) thing {
	switch name {
	case "first", "last", "find", "findLast", "filter", "take", "reverse", "uniq", "sortBy", "latest", "concat", "flatten":
		return list
	}
	return thing{}
}

// name resolves a free name.
func (rd *reader) name(n *exprast.IdentifierNode) thing {
	syms := rd.r.lookup(rd.sc, n.Value)
	if len(syms) > 0 {
		rd.r.add(Occurrence{Span: rd.span(n), Symbols: syms})
		if v, ok := rd.sc.held(n.Value); ok {
			return v
		}
		return thing{syms: syms}
	}
	return rd.standing(n.Value)
}

// standing is what a name of the language holds.
func (rd *reader) standing(name string) thing {
	switch name {
	case "state", "hole", "task", "attack", "args":
		return thing{holds: name}
	case "clean", "baseline", "placebo":
		return thing{holds: "arm"}
	case "before", "after":
		return thing{holds: "world"}
	case "turns", "messages", "calls", "heard", "reads", "writes":
		return thing{holds: "records"}
	case "call", "message":
		return thing{holds: "records"}
	case "step":
		return thing{holds: "step word"}
	case "reply":
		return thing{holds: "reply", of: rd.sc.speaking()}
	case "judge":
		return thing{holds: "judge"}
	}
	return thing{}
}

// field resolves a field of what stands before the dot.
func (rd *reader) field(base thing, n exprast.Node, name string) thing {
	note := func(syms []*Symbol) thing {
		if len(syms) > 0 {
			rd.r.add(Occurrence{Span: rd.span(n), Symbols: syms})
		}
		return thing{syms: syms}
	}
	switch base.holds {
	case "state":
		syms := rd.r.lookup(nil, name, State)
		note(syms)
		return thing{types: rd.r.typesOf(syms), holds: "record"}
	case "hole":
		return note(rd.r.lookup(nil, name, Hole))
	case "task":
		return note(rd.r.lookup(nil, name, TaskField, Predicate))
	case "attack":
		return note(rd.r.lookup(nil, name, Predicate))
	case "judge":
		if sym := rd.r.ix.uses[name]; sym != nil {
			note([]*Symbol{sym})
			return thing{holds: "judge of an import", of: []*Symbol{sym}}
		}
		return note(rd.r.declared(load.Judge, name))
	case "judge of an import":
		return note(rd.r.declared(load.Judge, base.of[0].Name, name))
	case "args":
		return note(rd.sc.arguments(name))
	case "arm":
		if syms := rd.r.lookup(nil, name); len(syms) > 0 {
			return note(syms)
		}
		return rd.standing(name)
	case "world":
		return rd.world(name)
	case "records":
		return rd.record(name)
	case "reply":
		return rd.replyField(base.of, n, name)
	case "record":
		return rd.typed(base.types, n, name)
	}
	return rd.symbolField(base, n, name)
}

func (rd *reader) world(name string) thing {
	if name == "state" {
		return thing{holds: "state"}
	}
	return thing{}
}

// record is a field of a turn, a message or a call.
func (rd *reader) record(name string) thing {
	switch name {
	case "step":
		return thing{holds: "step word"}
	case "tool":
		return thing{holds: "tool word"}
	case "agent", "from", "to", "handoff":
		return thing{holds: "agent word"}
	case "calls", "turn", "call", "reads", "writes":
		return thing{holds: "records"}
	}
	return thing{}
}

// symbolField is a field of something that has a name of its own.
func (rd *reader) symbolField(base thing, n exprast.Node, name string) thing {
	var found []*Symbol
	for _, s := range base.syms {
		switch s.Kind {
		case Kind(load.Judge):
			if name == "reply" {
				return thing{holds: "reply", of: base.syms}
			}
		case Label:
			if name == "reply" {
				return thing{holds: "reply", of: rd.r.speakersOf(base.syms)}
			}
			return rd.record(name)
		case Agent:
			switch name {
			case "turns":
				return thing{holds: "records"}
			case "name":
				return thing{holds: "agent word"}
			}
		case Alias:
			found = append(found, rd.r.throughAlias(s, name)...)
		case Kind(load.AgentSet):
			if a := rd.r.spaceOf(s).find(name, Agent); a != nil {
				found = append(found, a)
			}
		case Kind(load.Scenario):
			found = append(found, rd.r.scoresOf(s, name)...)
		case Parameter, Variable:
			if s.typ != nil {
				return rd.typed(rd.r.typesOf([]*Symbol{s}), n, name)
			}
		}
	}
	if len(found) > 0 {
		rd.r.add(Occurrence{Span: rd.span(n), Symbols: found})
	}
	return thing{syms: found}
}

// replyField resolves a field of the replies of steps.
func (rd *reader) replyField(of []*Symbol, n exprast.Node, name string) thing {
	var types []placed
	for _, s := range of {
		for _, t := range s.replies {
			types = append(types, placed{t, rd.r.n.byName[s.File]})
		}
	}
	return rd.typed(types, n, name)
}

// typed resolves a field by written types.
func (rd *reader) typed(types []placed, n exprast.Node, name string) thing {
	var syms []*Symbol
	var inner []placed
	for _, t := range types {
		f := fieldOf(t.t, name)
		if f == nil || t.ix == nil {
			continue
		}
		syms = append(syms, t.ix.field(Reply, f))
		inner = append(inner, placed{f.Type, t.ix})
	}
	if len(syms) > 0 {
		rd.r.add(Occurrence{Span: rd.span(n), Symbols: distinct(syms)})
	}
	return thing{types: inner, holds: "record"}
}

// fieldOf is a field of a record type, also of what may be nil or in a list.
func fieldOf(t *ast.Type, name string) *ast.Param {
	for t != nil {
		switch t.Kind {
		case ast.TypeOpt, ast.TypeList:
			t = t.Elem
			continue
		case ast.TypeRecord:
			for _, f := range t.Fields {
				if f.Name.Name == name {
					return f
				}
			}
		}
		return nil
	}
	return nil
}
