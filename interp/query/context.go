package query

import (
	"slices"
	"strings"

	exprast "github.com/expr-lang/expr/ast"

	"parley/interp/load"
	"parley/lang/ast"
	"parley/runtime/eval"
)

// names knows what the names in some files mean. It goes by the syntax trees, so it
// works where a file is broken, and it knows nothing of values.
type names struct {
	modules  []*load.Module
	byName   map[string]*index
	contexts map[*ast.Decl][]space // what a declaration is used together with
	decls    map[*ast.Decl]*index
	found    map[*load.Module][]Occurrence
}

// namesOf prepares the names of modules, each once.
func namesOf(modules []*load.Module) *names {
	n := &names{byName: map[string]*index{}, contexts: map[*ast.Decl][]space{}, decls: map[*ast.Decl]*index{}, found: map[*load.Module][]Occurrence{}}
	for _, m := range modules {
		if n.byName[m.Name] != nil {
			continue
		}
		ix := indexOf(m)
		n.modules, n.byName[m.Name] = append(n.modules, m), ix
		for _, d := range m.File.Decls {
			n.decls[d] = ix
		}
	}
	for _, m := range n.modules {
		for _, d := range m.File.Decls {
			if d.Scenario != nil {
				n.meet(n.related(m, d))
			}
		}
	}
	for _, m := range n.modules {
		for _, d := range m.File.Decls {
			switch {
			case d.Test != nil:
				for _, x := range d.Test.Members {
					n.borrow(m, d, x.Scenario)
				}
			case d.Experiment != nil:
				for _, x := range d.Experiment.Members {
					for _, ref := range x.Scenario {
						n.borrow(m, d, ref)
					}
				}
			}
		}
	}
	return n
}

// related are the declarations that a scenario names, itself first.
func (n *names) related(m *load.Module, d *ast.Decl) []*ast.Decl {
	out := []*ast.Decl{d}
	add := func(kind load.Kind, path []*ast.Ident) {
		if target := n.target(m, kind, path); target != nil {
			out = append(out, target)
		}
	}
	eachRef(d, func(kind load.Kind, ref *ast.Ref) {
		add(kind, ref.Path)
		for _, a := range ref.Args {
			for _, path := range pathsOf(a.Value) {
				add(load.AgentSet, path)
			}
		}
	})
	for _, p := range d.Scenario.Params {
		for _, path := range pathsOf(p.Default) {
			add(load.AgentSet, path)
		}
	}
	return append(out, n.judges(out)...)
}

// judges are those that the expressions of declarations read.
func (n *names) judges(list []*ast.Decl) []*ast.Decl {
	var out []*ast.Decl
	for _, d := range list {
		m := n.decls[d].module
		walk(d, func(node any) bool {
			e, ok := node.(*ast.Expr)
			if !ok || !strings.Contains(e.Text, "judge") {
				return true
			}
			for _, path := range pathsOf(e) {
				if path[0].Name != "judge" || len(path) < 2 {
					continue
				}
				if j := n.target(m, load.Judge, path[1:]); j != nil && !slices.Contains(out, j) {
					out = append(out, j)
				}
			}
			return true
		})
	}
	return out
}

// meet makes the names of declarations known to one another.
func (n *names) meet(list []*ast.Decl) {
	for _, d := range list {
		for _, other := range list {
			if other != d {
				n.know(d, other)
			}
		}
	}
}

func (n *names) know(d, other *ast.Decl) {
	s := n.decls[other].spaces[other]
	for _, known := range n.contexts[d] {
		if sameSpace(known, s) {
			return
		}
	}
	n.contexts[d] = append(n.contexts[d], s)
}

func sameSpace(a, b space) bool {
	for kind, list := range a {
		for name, sym := range list {
			return b[kind][name] == sym
		}
	}
	return len(b) == 0
}

// borrow lets a test or an experiment know what its scenario knows.
func (n *names) borrow(m *load.Module, d *ast.Decl, ref *ast.Ref) {
	if ref == nil {
		return
	}
	scenario := n.target(m, load.Scenario, ref.Path)
	if scenario == nil {
		return
	}
	n.know(d, scenario)
	n.contexts[d] = append(n.contexts[d], n.contexts[scenario]...)
}

// target finds a declaration without counting its import as used.
func (n *names) target(m *load.Module, kind load.Kind, path []*ast.Ident) *ast.Decl {
	if len(path) == 0 || len(path) > 2 {
		return nil
	}
	if len(path) == 2 {
		if m = imported(m, path[0].Name); m == nil || n.byName[m.Name] == nil {
			return nil
		}
		m = n.byName[m.Name].module
		path = path[1:]
	}
	for _, d := range m.File.Decls {
		if k, name := load.Named(d); name != nil && k == kind && name.Name == path[0].Name && n.decls[d] != nil {
			return d
		}
	}
	return nil
}

func imported(m *load.Module, name string) *load.Module {
	for _, imp := range m.Imports() {
		if imp.Name == name {
			return imp.Module
		}
	}
	return nil
}

// eachRef visits the references of a declaration with the kind that each is of.
func eachRef(node any, visit func(load.Kind, *ast.Ref)) {
	give := func(kind load.Kind, ref *ast.Ref) {
		if ref != nil && len(ref.Path) > 0 {
			visit(kind, ref)
		}
	}
	walk(node, func(node any) bool {
		switch x := node.(type) {
		case *ast.Expr, *ast.Type, *ast.Param:
			return false
		case *ast.ScenarioMember:
			give(load.Team, x.Team)
			give(load.Workspace, x.Workspace)
			give(load.Verify, x.VerifyRef)
			give(load.Score, x.ScoreRef)
			give(load.Judge, x.Judge)
		case *ast.Baseline:
			give(load.Team, x.Team)
		case *ast.Tasks:
			for _, p := range x.Paths {
				give(load.Tasks, p)
			}
		case *ast.AttackItem:
			give(load.Attack, x.Ref)
		case *ast.DefenseItem:
			give(load.Defense, x.Ref)
		case *ast.ExperimentMember:
			for _, ref := range x.Scenario {
				give(load.Scenario, ref)
			}
		case *ast.TestMember:
			give(load.Scenario, x.Scenario)
		case *ast.Sweep:
			if len(x.Names) == 1 {
				for _, use := range x.Uses {
					give(load.Kind(x.Names[0].Name), use.Ref)
				}
			}
		}
		return true
	})
}

// pathsOf are the names in an expression, each with the field read from it.
func pathsOf(e *ast.Expr) [][]*ast.Ident {
	if e == nil {
		return nil
	}
	tree, err := eval.Parse(e.Cooked)
	if err != nil {
		return nil
	}
	v := &pathVisitor{}
	exprast.Walk(&tree, v)
	return v.paths
}

type pathVisitor struct{ paths [][]*ast.Ident }

// Visit notes one name, and one name with a field.
func (v *pathVisitor) Visit(n *exprast.Node) {
	switch n := (*n).(type) {
	case *exprast.IdentifierNode:
		v.paths = append(v.paths, []*ast.Ident{{Name: n.Value}})
	case *exprast.MemberNode:
		if path := pathOf(n); path != nil {
			v.paths = append(v.paths, path)
		}
	}
}

// pathOf is name.field.field, or nil for any other read.
func pathOf(n exprast.Node) []*ast.Ident {
	switch n := n.(type) {
	case *exprast.IdentifierNode:
		return []*ast.Ident{{Name: n.Value}}
	case *exprast.MemberNode:
		field, named := n.Property.(*exprast.StringNode)
		if base := pathOf(n.Node); base != nil && named {
			return append(base, &ast.Ident{Name: field.Value})
		}
	}
	return nil
}
