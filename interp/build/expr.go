package build

import (
	"reflect"

	exprast "github.com/expr-lang/expr/ast"

	"parley/interp/load"
	"parley/interp/typing"
	"parley/lang/ast"
	"parley/lang/diag"
	"parley/runtime"
	"parley/runtime/eval"
	"parley/runtime/shape"
)

// place is where an expression stands: its file, and the names that have a
// value there, parameters among them.
type place struct {
	sc   scope
	said map[string]any // values of names that stand for them
	u    *unit
	vars map[string]typ
	fns  map[string]bool // engine functions that exist here

	elsewhere map[string]string // of names that do not exist here: where they do
}

// Engine functions, by where they have a meaning.
var (
	programFunctions = set("exposed", "carried", "distance", "chance")
	turnFunctions    = set("exposed", "carried", "distance", "calls_of", "chance")
	toolFunctions    = set("exposed", "carried", "distance", "calls_of", "chance", "retrieve")
	enterFunctions   = set("distance", "chance")
	scoreFunctions   = set("exposed", "carried", "distance")
	noFunctions      = map[string]bool{}
)

// place makes a place of names and a scope's parameters.
func (c *Compiler) place(u *unit, sc scope, fns map[string]bool, vars map[string]typ) place {
	p := place{sc: sc, u: u, vars: vars, fns: fns, said: map[string]any{}}.fork()
	if u != nil {
		for name, agent := range u.team.roster.alias {
			p.said[name] = typing.Name(agent)
		}
	}
	for name, param := range sc.params {
		t, value, ok := param.typ(u)
		delete(p.said, name)
		if delete(p.vars, name); ok {
			p.vars[name], p.said[name] = t, value
		}
	}
	c.withJudges(p)
	return p
}

// view makes places that are only looked at: those of one scope share their names.
func (c *Compiler) view(u *unit, fns map[string]bool, vars map[string]typ) func(sc scope) place {
	type key struct {
		m      *load.Module
		params uintptr
	}
	made := map[key]place{}
	return func(sc scope) place {
		k := key{sc.m, reflect.ValueOf(sc.params).Pointer()}
		p, done := made[k]
		if !done {
			p = c.place(u, sc, fns, vars)
			made[k] = p
		}
		return p
	}
}

// fork copies the names, so that more can be added.
func (p place) fork() place {
	p.vars = copyVars(p.vars, nil)
	return p
}

// wanted is what a place needs an expression to be.
type wanted struct {
	t      typ
	accept func(t typ) bool // in place of t: which types will do
	name   string           // what accept accepts
	cond   bool             // a condition decides something, and should not be constant
	hint   string           // what may have been meant where it is something else
}

var (
	anyWanted  = wanted{t: openType}
	wantBool   = wanted{t: boolType, cond: true}
	wantText   = wanted{t: textType}
	wantNumber = wanted{t: numberType}
	wantInt    = wanted{t: intType}
	wantList   = wanted{t: typ{Kind: typing.List}}
	wantAgent  = wanted{t: agentType}
	wantShown  = wanted{accept: showable, name: "a text, or something that can be written as one"}

	wantAgents = wanted{
		accept: func(t typ) bool {
			return t.Kind == typing.Agent || isList(t) && elemOf(t).Kind == typing.Agent ||
				t.Kind == typing.String && t.Name == "agent" // a reply that names one
		},
		name: "an agent or agents",
	}
	wantAgentList = wanted{accept: func(t typ) bool { return isList(t) && elemOf(t).Kind == typing.Agent }, name: "a group or a list of agents"}
	wantURIs      = wanted{
		accept: func(t typ) bool {
			return t.Kind == typing.String || isList(t) && elemOf(t).Kind == typing.String
		},
		name: "a resource or a list of resources",
	}
)

// showable are the types that a text can be made of without a template.
func showable(t typ) bool {
	switch t.Kind {
	case typing.String, typing.Int, typing.Number, typing.Bool, typing.Agent, typing.Unknown:
		return true
	}
	return false
}

func wantType(t typ) wanted          { return wanted{t: t} }
func wantShape(s shape.Shape) wanted { return wanted{t: shapeType(s)} }

// wantDocuments is one document or a list of them, as the value is written.
func wantDocuments(e *ast.Expr) wanted {
	if tree, err := eval.Parse(e.Cooked); err == nil {
		if _, list := tree.(*exprast.ArrayNode); list {
			return wantType(listOf(documentType))
		}
	}
	return wantType(documentType)
}

// expr types an expression in its place and gives its canonical form.
func (c *Compiler) expr(p place, e *ast.Expr, want wanted, what string) (runtime.Expr, typ, bool) {
	if c.stopped() {
		return runtime.Expr{}, openType, false
	}
	env := c.env(p)
	c.seen(p.sc.m, e, env, want.due())
	checked, problems := typing.Check(e, env, want.due())
	for _, q := range problems {
		if q.Code == diag.ExprWanted && q.Hint == "" {
			q.Hint = want.hint
		}
		c.fail(p.sc.m, q.Code, q.Span, q.Hint, "%s", q.Message)
	}
	ok := len(problems) == 0
	if ok && want.accept != nil && checked.Type.Kind != typing.Open && !want.accept(checked.Type) {
		c.fail(p.sc.m, diag.ExprWanted, e.Span, "", "%s must be %s, and this is %s", what, want.name, checked.Type)
		ok = false
	}
	if !ok {
		return runtime.Expr{}, checked.Type, false
	}
	if want.cond {
		c.settled(p, e, what)
	}
	src, err := checked.Canonical(env.Values)
	if err != nil {
		c.fail(p.sc.m, diag.WrongValue, e.Span, "", "%s: %v", what, err)
		return runtime.Expr{}, checked.Type, false
	}
	if src, ok = c.resolveJudges(p, e, src); !ok {
		return runtime.Expr{}, checked.Type, false
	}
	c.hopesIn(p.u, p.sc.m, e)
	c.names["task\x00"+src] = checked.Reads["task"]
	return runtime.Expr{Src: src, At: p.sc.at(e.Span)}, checked.Type, true
}

func (w wanted) due() typ {
	if w.accept != nil {
		return openType
	}
	return w.t
}

// env is the place as the checker takes it.
func (c *Compiler) env(p place) *typing.Env {
	env := &typing.Env{Names: p.vars, Functions: p.fns, Values: p.said, Elsewhere: p.elsewhere, Memo: c.memo}
	if p.u != nil {
		env.Agent, env.Agents, env.Tools = p.u.agent, p.u.agentNames, p.u.toolList()
	}
	return env
}
