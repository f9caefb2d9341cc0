package load

import (
	"fmt"
	"sort"

	"parley/lang/ast"
	"parley/lang/diag"
)

// Kind is what a declaration declares. Names of different kinds do not clash.
type Kind string

// The kinds of named declarations.
const (
	Model      Kind = "model"
	Team       Kind = "team"
	AgentSet   Kind = "agents" // a set of agents
	Workspace  Kind = "workspace"
	Tasks      Kind = "tasks" // a file of tasks or one task
	Attack     Kind = "attack"
	Defense    Kind = "defense"
	Verify     Kind = "verify"
	Score      Kind = "score"
	Scenario   Kind = "scenario"
	Experiment Kind = "experiment"
	Judge      Kind = "judge"
)

type declKey struct {
	kind Kind
	name string
}

// Named gives a declaration's kind and name; tests have a title instead.
func Named(d *ast.Decl) (Kind, *ast.Ident) {
	switch {
	case d.Model != nil:
		return Model, d.Model.Name
	case d.Team != nil:
		return Team, d.Team.Name
	case d.AgentSet != nil:
		return AgentSet, d.AgentSet.Name
	case d.Workspace != nil:
		return Workspace, d.Workspace.Name
	case d.Tasks != nil:
		return Tasks, d.Tasks.Name
	case d.Task != nil:
		return Tasks, d.Task.Name
	case d.Attack != nil:
		return Attack, d.Attack.Name
	case d.Defense != nil:
		return Defense, d.Defense.Name
	case d.Verify != nil:
		return Verify, d.Verify.Name
	case d.Score != nil:
		return Score, d.Score.Name
	case d.Scenario != nil:
		return Scenario, d.Scenario.Name
	case d.Experiment != nil:
		return Experiment, d.Experiment.Name
	case d.Judge != nil:
		return Judge, d.Judge.Name
	}
	return "", nil
}

// declare collects a module's names, in any order, and reports doubles.
func (l *loader) declare(m *Module) {
	m.decls = make(map[declKey]*ast.Decl, len(m.File.Decls))
	titles := map[string]bool{}
	for _, d := range m.File.Decls {
		if d.Test != nil {
			if titles[d.Test.Title] {
				l.report(m, diag.DeclaredTwice, d.Test.Span, fmt.Sprintf("another test has the title %q", d.Test.Title), "")
			}
			titles[d.Test.Title] = true
		}
		kind, name := Named(d)
		if name == nil {
			continue
		}
		key := declKey{kind, name.Name}
		if first, taken := m.decls[key]; taken {
			_, other := Named(first)
			l.report(m, diag.DeclaredTwice, name.Span, fmt.Sprintf("%s %q is declared twice; the first stands in line %d", kind, name.Name, m.Line(other.Start)), "")
			continue
		}
		m.decls[key] = d
	}
}

// Missing says why a name leads nowhere.
type Missing struct {
	Code    diag.Code
	Span    ast.Span
	Message string
	Hint    string
}

// Find resolves a name, perhaps through an import, to the declaration of that
// kind and the module that holds it. Missing.Code is empty where it was found;
// a nil declaration without a code means that the import itself failed, which
// has been reported.
func (m *Module) Find(kind Kind, names []*ast.Ident) (*Module, *ast.Decl, Missing) {
	switch len(names) {
	case 1:
		return m.own(kind, names[0], "")
	case 2:
	default:
		span := ast.Span{Start: names[0].Start, End: names[len(names)-1].End}
		return nil, nil, Missing{Code: diag.NoSuchDecl, Span: span, Message: fmt.Sprintf("a %s is named by itself or as import.name", kind)}
	}
	imp, ok := m.uses[names[0].Name]
	if !ok {
		return nil, nil, Missing{
			Code: diag.NoSuchDecl, Span: names[0].Span,
			Message: fmt.Sprintf("no import is named %q", names[0].Name),
			Hint:    m.importHint(names[0].Name),
		}
	}
	imp.used.Store(true)
	if imp.Module == nil {
		return nil, nil, Missing{}
	}
	return imp.Module.own(kind, names[1], names[0].Name+".")
}

func (m *Module) own(kind Kind, name *ast.Ident, prefix string) (*Module, *ast.Decl, Missing) {
	if d, ok := m.decls[declKey{kind, name.Name}]; ok {
		return m, d, Missing{}
	}
	for _, other := range []Kind{Model, Team, AgentSet, Workspace, Tasks, Attack, Verify, Score, Scenario, Experiment, Judge} {
		if _, ok := m.decls[declKey{other, name.Name}]; ok {
			return nil, nil, Missing{Code: diag.WrongKindOfDecl, Span: name.Span, Message: fmt.Sprintf("%s%s is declared as %s, not as %s", prefix, name.Name, article(other), article(kind))}
		}
	}
	missing := Missing{Code: diag.NoSuchDecl, Span: name.Span, Message: fmt.Sprintf("no %s is named %q", kind, prefix+name.Name)}
	if near := Suggest(name.Name, m.Names(kind)); near != "" {
		missing.Hint = near
	} else if prefix == "" {
		missing.Hint = m.elsewhere(kind, name.Name)
	}
	return nil, nil, missing
}

func article(k Kind) string {
	switch k {
	case Attack, Experiment:
		return "an " + string(k)
	case AgentSet:
		return "a set of agents"
	case Tasks, Verify:
		return string(k)
	}
	return "a " + string(k)
}

// elsewhere names an import that holds what was sought without its prefix.
func (m *Module) elsewhere(kind Kind, name string) string {
	for _, imp := range m.Imports() {
		if imp.Module == nil {
			continue
		}
		if _, ok := imp.Module.decls[declKey{kind, name}]; ok {
			return fmt.Sprintf("did you mean %s.%s?", imp.Name, name)
		}
	}
	return ""
}

func (m *Module) importHint(name string) string {
	var names []string
	for _, imp := range m.Imports() {
		names = append(names, imp.Name)
	}
	if near := Suggest(name, names); near != "" {
		return near
	}
	return fmt.Sprintf("import it first: use %q", "std/"+name)
}

// Names lists what the module itself declares of a kind, sorted.
func (m *Module) Names(kind Kind) []string {
	var names []string
	for key := range m.decls {
		if key.kind == kind {
			names = append(names, key.name)
		}
	}
	sort.Strings(names)
	return names
}

// Imports lists the module's imports by name.
func (m *Module) Imports() []*Import {
	list := make([]*Import, 0, len(m.uses))
	for _, imp := range m.uses {
		list = append(list, imp)
	}
	sort.Slice(list, func(i, j int) bool { return list[i].Name < list[j].Name })
	return list
}

// Unused warns of imports that nothing has been found through. Ask when
// everything in the module has been resolved.
func (m *Module) Unused() diag.List {
	var list diag.List
	for _, imp := range m.Imports() {
		if !imp.used.Load() && imp.Module != nil {
			list = append(list, diag.Diagnostic{
				Code: diag.ImportUnused, Severity: diag.Warning, File: m.Name, Span: imp.Use.Span,
				Message: fmt.Sprintf("nothing in this file uses the import %q", imp.Name), Hint: "remove the line",
			})
		}
	}
	return list
}

// Imported reports whether the module has an import of that name.
func (m *Module) Imported(name string) bool { return m.uses[name] != nil }

// Has reports whether the module itself declares the name.
func (m *Module) Has(kind Kind, name string) bool {
	_, ok := m.decls[declKey{kind, name}]
	return ok
}

// Declared gives what the module itself declares under a name; nil: nothing.
func (m *Module) Declared(kind Kind, name string) *ast.Decl { return m.decls[declKey{kind, name}] }
