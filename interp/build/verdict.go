package build

import (
	"strings"

	exprast "github.com/expr-lang/expr/ast"

	"parley/interp/load"
	"parley/interp/typing"
	"parley/lang/ast"
	"parley/lang/diag"
	"parley/runtime"
	"parley/runtime/eval"
)

// withJudges gives `judge` its meaning in the file of a place, in the run itself and
// in those beside it. A place that has no judge keeps having none.
func (c *Compiler) withJudges(p place) {
	if _, can := p.vars[judgeWord]; !can || c.judges == nil {
		return
	}
	t := c.judges.typeIn(p.sc.m)
	if len(t.Fields) == 0 {
		return
	}
	p.vars[judgeWord] = t
	for _, arm := range [...]string{"clean", "baseline", "placebo", "undefended"} {
		if run, ok := p.vars[arm]; ok {
			p.vars[arm] = judgedRun(run, t)
		}
	}
}

// judgedRun is the type of another arm's run with these judges.
func judgedRun(run, judges typ) typ {
	if run.Kind != typing.Record || run.Fields == nil {
		return run
	}
	fields := copyVars(run.Fields, nil)
	if _, has := fields[judgeWord]; has {
		fields[judgeWord] = judges
	}
	for name, inner := range fields {
		if armWord(name) {
			fields[name] = judgedRun(inner, judges)
		}
	}
	run.Fields = fields
	return run
}

// resolveJudges puts the cell's names of judges into an expression, in place of
// those that its file has for them.
func (c *Compiler) resolveJudges(p place, e *ast.Expr, src string) (string, bool) {
	if c.judges == nil || !strings.Contains(src, judgeWord) {
		return src, true
	}
	if _, can := p.vars[judgeWord]; !can {
		return src, true
	}
	tree, err := eval.Parse(src)
	if err != nil {
		return src, true
	}
	r := &judgeResolver{judging: c.judges, m: p.sc.m}
	exprast.Walk(&tree, r)
	if r.seen != r.found {
		c.fail(p.sc.m, diag.ExprUnreadable, c.spanOf(e, judgeWord), "write judge.NAME.reply.FIELD", "this does not say which judge")
		return src, false
	}
	if r.found == 0 {
		return src, true
	}
	return eval.Format(tree), true
}

// judgeResolver renames judges. Walk comes to a node after what it is made of.
type judgeResolver struct {
	judging *judging
	m       *load.Module
	seen    int // mentions of judge
	found   int // of these, those followed by a judge's name
}

func (r *judgeResolver) Visit(node *exprast.Node) {
	if id, ok := (*node).(*exprast.IdentifierNode); ok && id.Value == judgeWord {
		r.seen++
		return
	}
	n, ok := (*node).(*exprast.MemberNode)
	if !ok {
		return
	}
	name, named := n.Property.(*exprast.StringNode)
	if !named {
		return
	}
	if isRun(n.Node) && name.Value == judgeWord {
		r.seen++
		return
	}
	switch {
	case isJudge(n.Node):
		if decl := r.m.Declared(load.Judge, name.Value); decl != nil {
			name.Value = r.judging.use(r.m, decl)
			r.found++
		}
	default: // judge.IMPORT.NAME
		inner, ok := n.Node.(*exprast.MemberNode)
		if !ok || !isJudge(inner.Node) {
			return
		}
		from, ok := inner.Property.(*exprast.StringNode)
		if !ok {
			return
		}
		for _, imp := range r.m.Imports() {
			if imp.Name != from.Value || imp.Module == nil {
				continue
			}
			if decl := imp.Module.Declared(load.Judge, name.Value); decl != nil {
				// Resolving marks the import as used.
				r.judging.b.c.find(r.m, load.Judge, []*ast.Ident{{Name: from.Value}, {Name: name.Value}})
				name.Value = r.judging.use(imp.Module, decl)
				n.Node = inner.Node
				r.found++
			}
		}
	}
}

// isJudge reports `judge`, or that of another arm's run.
func isJudge(n exprast.Node) bool {
	switch n := n.(type) {
	case *exprast.IdentifierNode:
		return n.Value == judgeWord
	case *exprast.MemberNode:
		name, ok := n.Property.(*exprast.StringNode)
		return ok && name.Value == judgeWord && isRun(n.Node)
	}
	return false
}

// isRun reports an expression that names another arm's run.
func isRun(n exprast.Node) bool {
	switch n := n.(type) {
	case *exprast.IdentifierNode:
		return armWord(n.Value)
	case *exprast.MemberNode:
		name, ok := n.Property.(*exprast.StringNode)
		return ok && armWord(name.Value) && isRun(n.Node)
	}
	return false
}

func armWord(name string) bool {
	return name == "clean" || name == "baseline" || name == "placebo" || name == "undefended"
}

// quoteEvidence marks what a judge's prompt shows of a run beside the transcript, so
// that it is fenced like the transcript itself. What could not be told from the
// author's own words is refused.
func (c *Compiler) quoteEvidence(m *load.Module, e *ast.Expr, x runtime.Expr) (runtime.Expr, bool) {
	tree, err := eval.Parse(x.Src)
	if err != nil {
		return x, true
	}
	if quoted(tree) {
		x.Src = eval.Format(tree)
		return x, true
	}
	c.fail(m, diag.ExprUnreadable, e.Span, "write prompt \"…${transcript}…\"",
		"what a judge is shown of a run stands by itself inside of ${…}, and the transcript unchanged")
	return x, false
}

// quoted wraps the parts of templates that show the run; false where one cannot be
// told from the rest.
func quoted(n exprast.Node) bool {
	switch n := n.(type) {
	case *exprast.CallNode:
		callee, ok := n.Callee.(*exprast.IdentifierNode)
		if !ok || callee.Value != "render" {
			break
		}
		for i, a := range n.Arguments {
			if id, ok := a.(*exprast.IdentifierNode); ok && id.Value == "transcript" || authored(a) {
				continue
			}
			if contains(freeNames(a), "transcript") {
				return false
			}
			n.Arguments[i] = &exprast.CallNode{Callee: &exprast.IdentifierNode{Value: "evidence"}, Arguments: []exprast.Node{a}}
		}
		return true
	case *exprast.ConditionalNode:
		return quoted(n.Exp1) && quoted(n.Exp2)
	case *exprast.BinaryNode:
		if n.Operator == "+" {
			return quoted(n.Left) && quoted(n.Right)
		}
	}
	return authored(n)
}

// authored reports a part that shows nothing of the run: the task, the attack and
// the author's words.
func authored(n exprast.Node) bool {
	for _, name := range freeNames(n) {
		if name != "task" && name != "attack" {
			return false
		}
	}
	return true
}
