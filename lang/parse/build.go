package parse

import (
	"fmt"
	"slices"
	"strings"

	"parley/lang/ast"
	"parley/lang/diag"
	"parley/lang/lex"
	"parley/lang/region"
)

// span covers tokens[from:to].
func (p *parser) span(from, to int) ast.Span {
	if to <= from {
		return ast.Span{Start: p.tokens[from].Start, End: p.tokens[from].Start}
	}
	return ast.Span{Start: p.tokens[from].Start, End: p.tokens[to-1].End}
}

func (p *parser) spanOf(n place) ast.Span { return p.span(n.from(), n.to()) }

func (p *parser) ident(w word) *ast.Ident {
	t := p.tokens[w.at]
	return &ast.Ident{Span: t.Span(), Name: t.Text}
}

func (p *parser) identOpt(w *word) *ast.Ident {
	if w == nil {
		return nil
	}
	return p.ident(*w)
}

func (p *parser) idents(ws []*word) []*ast.Ident {
	var out []*ast.Ident
	for _, w := range ws {
		out = append(out, p.ident(*w))
	}
	return out
}

// cooked makes an expression of tokens[from:to] and reports what is wrong in it.
func (p *parser) cooked(from, to int) *ast.Expr {
	p.outline.expr(from, to)
	e, found := region.Expr(p.src.Text, p.tokens[from:to])
	for _, d := range found {
		p.report(d.Code, d.Span, d.Message, d.Hint)
	}
	return e
}

func (p *parser) expr(e expression) *ast.Expr { return p.cooked(e.from, e.to) }

func (p *parser) exprOpt(e *expression) *ast.Expr {
	if e == nil {
		return nil
	}
	return p.expr(*e)
}

func (p *parser) exprs(es []*expression) []*ast.Expr {
	var out []*ast.Expr
	for _, e := range es {
		out = append(out, p.expr(*e))
	}
	return out
}

func (p *parser) who(w who) *ast.Expr { return p.cooked(w.from, w.to) }

func (p *parser) whoOpt(w *who) *ast.Expr {
	if w == nil {
		return nil
	}
	return p.who(*w)
}

// plain is the text of a string that must not interpolate.
func (p *parser) plain(s text) string {
	t := p.tokens[s.at]
	out, ok := t.Str.Plain()
	if !ok {
		p.report(diag.PlainString, t.Span(), "this string is read before anything has a value, so `${…}` cannot stand in it", "")
	}
	return out
}

// plainExpr is such a string as an expression.
func (p *parser) plainExpr(s text) *ast.Expr {
	p.plain(s)
	return p.cooked(s.at, s.at+1)
}

func (p *parser) params(ps *params) []*ast.Param {
	if ps == nil {
		return nil
	}
	if len(ps.Items) > maxParams {
		p.report(diag.TooLong, p.spanOf(ps.Items[maxParams].place), fmt.Sprintf("a declaration takes at most %d parameters", maxParams), "")
		ps.Items = ps.Items[:maxParams]
	}
	return p.paramList(ps.Items)
}

func (p *parser) paramList(nodes []*paramNode) []*ast.Param {
	var out []*ast.Param
	for _, n := range nodes {
		out = append(out, &ast.Param{
			Span: p.spanOf(n.place), Name: p.ident(n.Name), Type: p.typ(&n.Type), Default: p.exprOpt(n.Default),
		})
	}
	return out
}

func (p *parser) typ(n *typ) *ast.Type {
	p.outline.typ(n.from(), n.to())
	t := &ast.Type{Span: p.spanOf(n.place)}
	switch {
	case n.List != nil:
		t.Kind, t.Elem = ast.TypeList, p.typ(n.List)
	case n.Record != nil:
		t.Kind, t.Fields = ast.TypeRecord, p.paramList(n.Record.Items)
	case len(n.Literals) > 0:
		t.Kind = ast.TypeUnion
		for _, l := range n.Literals {
			t.Literals = append(t.Literals, p.cooked(l.from, l.to))
		}
	default:
		t.Kind, t.Name = ast.TypeName, p.ident(*n.Name)
	}
	if n.Optional {
		inner := *t
		inner.End = p.tokens[n.to()-2].End
		return &ast.Type{Span: t.Span, Kind: ast.TypeOpt, Elem: &inner}
	}
	return t
}

func (p *parser) ref(n *refNode) *ast.Ref {
	return &ast.Ref{Span: p.spanOf(n.place), Path: p.idents(n.Path), Args: p.args(n.Args)}
}

func (p *parser) args(n *args) []*ast.Arg {
	if n == nil {
		return nil
	}
	var out []*ast.Arg
	for _, a := range n.Items {
		out = append(out, &ast.Arg{Span: p.spanOf(a.place), Name: p.identOpt(a.Name), Value: p.expr(a.Value)})
	}
	return out
}

func (p *parser) call(n *callNode) *ast.CallForm {
	return &ast.CallForm{Span: p.spanOf(n.place), Name: p.ident(n.Name), Args: p.args(&n.Args)}
}

// inner is the range of tokens between a block's braces.
func (p *parser) inner(b block) (from, to int) { return b.from + 1, b.to - 1 }

// bindings reads a block of name = expression.
func (p *parser) bindings(b block, title string) []*ast.Let {
	var out []*ast.Let
	seen := map[string]bool{}
	body := &body{title: title, formOfShape: "it is written: name = expression"}
	body.shape = func(at int) bool { return p.tokens[at+1].Is("=") }
	from, to := p.inner(b)
	body.item = func(at int, _ string) int {
		n, next := take(p, body, bindings, at, to)
		if n != nil {
			out = append(out, p.binding(n))
			p.distinct(seen, n.Name)
		}
		return next
	}
	p.items(body, from, to)
	return out
}

func (p *parser) binding(n *binding) *ast.Let {
	return &ast.Let{Span: p.spanOf(n.place), Name: p.ident(n.Name), Value: p.expr(n.Value)}
}

// distinct reports a name that a block gives twice.
func (p *parser) distinct(seen map[string]bool, w word) {
	t := p.tokens[w.at]
	if seen[t.Text] {
		p.report(diag.Duplicate, t.Span(), "`"+t.Text+"` is given twice", "one of the two has to go or to be renamed")
	}
	seen[t.Text] = true
}

// doc is the text of the comment lines directly above a token, nothing else
// between them.
func (p *parser) doc(at int) string {
	line := p.src.LineOf(p.tokens[at].Start)
	var lines []string
	for i := p.commentBefore(p.tokens[at].Start); i >= 0; i-- {
		c := p.comments[i]
		if p.src.LineOf(c.Start) != line-1 || at > 0 && c.Start < p.tokens[at-1].End || !p.alone(c) {
			break
		}
		line--
		lines = append(lines, strings.TrimRight(strings.TrimPrefix(c.Text, " "), " \t"))
	}
	slices.Reverse(lines)
	return strings.Join(lines, "\n")
}

// commentBefore is the index of the last comment that ends before an offset.
func (p *parser) commentBefore(offset int) int {
	lo, hi := 0, len(p.comments)
	for lo < hi {
		mid := (lo + hi) / 2
		if p.comments[mid].End <= offset {
			lo = mid + 1
		} else {
			hi = mid
		}
	}
	return lo - 1
}

// alone reports whether nothing but blanks stands before a comment on its line.
func (p *parser) alone(c ast.Comment) bool {
	for i := p.src.LineStart(c.Start); i < c.Start; i++ {
		if b := p.src.Text[i]; b != ' ' && b != '\t' {
			return false
		}
	}
	return true
}

// choice builds a static or a run-time if from its grammar: each elseIf is an
// if within the branch before it. read parses one branch.
func choice[T any](p *parser, n *ifNode, read func(block) []*T, wrap func(span ast.Span, cond *ast.Expr, then, otherwise []*T) *T) *T {
	if len(n.More) > lex.MaxDepth {
		p.report(diag.TooDeep, p.spanOf(n.More[lex.MaxDepth].place), "more than 64 `else if` follow one another here", "")
		n.More = n.More[:lex.MaxDepth]
	}
	heads := []*elseIf{{place: n.place, Cond: n.Cond, Then: n.Then}}
	heads = append(heads, n.More...)
	conds := make([]*ast.Expr, len(heads))
	thens := make([][]*T, len(heads))
	for i, h := range heads {
		conds[i], thens[i] = p.expr(h.Cond), read(h.Then)
	}
	var otherwise []*T
	if n.Else != nil {
		otherwise = read(*n.Else)
	}
	end := p.tokens[n.to()-1].End
	for i := len(heads) - 1; ; i-- {
		start := heads[i].from()
		if i > 0 {
			start++ // behind the else
		}
		one := wrap(ast.Span{Start: p.tokens[start].Start, End: end}, conds[i], thens[i], otherwise)
		if i == 0 {
			return one
		}
		otherwise = []*T{one}
	}
}
