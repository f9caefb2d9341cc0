package query

import (
	"slices"

	"parley/interp/build"
	"parley/interp/load"
	"parley/lang/ast"
	"parley/lang/diag"
)

// Diagnose says what is wrong with a file and with what it imports. Where
// something cannot be read, the declarations that do not hang on it are looked at
// all the same. Files are those that were read, the file itself last.
func Diagnose(p Project, path string) (found diag.List, f *File, err error) {
	defer recovered(&err)
	if f, err = Open(p, path); err != nil {
		return nil, nil, err
	}
	found = append(found, f.found...)
	if !found.HasErrors() {
		c := build.New(f.prog, p.Getenv)
		c.Watch(build.Watch{Stop: p.Stop})
		c.Check()
		found = append(found, c.Diagnostics()...)
	} else {
		found = append(found, f.beyond(found)...)
	}
	found.Sort()
	return found, f, nil
}

// beyond looks at the declarations of a broken file that hang on nothing broken.
func (f *File) beyond(found diag.List) (more diag.List) {
	whole := f.whole(found)
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
	c.Check()
	for _, d := range c.Diagnostics() {
		if d.Severity != diag.Error || d.File != f.main.Name {
			continue // that something is never used may follow from what is broken
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

// whole are the declarations of the file that were read to their end and name
// only such.
func (f *File) whole(found diag.List) []*ast.Decl {
	broken := map[*ast.Decl]bool{}
	for _, m := range f.prog.Modules {
		for _, d := range m.File.Decls {
			for _, x := range found {
				if x.File == m.Name && x.Severity == diag.Error && x.Span.Start < d.End && x.Span.End >= d.Start {
					broken[d] = true
				}
			}
		}
	}
	state := map[*ast.Decl]int{}
	var out []*ast.Decl
	for _, d := range f.main.File.Decls {
		if f.sound(f.main, d, broken, state) {
			out = append(out, d)
		}
	}
	return out
}

// sound reports whether a declaration and all that it names were read whole.
func (f *File) sound(m *load.Module, d *ast.Decl, broken map[*ast.Decl]bool, state map[*ast.Decl]int) bool {
	const open, good, bad = 1, 2, 3
	switch state[d] {
	case good, open:
		return true
	case bad:
		return false
	}
	state[d] = open
	ok := !broken[d]
	n := f.names()
	eachRef(d, func(kind load.Kind, ref *ast.Ref) {
		target := n.target(m, kind, ref.Path)
		ok = ok && target != nil && f.sound(n.decls[target].module, target, broken, state)
	})
	for _, o := range n.occurrences(m) {
		if o.Span.Start < d.Start || o.Span.End > d.End {
			continue
		}
		for _, s := range o.Symbols {
			ok = ok && (s.decl == nil || !broken[s.decl])
		}
	}
	walk(d, func(node any) bool { // a model or a set may be what could not be read
		if use, is := node.(*ast.ModelUse); is && use.Name != nil {
			ok = ok && n.target(m, load.Model, []*ast.Ident{use.Name}) != nil
		}
		return true
	})
	if state[d] = good; !ok {
		state[d] = bad
	}
	return ok
}

// Compatible reports whether two lists say the same apart from places.
func sameFindings(a, b diag.List) bool {
	return slices.EqualFunc(a, b, func(x, y diag.Diagnostic) bool {
		return x.Code == y.Code && x.File == y.File && x.Message == y.Message
	})
}
