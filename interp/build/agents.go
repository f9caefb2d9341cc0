package build

import (
	"fmt"
	"strconv"
	"strings"

	exprast "github.com/expr-lang/expr/ast"

	"parley/interp/load"
	"parley/lang/ast"
	"parley/lang/diag"
	"parley/runtime"
	"parley/runtime/eval"
)

// MaxAgents bounds a team: beyond it edges and prompts no longer fit anything.
const MaxAgents = 1000

// roster is who takes part: agents in order of declaration, groups expanded.
type roster struct {
	agents []*member
	byName map[string]*member
	groups map[string][]string
	order  []string // group names as declared
	// alias leads from parameters that are one agent to that agent's name.
	alias map[string]string
	parts map[string]bool // sets of which only a part takes part
}

// member is one agent with the declaration it came from.
type member struct {
	runtime.Agent
	decl *ast.Agent
	sc   scope     // where the declaration stands: the team's, or a set's file
	set  *agentSet // the set it comes from; nil for a team's own
}

// single reports an agent that is known by a name of its own, and not as a
// numbered one of a group.
func (m *member) single() bool { return !strings.HasSuffix(m.Name, "]") }

// agentRef is an agent as static expressions see it.
type agentRef struct{ m *member }

// Field gives the agent's name, group, index and about.
func (a agentRef) Field(name string) (any, bool) {
	switch name {
	case "name":
		return a.m.Name, true
	case "group":
		return a.m.Group, true
	case "index":
		return a.m.Index, true
	case "about":
		return a.m.About, true
	}
	return nil, false
}

// Key makes agents comparable.
func (a agentRef) Key() string { return a.m.Name }

func memberName(group string, index int) string {
	return group + "[" + strconv.Itoa(index) + "]"
}

// roster expands a team's agents.
func (c *Compiler) roster(sc scope, agents []*ast.Agent) *roster {
	r := &roster{byName: map[string]*member{}, groups: map[string][]string{}}
	for _, decl := range agents {
		name := decl.Name.Name
		if r.taken(name) {
			c.fail(sc.m, diag.DeclaredTwice, decl.Name.Span, "", "the agent %q is declared twice", name)
			continue
		}
		if _, clash := sc.params[name]; clash {
			c.fail(sc.m, diag.NameTaken, decl.Name.Span, "", "%q is already the name of a parameter", name)
			continue
		}
		if taken(name) {
			c.fail(sc.m, diag.NameTaken, decl.Name.Span, "", "%q has a meaning of its own in expressions", name)
			continue
		}
		about, role := c.identity(sc, decl)
		if decl.Count == nil {
			if len(r.agents) >= MaxAgents {
				c.fail(sc.m, diag.PlanTooLarge, decl.Name.Span, "", "a team has at most %d agents", MaxAgents)
				break
			}
			r.add(&member{Agent: runtime.Agent{Name: name, About: about, Role: role}, decl: decl, sc: sc})
			continue
		}
		n, ok := c.constantInt(sc, decl.Count, fmt.Sprintf("the number of agents in %q", name), 1)
		if !ok {
			n = 2 // enough members for what follows to have a meaning
		}
		if n > MaxAgents-len(r.agents) {
			c.fail(sc.m, diag.PlanTooLarge, decl.Count.Span, "", "a team has at most %d agents", MaxAgents)
			n = 2
		}
		if role != "" {
			c.fail(sc.m, diag.NotHere, decl.Name.Span, "", "a group cannot be the orchestrator")
		}
		r.order = append(r.order, name)
		for i := 1; i <= n; i++ {
			m := &member{Agent: runtime.Agent{Name: memberName(name, i), Group: name, Index: i, About: about}, decl: decl, sc: sc}
			r.add(m)
			r.groups[name] = append(r.groups[name], m.Name)
		}
	}
	return r
}

func (r *roster) taken(name string) bool {
	return r.byName[name] != nil || r.groups[name] != nil || r.alias[name] != ""
}

func (r *roster) add(m *member) {
	r.agents = append(r.agents, m)
	r.byName[m.Name] = m
}

func (r *roster) names() []string {
	names := append([]string(nil), r.order...)
	names = append(names, keysOf(r.alias)...)
	for _, m := range r.agents {
		if m.single() {
			names = append(names, m.Name)
		}
	}
	return names
}

// identity reads the attributes that are the agent's own: about and role.
func (c *Compiler) identity(sc scope, decl *ast.Agent) (about, role string) {
	about = decl.Doc
	for _, a := range flatten(c, sc, decl.Attrs, attrChoice) {
		switch a.Key.Name {
		case "about":
			about, _ = c.constantText(sc, a.Value, "an agent's about")
		case "role":
			if a.Word != nil && a.Word.Name != "orchestrator" {
				c.fail(sc.m, diag.WrongValue, a.Word.Span, load.Suggest(a.Word.Name, []string{"orchestrator"}), "the only role is orchestrator, and it is %q", a.Word.Name)
				continue
			}
			role = "orchestrator"
		}
	}
	return about, role
}

func attrChoice(a *ast.Attr) *ast.If[ast.Attr] { return a.If }

// lookup is the names by which static expressions reach the agents.
func (r *roster) lookup() map[string]any {
	vars := map[string]any{}
	for _, m := range r.agents {
		if m.single() {
			vars[m.Name] = agentRef{m}
		}
	}
	for name, agent := range r.alias {
		vars[name] = agentRef{r.byName[agent]}
	}
	for name, members := range r.groups {
		g := eval.Group{Name: name}
		for _, n := range members {
			g.Members = append(g.Members, agentRef{r.byName[n]})
		}
		vars[name] = g
	}
	return vars
}

// pick resolves an expression to agents that are known before anything runs.
// many says that it named a group, a range or a list.
func (c *Compiler) pick(sc scope, r *roster, e *ast.Expr, what string) (names []string, many, ok bool) {
	tree, err := c.memo.Parse(e.Cooked)
	if err != nil {
		c.fail(sc.m, diag.NotConstant, e.Span, "", "%s: %v", what, err)
		return nil, false, false
	}
	for _, n := range c.namesIn(e) {
		if _, param := sc.params[n]; param || r.taken(n) {
			continue
		}
		hint := load.Suggest(n, r.names())
		if hint == "" {
			hint = "the team has " + list(r.names())
		}
		if r.parts[n] {
			hint = "only a part of the set takes part, and is no group; the team has " + list(r.names())
		}
		c.fail(sc.m, diag.NoSuchAgent, c.spanOf(e, n), hint, "the team has no agent or group %q", n)
		return nil, false, false
	}
	if !c.withinGroup(sc, r, e, tree, what) {
		return nil, false, false
	}
	vars := sc.values()
	for k, v := range r.lookup() {
		vars[k] = v
	}
	v, err := c.evaluate(e, vars)
	if err != nil {
		c.fail(sc.m, diag.NotConstant, e.Span, "", "%s cannot be worked out: %v", what, err)
		return nil, false, false
	}
	names, many, ok = agentNames(v)
	if !ok {
		c.fail(sc.m, diag.NoSuchAgent, e.Span, "the team has "+list(r.names()), "%s must name agents", what)
	}
	for _, n := range names {
		if r.byName[n] == nil {
			c.fail(sc.m, diag.NoSuchAgent, e.Span, "the team has "+list(r.names()), "%s takes no part in this team", n)
			return nil, false, false
		}
	}
	return names, many, ok
}

// withinGroup checks written indices and ranges against their group's size.
func (c *Compiler) withinGroup(sc scope, r *roster, e *ast.Expr, tree exprast.Node, what string) bool {
	at, ok := tree.(*exprast.MemberNode)
	if !ok {
		return true
	}
	group, ok := at.Node.(*exprast.IdentifierNode)
	if !ok {
		return true
	}
	members, isGroup := r.groups[group.Value]
	if !isGroup {
		if r.byName[group.Value] != nil {
			if _, dotted := at.Property.(*exprast.StringNode); !dotted {
				c.fail(sc.m, diag.BadReference, e.Span, "", "%q is one agent, not a group", group.Value)
				return false
			}
		}
		return true
	}
	for _, index := range bounds(at.Property) {
		v, err := c.evaluate(&ast.Expr{Cooked: eval.Format(index)}, sc.values())
		if err != nil {
			return true
		}
		if n, whole := v.(int); whole && (n < 1 || n > len(members)) {
			c.fail(sc.m, diag.BadReference, e.Span, "members count from 1", "%s reaches %s, and %s has %d", what, memberName(group.Value, n), group.Value, len(members))
			return false
		}
	}
	return true
}

func bounds(index exprast.Node) []exprast.Node {
	if r, ok := index.(*exprast.BinaryNode); ok && r.Operator == ".." {
		return []exprast.Node{r.Left, r.Right}
	}
	return []exprast.Node{index}
}

// agentNames lists the agents of a value: one, a group, or a list of either.
func agentNames(v any) (names []string, many, ok bool) {
	switch x := v.(type) {
	case agentRef:
		return []string{x.m.Name}, false, true
	case eval.Group:
		return memberNames(x.Members)
	case *eval.Group:
		return memberNames(x.Members)
	case []any:
		return memberNames(x)
	}
	return nil, false, false
}

func memberNames(list []any) (names []string, many, ok bool) {
	seen := map[string]bool{}
	for _, e := range list {
		inner, _, ok := agentNames(e)
		if !ok {
			return nil, false, false
		}
		for _, n := range inner {
			if !seen[n] {
				seen[n] = true
				names = append(names, n)
			}
		}
	}
	return names, true, len(names) > 0
}

func list(names []string) string {
	switch len(names) {
	case 0:
		return "none"
	case 1:
		return names[0]
	}
	out := names[0]
	for i, n := range names[1:] {
		if i == len(names)-2 {
			out += " and " + n
		} else {
			out += ", " + n
		}
	}
	return out
}
