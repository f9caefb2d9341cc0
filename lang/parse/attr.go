package parse

import (
	"parley/lang/ast"
	"parley/lang/diag"
	"parley/lang/lex"
)

type toolsNode struct {
	place
	Key   word        `parser:"@@"`
	Names []*word     `parser:"@@ ( ',' @@ )*"`
	Limit *expression `parser:"( 'limit' @@ )?"`
	Then  *word       `parser:"( 'then' @@"`
	Order *text       `parser:"  @@? )?"`
}

type repliesNode struct {
	place
	Key  word        `parser:"@@"`
	Type typ         `parser:"@@"`
	Try  *expression `parser:"( 'try' @@ )?"`
	Else *expression `parser:"( 'else' @@ )?"`
}

type remembersNode struct {
	place
	Key  word        `parser:"@@"`
	Last *expression `parser:"( 'last' @@"`
	Word *word       `parser:"| @@ )"`
}

type whereNode struct {
	place
	Key   word        `parser:"@@"`
	Value expression  `parser:"@@"`
	Try   *expression `parser:"( 'try' @@ )?"`
	Else  *expression `parser:"( 'else' @@ )?"`
}

type handoffNode struct {
	place
	Key word          `parser:"@@"`
	Who []*expression `parser:"@@ ( ',' @@ )*"`
}

var (
	toolses      = grammarOf[toolsNode]()
	replieses    = grammarOf[repliesNode]()
	rememberings = grammarOf[remembersNode]()
	wheres       = grammarOf[whereNode]()
	handoffs     = grammarOf[handoffNode]()
)

// attrs reads the attributes of an agent or of a step.
func (p *parser) attrs(in lex.Place, bl block) []*ast.Attr {
	var out []*ast.Attr
	b := &body{in: in, title: titles[in]}
	from, to := p.inner(bl)
	b.item = func(at int, word string) int {
		a, next := p.attr(b, at, to, word)
		if a != nil {
			out = append(out, a)
		}
		return next
	}
	p.items(b, from, to)
	return out
}

func (p *parser) attr(b *body, at, to int, word string) (*ast.Attr, int) {
	switch word {
	case "role", "model", "shares":
		n, next := take(p, b, keyWords, at, to)
		if n == nil {
			return nil, next
		}
		a := &ast.Attr{Span: p.spanOf(n.place), Key: p.ident(n.Key), Word: p.ident(n.Value), Value: p.cooked(n.Value.at, n.Value.at+1)}
		switch word {
		case "role":
			p.oneOf(a.Word, "role", "orchestrator")
		case "shares":
			a.Value = nil
			p.oneOf(a.Word, "shares", "reply", "text", "tool_results", "nothing")
		}
		return a, next
	case "aside":
		n, next := take(p, b, keys, at, to)
		if n == nil {
			return nil, next
		}
		return &ast.Attr{Span: p.spanOf(n.place), Key: p.ident(n.Key)}, next
	case "tools":
		return p.toolUse(b, at, to)
	case "replies":
		n, next := take(p, b, replieses, at, to)
		if n == nil {
			return nil, next
		}
		return &ast.Attr{Span: p.spanOf(n.place), Key: p.ident(n.Key), Type: p.typ(&n.Type), Try: p.exprOpt(n.Try), Else: p.exprOpt(n.Else)}, next
	case "remembers":
		n, next := take(p, b, rememberings, at, to)
		if n == nil {
			return nil, next
		}
		a := &ast.Attr{Span: p.spanOf(n.place), Key: p.ident(n.Key), Word: p.identOpt(n.Word), Last: p.exprOpt(n.Last)}
		if a.Word != nil {
			p.oneOf(a.Word, "remembers", "all", "nothing", "last")
		}
		return a, next
	case "where":
		n, next := take(p, b, wheres, at, to)
		if n == nil {
			return nil, next
		}
		return &ast.Attr{Span: p.spanOf(n.place), Key: p.ident(n.Key), Value: p.expr(n.Value), Try: p.exprOpt(n.Try), Else: p.exprOpt(n.Else)}, next
	case "handoff":
		n, next := take(p, b, handoffs, at, to)
		if n == nil {
			return nil, next
		}
		return &ast.Attr{Span: p.spanOf(n.place), Key: p.ident(n.Key), Who: p.exprs(n.Who)}, next
	case "if":
		n, next := take(p, b, ifs, at, to)
		if n == nil {
			return nil, next
		}
		key := &ast.Ident{Span: p.tokens[at].Span(), Name: "if"}
		read := func(bl block) []*ast.Attr { return p.attrs(b.in, bl) }
		return choice(p, n, read, func(span ast.Span, cond *ast.Expr, then, otherwise []*ast.Attr) *ast.Attr {
			return &ast.Attr{Span: span, Key: key, If: &ast.If[ast.Attr]{Span: span, Cond: cond, Then: then, Else: otherwise}}
		}), next
	}
	n, next := take(p, b, keyExprs, at, to)
	if n == nil {
		return nil, next
	}
	return &ast.Attr{Span: p.spanOf(n.place), Key: p.ident(n.Key), Value: p.expr(n.Value)}, next
}

func (p *parser) toolUse(b *body, at, to int) (*ast.Attr, int) {
	n, next := take(p, b, toolses, at, to)
	if n == nil {
		return nil, next
	}
	use := &ast.ToolUse{Span: p.spanOf(n.place), Names: p.idents(n.Names), Limit: p.exprOpt(n.Limit), Then: p.identOpt(n.Then)}
	if use.Then != nil {
		p.oneOf(use.Then, "then", "answer", "share", "stop")
	}
	if n.Order != nil {
		use.Order = p.cooked(n.Order.at, n.Order.at+1)
	}
	return &ast.Attr{Span: use.Span, Key: p.ident(n.Key), Tools: use}, next
}

// oneOf reports a word that is none of those that may stand behind a key.
func (p *parser) oneOf(w *ast.Ident, key string, words ...string) {
	for _, ok := range words {
		if w.Name == ok {
			return
		}
	}
	hint := "write `" + key + " " + words[0] + "`"
	if len(words) > 1 {
		hint = "one of: " + listed(words)
	}
	if near := diag.Nearest(w.Name, words); near != "" {
		hint = "did you mean `" + near + "`?"
	}
	p.report(diag.WrongChoice, w.Span, "`"+w.Name+"` cannot stand after `"+key+"`", hint)
}

func listed(words []string) string {
	out := words[0]
	for _, w := range words[1:] {
		out += ", " + w
	}
	return out
}
