package query

import (
	"strings"

	"parley/interp/load"
	"parley/lang/ast"
)

// Entry is something that a file declares, with what it holds.
type Entry struct {
	Kind   Kind
	Name   string
	Detail string
	Span   ast.Span // the name
	Whole  ast.Span
	Inner  []Entry
}

// Test is the kind of tests, which have a title for a name.
const Test Kind = "test"

// Outline lists what the file declares, in order.
func (f *File) Outline() (out []Entry, err error) {
	defer recovered(&err)
	ix := f.names().byName[f.main.Name]
	for _, d := range f.main.File.Decls {
		e := Entry{Whole: d.Span}
		if d.Test != nil {
			e.Kind, e.Name, e.Span = Test, d.Test.Title, ast.Span{Start: d.Start, End: min(d.Start+len("test"), d.End)}
			if e.Name == "" {
				e.Name = "test"
			}
		} else {
			kind, name := load.Named(d)
			if name == nil {
				continue
			}
			e.Kind, e.Name, e.Span = Kind(kind), name.Name, name.Span
			e.Detail = strings.TrimPrefix(strings.TrimPrefix(ix.head(d.Span), string(kind)+" "), name.Name)
		}
		e.Inner = ix.entries(d)
		out = append(out, e)
	}
	return out, nil
}

// entries are the named things within a declaration.
func (ix *index) entries(d *ast.Decl) []Entry {
	var out []Entry
	add := func(kind Kind, name *ast.Ident, whole ast.Span, detail string) {
		if name != nil {
			out = append(out, Entry{Kind: kind, Name: name.Name, Span: name.Span, Whole: whole, Detail: detail})
		}
	}
	walk(d, func(node any) bool {
		switch n := node.(type) {
		case *ast.Expr, *ast.Type, *ast.Param:
			return false
		case *ast.Agent:
			detail := ""
			if n.Count != nil {
				detail = "[" + oneLine(n.Count.Text) + "]"
			}
			add(Agent, n.Name, n.Span, detail)
			return false
		case *ast.Tool:
			add(Tool, n.Name, n.Span, strings.TrimPrefix(ix.head(n.Span), "tool "+n.Name.Name))
			return false
		case *ast.Step:
			detail := ""
			if n.Who != nil {
				detail = oneLine(n.Who.Text)
			}
			add(Label, n.Label, n.Span, detail)
		case *ast.State:
			for _, p := range n.Fields {
				add(State, p.Name, p.Span, "")
			}
		case *ast.Hole:
			add(Hole, n.Name, n.Span, "")
		case *ast.Verify:
			for _, l := range n.Preds {
				add(Predicate, l.Name, l.Span, "")
			}
		case *ast.ScoreItem:
			add(Estimate, n.Name, n.Span, n.Kind.Name)
		}
		return true
	})
	return out
}
