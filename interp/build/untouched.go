package build

import (
	"fmt"
	"reflect"
	"regexp"
	"slices"
	"strings"

	exprast "github.com/expr-lang/expr/ast"

	"parley/interp/load"
	"parley/lang/ast"
	"parley/lang/diag"
	"parley/runtime"
)

// uriForm is what is known of a resource's address: its beginning, and whether
// anything may follow.
type uriForm struct {
	start string
	open  bool
}

func (f uriForm) String() string {
	if f.open {
		return f.start + "*"
	}
	return f.start
}

// meets reports whether two addresses can be one.
func (f uriForm) meets(g uriForm) bool {
	switch {
	case f.open && g.open:
		return strings.HasPrefix(f.start, g.start) || strings.HasPrefix(g.start, f.start)
	case f.open:
		return strings.HasPrefix(g.start, f.start)
	case g.open:
		return strings.HasPrefix(f.start, g.start)
	}
	return f.start == g.start
}

// formsOf are the addresses that a header or a rule can give.
func (c *Compiler) formsOf(src string) []uriForm {
	tree, err := c.memo.Parse(src)
	if err != nil {
		return []uriForm{{open: true}}
	}
	return formsIn(tree)
}

func formsIn(n exprast.Node) []uriForm {
	switch n := n.(type) {
	case *exprast.StringNode:
		return []uriForm{{start: n.Value}}
	case *exprast.ArrayNode:
		var out []uriForm
		for _, e := range n.Nodes {
			out = append(out, formsIn(e)...)
		}
		return out
	case *exprast.ConditionalNode:
		return append(formsIn(n.Exp1), formsIn(n.Exp2)...)
	case *exprast.PredicateNode:
		return formsIn(n.Node)
	case *exprast.BinaryNode:
		if n.Operator == "+" {
			return joinedForms(formsIn(n.Left), formsIn(n.Right))
		}
	case *exprast.BuiltinNode:
		if n.Name == "map" && len(n.Arguments) == 2 {
			return formsIn(n.Arguments[1])
		}
	case *exprast.CallNode:
		if id, ok := n.Callee.(*exprast.IdentifierNode); ok && (id.Value == "render" || id.Value == "uri") {
			out := []uriForm{{}}
			for _, a := range n.Arguments {
				out = joinedForms(out, formsIn(a))
			}
			return out
		}
	}
	return []uriForm{{open: true}}
}

// joined are the addresses of two parts, one behind the other.
func joinedForms(left, right []uriForm) []uriForm {
	var out []uriForm
	for _, l := range left {
		if l.open {
			out = append(out, l)
			continue
		}
		for _, r := range right {
			out = append(out, uriForm{l.start + r.start, r.open})
		}
	}
	return out
}

// touched are the addresses that the tools of a unit can read, and can write.
func (u *unit) touched() (reads, writes []uriForm) {
	for i := range u.tools {
		for _, x := range u.tools[i].Reads {
			reads = append(reads, u.c.formsOf(x.Src)...)
		}
		for _, x := range u.tools[i].Writes {
			writes = append(writes, u.c.formsOf(x.Src)...)
		}
	}
	return reads, writes
}

// hopesIn looks at what an expression over runs waits for.
func (c *Compiler) hopesIn(u *unit, m *load.Module, e *ast.Expr) {
	if m != c.prog.Main || u == nil {
		return
	}
	for _, q := range c.memo.Compared(e) {
		switch q.Field {
		case "uri":
			reads, writes := u.touched()
			all := append(reads, writes...)
			form := uriForm{q.Text, q.Operator == "startsWith"}
			c.waits(hope{m: m, span: q.Span, code: diag.ResourceUntouched, say: fmt.Sprintf("no tool can touch %q", q.Text), text: q.Text, near: shown(all)},
				slices.ContainsFunc(all, form.meets))
		case "ended_by":
			if q.Operator != "startsWith" {
				reasons, known := u.endings()
				c.waits(hope{m: m, span: q.Span, code: diag.EndingUnknown, say: fmt.Sprintf("no run ends by %q", q.Text), text: q.Text, near: append(reasons, "turns 20", "refusal of NAME")},
					!known || contains(reasons, q.Text) || endedBy.MatchString(q.Text))
			}
		}
	}
}

// rule looks at whether any tool can touch what a rule allows.
func (u *unit) rule(sc scope, a *ast.Allow, e *ast.Expr, x runtime.Expr) {
	reads, writes := u.touched()
	list := reads
	if a.Write {
		list = writes
	}
	possible, form := false, uriForm{}
	for _, form = range u.c.formsOf(x.Src) {
		if i := strings.IndexByte(form.start, '*'); i >= 0 {
			form = uriForm{form.start[:i], true}
		}
		possible = possible || slices.ContainsFunc(list, form.meets)
	}
	what := map[bool]string{true: "write", false: "read"}[a.Write]
	h := hope{m: sc.m, span: e.Span, code: diag.ResourceUntouched, say: "no tool " + what + "s what this rule allows", text: strings.Trim(e.Text, `"`), near: shown(list)}
	if a.Write && slices.ContainsFunc(reads, form.meets) || !a.Write && slices.ContainsFunc(writes, form.meets) {
		h.hint = map[bool]string{true: "tools read it: did you mean allow read?", false: "tools write it: did you mean allow write?"}[a.Write]
	}
	u.c.waits(h, possible)
}

func shown(forms []uriForm) []string {
	var out []string
	for _, f := range forms {
		if text := f.String(); !contains(out, text) {
			out = append(out, text)
		}
	}
	return out
}

// endedBy are the ways a run can end that name a number, an agent or a reason.
var endedBy = regexp.MustCompile(`^(turns \d+|more than \d+ .*|refusal of .+|(length|context|tool rounds \d+)( of .+)?|blocked: .*)$`)

// endings are the other ways a run of the unit can end; false: some are put together
// on the way.
func (u *unit) endings() ([]string, bool) {
	out, known := []string{"", "stop", "fail", "unreadable"}, true
	look := func(list []*ast.Stmt) {
		walkTree(reflect.ValueOf(list), func(s *ast.Stmt) {
			if s.Stop == nil || s.Stop.Reason == nil {
				return
			}
			tree, err := u.c.memo.Parse(s.Stop.Reason.Cooked)
			text, literal := tree.(*exprast.StringNode)
			if err != nil || !literal {
				known = false
				return
			}
			out = append(out, text.Value)
		})
	}
	if u.team.turns != nil {
		look(u.team.turns.Body)
	}
	for _, d := range u.decls {
		look(d.decl.Body)
	}
	return out, known
}
