package build

import (
	"parley/lang/diag"
	"parley/runtime"
)

var armOrder = []runtime.ArmName{runtime.Clean, runtime.Attacked, runtime.BaselineClean, runtime.BaselineAttacked, runtime.Placebo, runtime.BaselinePlacebo, runtime.Undefended}

// armNeeds works out which arms the scores of a cell need.
type armNeeds struct {
	c      *Compiler
	base   runtime.ArmName  // attacked, or clean where there is no attack
	items  map[string]*item // scores and predicates
	scores []string
	fails  []armRefs
	memo   map[string]map[runtime.ArmName]bool
	active map[string]bool
}

func (c *Compiler) armNeeds(base runtime.ArmName, items, preds []*item, fails []armRefs) *armNeeds {
	n := &armNeeds{c: c, base: base, items: map[string]*item{}, memo: map[string]map[runtime.ArmName]bool{}, active: map[string]bool{}, fails: fails}
	for _, it := range preds {
		n.items[it.decl.Name.Name] = it
	}
	for _, it := range items {
		n.items[it.decl.Name.Name] = it
		n.scores = append(n.scores, it.decl.Name.Name)
	}
	return n
}

// of is the arms that one score or predicate reads.
func (n *armNeeds) of(name string) map[runtime.ArmName]bool {
	if arms, ok := n.memo[name]; ok {
		return arms
	}
	it := n.items[name]
	if it == nil || n.active[name] {
		return nil
	}
	n.active[name] = true
	arms := map[runtime.ArmName]bool{}
	if it.decl.Kind.Name != "value" {
		arms[n.base] = true
	}
	n.addRefs(arms, it.refs)
	delete(n.active, name)
	n.memo[name] = arms
	return arms
}

// addRefs adds the arms that references reach: scores of other arms through
// what those scores read, anything else directly.
func (n *armNeeds) addRefs(arms map[runtime.ArmName]bool, refs armRefs) {
	if refs.clean {
		arms[runtime.Clean] = true
	}
	for _, name := range refs.names {
		for arm := range n.of(name) {
			arms[arm] = true
		}
	}
	for _, word := range keysOf(exchanged) {
		for _, name := range refs.of[word] {
			if word == "baseline" && name == "placebo" {
				continue
			}
			if n.items[name] == nil {
				if arm, ok := exchanged[word][n.base]; ok {
					arms[arm] = true
				}
				continue
			}
			for arm := range n.of(name) {
				if other, ok := exchanged[word][arm]; ok {
					arms[other] = true
				}
			}
		}
	}
}

// availability says which arms a cell can have, and why not the others.
type availability struct {
	can map[runtime.ArmName]bool
	why map[runtime.ArmName]string
}

// needed is the union of what the scores need, as far as the cell can have it.
// A score one of whose arms is missing is n/a, and asks for no arm.
func (n *armNeeds) needed(have availability, notes *notes) map[runtime.ArmName]bool {
	all := map[runtime.ArmName]bool{n.base: true}
	for _, refs := range n.fails {
		n.addRefs(all, refs)
	}
	for _, name := range n.scores {
		arms, complete := n.of(name), true
		for _, arm := range armOrder {
			if arms[arm] && !have.can[arm] {
				complete = false
				notes.add("score "+name, "n/a", have.why[arm])
				break
			}
		}
		for arm := range arms {
			if complete {
				all[arm] = true
			}
		}
	}
	return all
}

// stream names an arm's stream of draws: the clean run's draws serve all
// attacks; other arms draw their own unless pairs are shared.
func stream(arm runtime.ArmName, shared bool) string {
	if shared || arm == runtime.Clean {
		return "main"
	}
	return "arm/" + string(arm)
}

// refuseArms reports references to arms that the scenario can never have.
func (c *Compiler) refuseArms(what string, items []*item, attacked, baseline, defended bool) {
	for _, it := range items {
		switch {
		case it.refs.undefended && !defended:
			c.fail(it.sc.m, diag.ArmUnavailable, it.decl.Span, "write defense NAME(), or defense none", "the %s %q reads undefended, and the scenario has no defense clause", what, it.decl.Name.Name)
		case it.refs.placebo && !attacked:
			c.fail(it.sc.m, diag.ArmUnavailable, it.decl.Span, "", "the %s %q reads placebo, and the scenario has no attack", what, it.decl.Name.Name)
		case it.refs.baseline && !baseline:
			c.fail(it.sc.m, diag.ArmUnavailable, it.decl.Span, "write baseline debate.single()", "the %s %q reads baseline, and the scenario names no baseline team", what, it.decl.Name.Name)
		}
	}
}
