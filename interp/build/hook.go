package build

import (
	"strconv"

	"parley/interp/load"
	"parley/interp/typing"
	"parley/lang/ast"
	"parley/lang/diag"
	"parley/runtime"
	"parley/runtime/eval"
	"parley/runtime/model"
	"parley/runtime/shape"

	exprast "github.com/expr-lang/expr/ast"
)

// hookFunctions are the functions that defenses have. Where payloads stand they
// cannot ask: that is what they are there to find out.
var hookFunctions = set("distance", "calls_of", "chance")

// hookRule is what the compiler knows of a point at which defenses look.
type hookRule struct {
	point runtime.HookPoint
	thing string   // what `replace` changes; empty: nothing
	does  []string // the statements that hooks have, as far as they mean something here
	turn  bool     // it is about an agent's doing
}

// hookRules is the table of all points, by the words they are written in.
var hookRules = map[string]hookRule{
	"before task":    {runtime.BeforeTask, "task.prompt", []string{"block", "replace", "approve"}, false},
	"before tools":   {runtime.BeforeTools, "tools", []string{"replace", "quarantine"}, true},
	"before prompt":  {runtime.BeforePrompt, "prompt", []string{"block", "replace", "approve", "quarantine"}, true},
	"before call":    {runtime.BeforeCall, "", []string{"block", "drop", "approve", "quarantine"}, true},
	"after result":   {runtime.AfterResult, "result", []string{"block", "drop", "replace", "approve", "quarantine"}, true},
	"after reply":    {runtime.AfterReply, "reply", []string{"block", "drop", "replace", "approve", "quarantine"}, true},
	"before message": {runtime.BeforeMessage, "message", []string{"block", "drop", "replace", "approve", "quarantine"}, true},
	"after round":    {runtime.AfterRound, "", []string{"block", "quarantine"}, false},
	"before answer":  {runtime.BeforeAnswer, "answer", []string{"block", "replace", "approve", "quarantine"}, false},
}

// hookBody is what the statements of a hook need to know while they are compiled.
type hookBody struct {
	rule hookRule
	name string // as written
	out  *armed
	d    *defense
}

// asked is a step of a defense's agents: which models answer it, and in what form.
type asked struct {
	label   string
	models  []model.Spec
	names   []string // of the models, as the program knows them
	replies *shape.Shape
}

func (c *Compiler) hook(g *unit, d *defense, h *ast.Hook, covered []string, i int, out *armed) runtime.Hook {
	name := h.When.Name + " " + h.Point.Name
	rule, known := hookRules[name]
	if !known {
		c.fail(d.sc.m, diag.NotHere, h.Point.Span, load.Suggest(name, keysOf(hookRules)), "hooks stand at %s, not %s", list(keysOf(hookRules)), name)
		return runtime.Hook{}
	}
	p := c.hookPlace(g, d, rule)
	hook := runtime.Hook{Point: rule.point, At: d.sc.at(h.Span)}
	if rule.turn {
		hook.Agents = covered
	}
	if h.Cond != nil {
		hook.When, _, _ = c.expr(p, h.Cond, wantBool, hookWhen)
		if c.never(hook.When.Src, h.Cond) {
			c.warn(d.sc.m, diag.AttackHasNoPatch, h.Cond.Span, "", "this is never so, so the hook does nothing")
		}
	}
	b := &body{c: c, u: g, lets: map[string]bool{}, hook: &hookBody{rule: rule, name: name, out: out, d: d}}
	hook.Body = b.block(p, h.Body, "hook"+strconv.Itoa(i+1))
	return hook
}

// hookPlace is what a hook sees besides the run: the thing that passes, by name.
func (c *Compiler) hookPlace(g *unit, d *defense, rule hookRule) place {
	p := c.place(g, d.sc, hookFunctions, g.vars)
	if rule.turn {
		p.vars["self"], p.vars["agent"], p.vars["step"] = agentType, agentType, g.steps
		if rule.point != runtime.BeforeMessage {
			p.vars["context"] = textType
		}
	}
	call := recordOf("call", map[string]typ{
		"agent": agentType, "tool": g.toolWords, "args": g.anyArgs(), "step": g.steps, "authorized": boolType,
		"reads": listOf(g.resource), "writes": listOf(g.resource),
	})
	switch rule.point {
	case runtime.BeforeTools:
		p.vars["tools"] = listOf(g.toolWords)
	case runtime.BeforePrompt:
		p.vars["prompt"] = textType
	case runtime.BeforeCall:
		p.vars["call"] = call
	case runtime.AfterResult:
		call.Fields["error"], call.Fields["effected"] = textType, boolType
		p.vars["call"], p.vars["result"] = call, textType
	case runtime.AfterReply:
		p.vars["reply"], p.vars["text"] = g.anyReply, textType
	case runtime.BeforeMessage:
		p.vars["message"] = g.messageType()
	case runtime.AfterRound:
		p.vars["step"] = g.steps
	case runtime.BeforeAnswer:
		p.vars["answer"] = optional(g.answer)
	}
	return p
}

// intervention compiles the statements that only hooks have.
func (b *body) intervention(p place, s *ast.Stmt, path, at string) []runtime.Stmt {
	h := b.hook
	word, span := interventionWord(s)
	if !contains(h.rule.does, word) {
		b.c.fail(p.sc.m, diag.NotHere, span, "", "%s one can %s, not %s", h.name, list(h.rule.does), word)
		return nil
	}
	st := runtime.Stmt{Path: join(path, word), At: at}
	switch {
	case s.Block != nil:
		st.Kind = runtime.BlockStmt
		st.Expr, _, _ = b.c.expr(p, s.Block.Why, wantText, "why it is blocked")
		h.out.acts = true
	case s.Drop != nil:
		st.Kind = runtime.DropStmt
		h.out.acts = true
	case s.Quarantine != nil:
		st.Kind = runtime.QuarantineStmt
		st.Who, _, _ = b.c.expr(p, s.Quarantine.Who, wantAgents, "who is quarantined")
		h.out.acts = true
	case s.Approve != nil:
		b.approval(p, s.Approve, &st)
	case s.Swap != nil:
		return b.swap(p, s.Swap, st)
	}
	return []runtime.Stmt{st}
}

func interventionWord(s *ast.Stmt) (string, ast.Span) {
	switch {
	case s.Block != nil:
		return "block", s.Span
	case s.Drop != nil:
		return "drop", s.Span
	case s.Quarantine != nil:
		return "quarantine", s.Span
	case s.Approve != nil:
		return "approve", s.Span
	case s.Swap != nil:
		return "replace", s.Span
	}
	return "", ast.Span{}
}

// swap compiles `replace THING with …`.
func (b *body) swap(p place, s *ast.Swap, st runtime.Stmt) []runtime.Stmt {
	h, c := b.hook, b.c
	if s.Target.Cooked != h.rule.thing {
		c.fail(p.sc.m, diag.NotHere, s.Target.Span, "write replace "+h.rule.thing+" with …", "%s one replaces %s, and this is %q", h.name, h.rule.thing, s.Target.Text)
		return nil
	}
	want := wantText
	switch h.rule.point {
	case runtime.BeforeTools:
		want = wanted{accept: func(t typ) bool {
			kind := elemOf(t).Kind
			return isList(t) && (kind == typing.String || kind == typing.Open || kind == typing.Nil)
		}, name: "a list of tools' names"}
	case runtime.BeforeAnswer:
		want = wanted{accept: func(t typ) bool { return t.Kind != typing.Agent && t.Kind != typing.Group }, name: "an answer"}
	case runtime.AfterReply:
		want = wanted{accept: func(t typ) bool { return t.Kind == typing.String || t.Kind == typing.Record }, name: "a text, or a record of the reply's fields"}
	}
	st.Kind, st.Name = runtime.SwapStmt, s.Target.Cooked
	st.Expr, _, _ = c.expr(p, s.Value, want, "what takes its place")
	// What is made of the thing itself only words it otherwise; what is not takes
	// it away.
	if h.rule.point == runtime.BeforeTools || !readsThing(st.Expr.Src, h.rule.thing) {
		h.out.acts = true
	}
	return []runtime.Stmt{st}
}

// readsThing reports whether an expression is made of the thing it replaces.
func readsThing(src, thing string) bool {
	tree, err := eval.Parse(src)
	if err != nil {
		return false
	}
	v := &thingVisitor{thing: thing}
	exprast.Walk(&tree, v)
	return v.found
}

type thingVisitor struct {
	thing string
	found bool
}

// Visit looks for the name; a reply may also be read as text.
func (v *thingVisitor) Visit(node *exprast.Node) {
	switch n := (*node).(type) {
	case *exprast.IdentifierNode:
		v.found = v.found || n.Value == v.thing || v.thing == "reply" && n.Value == "text"
	case *exprast.MemberNode:
		id, ok := n.Node.(*exprast.IdentifierNode)
		field, named := n.Property.(*exprast.StringNode)
		v.found = v.found || ok && named && id.Value+"."+field.Value == v.thing
	}
}

// approval compiles `approve by "name"`: the person is known to the program as a
// model, which says by what policy the decisions are made.
func (b *body) approval(p place, s *ast.Approve, st *runtime.Stmt) {
	who, ok := b.c.constantText(p.sc, s.By, "who approves")
	if !ok {
		return
	}
	if who == "" || b.u.team.roster.taken(who) || contains(b.u.agentNames, who) {
		b.c.fail(p.sc.m, diag.NameTaken, s.By.Span, "", "%q cannot be a person who approves: it is the name of an agent, or empty", who)
		return
	}
	st.Kind, st.Name = runtime.ApproveStmt, who
	st.Attrs.Model = b.u.know(model.Spec{Provider: runtime.ApprovalProvider, Name: b.c.approve})
	b.hook.out.acts = true
	if !contains(b.hook.out.people, who) {
		b.hook.out.people = append(b.hook.out.people, who)
	}
}

// guardStep notes what a step of a defense's agents asks for, and of whom.
func (h *hookBody) guardStep(u *unit, known *step, attrs runtime.Attrs) {
	a := asked{label: known.label, replies: u.c.replyOf(u.team, known)}
	for _, name := range known.who {
		id := attrs.Model
		if id == "" {
			id = u.choice.of(u, u.team.roster.byName[name])
		}
		a.models, a.names = append(a.models, u.models[id]), append(a.names, id)
	}
	h.out.asked = append(h.out.asked, a)
}
