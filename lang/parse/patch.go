package parse

import (
	"parley/lang/ast"
	"parley/lang/lex"
)

// Patches begin with their operation, and each kind of operation has a grammar.

type slotNode struct {
	place
	Call string      `parser:"( @( 'hole' | 'resource' | 'tool' ) '('"`
	Arg  *expression `parser:"  @@ ')'"`
	Edge *edgeNode   `parser:"| 'edge' '(' @@ ')'"`
	Head *word       `parser:"| @@ )"`
	Path []*word     `parser:"( '.' @@ )*"`
}

type putNode struct {
	place
	Op    word        `parser:"@@"`
	Slot  slotNode    `parser:"@@"`
	Call  *callNode   `parser:"( 'call' @@"`
	Value *expression `parser:"| 'with'? @@ )"`
	When  *expression `parser:"( 'when' @@ )?"`
}

type rewriteNode struct {
	place
	Op    word        `parser:"@@"`
	Slot  slotNode    `parser:"@@"`
	Model word        `parser:"'with' @@"`
	Value expression  `parser:"@@"`
	When  *expression `parser:"( 'when' @@ )?"`
}

type takeNode struct {
	place
	Op   word        `parser:"@@"`
	Slot slotNode    `parser:"@@"`
	When *expression `parser:"( 'when' @@ )?"`
}

type delayNode struct {
	place
	Op    word        `parser:"@@"`
	Slot  slotNode    `parser:"@@"`
	Delay expression  `parser:"'by' @@"`
	Unit  word        `parser:"@@"`
	When  *expression `parser:"( 'when' @@ )?"`
}

type addAgentNode struct {
	place
	Op   word  `parser:"@@"`
	Kind word  `parser:"@@"`
	Name word  `parser:"@@"`
	Like who   `parser:"'like' @@"`
	Body block `parser:"@@"`
}

var (
	puts      = grammarOf[putNode]()
	rewrites  = grammarOf[rewriteNode]()
	takes     = grammarOf[takeNode]()
	delays    = grammarOf[delayNode]()
	addAgents = grammarOf[addAgentNode]()
)

func (p *parser) patch(b *body, at, to int, op string) (*ast.AttackMember, int) {
	var patch *ast.Patch
	var next int
	switch op {
	case "rewrite":
		patch, next = p.rewrite(b, at, to)
	case "remove", "drop":
		patch, next = p.takeAway(b, at, to)
	case "delay":
		patch, next = p.delay(b, at, to)
	case "add":
		if p.tokens[at+1].Is("tool") {
			patch, next = p.addTool(b, at, to)
		} else {
			patch, next = p.addAgent(b, at, to)
		}
	default:
		patch, next = p.put(b, at, to)
	}
	if patch == nil {
		return nil, next
	}
	return &ast.AttackMember{Span: patch.Span, Patch: patch}, next
}

func (p *parser) put(b *body, at, to int) (*ast.Patch, int) {
	n, next := take(p, b, puts, at, to)
	if n == nil {
		return nil, next
	}
	patch := &ast.Patch{Span: p.spanOf(n.place), Op: p.ident(n.Op), Slot: p.slot(&n.Slot), Value: p.exprOpt(n.Value), When: p.exprOpt(n.When)}
	if n.Call != nil {
		patch.Call = p.call(n.Call)
	}
	return patch, next
}

func (p *parser) rewrite(b *body, at, to int) (*ast.Patch, int) {
	n, next := take(p, b, rewrites, at, to)
	if n == nil {
		return nil, next
	}
	return &ast.Patch{
		Span: p.spanOf(n.place), Op: p.ident(n.Op), Slot: p.slot(&n.Slot), Model: p.ident(n.Model), Value: p.expr(n.Value), When: p.exprOpt(n.When),
	}, next
}

func (p *parser) takeAway(b *body, at, to int) (*ast.Patch, int) {
	n, next := take(p, b, takes, at, to)
	if n == nil {
		return nil, next
	}
	return &ast.Patch{Span: p.spanOf(n.place), Op: p.ident(n.Op), Slot: p.slot(&n.Slot), When: p.exprOpt(n.When)}, next
}

func (p *parser) delay(b *body, at, to int) (*ast.Patch, int) {
	n, next := take(p, b, delays, at, to)
	if n == nil {
		return nil, next
	}
	unit := p.ident(n.Unit)
	p.oneOf(unit, "by", "turns", "rounds")
	return &ast.Patch{
		Span: p.spanOf(n.place), Op: p.ident(n.Op), Slot: p.slot(&n.Slot), Delay: p.expr(n.Delay), Unit: unit, When: p.exprOpt(n.When),
	}, next
}

func (p *parser) addTool(b *body, at, to int) (*ast.Patch, int) {
	t, next := p.tool(b, at+1, to)
	if t == nil {
		return nil, next
	}
	if t.Doc == "" {
		t.Doc = p.doc(at)
	}
	return p.added(at, "tool", t.End, func(patch *ast.Patch) { patch.Tool = t }), next
}

func (p *parser) addAgent(b *body, at, to int) (*ast.Patch, int) {
	n, next := take(p, b, addAgents, at, to)
	if n == nil {
		return nil, next
	}
	p.oneOf(p.ident(n.Kind), "add", "agent", "tool")
	span := p.spanOf(n.place)
	return p.added(at, "agent", span.End, func(patch *ast.Patch) {
		patch.Agent = &ast.AddAgent{Span: span, Name: p.ident(n.Name), Like: p.who(n.Like), Attrs: p.attrs(lex.InAgent, n.Body)}
	}), next
}

// added makes a patch that adds something; its slot is the word for the thing.
func (p *parser) added(at int, kind string, end int, fill func(*ast.Patch)) *ast.Patch {
	head := &ast.Ident{Span: p.tokens[at+1].Span(), Name: kind}
	patch := &ast.Patch{
		Span: ast.Span{Start: p.tokens[at].Start, End: end}, Op: p.ident(word{at}), Slot: &ast.Slot{Span: head.Span, Head: head},
	}
	fill(patch)
	return patch
}

func (p *parser) slot(n *slotNode) *ast.Slot {
	s := &ast.Slot{Span: p.spanOf(n.place), Arg: p.exprOpt(n.Arg), Path: p.idents(n.Path)}
	if n.Head != nil {
		s.Head = p.ident(*n.Head)
	} else {
		s.Head = p.ident(word{n.from()})
	}
	if e := n.Edge; e != nil {
		s.Edge = &ast.Edge{Span: p.spanOf(e.place), From: p.who(e.From), To: p.who(e.To), Both: e.Sign == "<->"}
	}
	return s
}
