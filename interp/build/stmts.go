package build

import (
	"fmt"
	"strconv"
	"strings"

	"parley/interp/load"
	"parley/lang/ast"
	"parley/lang/diag"
	"parley/runtime"
	"parley/runtime/eval"
)

// body compiles the statements of one turn program or tool body.
type body struct {
	c    *Compiler
	u    *unit
	tool bool // a tool's body, else the turn program
	team bool // of a tool of the team's own
	lets map[string]bool
	loop int
	hook *hookBody // a hook's body

	returned typ // what the return statements of a tool's body give
	returns  int
}

// block compiles a list of statements; lets made inside end with it.
func (b *body) block(p place, list []*ast.Stmt, path string) []runtime.Stmt {
	outer := b.lets
	b.lets = map[string]bool{}
	for n := range outer {
		b.lets[n] = true
	}
	var out []runtime.Stmt
	counts := map[string]int{}
	for _, s := range list {
		out = append(out, b.stmt(&p, s, path, counts)...)
	}
	b.lets = outer
	return out
}

// stmt compiles one statement; a let adds its name to the place.
func (b *body) stmt(p *place, s *ast.Stmt, path string, counts map[string]int) []runtime.Stmt {
	c := b.c
	at := p.sc.at(s.Span)
	under := func(kind string) string {
		counts[kind]++
		return join(path, kind+strconv.Itoa(counts[kind]))
	}
	if !b.belongs(p.sc, s) {
		return nil
	}
	switch {
	case b.hook != nil && (s.Block != nil || s.Swap != nil || s.Drop != nil || s.Quarantine != nil || s.Approve != nil):
		return b.intervention(*p, s, path, at)
	case s.Step != nil:
		return b.step(*p, s.Step, join(path, s.Step.Label.Name), at)
	case s.Repeat != nil:
		return b.repeat(*p, s.Repeat, under("repeat"), at)
	case s.For != nil:
		return b.each(*p, s.For, under("for"), at)
	case s.If != nil:
		cond, _, _ := c.expr(*p, s.If.Cond, wantBool, "the condition of if")
		where := under("if")
		return []runtime.Stmt{{
			Kind: runtime.IfStmt, Path: where, At: at, Expr: cond,
			Body: b.block(*p, s.If.Then, where), Elses: b.block(*p, s.If.Else, where+"/else"),
		}}
	case s.Let != nil:
		return b.let(p, s.Let, join(path, s.Let.Name.Name), at)
	case s.Set != nil:
		return b.set(*p, s.Set, path, at)
	case s.Say != nil:
		who, _, _ := c.expr(b.speakers(*p), s.Say.Who, wantAgent, "who speaks")
		text, _, _ := c.expr(*p, s.Say.Text, wantText, "what is said")
		return []runtime.Stmt{{Kind: runtime.SayStmt, Path: under("say"), At: at, Who: who, Expr: text}}
	case s.Stop != nil:
		return []runtime.Stmt{b.stop(*p, s.Stop, under, at)}
	case s.Reset != nil:
		who, ok := c.agentsOf(*p, s.Reset.Who, "who forgets", at)
		if !ok {
			return nil
		}
		return []runtime.Stmt{{Kind: runtime.ResetStmt, Path: under("reset"), At: at, Who: who}}
	case s.Break != nil:
		return []runtime.Stmt{{Kind: runtime.BreakStmt, Path: under("break"), At: at}}
	case s.Return != nil:
		ret := runtime.Stmt{Kind: runtime.ReturnStmt, Path: under("return"), At: at}
		if s.Return.Value != nil {
			var t typ
			ret.Expr, t, _ = c.expr(*p, s.Return.Value, anyWanted, "what the tool returns")
			if b.returns++; b.returns > 1 {
				t = either(b.returned, t)
			}
			b.returned = t
		}
		return []runtime.Stmt{ret}
	case s.Require != nil:
		cond, _, _ := c.expr(*p, s.Require.Cond, wantBool, "require")
		req := runtime.Stmt{Kind: runtime.RequireStmt, Path: under("require"), At: at, Expr: cond}
		if s.Require.Else != nil {
			req.Else, _, _ = c.expr(*p, s.Require.Else, wantText, "the error of require")
		}
		return []runtime.Stmt{req}
	}
	return nil
}

// stop compiles what ends the run: stop, or fail.
func (b *body) stop(p place, s *ast.Stop, under func(string) string, at string) runtime.Stmt {
	kind := runtime.StopStmt
	if s.Fail {
		kind = runtime.FailStmt
	}
	out := runtime.Stmt{Kind: kind, Path: under(string(kind)), At: at}
	if s.Reason != nil {
		out.Expr, _, _ = b.c.expr(p, s.Reason, wantText, "the reason of "+string(kind))
	}
	return out
}

// belongs refuses statements that have no meaning where they stand.
func (b *body) belongs(sc scope, s *ast.Stmt) bool {
	c := b.c
	switch {
	case b.hook != nil && (s.Say != nil || s.Stop != nil || s.Reset != nil || s.Return != nil || s.Require != nil):
		c.fail(sc.m, diag.NotHere, s.Span, "write block \"why\"", "a hook stops things and changes them, and has no part in the conversation")
	case b.tool && !b.team && (s.Step != nil || s.Say != nil || s.Reset != nil):
		c.fail(sc.m, diag.NotHere, s.Span, "declare the tool in the team", "only the body of a team's own tool knows who is there and may let agents speak")
	case !b.tool && s.Return != nil:
		c.fail(sc.m, diag.NotHere, s.Span, "a team's result is its answer", "return belongs in the body of a tool, not among turns")
	case !b.tool && s.Require != nil:
		c.fail(sc.m, diag.NotHere, s.Span, `write if … { stop "why" }`, "require belongs in the body of a tool, not among turns")
	case s.Break != nil && b.loop == 0:
		c.fail(sc.m, diag.NotHere, s.Span, "", "break stands outside repeat and for")
	default:
		return true
	}
	return false
}

func (b *body) repeat(p place, r *ast.Repeat, path, at string) []runtime.Stmt {
	st := runtime.Stmt{Kind: runtime.RepeatStmt, Path: path, At: at}
	if r.Count != nil {
		var ok bool
		if st.Expr, _, ok = b.c.expr(p, r.Count, wantInt, "how often to repeat"); ok {
			b.c.notBelow(p.sc, r.Count, "how often to repeat", 0)
			if r.Count.Cooked == "0" {
				b.c.warn(p.sc.m, diag.ConditionConstant, r.Count.Span, "", "this loop makes no pass, so nothing in it happens")
			}
		}
	}
	if r.Until != nil {
		st.Until, _, _ = b.c.expr(p, r.Until, wantBool, "until")
	}
	b.loop++
	st.Body = b.block(p, r.Body, path)
	b.loop--
	return []runtime.Stmt{st}
}

func (b *body) each(p place, f *ast.For, path, at string) []runtime.Stmt {
	st := runtime.Stmt{Kind: runtime.ForStmt, Path: path, At: at, Name: f.Var.Name}
	var listed typ
	st.Expr, listed, _ = b.c.expr(p, f.List, wantList, "what for walks")
	b.free(p, f.Var)
	p = p.fork()
	p.vars[f.Var.Name] = elemOf(listed)
	b.loop++
	st.Body = b.block(p, f.Body, path)
	b.loop--
	return []runtime.Stmt{st}
}

func (b *body) let(p *place, l *ast.Let, path, at string) []runtime.Stmt {
	value, t, _ := b.c.expr(*p, l.Value, anyWanted, fmt.Sprintf("the value of %q", l.Name.Name))
	b.free(*p, l.Name)
	*p = p.fork() // those around this block do not see it
	p.vars[l.Name.Name] = settable(t)
	b.lets[l.Name.Name] = true
	return []runtime.Stmt{{Kind: runtime.LetStmt, Path: path, At: at, Name: l.Name.Name, Expr: value}}
}

// free reports a name that already means something where it is bound.
func (b *body) free(p place, name *ast.Ident) {
	_, param := p.sc.params[name.Name]
	_, known := p.vars[name.Name]
	if param || taken(name.Name) || known {
		b.c.fail(p.sc.m, diag.NameTaken, name.Span, "", "%q already means something here", name.Name)
	}
}

// speakers is the place of `say who`: the user speaks too.
func (b *body) speakers(p place) place {
	p = p.fork()
	p.vars["user"] = agentType
	return p
}

// set compiles a set or append: its target is a let name, or a path into the
// workspace's state or files.
func (b *body) set(p place, s *ast.Set, path, at string) []runtime.Stmt {
	st := runtime.Stmt{Kind: runtime.SetStmt, Path: join(path, "set"), At: at}
	if s.Append {
		st.Kind = runtime.AppendStmt
	}
	root := rootOf(s.Target.Cooked)
	switch {
	case root == "state" || root == "files":
		if !b.tool {
			b.c.fail(p.sc.m, diag.NotHere, s.Target.Span, "agents act on the world with tools", "%s does not change the workspace", b.what())
			return nil
		}
	case !b.lets[root]:
		b.c.fail(p.sc.m, diag.NotHere, s.Target.Span, b.setHint(root), "only let names, state and files can be set, and %q is none of them", root)
		return nil
	}
	place, target, ok := b.c.expr(p, s.Target, anyWanted, "what is set")
	if !ok {
		return nil
	}
	want := wantType(settable(target))
	if s.Append {
		want = wantType(elemOf(target))
	}
	if root == "files" {
		want = wantShown
	}
	st.Expr, _, _ = b.c.expr(p, s.Value, want, "the value that is set")
	st.Target = b.target(p, s.Target, place.Src, at)
	return []runtime.Stmt{st}
}

// what names the body in messages.
func (b *body) what() string {
	if b.hook != nil {
		return "a hook"
	}
	return "the turn program"
}

func (b *body) setHint(root string) string {
	return load.Suggest(root, append(keysOf(b.lets), "state", "files"))
}

// target splits a path into its root and its keys, each an expression.
func (b *body) target(p place, e *ast.Expr, src, at string) []runtime.Expr {
	keys, root, ok := pathOf(src)
	if !ok {
		b.c.fail(p.sc.m, diag.NotHere, e.Span, "write state.field, state.list[i] or files[path]", "this is not a place that can be set")
		return nil
	}
	out := []runtime.Expr{{Src: root, At: at}}
	for _, k := range keys {
		out = append(out, runtime.Expr{Src: k, At: at})
	}
	return out
}

func join(path, name string) string {
	if path == "" {
		return name
	}
	return path + "/" + name
}

// pathOf splits canonical text such as state.accounts[args.id].open.
func pathOf(src string) (keys []string, root string, ok bool) {
	tree, err := eval.Parse(src)
	if err != nil {
		return nil, "", false
	}
	keys, root, ok = splitPath(tree)
	return keys, strings.TrimSpace(root), ok
}
