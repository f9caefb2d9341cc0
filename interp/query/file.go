// Package query answers what an author asks of files while writing them: what a
// name means, where it is declared and used, what can stand at a place, and what
// is wrong. It works on broken files as far as they can be read, and knows nothing
// of editors: places are byte offsets.
package query

import (
	"errors"
	"fmt"
	"io/fs"
	"sync"

	"parley/interp/build"
	"parley/interp/load"
	"parley/interp/typing"
	"parley/lang"
	"parley/lang/ast"
	"parley/lang/diag"
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
	typed  func() map[*ast.Expr]typedExpr
}

// typedExpr is an expression with what its place can name.
type typedExpr struct {
	env  *typing.Env
	want typing.Type
}

func (p Project) files() load.Files {
	return load.Files{Root: p.Root, Std: p.Std, Parse: lang.Parse, Cache: p.Cache}
}

// Open reads the file at a path and what it imports.
func Open(p Project, path string) (f *File, err error) {
	defer recovered(&err)
	prog, found := load.Load(p.files(), path)
	if prog == nil {
		return nil, found
	}
	f = &File{project: p, prog: prog, found: found, main: prog.Main}
	f.names = sync.OnceValue(func() *names { return namesOf(prog.Modules) })
	f.layout = sync.OnceValue(func() *layout { return layoutOf(prog.Main.Source) })
	f.typed = sync.OnceValue(f.watch)
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

// watch compiles the file for what its expressions can name. It goes on where
// something is wrong, and what is said then counts for nothing.
func (f *File) watch() (out map[*ast.Expr]typedExpr) {
	out = map[*ast.Expr]typedExpr{}
	defer func() { _ = recover() }() // of a broken file; what was seen before stays
	c := build.New(f.prog, f.project.Getenv)
	c.Watch(build.Watch{Stop: f.project.Stop, Expr: func(_ *load.Module, e *ast.Expr, env *typing.Env, want typing.Type) {
		if old, seen := out[e]; !seen || openness(env) < openness(old.env) {
			out[e] = typedExpr{env, want}
		}
	}})
	c.Check()
	return out
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

// exprAt is the innermost expression around an offset, and the declaration that it
// stands in; nil where there is none.
func (f *File) exprAt(offset int) *ast.Expr {
	var best *ast.Expr
	for _, d := range f.main.File.Decls {
		if offset < d.Start || offset > d.End {
			continue
		}
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

// occurrenceAt is the name that an offset stands at.
func (f *File) occurrenceAt(offset int) (Occurrence, bool) {
	for _, o := range f.names().occurrences(f.main) {
		if o.Span.Start <= offset && offset <= o.Span.End {
			return o, true
		}
	}
	return Occurrence{}, false
}
