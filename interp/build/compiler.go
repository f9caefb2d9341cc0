// Package build compiles resolved files into plans: it binds parameters, takes
// static choices, expands groups and graphs, types every expression in its
// place, holds attacks to their level, and works out which arms must run.
package build

import (
	"fmt"

	"parley/interp/load"
	"parley/interp/typing"
	"parley/lang/ast"
	"parley/lang/diag"
	"parley/runtime"
	"parley/runtime/eval"
	"parley/runtime/key"
	"parley/runtime/model"
	"parley/runtime/shape"
)

// Compiler compiles the declarations of one program. It is not for concurrent
// use: it keeps what it has read and said.
type Compiler struct {
	prog   *load.Program
	getenv func(string) string
	memo   *typing.Memo
	diags  diag.List
	said   map[saidKey]bool
	static map[string]*eval.Program
	names  map[string][]string // identifiers of an expression, by cooked text
	data   map[string]dataFile
	quiet  int // above 0: nothing is reported, only counted
	muted  int
	used   map[any]bool // declarations that something refers to

	offered  map[*ast.Tool]bool // tools compiled, and whether some agent is offered them
	teams    map[string]*team   // expanded for an earlier cell
	agents   map[*ast.AgentSet]*agentSet
	worlds   map[string]*workspace
	programs map[string]*compiled
	kept     map[string][]*Cell            // while a file is checked: cells by scenario and arguments
	fields   map[*runtime.Program][]string // of tasks, that a program reads
	specs    map[*ast.Model]model.Spec
	linted   map[*team]bool
	approve  string              // Options.Approve
	judges   *judging            // of the cell that is being compiled
	sets     map[string]*taskSet // tasks read for an earlier cell
	cases    map[*runtime.Case]key.Key
	watch    *Watch

	hopes     map[ast.Span]hope // of the main file
	fulfilled map[ast.Span]bool
}

type saidKey struct {
	code  diag.Code
	file  string
	start int
	text  string
}

// New makes a compiler for a loaded program. getenv answers env("NAME").
func New(prog *load.Program, getenv func(string) string) *Compiler {
	if getenv == nil {
		getenv = func(string) string { return "" }
	}
	return &Compiler{
		prog: prog, getenv: getenv, memo: prog.Files.Cache.Memo(),
		said: map[saidKey]bool{}, static: map[string]*eval.Program{}, names: map[string][]string{},
		data: map[string]dataFile{}, used: map[any]bool{}, offered: map[*ast.Tool]bool{}, sets: map[string]*taskSet{}, teams: map[string]*team{}, agents: map[*ast.AgentSet]*agentSet{}, worlds: map[string]*workspace{}, programs: map[string]*compiled{}, fields: map[*runtime.Program][]string{}, specs: map[*ast.Model]model.Spec{}, linted: map[*team]bool{},
		cases: map[*runtime.Case]key.Key{},
	}
}

// Diagnostics returns what has been found so far, in order of place.
func (c *Compiler) Diagnostics() diag.List {
	list := append(diag.List(nil), c.diags...)
	list.Sort()
	return list
}

// scope is where an expression stands: its file and the parameters it sees.
type scope struct {
	m      *load.Module
	params map[string]param
}

// param is a bound parameter.
type param struct {
	shape shape.Shape
	value any
	who   bool // its type names agents
}

// values are the parameters by name, in a map of the caller's own.
func (s scope) values() map[string]any {
	vars := make(map[string]any, len(s.params))
	for name, p := range s.params {
		vars[name] = p.value
	}
	return vars
}

func (s scope) at(span ast.Span) string { return s.m.At(span.Start) }

// report adds one finding, once.
func (c *Compiler) report(m *load.Module, sev diag.Severity, code diag.Code, span ast.Span, hint, format string, args ...any) {
	if c.quiet > 0 {
		if sev == diag.Error {
			c.muted++
		}
		return
	}
	d := diag.Diagnostic{Code: code, Severity: sev, File: m.Name, Span: span, Message: fmt.Sprintf(format, args...), Hint: hint}
	key := saidKey{code, d.File, span.Start, d.Message}
	if c.said[key] {
		return
	}
	c.said[key] = true
	c.diags = append(c.diags, d)
}

func (c *Compiler) fail(m *load.Module, code diag.Code, span ast.Span, hint, format string, args ...any) {
	c.report(m, diag.Error, code, span, hint, format, args...)
}

func (c *Compiler) warn(m *load.Module, code diag.Code, span ast.Span, hint, format string, args ...any) {
	c.report(m, diag.Warning, code, span, hint, format, args...)
}

// option reports what is wrong with the command line; there is no place in a
// file to show.
func (c *Compiler) option(code diag.Code, hint, format string, args ...any) {
	d := diag.Diagnostic{Code: code, Severity: diag.Error, File: "command line", Message: fmt.Sprintf(format, args...), Hint: hint}
	key := saidKey{code: code, file: d.File, text: d.Message}
	if c.quiet == 0 && !c.said[key] {
		c.said[key] = true
		c.diags = append(c.diags, d)
	}
}

// attempt runs do without reporting and answers whether it found no error.
func (c *Compiler) attempt(do func()) bool {
	before := c.muted
	c.quiet++
	do()
	c.quiet--
	return c.muted == before
}

// find resolves a reference and reports where it leads nowhere.
func (c *Compiler) find(m *load.Module, kind load.Kind, path []*ast.Ident) (*load.Module, *ast.Decl) {
	owner, decl, missing := m.Find(kind, path)
	if missing.Code != "" {
		c.fail(m, missing.Code, missing.Span, missing.Hint, "%s", missing.Message)
		return nil, nil
	}
	if decl != nil {
		c.used[decl] = true
	}
	return owner, decl
}
