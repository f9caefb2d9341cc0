package build

import (
	"sort"

	"parley/interp/score"
	"parley/lang/diag"
	"parley/runtime"
)

// layArms lays out the arms that scores, scripts and expectations need.
func (b *cellBuild) layArms(plan *runtime.Plan, items []*item, spec *score.Spec) {
	plan.Cases = b.tasks.cases
	base := runtime.Clean
	if b.attack != nil {
		base = runtime.Attacked
	}
	have := b.available()
	needs := b.c.armNeeds(base, items, b.preds, b.failRefs)
	wanted := needs.needed(have, b.su.notes)
	if b.su.test != nil {
		wanted = b.testArms(base, have)
	}
	for _, name := range armOrder {
		if !wanted[name] || !have.can[name] {
			continue
		}
		prog := b.programOf(name)
		arm := runtime.Arm{Name: name, Stream: stream(name, plan.Shared), Program: prog, Variants: b.variants(name), Fields: b.fieldsOf(prog)}
		if b.su.test != nil {
			arm.Scripts = b.scripts(name, base)
		}
		plan.Arms = append(plan.Arms, arm)
	}
	plan.CaseFields = b.caseFields()
	if b.su.test == nil {
		b.optionalFields(plan, spec)
		b.sleepers()
	}
}

// available says which arms this cell can have.
func (b *cellBuild) available() availability {
	av := availability{can: map[runtime.ArmName]bool{runtime.Clean: true}, why: map[runtime.ArmName]string{}}
	attacked, base := b.attack != nil, b.baseProg != nil && !b.unguarded
	av.can[runtime.Attacked] = attacked
	av.can[runtime.Placebo] = attacked && b.patches.text && len(b.patches.patches) > 0
	av.can[runtime.BaselineClean] = base
	av.can[runtime.Undefended] = b.defended
	av.why[runtime.Undefended] = "the scenario has no defense clause"
	av.can[runtime.BaselineAttacked] = base && b.baseOK
	av.can[runtime.BaselinePlacebo] = base && b.baseOK && b.patches.text
	av.why[runtime.Placebo] = "a patch puts no text, so there is no filler for it"
	av.why[runtime.BaselineAttacked] = "the attack has no entry into a single agent"
	av.why[runtime.BaselinePlacebo] = av.why[runtime.BaselineAttacked]
	av.why[runtime.BaselineClean] = "the scenario names no baseline"
	if b.unguarded {
		for _, arm := range []runtime.ArmName{runtime.BaselineClean, runtime.BaselineAttacked, runtime.BaselinePlacebo} {
			av.why[arm] = "the defense cannot stand before a single agent"
		}
	}
	return av
}

// programOf is the program of an arm: the team's or the baseline's, with the
// attack, with filler in its place, or without.
func (b *cellBuild) programOf(name runtime.ArmName) *runtime.Program {
	switch name {
	case runtime.Attacked:
		return b.patched(b.clean, b.patches, false)
	case runtime.Placebo:
		return b.patched(b.clean, b.patches, true)
	case runtime.Undefended:
		return b.bare
	case runtime.BaselineClean:
		return b.baseProg
	case runtime.BaselineAttacked:
		return b.patched(b.baseProg, b.basePat, false)
	case runtime.BaselinePlacebo:
		return b.patched(b.baseProg, b.basePat, true)
	}
	return b.clean
}

func (b *cellBuild) patched(from *runtime.Program, set *patchSet, placebo bool) *runtime.Program {
	p := *from
	p.Agents = append([]runtime.Agent(nil), from.Agents...)
	set.join(&p)
	for _, patch := range set.patches {
		if placebo {
			patch.Placebo, patch.Obeyed = true, nil
		}
		p.Patches = append(p.Patches, patch)
		if patch.Level == "L3" {
			continue
		}
		for i := range p.Agents {
			if contains(patch.Agents, p.Agents[i].Name) {
				p.Agents[i].Honest = false
			}
		}
	}
	return &p
}

// fieldsOf are the task fields that a program reads; of a session all of its tasks.
func (b *cellBuild) fieldsOf(p *runtime.Program) []string {
	fields := b.c.taskFields(p, b.tasks.names())
	if b.tasks.sessions && !contains(fields, runtime.SessionField) {
		fields = append(fields, runtime.SessionField)
		sort.Strings(fields)
	}
	return fields
}

// caseFields are the fields that the arms without an attack read.
func (b *cellBuild) caseFields() []string {
	fields := map[string]bool{}
	for _, p := range []*runtime.Program{b.clean, b.baseProg} {
		if p == nil {
			continue
		}
		for _, f := range b.fieldsOf(p) {
			fields[f] = true
		}
	}
	return keysOf(fields)
}

func (t *taskSet) names() []string {
	names := make([]string, len(t.columns))
	for i, col := range t.columns {
		names[i] = col.Name
	}
	return names
}

// optionalFields warns of fields that are read, by the team or by what is said
// of its runs, and that some tasks lack.
func (b *cellBuild) optionalFields(plan *runtime.Plan, spec *score.Spec) {
	read := map[string]bool{}
	reads := func(exprs ...runtime.Expr) {
		for _, e := range exprs {
			for _, f := range b.c.readsOfTask(e.Src) {
				if f != allFields { // how a whole record is used cannot be told
					read[f] = true
				}
			}
		}
	}
	for _, list := range [][]score.Pred{spec.Verify, spec.AttackVerify, spec.Fail} {
		for _, p := range list {
			reads(p.Expr)
		}
	}
	for _, it := range spec.Scores {
		reads(it.Expr, it.Given, it.Per, it.By)
	}
	for i := range spec.Judges {
		for _, f := range spec.Judges[i].Fields {
			read[f] = true
		}
	}
	for _, a := range plan.Arms {
		for _, f := range a.Fields {
			read[f] = true
		}
	}
	for _, col := range b.tasks.columns {
		if col.Lacking == 0 || !read[col.Name] {
			continue
		}
		b.c.warn(b.tasks.m, diag.FieldOptional, b.tasks.at, "", "the task field %q has no value in %d of %d tasks (first in record %d)", col.Name, len(b.tasks.records)-col.Have, len(b.tasks.records), col.Lacking)
	}
}
