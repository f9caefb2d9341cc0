package build

import (
	"fmt"
	"strings"

	"parley/interp/load"
	"parley/interp/typing"
	"parley/lang/ast"
	"parley/lang/diag"
	"parley/runtime"
	"parley/runtime/shape"

	exprast "github.com/expr-lang/expr/ast"
)

// attack is one attack with its parameters bound and its targets resolved.
type attack struct {
	sc      scope
	from    scope // where it is used
	name    string
	display string
	decl    *ast.Attack
	item    *ast.AttackItem
	level   string
	goal    string
	targets []string
	hit     bool // some patch is about the targets
	// named are the holes and tools of slots that read the task, by the expression.
	named   map[string]string
	patches []*ast.Patch
	obeyed  *ast.Obeyed
	verify  *ast.Verify
}

var levels = set("L1", "L2", "L3")

// attackOf expands one use of an attack; its targets are agents of the team.
func (c *Compiler) attackOf(from scope, item *ast.AttackItem) *attack {
	m, decl := c.find(from.m, load.Attack, item.Ref.Path)
	if decl == nil {
		return nil
	}
	sc, ok := c.bind(m, "attack "+refName(item.Ref), decl.Attack.Params, from, item.Ref)
	if !ok {
		return nil
	}
	a := c.expandAttack(sc, decl.Attack)
	if a == nil {
		return nil
	}
	a.from, a.item, a.display = from, item, displayRef(item.Ref, sc)
	return a
}

func (c *Compiler) expandAttack(sc scope, decl *ast.Attack) *attack {
	c.unused(sc.m, "attack "+decl.Name.Name, decl.Params, decl.Members)
	a := &attack{sc: sc, name: decl.Name.Name, decl: decl}
	if decl.Level == nil {
		c.fail(sc.m, diag.ClauseMissing, decl.Name.Span, "write attack "+a.name+"() at L2 { … }", "the attack %q does not say at which level it stands", a.name)
		return nil
	}
	if a.level = decl.Level.Name; !levels[a.level] {
		c.fail(sc.m, diag.WrongValue, decl.Level.Span, "", "the levels are L1, L2 and L3, and this is %q", a.level)
		return nil
	}
	for _, m := range flatten(c, sc, decl.Members, func(m *ast.AttackMember) *ast.If[ast.AttackMember] { return m.If }) {
		switch {
		case m.Goal != nil:
			a.goal, _ = c.constantText(sc, m.Goal, "a goal")
		case m.Patch != nil:
			a.patches = append(a.patches, m.Patch)
		case m.Obeyed != nil && a.obeyed != nil:
			c.fail(sc.m, diag.ClauseTwice, m.Obeyed.Span, "", "an attack says once what obeying it means")
		case m.Obeyed != nil:
			a.obeyed = m.Obeyed
		case m.Verify != nil && a.verify != nil:
			c.fail(sc.m, diag.ClauseTwice, m.Verify.Span, "", "an attack has one verify")
		case m.Verify != nil:
			a.verify = m.Verify
		}
	}
	if len(a.patches) == 0 {
		c.warn(sc.m, diag.AttackHasNoPatch, decl.Name.Span, "", "the attack %q changes nothing", a.name)
	}
	return a
}

// displayRef names an attack for people, with its arguments where it has some.
func displayRef(ref *ast.Ref, sc scope) string {
	name := ref.Path[len(ref.Path)-1].Name
	var args []string
	for _, a := range ref.Args {
		if a.Name == nil {
			continue
		}
		if p, ok := sc.params[a.Name.Name]; ok {
			args = append(args, a.Name.Name+": "+display(p.value))
		}
	}
	if len(args) == 0 {
		return name
	}
	return name + "(" + strings.Join(args, ", ") + ")"
}

// aimed reports a patch that needs targets where the attack has none.
func (a *attack) aimed(c *Compiler, at ast.Span, what string) bool {
	if len(a.targets) > 0 {
		return true
	}
	if a.item != nil && a.item.On == nil {
		c.fail(a.from.m, diag.TargetMissing, a.item.Span, "write attack "+a.name+"() on debater[1..3]", "the attack %q does not say on whom: %s", a.name, what)
	}
	return false
}

// aim resolves `on`.
func (c *Compiler) aim(a *attack, u *unit) bool {
	if a.item.On == nil {
		return true
	}
	names, _, ok := c.pick(a.from, u.team.roster, a.item.On, "on")
	a.targets = names
	return ok
}

// wantCalls is a list of calls, each a record of tool, args and perhaps agent. Whether
// there are such tools is looked at when the tasks are known.
var wantCalls = wanted{
	accept: func(t typ) bool {
		return isList(t) && (elemOf(t).Kind == typing.Record || elemOf(t).Kind == typing.Open || elemOf(t).Kind == typing.Unknown)
	},
	name: "a list of calls such as [{ tool: \"pay\", args: { amount: 1 } }]",
}

// obeyed compiles what obeying means to the simulator.
func (c *Compiler) obeyed(u *unit, a *attack) (*runtime.Obeyed, bool) {
	p := c.place(u, a.sc, turnFunctions, u.vars)
	p.vars["self"] = agentType
	o := a.obeyed
	if o.Call == nil && o.Calls == nil && o.Reply == nil {
		return nil, true
	}
	out := &runtime.Obeyed{}
	ok := true
	if o.Call != nil {
		out.Tool = o.Call.Name.Name
		out.Args, ok = c.callArgs(u, p, o.Call)
	}
	if o.Calls != nil {
		var good bool
		out.Calls, _, good = c.expr(p, o.Calls, wantCalls, "what obeying calls")
		ok = ok && good
	}
	if o.Reply != nil {
		reply, _, good := c.expr(p, o.Reply, anyWanted, "what obeying replies")
		out.Reply = reply
		ok = ok && good && c.replyKeys(u, a, o.Reply)
	}
	return out, ok
}

// replyKeys checks the fields of an obeying reply against the team's schemas.
func (c *Compiler) replyKeys(u *unit, a *attack, e *ast.Expr) bool {
	tree, err := c.memo.Parse(e.Cooked)
	m, isMap := tree.(*exprast.MapNode)
	if err != nil || !isMap {
		c.fail(a.sc.m, diag.WrongValue, e.Span, "write reply { answer: … }", "an obeying reply is a record of fields")
		return false
	}
	if u.standIn != nil {
		return true
	}
	known := append(u.replyFields(u.team.roster.all()), "text") // text: of a reply without a form
	for _, pair := range m.Pairs {
		key, ok := pair.(*exprast.PairNode).Key.(*exprast.StringNode)
		if ok && !contains(known, key.Value) {
			c.fail(a.sc.m, diag.NoSuchField, c.spanOf(e, key.Value), load.Suggest(key.Value, known), "no reply in the team has a field %q", key.Value)
			return false
		}
	}
	return true
}

// callArgs types the named arguments of a tool call.
func (c *Compiler) callArgs(u *unit, p place, call *ast.CallForm) (map[string]runtime.Expr, bool) {
	tool := u.toolNamed(call.Name.Name)
	if tool == nil {
		c.fail(p.sc.m, diag.NoSuchTool, call.Name.Span, u.toolHint(call.Name.Name), "no tool is named %q", call.Name.Name)
		return nil, false
	}
	ok := true
	args := map[string]runtime.Expr{}
	var known []string
	for _, f := range tool.Params {
		known = append(known, f.Name)
	}
	for _, a := range call.Args {
		if a.Name == nil {
			c.fail(p.sc.m, diag.NoSuchParam, a.Span, "write name: value", "the arguments of a call are named")
			ok = false
			continue
		}
		f := fieldNamed(tool.Params, a.Name.Name)
		if f == nil {
			c.fail(p.sc.m, diag.NoSuchParam, a.Name.Span, load.Suggest(a.Name.Name, known), "the tool %q has no argument %q", tool.Name, a.Name.Name)
			ok = false
			continue
		}
		x, _, good := c.expr(p, a.Value, wantShape(f.Shape), fmt.Sprintf("the argument %q", f.Name))
		args[f.Name] = x
		ok = ok && good
	}
	return args, ok
}

func fieldNamed(fields []shape.Field, name string) *shape.Field {
	for i := range fields {
		if fields[i].Name == name {
			return &fields[i]
		}
	}
	return nil
}
