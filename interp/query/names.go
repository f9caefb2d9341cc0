package query

import (
	"strings"

	"parley/interp/load"
	"parley/lang/ast"
)

// index holds the names that one file declares.
type index struct {
	module *load.Module
	decls  map[*ast.Decl]*Symbol
	spaces map[*ast.Decl]space
	uses   map[string]*Symbol
}

func indexOf(m *load.Module) *index {
	ix := &index{module: m, decls: map[*ast.Decl]*Symbol{}, spaces: map[*ast.Decl]space{}, uses: map[string]*Symbol{}}
	for _, imp := range m.Imports() {
		sym := ix.symbol(Alias, &ast.Ident{Span: imp.Use.Span, Name: imp.Name}, imp.Use.Span)
		if imp.Use.As != nil {
			sym.Span = imp.Use.As.Span
		}
		ix.uses[imp.Name] = sym
	}
	for _, d := range m.File.Decls {
		if kind, name := load.Named(d); name != nil {
			sym := ix.symbol(Kind(kind), name, d.Span)
			sym.Doc, sym.decl, sym.Form = strings.TrimSpace(d.Doc), d, ix.head(d.Span)
			if d.Judge != nil {
				sym.replies = repliesIn(d.Judge.Attrs)
			}
			ix.decls[d] = sym
		}
		ix.spaces[d] = ix.collect(d)
	}
	return ix
}

func (ix *index) symbol(kind Kind, name *ast.Ident, whole ast.Span) *Symbol {
	return &Symbol{Kind: kind, Name: name.Name, File: ix.module.Name, Span: name.Span, Whole: whole, Std: ix.module.Std, module: ix.module, Form: ix.line(whole)}
}

// collect gathers the names within a declaration that have one meaning all
// through it.
func (ix *index) collect(d *ast.Decl) space {
	s := space{}
	for _, p := range d.Params() {
		s.add(ix.field(Parameter, p))
	}
	walk(d, func(node any) bool {
		switch n := node.(type) {
		case *ast.Expr, *ast.Type, *ast.Ref:
			return false
		case *ast.Agent:
			sym := ix.symbol(Agent, n.Name, n.Span)
			sym.Doc, sym.Form, sym.replies = strings.TrimSpace(n.Doc), ix.head(n.Span), repliesIn(n.Attrs)
			s.add(sym)
			return false
		case *ast.AddAgent:
			s.add(ix.symbol(Agent, n.Name, n.Span))
			return false
		case *ast.Tool:
			sym := ix.symbol(Tool, n.Name, n.Span)
			sym.Doc, sym.Form, sym.tool = strings.TrimSpace(n.Doc), ix.head(n.Span), n
			s.add(sym)
		case *ast.Step:
			if n.Label != nil {
				sym := ix.symbol(Label, n.Label, n.Span)
				sym.Form, sym.replies, sym.who = ix.head(n.Span), repliesIn(n.Attrs), n.Who
				s.add(sym)
			}
		case *ast.State:
			for _, f := range n.Fields {
				s.add(ix.field(State, f))
			}
		case *ast.Hole:
			s.add(ix.symbol(Hole, n.Name, n.Span))
		case *ast.Verify:
			for _, l := range n.Preds {
				s.add(ix.symbol(Predicate, l.Name, l.Span))
			}
		case *ast.ScoreItem:
			s.add(ix.symbol(Estimate, n.Name, n.Span))
		case *ast.Tasks:
			ix.fields(s, n.Map)
		case *ast.Task:
			ix.fields(s, n.Fields)
		}
		return true
	})
	return s
}

func (ix *index) fields(s space, lets []*ast.Let) {
	for _, l := range lets {
		s.add(ix.symbol(TaskField, l.Name, l.Span))
	}
}

func (ix *index) field(kind Kind, p *ast.Param) *Symbol {
	sym := ix.symbol(kind, p.Name, p.Span)
	sym.typ = p.Type
	return sym
}

// repliesIn are the types after `replies`, in either branch of a choice.
func repliesIn(attrs []*ast.Attr) []*ast.Type {
	var out []*ast.Type
	for _, a := range attrs {
		switch {
		case a.If != nil:
			out = append(out, repliesIn(a.If.Then)...)
			out = append(out, repliesIn(a.If.Else)...)
		case a.Type != nil:
			out = append(out, a.Type)
		}
	}
	return out
}

// maxForm bounds how much of a declaration is shown.
const maxForm = 240

// head is the beginning of a declaration, up to its block.
func (ix *index) head(span ast.Span) string {
	text := ix.text(span)
	depth := 0
	for i, r := range text {
		switch r {
		case '(', '[':
			depth++
		case ')', ']':
			depth--
		case '{':
			if depth == 0 {
				return oneLine(text[:i])
			}
		}
	}
	return oneLine(text)
}

func (ix *index) line(span ast.Span) string { return oneLine(ix.text(span)) }

func (ix *index) text(span ast.Span) string {
	text := ix.module.Source.Text
	from := min(max(span.Start, 0), len(text))
	return text[from:min(max(span.End, from), len(text))]
}

// oneLine joins the words of a text and cuts it.
func oneLine(text string) string {
	if len(text) > 4*maxForm {
		text = text[:4*maxForm]
	}
	text = strings.Join(strings.Fields(strings.ToValidUTF8(text, "")), " ")
	if runes := []rune(text); len(runes) > maxForm {
		text = string(runes[:maxForm]) + "…"
	}
	return text
}
