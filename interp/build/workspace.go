package build

import (
	"fmt"

	"parley/interp/load"
	"parley/lang/ast"
	"parley/lang/diag"
	"parley/runtime/shape"
)

// workspace is a workspace with its parameters bound and its choices taken.
type workspace struct {
	sc     scope
	name   string
	state  []*ast.Param
	fields []shape.Field // of state
	files  []*ast.FileItem
	mails  []*ast.MailItem
	pages  []*ast.FileItem
	holes  []*ast.Hole
	corpus []*ast.Corpus
	tools  []*ast.Tool
	allow  []*ast.Allow
}

// workspaceOf expands the workspace a scenario names; without one the world is
// empty.
func (c *Compiler) workspaceOf(from scope, ref *ast.Ref) *workspace {
	if ref == nil {
		return c.workspaceOnce("none "+from.m.Name, func() *workspace {
			return &workspace{sc: scope{m: from.m, params: map[string]param{}}}
		})
	}
	m, decl := c.find(from.m, load.Workspace, ref.Path)
	if decl == nil {
		return nil
	}
	sc, ok := c.bind(m, "workspace "+refName(ref), decl.Workspace.Params, from, ref)
	if !ok {
		return nil
	}
	return c.workspaceOnce(fmt.Sprintf("%p %#v", decl, sc.values()), func() *workspace { return c.expandWorkspace(sc, decl.Workspace) })
}

// workspaceOnce gives the workspace that an earlier cell had under the same name.
func (c *Compiler) workspaceOnce(id string, expand func() *workspace) *workspace {
	w, done := c.worlds[id]
	if !done {
		w = expand()
		c.worlds[id] = w
	}
	return w
}

func (c *Compiler) expandWorkspace(sc scope, decl *ast.Workspace) *workspace {
	c.unused(sc.m, "workspace "+decl.Name.Name, decl.Params, decl.Members)
	w := &workspace{sc: sc, name: decl.Name.Name}
	names := map[string]bool{}
	for _, m := range flatten(c, sc, decl.Members, func(m *ast.WorkspaceMember) *ast.If[ast.WorkspaceMember] { return m.If }) {
		switch {
		case m.State != nil:
			w.state = append(w.state, m.State.Fields...)
		case m.File != nil:
			w.files = append(w.files, m.File)
		case m.Mail != nil:
			w.mails = append(w.mails, m.Mail)
		case m.Page != nil:
			w.pages = append(w.pages, m.Page)
		case m.Hole != nil:
			c.once(sc.m, names, "hole", m.Hole.Name)
			w.holes = append(w.holes, m.Hole)
		case m.Corpus != nil:
			w.corpus = append(w.corpus, m.Corpus)
		case m.Tool != nil:
			w.tools = append(w.tools, m.Tool)
		case m.Allow != nil:
			w.allow = append(w.allow, m.Allow)
		}
	}
	for _, p := range w.state {
		c.once(sc.m, names, "state field", p.Name)
		if p.Type == nil {
			continue
		}
		if s, ok := c.shapeOf(sc, p.Type, nil); ok {
			w.fields = append(w.fields, shape.Field{Name: p.Name.Name, Shape: s})
		}
		if p.Default == nil {
			c.fail(sc.m, diag.ClauseMissing, p.Span, "write an initial value: = 0", "the state field %q has no initial value", p.Name.Name)
		}
	}
	return w
}

// once reports a name that its kind has already.
func (c *Compiler) once(m *load.Module, seen map[string]bool, kind string, name *ast.Ident) {
	key := kind + " " + name.Name
	if seen[key] {
		c.fail(m, diag.DeclaredTwice, name.Span, "", "the %s %q is declared twice", kind, name.Name)
	}
	seen[key] = true
}

func (w *workspace) hole(name string) *ast.Hole {
	for _, h := range w.holes {
		if h.Name.Name == name {
			return h
		}
	}
	return nil
}

func (w *workspace) holeNames() []string {
	names := make([]string, len(w.holes))
	for i, h := range w.holes {
		names[i] = h.Name.Name
	}
	return names
}

// changes reports whether a body sets or appends to the world.
func changes(body []*ast.Stmt) bool {
	for _, s := range body {
		switch {
		case s.Set != nil && !isLet(s.Set.Target):
			return true
		case s.If != nil && (changes(s.If.Then) || changes(s.If.Else)):
			return true
		case s.Repeat != nil && changes(s.Repeat.Body), s.For != nil && changes(s.For.Body):
			return true
		}
	}
	return false
}

// isLet reports that a set's target is a let name, not state or a file.
func isLet(target *ast.Expr) bool {
	return rootOf(target.Cooked) != "state" && rootOf(target.Cooked) != "files"
}

func rootOf(path string) string {
	for i := range len(path) {
		if !isNamePart(path[i]) {
			return path[:i]
		}
	}
	return path
}

// classOf says whether a tool reads or writes.
func classOf(t *ast.Tool) string {
	if len(t.Writes) > 0 || changes(t.Body) {
		return "write"
	}
	return "read"
}
