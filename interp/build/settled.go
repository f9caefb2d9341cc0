package build

import (
	"parley/interp/typing"
	"parley/lang/ast"
	"parley/lang/diag"
)

// What the conditions of patches and hooks are called.
const (
	patchWhen = "the condition of a patch"
	hookWhen  = "the condition of a hook"
)

// never reports a condition that never holds, as compiled or as written.
func (c *Compiler) never(src string, e *ast.Expr) bool {
	value, same := c.memo.Always(e)
	return src == "false" || same && !value
}

// settled warns of a condition that is the same whatever happens. One that hangs on
// parameters alone is a choice that another value makes otherwise.
func (c *Compiler) settled(p place, e *ast.Expr, what string) {
	value, same := c.memo.Always(e)
	switch {
	case !same, what == "expect": // a test's is an error, and said there
		return
	case p.sc.m.Std && p.sc.m != c.prog.Main: // the library is checked by itself
		return
	case !value && (what == patchWhen || what == hookWhen): // said with what follows from it
		return
	case what == "until" && (e.Cooked == "false" || e.Cooked == "true"): // forever, and once
		return
	}
	code, hint := diag.ConditionConstant, "leave it out, or say what it should hang on"
	if what == "given" {
		code = diag.PredicateConstant
	}
	if value {
		c.warn(p.sc.m, code, e.Span, hint, "this condition always holds")
		return
	}
	c.warn(p.sc.m, code, e.Span, hint, "this condition never holds")
}

// emptyPatch warns of a patch that adds an empty text.
func (c *Compiler) emptyPatch(a *attack, p *ast.Patch) {
	if p.Op.Name != "append" && p.Op.Name != "prepend" || p.Value == nil {
		return
	}
	if tree, err := c.memo.Parse(p.Value.Cooked); err == nil && typing.EmptyText(tree) {
		c.warn(a.sc.m, diag.AttackHasNoPatch, p.Value.Span, "say what the attack adds there", "this patch adds an empty text, so it changes nothing")
	}
}
