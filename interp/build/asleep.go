package build

import (
	exprast "github.com/expr-lang/expr/ast"

	"parley/lang/diag"
	"parley/runtime"
	"parley/runtime/eval"
)

// sleepers warns of patches that can never wake: whose condition is never met,
// or names a step in which none of the targets speaks. Such an attack would make
// any team look safe.
func (b *cellBuild) sleepers() {
	if b.attack == nil {
		return
	}
	written := b.attack.patches
	for i, p := range b.patches.patches {
		if len(b.patches.patches) != len(written) || written[i].When == nil || p.When.Src == "" {
			continue
		}
		when := written[i].When
		if b.c.never(p.When.Src, when) {
			b.c.warn(b.attack.sc.m, diag.AttackHasNoPatch, when.Span, "", "this is never so, so the patch changes nothing")
			continue
		}
		if len(b.aimed) > 0 || p.Level == "L3" || p.Slot == runtime.SlotSpeaker { // an orchestrator decides on steps of others
			continue
		}
		if step := b.deaf(p); step != "" {
			b.c.warn(b.attack.sc.m, diag.AttackHasNoPatch, b.c.spanOf(when, "step"), "", "none of the attack's targets speaks in step %q, so the patch changes nothing", step)
		}
	}
}

// deaf names a step that the condition asks for and that is none of any target.
func (b *cellBuild) deaf(p runtime.Patch) string {
	tree, err := eval.Parse(p.When.Src)
	if err != nil {
		return ""
	}
	for _, label := range stepsAskedFor(tree) {
		for _, st := range b.unit.team.steps {
			if st.label == label && !b.speaksIn(st, p.Agents) {
				return label
			}
		}
	}
	return ""
}

func (b *cellBuild) speaksIn(st *step, agents []string) bool {
	for _, a := range agents {
		if contains(st.who, a) {
			return true
		}
	}
	return false
}

// stepsAskedFor lists the labels that `step` must have for a condition to hold.
func stepsAskedFor(n exprast.Node) []string {
	x, ok := n.(*exprast.BinaryNode)
	if !ok {
		return nil
	}
	switch x.Operator {
	case "&&", "and":
		return append(stepsAskedFor(x.Left), stepsAskedFor(x.Right)...)
	case "==":
		for _, pair := range [][2]exprast.Node{{x.Left, x.Right}, {x.Right, x.Left}} {
			id, isName := pair[0].(*exprast.IdentifierNode)
			lit, isText := pair[1].(*exprast.StringNode)
			if isName && isText && id.Value == "step" {
				return []string{lit.Value}
			}
		}
	}
	return nil
}
