package build

import (
	"parley/interp/load"
	"parley/lang/diag"
)

// addCompare notes which scores are tested between the experiment's rows.
func (c *Compiler) addCompare(m *load.Module, e *experiment, cells []*Cell) {
	for _, n := range e.compare {
		var names []string
		found := false
		for _, cell := range cells {
			kind := cell.kindOf(n.Name)
			if found = found || kind != ""; kind == "value" {
				c.fail(m, diag.WrongValue, n.Span, "", "%q is made of other scores; only scores with outcomes of their own are tested", n.Name)
				return
			}
			for _, s := range cell.Spec.Scores {
				names = append(names, s.Name)
			}
			cell.Spec.Compare = append(cell.Spec.Compare, n.Name)
		}
		if !found && len(cells) > 0 {
			c.fail(m, diag.NoSuchDecl, n.Span, load.Suggest(n.Name, names), "the experiment has no score %q", n.Name)
			return
		}
	}
}
