package interp

import (
	"io/fs"
	"sort"
	"strings"

	"parley/interp/build"
	"parley/interp/load"
	"parley/interp/query"
	"parley/interp/score"
	"parley/lang"
	"parley/lang/diag"
	"parley/lang/source"
)

// Project is where files come from. Nothing outside Root is read.
type Project struct {
	Root   fs.FS // the project's root folder
	Std    fs.FS // the standard library, read as std/…
	Getenv func(string) string
	// Parsed keeps parsed files, for who loads many; nil keeps them for one module.
	Parsed *Parsed
}

// Parsed keeps parsed files. It is safe for concurrent use.
type Parsed = load.Cache

// NewParsed makes an empty store of parsed files.
func NewParsed() *Parsed { return load.NewCache() }

// Module is a file with all that it imports, parsed and resolved.
type Module struct {
	prog   *load.Program
	getenv func(string) string
	found  diag.List // what loading found
}

// Load reads the file at a slash-separated path inside Root and everything that
// it imports. The module is nil only where the file itself cannot be read.
func (p Project) Load(path string) (*Module, diag.List) {
	prog, found := load.Load(load.Files{Root: p.Root, Std: p.Std, Parse: lang.Parse, Cache: p.Parsed}, path)
	if prog == nil {
		return nil, found
	}
	return &Module{prog: prog, getenv: p.Getenv, found: found}, found
}

// TargetKind says what a target is.
type TargetKind string

// What can be run.
const (
	ScenarioTarget   TargetKind = "scenario"
	ExperimentTarget TargetKind = "experiment"
	TestTarget       TargetKind = "test"
)

// Target is something in a file that can be run.
type Target struct {
	Kind TargetKind
	Name string // a test's title
	Doc  string
	Pos  string // file:line:column
}

// Targets lists the file's scenarios, experiments and tests, as declared.
func (m *Module) Targets() []Target {
	var out []Target
	main := m.prog.Main
	for _, d := range main.File.Decls {
		t := Target{Doc: strings.TrimSpace(d.Doc), Pos: main.At(d.Start)}
		switch {
		case d.Scenario != nil:
			t.Kind, t.Name = ScenarioTarget, d.Scenario.Name.Name
		case d.Experiment != nil:
			t.Kind, t.Name = ExperimentTarget, d.Experiment.Name.Name
		case d.Test != nil:
			t.Kind, t.Name = TestTarget, d.Test.Title
		default:
			continue
		}
		out = append(out, t)
	}
	return out
}

// Options are what the command line decides.
type Options = build.Options

// Check looks at everything in the file, and says what is wrong with it and with
// what it imports. Where something could not be read, the declarations that do not
// hang on it are looked at all the same.
func (m *Module) Check() diag.List {
	if m.found.HasErrors() {
		found := append(append(diag.List(nil), m.found...), query.Beyond(m.prog, m.getenv, m.found)...)
		found.Sort()
		return found
	}
	c := build.New(m.prog, m.getenv)
	c.Check()
	return m.with(c)
}

// Compile compiles one experiment or scenario; without a name the only one there
// is. The suite is nil where the list has errors.
func (m *Module) Compile(target string, o Options) (*Suite, diag.List) {
	if m.found.HasErrors() {
		return nil, m.found
	}
	c := build.New(m.prog, m.getenv)
	built := c.Suite(target, o)
	found := m.with(c)
	if built == nil || found.HasErrors() {
		return nil, found
	}
	return &Suite{Name: built.Name, File: m.prog.Main.Name, Cells: built.Cells, Across: built.Across, Notes: built.Notes}, found
}

// Test is one test of a file, compiled.
type Test struct {
	Title  string
	Cell   *Cell
	Expect []score.Pred
	Pos    string // file:line:column
}

// Tests compiles the file's tests. Those with errors are left out and said in
// the list.
func (m *Module) Tests() ([]*Test, diag.List) {
	if m.found.HasErrors() {
		return nil, m.found
	}
	c := build.New(m.prog, m.getenv)
	var out []*Test
	for _, t := range c.Tests() {
		out = append(out, &Test{Title: t.Title, Cell: t.Cell, Expect: t.Expect, Pos: m.prog.Main.At(t.Decl.Start)})
	}
	return out, m.with(c)
}

// with joins what loading and compiling found. A file with errors from loading
// is not compiled: what would be said then follows from them.
func (m *Module) with(c *build.Compiler) diag.List {
	list := append(append(diag.List(nil), m.found...), c.Diagnostics()...)
	list.Sort()
	return list
}

// Source returns the text of a file of this module, for showing diagnostics; nil
// for a file that it does not have.
func (m *Module) Source(file string) *source.Source {
	if m == nil {
		return nil // the file itself could not be read
	}
	for _, mod := range m.prog.Modules {
		if mod.Name == file {
			return mod.Source
		}
	}
	return nil
}

// Files lists the names of the file and all that it imports, sorted.
func (m *Module) Files() []string {
	var names []string
	for _, mod := range m.prog.Modules {
		names = append(names, mod.Name)
	}
	sort.Strings(names)
	return names
}
