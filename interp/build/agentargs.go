package build

import (
	"fmt"
	"slices"
	"sort"
	"strings"

	exprast "github.com/expr-lang/expr/ast"

	"parley/interp/load"
	"parley/interp/typing"
	"parley/lang/ast"
	"parley/lang/diag"
	"parley/runtime/eval"
	"parley/runtime/shape"
)

// reach is what the arguments of one instance can name beside parameters: the
// sets of the file and of its imports, and by their bare names the agents of
// those sets that the arguments mention.
type reach struct {
	values map[string]any
	owner  map[string]*agentSet
	twice  map[string]bool // agents of two of the sets
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
	r := &reach{values: map[string]any{}, owner: map[string]*agentSet{}, twice: map[string]bool{}}
	for _, e := range exprs {
		for _, path := range c.pathsIn(e) {
			if p, param := from.params[path[0]]; param {
				if p.who {
					eachAgent(p.value, func(m *member) { r.meet(m.set, "") })
				}
			} else if set, name := c.setAt(from.m, path); set != nil {
				r.values[name] = set.value
				r.meet(set, name+dot)
			}
		}
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
// the name by which it is looked up.
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
	through := map[string]bool{} // imports that lead to a set
	for _, path := range c.pathsIn(e) {
		if len(path) > 1 && r.values[path[0]+dot+path[1]] != nil {
			through[path[0]] = true
		}
	}
	for _, name := range c.namesIn(e) {
		_, param := sc.params[name]
		switch {
		case param || through[name]:
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

// eachAgent visits the agents of a parameter's value, in order.
func eachAgent(v any, visit func(*member)) {
	switch x := v.(type) {
	case agentRef:
		visit(x.m)
	case eval.Group:
		for _, e := range x.Members {
			eachAgent(e, visit)
		}
	case []any:
		for _, e := range x {
			eachAgent(e, visit)
		}
	case map[string]any:
		for _, k := range keysOf(x) {
			eachAgent(x[k], visit)
		}
	}
}

// agentValue fits a value to a type that names agents, or says in what it does not.
func agentValue(v any, p *ast.Param, s shape.Shape) (any, string) {
	if !isGroupType(p.Type) {
		fitted, why := fit(spread(v, s), s)
		if why == "" && !allAgents(fitted, s) {
			why = "must name agents themselves, not a text with the name of one"
		}
		return fitted, why
	}
	if v == nil {
		return fit(v, s)
	}
	names, _, ok := agentNames(v)
	g := eval.Group{Name: p.Name.Name}
	seen := map[string]bool{}
	eachAgent(v, func(m *member) {
		if !seen[m.Name] {
			seen[m.Name] = true
			g.Members = append(g.Members, agentRef{m})
		}
	})
	if list, isList := v.([]any); isList && len(list) == 0 {
		return nil, "must name at least one agent, and it names none"
	}
	if !ok || len(names) == 0 {
		return nil, "must be a set of agents, or a list of sets and agents, and it is " + nameValue(v)
	}
	return g, ""
}

// spread puts the members of sets into the lists of agents that they stand in.
func spread(v any, s shape.Shape) any {
	switch {
	case s.Kind == shape.List && s.Elem.Kind == shape.Agent:
		if _, _, agents := agentNames(v); !agents {
			return v
		}
		out := []any{}
		eachAgent(v, func(m *member) { out = append(out, agentRef{m}) })
		return out
	case s.Kind == shape.List:
		if list, ok := v.([]any); ok {
			out := make([]any, len(list))
			for i, e := range list {
				out[i] = spread(e, *s.Elem)
			}
			return out
		}
	case s.Kind == shape.Record:
		if fields, ok := v.(map[string]any); ok {
			out := make(map[string]any, len(fields))
			for name, e := range fields {
				out[name] = e
				if f := fieldNamed(s.Fields, name); f != nil {
					out[name] = spread(e, f.Shape)
				}
			}
			return out
		}
	}
	return v
}

// allAgents reports that agents stand wherever the shape has them.
func allAgents(v any, s shape.Shape) bool {
	switch x := v.(type) {
	case string:
		return s.Kind != shape.Agent
	case []any:
		for _, e := range x {
			if s.Elem != nil && !allAgents(e, *s.Elem) {
				return false
			}
		}
	case map[string]any:
		for _, f := range s.Fields {
			if !allAgents(x[f.Name], f.Shape) {
				return false
			}
		}
	}
	return true
}

// defaultOf works out a parameter's default, which may name agents.
func (c *Compiler) defaultOf(sc scope, p *ast.Param, s shape.Shape) (any, bool) {
	what := fmt.Sprintf("the default of %q", p.Name.Name)
	if !namesAgents(p.Type) {
		return c.constantAs(sc, p.Default, s, what)
	}
	v, ok := c.constantNaming(sc, p.Default, what, c.reachOf(sc, []*ast.Expr{p.Default}))
	if !ok {
		return nil, false
	}
	v, why := agentValue(v, p, s)
	if why != "" {
		c.fail(sc.m, diag.WrongValue, p.Default.Span, "", "%s %s", what, why)
		return nil, false
	}
	return v, true
}

// typ is the type of the parameter where expressions of a run read it.
func (p param) typ() typ {
	switch v := p.value.(type) {
	case agentRef:
		return agentType
	case eval.Group:
		return typing.GroupOf(v.Name, len(v.Members))
	}
	if p.who {
		return withAgents(shapeType(p.shape), p.shape)
	}
	return shapeType(p.shape)
}

// withAgents is the type of a shape in which agents are agents, not their names.
func withAgents(t typ, s shape.Shape) typ {
	switch s.Kind {
	case shape.Agent:
		out := agentType
		out.Optional = s.Optional
		return out
	case shape.List:
		elem := withAgents(shapeType(*s.Elem), *s.Elem)
		t.Elem = &elem
	case shape.Record:
		for _, f := range s.Fields {
			t.Fields[f.Name] = withAgents(t.Fields[f.Name], f.Shape)
		}
	}
	return t
}

// literals are the values of parameters as expressions of a run write them:
// agents by their names, `agents` by the name of the group that they are.
func (p place) literals() map[string]any {
	vars := p.sc.values()
	for name, param := range p.sc.params {
		if !param.who {
			continue
		}
		if g, ok := param.value.(eval.Group); ok {
			delete(vars, name)
			if p.u != nil {
				if group := p.u.team.roster.groupOf(name, g); group != "" {
					vars[name] = typing.Name(group)
				}
			}
			continue
		}
		vars[name] = written(param.value)
	}
	if p.u != nil {
		for name, agent := range p.u.team.roster.alias {
			if _, param := p.sc.params[name]; !param {
				vars[name] = typing.Name(agent)
			}
		}
	}
	return vars
}

// written puts agents' names into a value.
func written(v any) any {
	switch x := v.(type) {
	case agentRef:
		return typing.Name(x.m.Name)
	case []any:
		out := make([]any, len(x))
		for i, e := range x {
			out[i] = written(e)
		}
		return out
	case map[string]any:
		out := make(map[string]any, len(x))
		for k, e := range x {
			out[k] = written(e)
		}
		return out
	}
	return v
}

// groupOf is the name of a group of just these members, of that name if there is
// one; empty: none.
func (r *roster) groupOf(name string, g eval.Group) string {
	want := agentsIn(g)
	if slices.Equal(r.groups[name], want) {
		return name
	}
	for _, other := range r.order {
		if slices.Equal(r.groups[other], want) {
			return other
		}
	}
	return ""
}
