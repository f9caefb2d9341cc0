package build

import (
	"sort"
	"strings"

	exprast "github.com/expr-lang/expr/ast"

	"parley/interp/load"
	"parley/lang/ast"
	"parley/lang/diag"
	"parley/runtime/eval"
)

// reach is what the arguments of one instance can name beside parameters: the
// sets of the file and of its imports, and by their bare names the agents of
// those sets that the arguments mention.
type reach struct {
	values map[string]any
	owner  map[string]*agentSet
	twice  map[string]bool // agents of two of the sets
	broken map[string]bool // names of sets in which something is wrong
}

// dot joins the parts of a name such as world.finance where names are looked up;
// no word of the language has it.
const dot = "ː"

// namesAgents reports a parameter's type that agents are written for.
func namesAgents(t *ast.Type) bool {
	if t == nil {
		return false
	}
	if t.Kind == ast.TypeName {
		return t.Name.Name == "agent" || t.Name.Name == "agents"
	}
	for _, f := range t.Fields {
		if namesAgents(f.Type) {
			return true
		}
	}
	return namesAgents(t.Elem)
}

// isGroupType reports `agents` itself, whose members count from 1.
func isGroupType(t *ast.Type) bool {
	if t.Kind == ast.TypeOpt {
		t = t.Elem
	}
	return t.Kind == ast.TypeName && t.Name.Name == "agents"
}

func takesAgents(params []*ast.Param) bool {
	for _, p := range params {
		if namesAgents(p.Type) {
			return true
		}
	}
	return false
}

func argValues(ref *ast.Ref) []*ast.Expr {
	var out []*ast.Expr
	for _, a := range ref.Args {
		out = append(out, a.Value)
	}
	return out
}

// reachOf finds the sets that expressions mention.
func (c *Compiler) reachOf(from scope, exprs []*ast.Expr) *reach {
	r := &reach{values: map[string]any{}, owner: map[string]*agentSet{}, twice: map[string]bool{}, broken: map[string]bool{}}
	for _, e := range exprs {
		for _, path := range c.pathsIn(e) {
			if p, param := from.params[path[0]]; param {
				if p.who {
					eachAgent(p.value, func(m *member) { r.meet(m.set, "") })
				}
			} else if set, name := c.setAt(from.m, path); set != nil {
				r.values[name] = set.value
				r.meet(set, name+dot)
			} else if name != "" {
				r.broken[path[0]] = true
			}
		}
	}
	return r
}

// orNone is nil where no set is mentioned.
func (r *reach) orNone() *reach {
	if len(r.values) == 0 {
		return nil
	}
	return r
}

// meet makes the agents and groups of a set known by their names, and below the
// name by which the set was mentioned.
func (r *reach) meet(set *agentSet, prefix string) {
	for _, m := range set.roster.agents {
		name, v := m.Name, any(agentRef{m})
		if !m.single() {
			name, v = m.Group, set.group(m.Group)
		}
		if prefix != "" {
			r.values[prefix+name] = v
		}
		if other := r.owner[name]; other != nil && other != set {
			r.twice[name] = true
		}
		r.owner[name] = set
		if _, set := r.values[name].(eval.Group); !set || !m.single() {
			r.values[name] = v // a set's own name is stronger than an agent's
		}
	}
}

// setAt is the set that a name such as finance or world.finance begins with, and
// the name by which it is looked up; nil with a name where the set is wrong itself.
func (c *Compiler) setAt(m *load.Module, path []string) (*agentSet, string) {
	n := 1
	if !m.Has(load.AgentSet, path[0]) {
		if n = 2; len(path) < 2 || !m.Imported(path[0]) {
			return nil, ""
		}
	}
	var idents []*ast.Ident
	for _, word := range path[:n] {
		idents = append(idents, &ast.Ident{Name: word})
	}
	owner, decl, missing := m.Find(load.AgentSet, idents)
	if decl == nil || missing.Code != "" {
		return nil, ""
	}
	c.used[decl] = true
	return c.agentSet(owner, decl.AgentSet), strings.Join(path[:n], dot)
}

// pathsIn lists the free names of an expression with the fields read from them.
func (c *Compiler) pathsIn(e *ast.Expr) [][]string {
	tree, err := c.memo.Parse(e.Cooked)
	if err != nil {
		return nil
	}
	v := pathVisitor{free: set(c.namesIn(e)...), found: &[][]string{}}
	exprast.Walk(&tree, v)
	return *v.found
}

type pathVisitor struct {
	free  map[string]bool
	found *[][]string
}

func (v pathVisitor) Visit(node *exprast.Node) {
	if path := pathTo(*node); path != nil && v.free[path[0]] {
		*v.found = append(*v.found, path)
	}
}

// pathTo reads a name and the fields after it: world.finance.identity.
func pathTo(n exprast.Node) []string {
	switch n := n.(type) {
	case *exprast.IdentifierNode:
		return []string{n.Value}
	case *exprast.MemberNode:
		field, named := n.Property.(*exprast.StringNode)
		if before := pathTo(n.Node); named && before != nil {
			return append(before, field.Value)
		}
	}
	return nil
}

// constantNaming is constant, of an expression that may also name agents.
func (c *Compiler) constantNaming(sc scope, e *ast.Expr, what string, r *reach) (any, bool) {
	if r == nil {
		return c.constant(sc, e, what)
	}
	c.seenConstant(sc, e, r)
	through := map[string]bool{} // imports that lead to a set
	for _, path := range c.pathsIn(e) {
		if len(path) > 1 && r.values[path[0]+dot+path[1]] != nil {
			through[path[0]] = true
		}
		if !c.agentOfSet(sc, e, path, r) {
			return nil, false
		}
	}
	for _, name := range c.namesIn(e) {
		_, param := sc.params[name]
		switch {
		case param || through[name]:
		case r.broken[name]:
			return nil, false // reported with the set
		case r.twice[name]:
			c.fail(sc.m, diag.NameTaken, c.spanOf(e, name), "write the set before it, as in "+r.owner[name].name+"."+name, "two sets have an agent named %q", name)
			return nil, false
		case r.values[name] == nil:
			code, hint := c.missingAgent(sc, e, name, r)
			c.fail(sc.m, code, c.spanOf(e, name), hint, "%s must be known before anything runs, and %q is no parameter, set or agent here", what, name)
			return nil, false
		}
	}
	tree, err := eval.Parse(e.Cooked)
	if err != nil {
		return c.constant(sc, e, what)
	}
	exprast.Walk(&tree, joiner{r})
	vars := make(map[string]any, len(r.values))
	for name, v := range r.values {
		vars[name] = v
	}
	for name, p := range sc.params {
		vars[name] = p.value
	}
	v, err := c.evaluate(&ast.Expr{Cooked: eval.Format(tree)}, vars)
	if err != nil {
		c.fail(sc.m, diag.NotConstant, e.Span, "", "%s cannot be worked out: %s", what, strings.ReplaceAll(err.Error(), dot, "."))
		return nil, false
	}
	return v, true
}

// agentOfSet reports a path that goes on behind a set to nobody in it.
func (c *Compiler) agentOfSet(sc scope, e *ast.Expr, path []string, r *reach) bool {
	last := len(path) - 1
	if _, param := sc.params[path[0]]; param || last == 0 || r.values[strings.Join(path, dot)] != nil {
		return true
	}
	before := strings.Join(path[:last], dot)
	if _, set := r.values[before].(eval.Group); !set {
		return true
	}
	var known []string
	for n := range r.values {
		if rest, below := strings.CutPrefix(n, before+dot); below {
			known = append(known, rest)
		}
	}
	sort.Strings(known)
	hint := load.Suggest(path[last], known)
	if hint == "" {
		hint = "it has " + list(known)
	}
	c.fail(sc.m, diag.NoSuchAgent, c.spanOf(e, strings.Join(path, ".")), hint, "the set %q has no agent %q", strings.Join(path[:last], "."), path[last])
	return false
}

// joiner makes one name of each path that leads to a set or an agent.
type joiner struct{ r *reach }

func (j joiner) Visit(node *exprast.Node) {
	if path := pathTo(*node); len(path) > 1 {
		if name := strings.Join(path, dot); j.r.values[name] != nil {
			exprast.Patch(node, &exprast.IdentifierNode{Value: name})
		}
	}
}

// missingAgent says what may have been meant by a name that leads nowhere.
func (c *Compiler) missingAgent(sc scope, e *ast.Expr, name string, r *reach) (diag.Code, string) {
	m := sc.m
	if m.Imported(name) {
		return diag.NoSuchDecl, "the import has no such set of agents"
	}
	for _, n := range m.Names(load.AgentSet) {
		set, _ := c.setAt(m, []string{n})
		if set != nil && (set.roster.byName[name] != nil || set.roster.groups[name] != nil) {
			return diag.NoSuchAgent, "write " + n + "." + name
		}
	}
	known := append(keysOf(sc.params), m.Names(load.AgentSet)...)
	for n := range r.values {
		if !strings.Contains(n, dot) {
			known = append(known, n)
		}
	}
	sort.Strings(known)
	return diag.NoSuchAgent, load.Suggest(name, known)
}
