package build

import (
	"maps"

	"parley/interp/typing"
	"parley/lang/diag"
	"parley/runtime"
	"parley/runtime/shape"
	"parley/runtime/trace"
)

// addDefenses compiles the defenses of a cell for its team. They stand in every
// arm, so they are part of the clean program.
func (b *cellBuild) addDefenses() bool {
	choice := b.su.defense
	switch {
	case b.s.sweptDefense != nil:
		choice = b.s.sweptDefense
	case choice == nil && b.s.defense != nil:
		choice = &defenseChoice{sc: b.s.sc, use: b.s.defense, from: "scenario"}
	}
	list, ok := b.c.defenses(choice)
	if !ok {
		return false
	}
	b.defenses, b.defended, b.bare = list, choice != nil, b.clean
	if choice != nil {
		b.su.notes.add("defense", defenseNames(list), choice.from)
	}
	b.clean, b.armed, ok = b.c.guard(b.clean, b.unit, list)
	return ok
}

// defenseNames are the defenses as people call them.
func defenseNames(list []*defense) string {
	if len(list) == 0 {
		return "none"
	}
	text := ""
	for i, d := range list {
		if i > 0 {
			text += ", "
		}
		text += d.display
		if d.item.On != nil {
			text += " on " + d.item.On.Text
		}
	}
	return text
}

// guard is a program under defenses. The program it is made of stays as it is.
func (c *Compiler) guard(prog *runtime.Program, u *unit, defenses []*defense) (*runtime.Program, []*armed, bool) {
	if len(defenses) == 0 {
		return prog, nil, true
	}
	p := *prog
	p.Models = maps.Clone(prog.Models)
	p.Defenses = nil
	var out []*armed
	taken := map[string]bool{}
	ok := true
	for _, d := range defenses {
		a, good := c.arm(u, d)
		if ok = ok && good; !good {
			continue
		}
		for _, name := range append(a.unit.team.roster.names(), keysOf(a.unit.team.labels)...) {
			if taken[name] {
				c.fail(d.from.m, diag.DeclaredTwice, d.item.Span, "", "two of the defenses have an agent or a step named %q", name)
				ok = false
			}
			taken[name] = true
		}
		maps.Copy(p.Models, a.unit.models)
		p.Defenses = append(p.Defenses, a.Defense)
		out = append(out, a)
	}
	return &p, out, ok
}

// guardBaseline puts the same defenses before the single agent. One that names
// what only the team has cannot stand there, and then there is no baseline.
func (b *cellBuild) guardBaseline() {
	if len(b.defenses) == 0 {
		return
	}
	ok := b.c.attempt(func() {
		var prog *runtime.Program
		if guarded, _, good := b.c.guard(b.baseProg, b.baseUnit, b.defenses); good {
			prog = guarded
		}
		b.bareProg, b.baseProg = b.baseProg, prog
	})
	if !ok || b.baseProg == nil {
		b.baseProg, b.unguarded = b.bareProg, true
	}
}

// unmeasurable says why runs of a cell would measure nothing; empty where they do.
// A simulator does not read what a defense says: where it has no mechanism, a
// number would only look like one.
func (b *cellBuild) unmeasurable() string {
	if b.su.test != nil {
		return ""
	}
	simulated := true
	for i := range b.clean.Agents {
		simulated = simulated && b.clean.Models[b.clean.Agents[i].Attrs.Model].Provider == "sim"
	}
	for _, a := range b.armed {
		if len(a.people) > 0 && b.c.approve == "" {
			return a.people[0] + " has to approve, and nobody is asked: run with --approve ask, always or never"
		}
		if why := a.unanswered(); why != "" {
			return why
		}
		if simulated && !a.acts {
			return "the defense " + a.Name + " consists of words alone, which the simulator does not read"
		}
	}
	return ""
}

// unanswered says why simulated guards cannot answer what they are asked.
func (a *armed) unanswered() string {
	for _, step := range a.asked {
		for _, spec := range step.models {
			if spec.Provider != "sim" {
				continue
			}
			if !hasFlag(step.replies) {
				return "the simulator has no way to answer the step " + step.label + " of the defense " + a.Name + ": it stands guard where it is asked for true or false"
			}
			_, both := spec.Params["flags"]
			if _, stated := spec.Params["flags.payload"]; !stated && !both {
				return "the simulator stands guard in the defense " + a.Name + " only by a stated confusion: give its agents a model with flags { payload: …, clean: … }"
			}
		}
	}
	return ""
}

// hasFlag reports whether a reply has a field that is true or false.
func hasFlag(s *shape.Shape) bool {
	if s == nil {
		return false
	}
	for _, f := range s.Fields {
		if f.Shape.Kind == shape.Bool {
			return true
		}
	}
	return false
}

// approvals are the ways in which people decide who have to approve.
var approvals = []string{"ask", "always", "never"}

// approval takes over how people decide.
func (c *Compiler) approval(o Options) {
	if o.Approve != "" && !contains(approvals, o.Approve) {
		c.option(diag.WrongValue, "", "people who approve %s, and this is %q", list(approvals), o.Approve)
		return
	}
	c.approve = o.Approve
}

// interventionType is one thing that a defense did.
func (u *unit) interventionType() typ {
	hooks := keysOf(hookRules)
	return recordOf("intervention", map[string]typ{
		"defense": textType, "hook": typing.Vocabulary("hook", hooks), "action": typing.Vocabulary("action", trace.Actions),
		"agent": optional(agentType), "step": textType, "tool": textType, "why": textType, "text": textType, "payload": boolType,
	})
}
