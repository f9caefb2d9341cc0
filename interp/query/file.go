// Package query answers what an author asks of files while writing them: what a
// name means, where it is declared and used, what can stand at a place, and what
// is wrong. It works on broken files as far as they can be read, and knows nothing
// of editors: places are byte offsets.
package query

import (
	"errors"
	"fmt"
	"io/fs"
	"slices"
	"sync"

	"parley/interp/build"
	"parley/interp/load"
	"parley/interp/typing"
	"parley/lang"
	"parley/lang/ast"
	"parley/lang/diag"
	"parley/lang/parse"
	"parley/lang/source"
)

// ErrPanic says that a file could not be looked at, because the program met
// something that it does not foresee.
var ErrPanic = errors.New("this file makes the program stumble; please report it with the file")

// Project is where files come from.
type Project struct {
	Root   fs.FS // texts that are not saved yet stand in for files
	Std    fs.FS
	Getenv func(string) string
	Cache  *load.Cache // of what was parsed before; nil keeps nothing
	// Stop ends a long look at a file: its result is of no use then. It may be nil.
	Stop func() bool
}

// File is one file with everything that it imports, for questions about it.
type File struct {
	project Project
	prog    *load.Program
	found   diag.List
	main    *load.Module

	names  func() *names
	layout func() *layout
	typed  map[*ast.Decl]map[*ast.Expr]typedExpr // by the declaration asked about
}

// typedExpr is an expression with what its place can name.
type typedExpr struct {
	env  *typing.Env
	want typing.Type
}

// files are the project's, read so that the layout of those that were read anew is
// kept in laid.
func (p Project) files(laid map[*ast.File]*parse.Layout) load.Files {
	read := func(name string, src []byte) (*ast.File, diag.List) {
		file, layout, found := lang.ParseLaidOut(name, src)
		laid[file] = layout
		return file, found
	}
	return load.Files{Root: p.Root, Std: p.Std, Parse: read, Cache: p.Cache}
}

// Open reads the file at a path and what it imports.
func Open(p Project, path string) (f *File, err error) {
	defer recovered(&err)
	laid := map[*ast.File]*parse.Layout{}
	prog, found := load.Load(p.files(laid), path)
	if prog == nil {
		return nil, found
	}
	f = &File{project: p, prog: prog, found: found, main: prog.Main, typed: map[*ast.Decl]map[*ast.Expr]typedExpr{}}
	f.names = sync.OnceValue(func() *names { return namesOf(prog.Modules) })
	f.layout = sync.OnceValue(func() *layout {
		if l := laid[prog.Main.File]; l != nil {
			return &layout{l, prog.Main.Source}
		}
		return layoutOf(prog.Main.Source)
	})
	return f, nil
}

// recovered turns a panic into an error: who writes is better served by the other
// answers than by none.
func recovered(err *error) {
	if r := recover(); r != nil {
		*err = fmt.Errorf("%w (%v)", ErrPanic, r)
	}
}

// Path is the file's name in the project.
func (f *File) Path() string { return f.main.Name }

// Source is the text of the file, or of one that it imports; nil for others.
func (f *File) Source(name string) *source.Source {
	for _, m := range f.prog.Modules {
		if m.Name == name {
			return m.Source
		}
	}
	return nil
}

// Main is the text of the file itself.
func (f *File) Main() *source.Source { return f.main.Source }

// Files are the names of the file and of all that it imports.
func (f *File) Files() []string {
	out := make([]string, len(f.prog.Modules))
	for i, m := range f.prog.Modules {
		out[i] = m.Name
	}
	return out
}

// typedIn compiles what concerns a declaration of the file, for what its expressions
// can name. It goes on where something is wrong, and what is said then counts for
// nothing.
func (f *File) typedIn(d *ast.Decl) map[*ast.Expr]typedExpr {
	if out, done := f.typed[d]; done {
		return out
	}
	out := map[*ast.Expr]typedExpr{}
	f.typed[d] = out
	defer func() { _ = recover() }() // of a broken file; what was seen before stays
	c := build.New(f.prog, f.project.Getenv)
	c.Watch(build.Watch{Stop: f.project.Stop, Expr: func(_ *load.Module, e *ast.Expr, env *typing.Env, want typing.Type) {
		if old, seen := out[e]; !seen || openness(env) < openness(old.env) {
			out[e] = typedExpr{env, want}
		}
	}})
	c.CheckOnly(f.concerning(d))
	return out
}

// maxUses bounds in how many scenarios a declaration is looked at.
const maxUses = 2

// concerning are the declarations to compile for what is known of one: itself, or
// the scenarios that use it, with a test and an experiment that run them.
func (f *File) concerning(d *ast.Decl) []*ast.Decl {
	if d.Test != nil || d.Experiment != nil {
		return []*ast.Decl{d}
	}
	n := f.names()
	var out []*ast.Decl
	for _, s := range f.main.File.Decls {
		if s.Scenario != nil && len(out) < maxUses && (s == d || slices.Contains(n.related(f.main, s), d)) {
			out = append(out, s)
		}
	}
	if len(out) == 0 {
		return []*ast.Decl{d}
	}
	tests, experiments := 0, 0
	for _, r := range f.main.File.Decls {
		if r.Test == nil && r.Experiment == nil {
			continue
		}
		runs := false
		eachRef(r, func(kind load.Kind, ref *ast.Ref) {
			runs = runs || kind == load.Scenario && slices.Contains(out, n.target(f.main, kind, ref.Path))
		})
		switch {
		case runs && r.Test != nil && tests < maxUses:
			tests++
			out = append(out, r)
		case runs && r.Experiment != nil && experiments < maxUses:
			experiments++
			out = append(out, r)
		}
	}
	return append(out, d)
}

// openness counts the names of an environment of which nothing is known, in
// hundredths: of several looks at an expression the one that knows most is kept.
func openness(env *typing.Env) int {
	if len(env.Names) == 0 {
		return 100
	}
	n := 0
	for _, t := range env.Names {
		if t.Kind == typing.Open {
			n++
		}
	}
	return 100 * n / len(env.Names)
}

// exprAt is the innermost expression around an offset; nil where there is none.
func (f *File) exprAt(offset int) *ast.Expr {
	var best *ast.Expr
	if d := f.declAround(offset); d.End > 0 {
		walk(d, func(node any) bool {
			if e, ok := node.(*ast.Expr); ok && e.Start <= offset && offset <= e.End {
				if best == nil || e.End-e.Start <= best.End-best.Start {
					best = e
				}
			}
			return true
		})
	}
	return best
}

// partAt is the part of an expression that an offset stands at.
func partAt(parts []typing.Part, offset int) (typing.Part, bool) {
	var best typing.Part
	found := false
	for _, p := range parts {
		if p.Span.Start <= offset && offset <= p.Span.End && (!found || p.Kind != typing.WholePart || best.Kind == typing.WholePart) {
			best, found = p, true
		}
	}
	return best, found
}

// typedAt is the expression around an offset with what its place can name.
func (f *File) typedAt(offset int) (*ast.Expr, typedExpr, bool) {
	e := f.exprAt(offset)
	if e == nil {
		return nil, typedExpr{}, false
	}
	t, ok := f.typedIn(f.declAround(offset))[e]
	return e, t, ok
}

// occurrenceAt is the name that an offset stands at.
func (f *File) occurrenceAt(offset int) (Occurrence, bool) {
	n := f.names()
	list := n.imports(f.main)
	if d := f.declAround(offset); d.End > 0 {
		list = n.within(f.main, d)
	}
	for _, o := range list {
		if o.Span.Start <= offset && offset <= o.Span.End {
			return o, true
		}
	}
	return Occurrence{}, false
}
