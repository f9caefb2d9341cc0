// Package load brings files together: it finds and parses a file and all that
// it imports, keeps every read inside the project, resolves names across files
// and reads task files of the formats people have.
package load

import (
	"errors"
	"fmt"
	"io/fs"
	"sort"
	"strings"
	"sync/atomic"

	"parley/lang/ast"
	"parley/lang/diag"
	"parley/lang/source"
)

// Bounds on what one program may pull in.
const (
	MaxFiles      = 1000
	MaxSource     = source.MaxBytes
	stdPrefix     = "std/"
	fileExtension = ".parley"
)

// Parser turns text into a syntax tree.
type Parser func(name string, src []byte) (*ast.File, diag.List)

// Files is where sources and data come from.
type Files struct {
	Root  fs.FS // the project
	Std   fs.FS // the standard library, read as std/…
	Parse Parser
	Cache *Cache // of parsed files; nil: one for this program alone
}

// Program is one file with everything it imports.
type Program struct {
	Files   Files
	Main    *Module
	Modules []*Module // each once, imported ones before their importers
}

// Module is one parsed file and the names it declares.
type Module struct {
	Name   string // slash-separated, from the project root, or std/…
	Std    bool
	Source *source.Source
	File   *ast.File
	uses   map[string]*Import
	decls  map[declKey]*ast.Decl
}

// Import is one `use` of a module.
type Import struct {
	Use    *ast.Use
	Name   string
	Module *Module     // nil where it could not be loaded
	used   atomic.Bool // a module may be compiled by several goroutines
}

type loader struct {
	files   Files
	modules map[string]*Module
	order   []*Module
	active  []string
	diags   diag.List
}

// Load reads the file at path and all its imports. The program is nil only if
// the file itself cannot be read; what was found wrong is in the list.
func Load(files Files, path string) (*Program, diag.List) {
	if files.Cache == nil {
		files.Cache = NewCache()
	}
	l := &loader{files: files, modules: map[string]*Module{}}
	name, why := resolve(files.Root, "", path)
	if why != "" {
		return nil, diag.List{{Code: diag.ImportEscapes, Severity: diag.Error, File: path, Message: fmt.Sprintf("cannot read %q: %s", path, why)}}
	}
	main, err := l.module(name, false)
	if err != nil {
		return nil, diag.List{{Code: failureCode(err), Severity: diag.Error, File: path, Message: readFailure(path, err)}}
	}
	l.diags.Sort()
	return &Program{Files: files, Main: main, Modules: l.order}, l.diags
}

// module loads one file, or gives the one loaded before.
func (l *loader) module(name string, std bool) (*Module, error) {
	if m, ok := l.modules[name]; ok {
		return m, nil
	}
	if len(l.modules) >= MaxFiles {
		return nil, fmt.Errorf("more than %d files are imported", MaxFiles)
	}
	src, err := readCapped(l.fileSystem(std), strings.TrimPrefix(name, stdIf(std)), MaxSource)
	if err != nil {
		return nil, err
	}
	p := l.files.Cache.parse(name, string(src), l.files.Parse)
	l.diags = append(l.diags, p.found...)
	m := &Module{Name: name, Std: std, Source: p.source, File: p.file, uses: map[string]*Import{}}
	l.modules[name] = m
	l.active = append(l.active, name)
	l.imports(m)
	l.active = l.active[:len(l.active)-1]
	l.declare(m)
	l.order = append(l.order, m)
	return m, nil
}

func stdIf(std bool) string {
	if std {
		return stdPrefix
	}
	return ""
}

func (l *loader) fileSystem(std bool) fs.FS {
	if std {
		return l.files.Std
	}
	return l.files.Root
}

// imports loads what m uses; every trouble is said at the `use`.
func (l *loader) imports(m *Module) {
	for _, u := range m.File.Uses {
		name := useName(u)
		at := u.Span
		if u.As != nil {
			at = u.As.Span
		}
		imp := &Import{Use: u, Name: name}
		if _, taken := m.uses[name]; taken {
			l.report(m, diag.ImportNameTaken, at, fmt.Sprintf("another import is already named %q", name), `give one of them another name: use "…" as name`)
		} else {
			m.uses[name] = imp
		}
		target, std, why := l.target(m, u.Path)
		if why != "" {
			l.report(m, diag.ImportEscapes, u.Span, fmt.Sprintf("cannot import %q: %s", u.Path, why), "")
			continue
		}
		if cycle := l.cycle(target); cycle != "" {
			l.report(m, diag.ImportCycle, u.Span, fmt.Sprintf("importing %q closes a circle: %s", u.Path, cycle), "move what both need into a third file")
			continue
		}
		loaded, err := l.module(target, std)
		if err != nil {
			hint := ""
			if std {
				hint = l.nearStd(u.Path)
			}
			l.report(m, failureCode(err), u.Span, readFailure(u.Path, err), hint)
			continue
		}
		imp.Module = loaded
	}
}

// target is the module name an import path leads to.
func (l *loader) target(from *Module, path string) (name string, std bool, why string) {
	if strings.HasPrefix(path, stdPrefix) {
		name, why = resolve(l.files.Std, "", withExtension(strings.TrimPrefix(path, stdPrefix)))
		return stdPrefix + name, true, why
	}
	dir := ""
	if i := strings.LastIndexByte(from.Name, '/'); i >= 0 {
		dir = from.Name[:i]
	}
	if from.Std {
		name, why = resolve(l.files.Std, strings.TrimPrefix(strings.TrimPrefix(dir, "std"), "/"), withExtension(path))
		return stdPrefix + name, true, why
	}
	name, why = resolve(l.files.Root, dir, withExtension(path))
	return name, false, why
}

func (l *loader) cycle(name string) string {
	for i, a := range l.active {
		if a == name {
			return strings.Join(append(append([]string(nil), l.active[i:]...), name), " → ")
		}
	}
	return ""
}

// nearStd proposes the library file whose path is closest.
func (l *loader) nearStd(path string) string {
	var names []string
	if l.files.Std == nil {
		return ""
	}
	_ = fs.WalkDir(l.files.Std, ".", func(p string, d fs.DirEntry, err error) error {
		if err == nil && !d.IsDir() && strings.HasSuffix(p, fileExtension) {
			names = append(names, stdPrefix+strings.TrimSuffix(p, fileExtension))
		}
		return nil
	})
	sort.Strings(names)
	return Suggest(strings.TrimSuffix(path, fileExtension), names)
}

func (l *loader) report(m *Module, code diag.Code, at ast.Span, message, hint string) {
	l.diags = append(l.diags, diag.Diagnostic{Code: code, Severity: diag.Error, File: m.Name, Span: at, Message: message, Hint: hint})
}

func withExtension(path string) string {
	if strings.HasSuffix(path, fileExtension) {
		return path
	}
	return path + fileExtension
}

// useName is the word an import is known by: its `as`, or the last path element.
func useName(u *ast.Use) string {
	if u.As != nil {
		return u.As.Name
	}
	path := strings.TrimSuffix(u.Path, fileExtension)
	return path[strings.LastIndexByte(path, '/')+1:]
}

var errTooLarge = fmt.Errorf("the file is larger than %d MiB", MaxSource>>20)

func failureCode(err error) diag.Code {
	if errors.Is(err, errTooLarge) {
		return diag.TooLarge
	}
	return diag.ImportNotFound
}

// readFailure puts a failed read into words, without library wording.
func readFailure(path string, err error) string {
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return fmt.Sprintf("there is no file %q", path)
	case errors.Is(err, fs.ErrPermission):
		return fmt.Sprintf("no permission to read %q", path)
	}
	var pathError *fs.PathError
	if errors.As(err, &pathError) {
		return fmt.Sprintf("%q cannot be read: %v", path, pathError.Err)
	}
	return fmt.Sprintf("%q cannot be read: %v", path, err)
}
