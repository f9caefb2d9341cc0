package build

import (
	"strconv"
	"strings"

	"parley/interp/load"
	"parley/lang/ast"
	"parley/lang/diag"
	"parley/runtime/eval"
	"parley/runtime/shape"
	"parley/runtime/world"

	exprast "github.com/expr-lang/expr/ast"
)

// toolSlot resolves tool(name).description and tool(name).result.
func (c *Compiler) toolSlot(u *unit, a *attack, s *ast.Slot, use slotUse) (slotUse, bool) {
	m := a.sc.m
	name, ok := a.namedBy(s.Arg)
	if !ok {
		c.fail(m, diag.NoSuchSlot, s.Span, "write tool(search).description", "this slot does not say which tool")
		return use, false
	}
	if !u.hasTool(name) {
		c.fail(m, diag.NoSuchTool, s.Arg.Span, u.toolHint(name), "no tool is named %q", name)
		return use, false
	}
	if len(s.Path) == 1 {
		use.rule, ok = slots["tool."+s.Path[0].Name]
	}
	if len(s.Path) != 1 || !ok {
		c.fail(m, diag.NoSuchSlot, s.Span, "write tool("+name+").description or tool("+name+").result", "a tool's slots are description and result")
		return use, false
	}
	use.name = name
	return use, true
}

// edgeSlot resolves edge(a -> b).message: the edges of the team among those named.
func (c *Compiler) edgeSlot(u *unit, a *attack, s *ast.Slot, use slotUse) (slotUse, bool) {
	m := a.sc.m
	if s.Edge == nil || len(s.Path) != 1 || s.Path[0].Name != "message" {
		c.fail(m, diag.NoSuchSlot, s.Span, "write edge(a -> b).message", "of an edge the message is the slot")
		return use, false
	}
	from, _, ok := c.pick(a.sc, u.team.roster, s.Edge.From, "an edge")
	to, _, good := c.pick(a.sc, u.team.roster, s.Edge.To, "an edge")
	if !ok || !good {
		return use, false
	}
	for _, e := range u.team.edges {
		forth := contains(from, e.From) && contains(to, e.To)
		back := s.Edge.Both && contains(to, e.From) && contains(from, e.To)
		if forth || back {
			use.edges = append(use.edges, e)
		}
	}
	if len(use.edges) == 0 {
		c.fail(m, diag.NothingToAttack, s.Edge.Span, "", "no edge of the team leads from %s to %s", list(from), list(to))
		return use, false
	}
	return use, true
}

// schemes are those of the resources that an attack can change.
var schemes = []string{"file", "mail", "page", "state"}

// resourceSlot resolves resource("file:notes.txt"). Where the whole URI is known
// now, so is whether the workspace has such a thing.
func (c *Compiler) resourceSlot(u *unit, a *attack, p *ast.Patch, use slotUse) (slotUse, bool) {
	m, s := a.sc.m, p.Slot
	if s.Arg == nil || len(s.Path) > 0 {
		c.fail(m, diag.NoSuchSlot, s.Span, `write resource("file:notes.txt")`, "this slot does not say which resource")
		return use, false
	}
	x, _, ok := c.expr(u.outside(a.sc), s.Arg, wantText, "a resource")
	if !ok {
		return use, false
	}
	x.Src = asURI(x.Src)
	use.uri = x
	known, whole := c.knownURI(x.Src)
	scheme, path, found := strings.Cut(known, ":")
	if !found || !contains(schemes, scheme) {
		c.fail(m, diag.NothingToAttack, s.Arg.Span, "", "a resource begins with file:, mail:, page: or state:, and what stands behind it may be put in")
		return use, false
	}
	use.scheme = scheme
	if scheme == "state" {
		return c.stateSlot(u, a, p, use, path, whole)
	}
	if whole && p.Op.Name != "insert" && !u.mayHave(scheme, path) {
		c.fail(m, diag.NothingToAttack, s.Arg.Span, "", "the workspace has no %s %q", scheme, path)
		return use, false
	}
	return use, true
}

// knownURI is the part of a URI that is known before the run, and whether that
// is all of it.
func (c *Compiler) knownURI(src string) (string, bool) {
	tree, err := eval.Parse(src)
	if err != nil {
		return "", false
	}
	switch n := tree.(type) {
	case *exprast.StringNode:
		return n.Value, true
	case *exprast.CallNode:
		if len(n.Arguments) > 0 {
			if first, ok := n.Arguments[0].(*exprast.StringNode); ok {
				return first.Value, false
			}
		}
	}
	return "", false
}

// mayHave reports whether the workspace declares the resource, or one whose name
// is made at run time.
func (u *unit) mayHave(scheme, path string) bool {
	path = world.CleanPath(world.Unescape(path))
	var names []*ast.Expr
	for _, f := range u.world.files {
		if scheme == "file" {
			names = append(names, f.Path)
		}
	}
	for _, f := range u.world.pages {
		if scheme == "page" {
			names = append(names, f.Path)
		}
	}
	for _, m := range u.world.mails {
		if scheme == "mail" {
			names = append(names, m.ID)
		}
	}
	for _, e := range names {
		tree, err := eval.Parse(e.Cooked)
		if err != nil {
			return true
		}
		name, literal := tree.(*exprast.StringNode)
		if !literal || world.CleanPath(name.Value) == path {
			return true
		}
	}
	return false
}

// stateSlot resolves state:payments/0/subject: a text of the state, or a list
// that something is inserted into.
func (c *Compiler) stateSlot(u *unit, a *attack, p *ast.Patch, use slotUse, path string, whole bool) (slotUse, bool) {
	m, at := a.sc.m, p.Slot.Arg.Span
	if !whole {
		c.fail(m, diag.NotConstant, at, "", "a place in the state is written out: nothing can be put into its URI")
		return use, false
	}
	inner, ok := statePart(u.world.fields, strings.Split(path, "/"))
	if !ok {
		names := make([]string, len(u.world.fields))
		for i, f := range u.world.fields {
			names[i] = f.Name
		}
		c.fail(m, diag.NothingToAttack, at, load.Suggest(strings.Split(path, "/")[0], names), "the workspace's state has no %q", path)
		return use, false
	}
	use.inner = inner
	switch {
	case p.Op.Name == "insert" && inner.Kind == shape.List:
		return use, true
	case contains([]string{"append", "prepend", "replace", "rewrite"}, p.Op.Name) && inner.Kind == shape.String:
		return use, true
	}
	c.fail(m, diag.OperationSlot, p.Op.Span, "", "in the state one can append to, prepend to, replace and rewrite a text, and insert into a list; %q is %s", path, nameShape(inner))
	return use, false
}

func statePart(fields []shape.Field, path []string) (shape.Shape, bool) {
	f := fieldNamed(fields, path[0])
	if f == nil {
		return shape.Shape{}, false
	}
	s := f.Shape
	for _, key := range path[1:] {
		_, err := strconv.Atoi(key)
		switch {
		case s.Kind == shape.List && err == nil:
			s = *s.Elem
		case s.Kind == shape.Record:
			inner := fieldNamed(s.Fields, key)
			if inner == nil {
				return s, false
			}
			s = inner.Shape
		default:
			return s, false
		}
	}
	return s, true
}

// outside is what patches see that act before anybody speaks.
func (u *unit) outside(sc scope) place {
	p := u.c.place(u, sc, enterFunctions, map[string]typ{"task": u.vars["task"], "agents": u.vars["agents"]})
	for _, name := range u.team.roster.names() {
		p.vars[name] = u.vars[name]
	}
	return p
}
