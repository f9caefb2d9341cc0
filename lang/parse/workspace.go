package parse

import (
	"parley/lang/ast"
	"parley/lang/diag"
	"parley/lang/lex"
)

type workspaceNode struct {
	place
	Name   word    `parser:"'workspace' @@"`
	Params *params `parser:"@@?"`
	Body   block   `parser:"@@"`
}

type toolNode struct {
	place
	Name   word        `parser:"'tool' @@"`
	Params params      `parser:"@@"`
	Access []*accessTo `parser:"@@*"`
	Body   block       `parser:"@@"`
}

type accessTo struct {
	place
	Kind string        `parser:"@( 'reads' | 'writes' )"`
	URIs []*expression `parser:"@@ ( ',' @@ )*"`
}

type stateNode struct {
	place
	Fields fields `parser:"'state' @@"`
}

type fileNode struct {
	place
	Path expression `parser:"'file' @@"`
	Text expression `parser:"'=' @@"`
}

type mailNode struct {
	place
	ID     expression `parser:"'mail' @@"`
	Fields []*argNode `parser:"'{' ( @@ ( ',' @@ )* ','? )? '}'"`
}

type pageNode struct {
	place
	Path expression `parser:"'page' @@"`
	Text expression `parser:"'=' @@"`
}

type holeNode struct {
	place
	Name    word       `parser:"'hole' @@"`
	Default expression `parser:"'=' @@"`
}

type corpusNode struct {
	place
	Owner *who  `parser:"'corpus' @@?"`
	Body  block `parser:"@@"`
}

type allowNode struct {
	place
	Kind string        `parser:"'allow' @( 'read' | 'write' )"`
	All  *expression   `parser:"( 'by' @@"`
	URIs []*expression `parser:"| @@ ( ',' @@ )*"`
	By   *expression   `parser:"  ( 'by' @@ )? )"`
	When *expression   `parser:"( 'when' @@ )?"`
}

var (
	workspaces = grammarOf[workspaceNode]()
	tools      = grammarOf[toolNode]()
	states     = grammarOf[stateNode]()
	files      = grammarOf[fileNode]()
	mails      = grammarOf[mailNode]()
	pages      = grammarOf[pageNode]()
	holes      = grammarOf[holeNode]()
	corpora    = grammarOf[corpusNode]()
	allows     = grammarOf[allowNode]()
)

func (p *parser) workspace(b *body, at, to int) (*ast.Workspace, int) {
	n, next := take(p, b, workspaces, at, to)
	if n == nil {
		return nil, next
	}
	return &ast.Workspace{
		Span: p.spanOf(n.place), Name: p.ident(n.Name), Params: p.params(n.Params), Members: p.workspaceMembers(n.Body),
	}, next
}

func (p *parser) workspaceMembers(bl block) []*ast.WorkspaceMember {
	var out []*ast.WorkspaceMember
	b := &body{in: lex.InWorkspace, title: titles[lex.InWorkspace]}
	from, to := p.inner(bl)
	b.item = func(at int, word string) int {
		m, next := p.workspaceMember(b, at, to, word)
		if m != nil {
			out = append(out, m)
		}
		return next
	}
	p.items(b, from, to)
	return out
}

func (p *parser) workspaceMember(b *body, at, to int, word string) (*ast.WorkspaceMember, int) {
	switch word {
	case "about":
		n, next := take(p, b, keyExprs, at, to)
		if n == nil {
			return nil, next
		}
		return &ast.WorkspaceMember{Span: p.spanOf(n.place), About: p.expr(n.Value)}, next
	case "state":
		n, next := take(p, b, states, at, to)
		if n == nil {
			return nil, next
		}
		span := p.spanOf(n.place)
		return &ast.WorkspaceMember{Span: span, State: &ast.State{Span: span, Fields: p.paramList(n.Fields.Items)}}, next
	case "file":
		n, next := take(p, b, files, at, to)
		if n == nil {
			return nil, next
		}
		span := p.spanOf(n.place)
		return &ast.WorkspaceMember{Span: span, File: &ast.FileItem{Span: span, Path: p.expr(n.Path), Text: p.expr(n.Text)}}, next
	case "mail":
		n, next := take(p, b, mails, at, to)
		if n == nil {
			return nil, next
		}
		span := p.spanOf(n.place)
		return &ast.WorkspaceMember{Span: span, Mail: &ast.MailItem{Span: span, ID: p.expr(n.ID), Fields: p.args(&args{n.Fields})}}, next
	case "page":
		n, next := take(p, b, pages, at, to)
		if n == nil {
			return nil, next
		}
		span := p.spanOf(n.place)
		return &ast.WorkspaceMember{Span: span, Page: &ast.FileItem{Span: span, Path: p.expr(n.Path), Text: p.expr(n.Text)}}, next
	case "hole":
		n, next := take(p, b, holes, at, to)
		if n == nil {
			return nil, next
		}
		span := p.spanOf(n.place)
		return &ast.WorkspaceMember{Span: span, Hole: &ast.Hole{Span: span, Name: p.ident(n.Name), Default: p.expr(n.Default)}}, next
	case "corpus":
		c, next := p.corpus(b, at, to)
		if c == nil {
			return nil, next
		}
		return &ast.WorkspaceMember{Span: c.Span, Corpus: c}, next
	case "tool":
		t, next := p.tool(b, at, to)
		if t == nil {
			return nil, next
		}
		return &ast.WorkspaceMember{Span: t.Span, Tool: t}, next
	case "allow":
		a, next := p.allow(b, at, to)
		if a == nil {
			return nil, next
		}
		return &ast.WorkspaceMember{Span: a.Span, Allow: a}, next
	}
	n, next := take(p, b, ifs, at, to)
	if n == nil {
		return nil, next
	}
	return choice(p, n, p.workspaceMembers, func(span ast.Span, cond *ast.Expr, then, otherwise []*ast.WorkspaceMember) *ast.WorkspaceMember {
		return &ast.WorkspaceMember{Span: span, If: &ast.If[ast.WorkspaceMember]{Span: span, Cond: cond, Then: then, Else: otherwise}}
	}), next
}

func (p *parser) tool(b *body, at, to int) (*ast.Tool, int) {
	n, next := take(p, b, tools, at, to)
	if n == nil {
		return nil, next
	}
	t := &ast.Tool{Span: p.spanOf(n.place), Doc: p.doc(at), Name: p.ident(n.Name), Params: p.paramList(n.Params.Items)}
	for _, a := range n.Access {
		list := &t.Reads
		if a.Kind == "writes" {
			list = &t.Writes
		}
		if *list != nil {
			p.report(diag.Duplicate, p.tokens[a.from()].Span(), "`"+a.Kind+"` is said twice in this tool", "list all resources once, with commas between them")
		}
		*list = append(*list, p.exprs(a.URIs)...)
	}
	from, end := p.inner(n.Body)
	t.Body = p.statementList(lex.InTool, from, end, func(e *ast.Expr) { t.About = e })
	return t, next
}

func (p *parser) misplacedAbout(at int) {
	p.report(diag.WrongPlace, p.tokens[at].Span(), "`about` describes a tool, and stands at the top of its body", "")
}

func (p *parser) corpus(b *body, at, to int) (*ast.Corpus, int) {
	n, next := take(p, b, corpora, at, to)
	if n == nil {
		return nil, next
	}
	c := &ast.Corpus{Span: p.spanOf(n.place), Owner: p.whoOpt(n.Owner)}
	for _, s := range p.settings(lex.InCorpus, n.Body) {
		switch s.Key.Name {
		case "from":
			c.From = s.Value
		case "top":
			c.Top = s.Value
		case "truncate":
			c.Truncate = s.Value
		}
	}
	return c, next
}

func (p *parser) allow(b *body, at, to int) (*ast.Allow, int) {
	n, next := take(p, b, allows, at, to)
	if n == nil {
		return nil, next
	}
	a := &ast.Allow{
		Span: p.spanOf(n.place), Write: n.Kind == "write", URIs: p.exprs(n.URIs), By: p.exprOpt(n.By), When: p.exprOpt(n.When),
	}
	if n.All != nil {
		a.By = p.expr(*n.All)
	}
	return a, next
}
