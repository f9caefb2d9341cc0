package query

import (
	"regexp"
	"sort"
	"sync"

	"parley/interp/build"
	"parley/interp/load"
	"parley/lang/ast"
	"parley/lang/diag"
)

// Beyond says what is wrong with the declarations of a broken file that hang on
// nothing broken. found is what loading the program found.
func Beyond(prog *load.Program, getenv func(string) string, found diag.List) diag.List {
	f := &File{project: Project{Getenv: getenv}, prog: prog, found: found, main: prog.Main}
	f.names = sync.OnceValue(func() *names { return namesOf(prog.Modules) })
	return f.beyond(found)
}

// beyond looks at the declarations of a broken file that hang on nothing broken.
func (f *File) beyond(found diag.List) (more diag.List) {
	b := f.breakage(found)
	whole := b.whole()
	if len(whole) == 0 {
		return nil
	}
	defer func() {
		if recover() != nil {
			more = nil
		}
	}()
	c := build.New(f.prog, f.project.Getenv)
	c.Watch(build.Watch{Stop: f.project.Stop})
	c.CheckOnly(whole)
	for _, d := range c.Diagnostics() {
		if d.File != f.main.Name || b.names(f.main, d.Span) {
			continue // it may follow from what is broken
		}
		for _, decl := range whole {
			if decl.Start <= d.Span.Start && d.Span.End <= decl.End {
				more = append(more, d)
				break
			}
		}
	}
	return more
}

// breakage is what could not be read of some files: which declarations, and which
// words may be the names of others.
type breakage struct {
	f      *File
	broken map[*ast.Decl]bool
	lost   map[*load.Module]map[string]bool // names that what is broken may declare
	state  map[*ast.Decl]int
}

var wordForm = regexp.MustCompile(`[\pL_][\pL\pN_]*`)

func (f *File) breakage(found diag.List) *breakage {
	b := &breakage{f: f, broken: map[*ast.Decl]bool{}, lost: map[*load.Module]map[string]bool{}, state: map[*ast.Decl]int{}}
	for _, m := range f.prog.Modules {
		var wrong []ast.Span
		for _, x := range found {
			if x.File == m.Name && x.Severity == diag.Error {
				wrong = append(wrong, x.Span)
			}
		}
		if len(wrong) > 0 {
			b.lost[m] = b.read(m, wrong)
		}
	}
	return b
}

// read notes which declarations of a file are broken, and gives the names that they
// and the text between declarations may declare.
func (b *breakage) read(m *load.Module, wrong []ast.Span) map[string]bool {
	lost := map[string]bool{}
	at := 0
	between := func(to int) {
		if to > at {
			for _, w := range wordForm.FindAllString(m.Source.Text[at:to], -1) {
				lost[w] = true
			}
		}
	}
	for _, d := range m.File.Decls {
		between(d.Start)
		at = max(at, d.End)
		for _, w := range wrong {
			if w.Start < d.End && w.End >= d.Start {
				b.broken[d] = true
			}
		}
		if _, name := load.Named(d); name != nil && b.broken[d] {
			lost[name.Name] = true
		}
	}
	between(len(m.Source.Text))
	return lost
}

// names reports whether a short place holds a name that something broken may declare.
func (b *breakage) names(m *load.Module, at ast.Span) bool {
	const short = 80
	if at.Start >= at.End || at.End > len(m.Source.Text) || at.End-at.Start > short {
		return false
	}
	for _, w := range wordForm.FindAllString(m.Source.Text[at.Start:at.End], -1) {
		if b.lost[m][w] {
			return true
		}
	}
	return false
}

// whole are the declarations of the main file that were read to their end and name
// only such.
func (b *breakage) whole() []*ast.Decl {
	var out []*ast.Decl
	for _, d := range b.f.main.File.Decls {
		if b.sound(b.f.main, d) {
			out = append(out, d)
		}
	}
	return out
}

// sound reports whether a declaration and all that it names were read whole.
func (b *breakage) sound(m *load.Module, d *ast.Decl) bool {
	const open, good, bad = 1, 2, 3
	switch b.state[d] {
	case good, open:
		return true
	case bad:
		return false
	}
	b.state[d] = open
	ok := !b.broken[d]
	n := b.f.names()
	eachRef(d, func(kind load.Kind, ref *ast.Ref) { ok = ok && b.reaches(m, kind, ref.Path) })
	walk(d, func(node any) bool { // a model may be what could not be read
		if use, is := node.(*ast.ModelUse); is && use.Name != nil {
			ok = ok && b.reaches(m, load.Model, []*ast.Ident{use.Name})
		}
		return true
	})
	all := n.occurrences(m)
	from := sort.Search(len(all), func(i int) bool { return all[i].Span.Start >= d.Start })
	for _, o := range all[from:] {
		if o.Span.Start >= d.End {
			break
		}
		for _, s := range o.Symbols {
			ok = ok && (s.decl == nil || !b.broken[s.decl])
		}
	}
	if b.state[d] = good; !ok {
		b.state[d] = bad
	}
	return ok
}

// reaches reports whether a reference leads to something sound, or to nothing at all:
// to no declaration, and to no word of what could not be read.
func (b *breakage) reaches(m *load.Module, kind load.Kind, path []*ast.Ident) bool {
	n := b.f.names()
	if target := n.target(m, kind, path); target != nil {
		return b.sound(n.decls[target].module, target)
	}
	owner := m
	if len(path) == 2 {
		if owner = imported(m, path[0].Name); owner == nil {
			return !m.Imported(path[0].Name) && !b.lost[m][path[0].Name]
		}
	}
	for _, p := range path {
		if b.lost[owner][p.Name] {
			return false
		}
	}
	return true
}
