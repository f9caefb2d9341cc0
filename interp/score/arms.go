package score

import (
	"slices"
	"strings"

	"parley/runtime"
	"parley/runtime/trace"
)

// sibling says which arm a name means in expressions about another arm's run:
// clean, baseline, placebo and undefended. Empty: it has none.
func sibling(arm runtime.ArmName, name string) runtime.ArmName {
	switch name {
	case "clean":
		switch arm {
		case runtime.BaselineClean, runtime.BaselineAttacked, runtime.BaselinePlacebo:
			return runtime.BaselineClean
		}
		return runtime.Clean
	case "undefended":
		switch arm {
		case runtime.Clean, runtime.Attacked, runtime.Placebo:
			return runtime.Undefended
		}
	case "baseline":
		switch arm {
		case runtime.Clean:
			return runtime.BaselineClean
		case runtime.Attacked:
			return runtime.BaselineAttacked
		case runtime.Placebo:
			return runtime.BaselinePlacebo
		}
	case "placebo":
		switch arm {
		case runtime.Attacked:
			return runtime.Placebo
		case runtime.BaselineAttacked:
			return runtime.BaselinePlacebo
		}
	}
	return ""
}

func siblingWord(name string) bool {
	return name == "clean" || name == "baseline" || name == "placebo" || name == "undefended"
}

// team is what expressions about an arm's runs can name.
type team struct {
	groups map[string][]string // group → member names
	single map[string]bool     // agents known by a name of their own
	labels map[string]bool     // step label → is a list
	// planned are the agents as the plan knows them, for runs that failed.
	planned map[string]*trace.Agent
}

// teamOf reads the names off an arm's program; an arm without one, as in tests
// from tables of outcomes, has the names of the specification.
func teamOf(p *runtime.Program, spec *Spec) *team {
	t := &team{groups: map[string][]string{}, single: map[string]bool{}, labels: map[string]bool{}, planned: map[string]*trace.Agent{}}
	if p == nil {
		for _, g := range spec.Groups {
			t.groups[g.Name] = g.Members
		}
		for name, list := range spec.Labels {
			t.labels[name] = list
		}
		return t
	}
	// A twin that an attack adds is known by its name, and no member: what is
	// counted over a group stays what it is without the attack.
	added := map[string]bool{}
	for i := range p.Agents {
		added[p.Agents[i].Name] = p.Agents[i].Like != ""
	}
	for _, g := range p.Groups {
		t.groups[g.Name] = slices.DeleteFunc(slices.Clone(g.Members), func(name string) bool { return added[name] })
	}
	for i := range p.Agents {
		a := &p.Agents[i]
		t.planned[a.Name] = &trace.Agent{Name: a.Name, Group: a.Group, Index: a.Index, About: a.About, Role: a.Role, Honest: a.Honest}
		if !strings.HasSuffix(a.Name, "]") {
			t.single[a.Name] = true
		}
	}
	t.addLabels(p.Turns)
	for i := range p.Tools {
		t.addLabels(p.Tools[i].Body)
	}
	return t
}

func (t *team) addLabels(stmts []runtime.Stmt) {
	for i := range stmts {
		s := &stmts[i]
		if s.Kind == runtime.StepStmt && s.Name != "" {
			t.labels[s.Name] = s.Many || s.Each
		}
		t.addLabels(s.Body)
		t.addLabels(s.Elses)
	}
}

// has reports whether the team has a group, single agent or step of that name.
func (t *team) has(name string) bool {
	_, label := t.labels[name]
	return label || t.single[name] || t.groups[name] != nil
}

// fault says why an arm's run cannot be scored.
type fault int8

const (
	sound   fault = iota
	missing       // not run yet
	errored       // infrastructure failed
)

func faultOf(t *trace.Trial) fault {
	switch {
	case t == nil:
		return missing
	case t.Outcome == trace.Errored:
		return errored
	}
	return sound
}
