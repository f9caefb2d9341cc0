package query

import (
	"fmt"
	"strings"

	"parley/interp/typing"
	"parley/lang/ast"
	"parley/lang/lex"
)

// Location is a place in a file.
type Location struct {
	File string
	Span ast.Span
	Std  bool
	Def  bool
}

// Meaning is what is known of the thing at a place.
type Meaning struct {
	Span ast.Span
	Form string // how it is declared, or a name with its type
	Doc  string // sentences
	// From is the file that declares it, where that is another one.
	From string
}

// At tells what stands at an offset; nil where nothing is known.
func (f *File) At(offset int) (m *Meaning, err error) {
	defer recovered(&err)
	if m := f.importMeaning(offset); m != nil {
		return m, nil
	}
	part, typed := f.partOf(offset)
	if o, ok := f.occurrenceAt(offset); ok && len(o.Symbols) > 0 {
		return f.symbolMeaning(o, part, typed), nil
	}
	if typed {
		if m := partMeaning(part); m != nil {
			return m, nil
		}
	}
	return f.keywordMeaning(offset), nil
}

// importMeaning tells what an imported file says of itself and what it declares.
func (f *File) importMeaning(offset int) *Meaning {
	for _, imp := range f.main.Imports() {
		span := imp.Use.Span
		if offset < span.Start || offset > span.End || imp.Module == nil {
			continue
		}
		ix := f.names().byName[imp.Module.Name]
		m := &Meaning{Span: span, Form: oneLine(f.main.Source.Text[span.Start:span.End]), From: imp.Module.Name}
		var list []string
		for _, d := range imp.Module.File.Decls {
			if sym := ix.decls[d]; sym != nil {
				list = append(list, "- `"+sym.Form+"`")
			}
		}
		m.Doc = strings.TrimSpace(heading(imp.Module.File) + "\n\n" + strings.Join(list, "\n"))
		return m
	}
	return nil
}

// heading is the comment that a file begins with, unless it is its first
// declaration's own.
func heading(file *ast.File) string {
	var lines []string
	for i, c := range file.Comments {
		if len(file.Decls) > 0 && c.Start > file.Decls[0].Start || i > 0 && c.Start > file.Comments[i-1].End+maxGap {
			break
		}
		lines = append(lines, strings.TrimSpace(c.Text))
	}
	text := strings.Join(lines, "\n")
	if len(file.Decls) > 0 && strings.TrimSpace(file.Decls[0].Doc) == text {
		return ""
	}
	return text
}

// maxGap is how far apart the lines of one comment may stand, in bytes.
const maxGap = 2

// partOf is the typed part of an expression at an offset.
func (f *File) partOf(offset int) (typing.Part, bool) {
	e, t, ok := f.typedAt(offset)
	if !ok {
		return typing.Part{}, false
	}
	return partAt(typing.Trace(e, t.env, t.want), offset)
}

func (f *File) symbolMeaning(o Occurrence, part typing.Part, typed bool) *Meaning {
	sym := o.Symbols[0]
	m := &Meaning{Span: o.Span, Form: sym.Form, Doc: sym.Doc}
	switch sym.Kind {
	case Parameter, State, Reply:
		m.Form = string(sym.Kind) + " " + sym.Form
	case Alias:
		m.Form = sym.Form
	}
	if typed && part.Span == o.Span && (part.Kind == typing.NamePart || part.Kind == typing.FieldPart) {
		if text := Written(part.Type); text != "" && sym.typ == nil {
			m.Form += "\n// " + part.Name + ": " + text
		}
	}
	var about []string
	if a := aboutOf(sym); a != "" && m.Doc == "" {
		m.Doc = a
	}
	for _, other := range o.Symbols[1:] {
		about = append(about, fmt.Sprintf("%s in %s", oneLine(other.Form), other.File))
	}
	if len(about) > 0 {
		m.Doc = strings.TrimSpace(m.Doc + "\n\nAlso: " + strings.Join(about, "; "))
	}
	if sym.File != f.main.Name {
		m.From = sym.File
	}
	return m
}

// aboutOf is what a declaration says of itself, where no comment does.
func aboutOf(sym *Symbol) string {
	text := ""
	if sym.decl == nil {
		return ""
	}
	walk(sym.decl, func(node any) bool {
		switch n := node.(type) {
		case *ast.TeamMember:
			about(n.About, &text)
		case *ast.WorkspaceMember:
			about(n.About, &text)
		case *ast.AttackMember:
			about(n.About, &text)
		case *ast.DefenseMember:
			about(n.About, &text)
		case *ast.ScenarioMember:
			about(n.About, &text)
		case *ast.ExperimentMember:
			about(n.About, &text)
		case *ast.Agent, *ast.Tool:
			return false
		}
		return true
	})
	return text
}

func about(e *ast.Expr, to *string) {
	if e != nil && *to == "" {
		*to = oneLine(strings.Trim(e.Text, `"`))
	}
}

// partMeaning tells a part's type, and what the language says of the name.
func partMeaning(p typing.Part) *Meaning {
	m := &Meaning{Span: p.Span}
	switch p.Kind {
	case typing.FunctionPart:
		fn, ok := functions[p.Name]
		if !ok {
			return nil
		}
		m.Form, m.Doc = fn.form+" → "+Written(p.Type), fn.says
	case typing.NamePart:
		m.Form, m.Doc = p.Name+": "+Written(p.Type), standing[p.Name]
	case typing.FieldPart:
		m.Form, m.Doc = p.Name+": "+Written(p.Type), fieldDoc(p.Base, p.Name)
	case typing.ElementPart:
		m.Form, m.Doc = "#"+p.Name+": "+Written(p.Type), "The element that is looked at."
	case typing.WordPart:
		if p.Words.Name == "" {
			return nil
		}
		m.Form = p.Words.Name + ": " + Written(p.Words)
	default:
		m.Form = Written(p.Type)
	}
	return m
}

func fieldDoc(base typing.Type, name string) string {
	thing := base.Name
	if base.Kind == typing.Agent {
		thing = "agent"
	}
	return fields[thing+"."+name]
}

// keywordMeaning shows how the word that begins an item is written.
func (f *File) keywordMeaning(offset int) *Meaning {
	at := f.layout().at(offset)
	if at.word == nil || !at.first {
		return nil
	}
	k, ok := lex.Lookup(at.in, at.word.Text)
	if !ok || k.Form == "" {
		return nil
	}
	return &Meaning{Span: at.word.Span(), Form: k.Form, Doc: "`" + k.Word + "` in " + placeName(at.in) + "."}
}

// Definitions are where the name at an offset is declared.
func (f *File) Definitions(offset int) (out []Location, err error) {
	defer recovered(&err)
	if loc, ok := f.importAt(offset); ok {
		return []Location{loc}, nil
	}
	o, ok := f.occurrenceAt(offset)
	if !ok {
		return nil, nil
	}
	for _, s := range o.Symbols {
		if s.Kind == Alias && o.Def {
			if loc, ok := f.importAt(s.Whole.Start + len("use ") + 1); ok {
				return []Location{loc}, nil
			}
		}
		out = append(out, Location{File: s.File, Span: s.Span, Std: s.Std, Def: true})
	}
	return out, nil
}

// importAt is the file that the path at an offset leads to.
func (f *File) importAt(offset int) (Location, bool) {
	for _, imp := range f.main.Imports() {
		span := imp.Use.Span
		if offset < span.Start || offset > span.End || imp.Module == nil {
			continue
		}
		if imp.Use.As != nil && offset >= imp.Use.As.Start {
			continue
		}
		return Location{File: imp.Module.Name, Std: imp.Module.Std}, true
	}
	return Location{}, false
}
