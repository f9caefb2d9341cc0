package build

import (
	"fmt"
	"strings"

	"parley/interp/load"
	"parley/lang/ast"
	"parley/lang/diag"
	"parley/runtime"
)

// step compiles one step of the turn program.
func (b *body) step(p place, s *ast.Step, path, at string) []runtime.Stmt {
	known := b.u.stepOf(s)
	if known == nil || known.wrong {
		return nil // reported when the team was expanded
	}
	want := wantAgents
	if s.Each {
		want = wantAgentList
	}
	who, whoType, ok := b.c.expr(p, s.Who, want, "who speaks")
	if !ok {
		return nil
	}
	if !known.fixed {
		known.many = s.Each || isList(whoType)
	}
	if s.Each && known.fixed && len(known.who) == 1 && !isList(whoType) {
		b.c.fail(p.sc.m, diag.WrongValue, s.Who.Span, "leave out each", "each takes a group, and %q is one agent", s.Who.Text)
	}
	attrs := b.c.attrs(b.u, p, s.Attrs, known)
	if b.hook != nil {
		b.hook.guardStep(b.u, known, attrs)
	}
	return []runtime.Stmt{{
		Kind: runtime.StepStmt, Path: path, At: at, Name: known.label, Each: s.Each, Many: known.many, Who: who, Attrs: attrs,
	}}
}

// stepAttrs are the attributes of which each may stand once, with those that
// only a step or only an agent may have.
var (
	attrNames = []string{"about", "role", "model", "temperature", "max_tokens", "system", "prompt", "tools", "replies", "remembers", "shares", "aside", "where", "handoff"}
	agentOnly = set("about", "role")
	sharings  = []string{"reply", "text", "tool_results", "nothing"}
	memories  = []string{"all", "last", "nothing"}
	followUps = []string{"answer", "share", "stop"}
)

// attrs compiles the attributes of an agent (st nil) or of a step.
func (c *Compiler) attrs(u *unit, p place, list []*ast.Attr, st *step) runtime.Attrs {
	var out runtime.Attrs
	seen := map[string]bool{}
	voice := p.fork()
	voice.fns = turnFunctions
	voice.vars["self"], voice.vars["heard"] = agentType, u.vars["heard"]
	if st != nil {
		voice.vars["step"] = u.steps
	}
	for _, a := range flatten(c, p.sc, list, attrChoice) {
		key := a.Key.Name
		if !contains(attrNames, key) {
			c.fail(p.sc.m, diag.NoSuchField, a.Key.Span, load.Suggest(key, attrNames), "no attribute is named %q", key)
			continue
		}
		if st != nil && agentOnly[key] {
			c.fail(p.sc.m, diag.NotHere, a.Key.Span, "", "%s belongs to an agent, not to a step", key)
			continue
		}
		if seen[key] {
			c.fail(p.sc.m, diag.ClauseTwice, a.Key.Span, "", "%s stands twice", key)
			continue
		}
		seen[key] = true
		c.attr(u, voice, a, st, &out)
	}
	return out
}

func (c *Compiler) attr(u *unit, p place, a *ast.Attr, st *step, out *runtime.Attrs) {
	switch a.Key.Name {
	case "model":
		out.Model = c.attrModel(u, p, a, st)
	case "temperature":
		out.Temperature, _ = c.temperature(p.sc, a.Value)
	case "max_tokens":
		out.MaxTokens, _ = c.constantInt(p.sc, a.Value, "max_tokens", 1)
	case "system":
		out.System, _, _ = c.expr(p, a.Value, wantText, "a system text")
	case "prompt":
		out.Prompt, _, _ = c.expr(p, a.Value, wantText, "a prompt")
	case "tools":
		out.Tools = c.toolUse(u, p, a, st)
	case "replies":
		if s, ok := c.shapeOf(p.sc, a.Type, u.team.groupMembers()); ok {
			out.Replies = &s
		}
		if a.Try != nil {
			n, _ := c.constantInt(p.sc, a.Try, "how often to ask again", 0)
			out.Repairs = &n
		}
		if a.Else != nil {
			out.RepliesElse, _, _ = c.expr(u.judging(p, st), a.Else, wantText, "what is said of an unreadable reply")
		}
	case "remembers":
		out.Remembers = c.remembers(p, a)
	case "shares":
		if a.Word != nil && !contains(sharings, a.Word.Name) {
			c.fail(p.sc.m, diag.WrongValue, a.Word.Span, load.Suggest(a.Word.Name, sharings), "an agent shares %s, and this is %q", list(sharings), a.Word.Name)
		} else if a.Word != nil {
			out.Shares = a.Word.Name
		}
	case "aside":
		out.Aside = true
	case "where":
		c.whereAttr(u, p, a, st, out)
	case "handoff":
		out.Handoff, _ = c.agentsOf(p, a.Who, "whom an agent hands over to", p.sc.at(a.Span))
	}
}

func (c *Compiler) remembers(p place, a *ast.Attr) *runtime.Remember {
	switch {
	case a.Last != nil:
		n, _ := c.constantInt(p.sc, a.Last, "how much an agent remembers", 1)
		return &runtime.Remember{Last: n}
	case a.Word == nil || !contains(memories, a.Word.Name):
		c.fail(p.sc.m, diag.WrongValue, a.Span, "", "an agent remembers all, last k or nothing")
		return nil
	}
	return &runtime.Remember{All: a.Word.Name == "all"}
}

// agentsOf compiles agents, groups and lists of them, one or several, as one
// expression.
func (c *Compiler) agentsOf(p place, list []*ast.Expr, what, at string) (runtime.Expr, bool) {
	var parts []string
	for _, e := range list {
		x, _, ok := c.expr(p, e, wantAgents, what)
		if !ok {
			return runtime.Expr{}, false
		}
		parts = append(parts, x.Src)
	}
	if len(parts) == 1 {
		return runtime.Expr{Src: parts[0], At: at}, true
	}
	return runtime.Expr{Src: "[" + strings.Join(parts, ", ") + "]", At: at}, true
}

// judging is the place in which a candidate reply is looked at: `reply` as read,
// `text` as it was said.
func (u *unit) judging(p place, st *step) place {
	p = p.fork()
	p.vars["reply"] = u.anyReply
	if st != nil {
		if s := u.c.replyOf(u.team, st); s != nil {
			p.vars["reply"] = shapeType(*s)
		}
	}
	if _, param := p.sc.params["text"]; !param {
		p.vars["text"] = textType
	}
	return p
}

// whereAttr compiles `where EXPR try N else TEXT`.
func (c *Compiler) whereAttr(u *unit, p place, a *ast.Attr, st *step, out *runtime.Attrs) {
	p = u.judging(p, st)
	if a.Else != nil {
		out.WhereElse, _, _ = c.expr(p, a.Else, wantText, "what is said of a reply that does not do")
	}
	out.Where, _, _ = c.expr(p, a.Value, wantBool, "where")
	out.Try = 1
	if a.Try == nil {
		c.fail(p.sc.m, diag.ClauseMissing, a.Span, "write where … try 3", "where needs try: how often to ask at most")
		return
	}
	out.Try, _ = c.constantInt(p.sc, a.Try, "how often to try", 1)
}

// toolUse resolves the tools an agent is offered.
func (c *Compiler) toolUse(u *unit, p place, a *ast.Attr, st *step) *runtime.ToolUse {
	if a.Tools == nil {
		return nil
	}
	use := &runtime.ToolUse{}
	seen := map[string]bool{}
	add := func(name string) {
		if !seen[name] {
			seen[name] = true
			use.Names = append(use.Names, name)
			u.offered[name] = true
		}
	}
	for _, n := range a.Tools.Names {
		switch n.Name {
		case "none":
		case "own":
			use.Own = true
			if st == nil {
				c.fail(p.sc.m, diag.NotHere, n.Span, "", "own are the tools that the agent has, and belongs to a step")
			}
		case "all", "read", "write":
			for _, t := range u.tools {
				if n.Name == "all" || t.Class == n.Name {
					add(t.Name)
				}
			}
		default:
			if !u.hasTool(n.Name) {
				c.fail(p.sc.m, diag.NoSuchTool, n.Span, u.toolHint(n.Name), "no tool is named %q", n.Name)
				continue
			}
			add(n.Name)
		}
	}
	if a.Tools.Limit != nil {
		use.Limit, _ = c.constantInt(p.sc, a.Tools.Limit, "the limit of tool rounds", 1)
	}
	if then := a.Tools.Then; then != nil {
		if !contains(followUps, then.Name) {
			c.fail(p.sc.m, diag.WrongValue, then.Span, load.Suggest(then.Name, followUps), "after the last tool round come %s, and this is %q", list(followUps), then.Name)
		}
		use.Then = then.Name
	}
	if order := a.Tools.Order; order != nil {
		if use.Then != runtime.ThenAnswer {
			c.fail(p.sc.m, diag.NotHere, order.Span, "", "only an answer after the last tool round can be ordered")
		}
		use.Order, _, _ = c.expr(p, order, wantText, "the order to answer")
	}
	return use
}

func (u *unit) toolHint(name string) string {
	names := make([]string, len(u.tools))
	for i, t := range u.tools {
		names[i] = t.Name
	}
	if near := load.Suggest(name, append(names, "read", "write", "all", "none", "own")); near != "" {
		return near
	}
	if len(names) == 0 {
		return "neither the workspace nor the team declares tools"
	}
	return fmt.Sprintf("the tools are %s", list(names))
}
