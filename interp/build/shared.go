package build

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"parley/lang/ast"
	"parley/runtime"
	"parley/runtime/model"
)

// compiled is what a team does in a world, as it was compiled for an earlier cell.
type compiled struct {
	prog *runtime.Program
	unit unit
}

// programOnce is program, compiled once for all cells that agree on everything it
// hangs on: most differ in their attack alone. The program is shared and must not
// be changed; the unit is the caller's own, since attacks add to it.
func (c *Compiler) programOnce(t *team, w *workspace, tasks *taskSet, choice *modelChoice, stand *standIn) (*runtime.Program, *unit) {
	if c.quiet > 0 { // what is found now would not be said later
		return c.program(t, w, tasks, choice, stand)
	}
	id := programID(t, w, tasks, choice, stand)
	if done := c.programs[id]; done != nil {
		u := done.unit.again()
		u.tasks, u.choice = tasks, choice
		for _, st := range t.steps {
			st.many = u.labels[st.label]
		}
		if choice.coversAll() {
			return u.spoken(done.prog), u
		}
		for _, m := range t.roster.agents { // the notes are another cell's
			choice.of(u, m)
		}
		return done.prog, u
	}
	prog, u := c.program(t, w, tasks, choice, stand)
	c.programs[id] = &compiled{prog, *u.again()}
	return prog, u
}

// coversAll reports that some choice is for all agents, so that none speaks with a
// model of its own, in no step: programs then differ in the agents' models alone.
func (ch *modelChoice) coversAll() bool {
	return slices.ContainsFunc(ch.rules, func(r modelRule) bool { return r.agent == nil && r.who == "" })
}

// spoken is a program with the models that the unit's choice gives its agents.
func (u *unit) spoken(prog *runtime.Program) *runtime.Program {
	p := *prog
	p.Agents = slices.Clone(prog.Agents)
	u.models = map[string]model.Spec{}
	p.Models = u.models
	for i, m := range u.team.roster.agents {
		p.Agents[i].Attrs.Model = u.choice.of(u, m)
	}
	return &p
}

// programID names all that a program hangs on. Teams, worlds and columns are known
// by their addresses: each is made once for the same declaration and arguments.
func programID(t *team, w *workspace, tasks *taskSet, choice *modelChoice, stand *standIn) string {
	var b strings.Builder
	fmt.Fprintf(&b, "%p %p %v %d", t, w, tasks.open, len(tasks.columns))
	if len(tasks.columns) > 0 {
		fmt.Fprintf(&b, " %p", &tasks.columns[0])
	}
	if stand != nil {
		fmt.Fprintf(&b, " for %p %q", stand.roster, stand.corpus)
	}
	if choice.coversAll() { // who speaks for whom is put in afterwards
		return b.String() + " model of each"
	}
	for i := range choice.rules {
		r := &choice.rules[i]
		fmt.Fprintf(&b, " model %q %q %q %q", r.from, r.who, r.name, r.id())
		if r.agent != nil {
			fmt.Fprintf(&b, " for %s %q %#v", r.sc.m.Name, r.agent.Cooked, r.sc.values())
		}
	}
	return b.String()
}

// again is the unit as it is now, safe from what is added to the other.
func (u *unit) again() *unit {
	v := *u
	v.offered = maps.Clone(u.offered)
	return &v
}

// cellsOnce builds the cells of a scenario, while a file is checked once for the
// same arguments: a check of the scenario itself and the points of experiments look
// at the same cells, unless an experiment decides more than arguments.
func (c *Compiler) cellsOnce(d *ast.Decl, sc scope, su *setup, build func() []*Cell) []*Cell {
	if c.kept == nil || c.quiet > 0 || !su.plain() {
		return build()
	}
	id := fmt.Sprintf("%p %#v", d, sc.values())
	cells, done := c.kept[id]
	if !done {
		cells = build()
		c.kept[id] = cells
	}
	out := make([]*Cell, len(cells))
	for i, cell := range cells {
		out[i] = cell.again(su)
	}
	return out
}

// plain reports that what a cell is hangs on its scenario and arguments alone, runs
// and seed apart.
func (su *setup) plain() bool {
	return !su.swept.any() && su.tasks == nil && su.test == nil && su.limit == "" && !su.shared && su.defense == nil &&
		len(su.rules) == 0 && len(su.models) == 0 && len(su.budgets) == 0 && len(su.fails) == 0
}

// again is the cell under another setup that is plain; labels and comparisons can
// be added to it.
func (cell *Cell) again(su *setup) *Cell {
	out, plan, spec := *cell, *cell.Plan, *cell.Spec
	plan.Repeats, plan.Seed = su.runs, su.seed
	out.Plan, out.Spec, out.Labels = &plan, &spec, slices.Clip(cell.Labels)
	spec.Compare, spec.Published = slices.Clip(spec.Compare), slices.Clip(spec.Published)
	return &out
}
