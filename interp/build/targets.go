package build

import (
	"fmt"

	"parley/interp/typing"
	"parley/lang/ast"
	"parley/lang/diag"
	"parley/runtime"
	"parley/runtime/segment"
)

// aiming is whom an attack is on in some of the tasks, with its patches as compiled
// for these targets.
type aiming struct {
	targets []string
	named   map[string]string // tools and holes, by the expression that names them
	rows    []int
	patches *patchSet
}

// maxAimings bounds how many different sets of targets the tasks of one cell name:
// each is a program of its own.
const maxAimings = 500

// byTask reports that whom the attack is on, or which tool or hole a patch is about,
// reads the task, so that it differs from task to task.
func (c *Compiler) byTask(a *attack) bool {
	return c.readsTask(a.item.On) || len(c.namedByTask(a)) > 0
}

func (c *Compiler) readsTask(e *ast.Expr) bool {
	return e != nil && contains(c.namesIn(e), "task")
}

// namedByTask are the expressions that say by task which tool or hole a patch is
// about: tool(task.via).result.
func (c *Compiler) namedByTask(a *attack) []*ast.Expr {
	var out []*ast.Expr
	for _, p := range a.patches {
		if arg := p.Slot.Arg; c.readsTask(arg) && (p.Slot.Head.Name == "tool" || p.Slot.Head.Name == "hole") {
			out = append(out, arg)
		}
	}
	return out
}

// wantTargets is what `on` may be where it reads the task: agents, or their names.
var wantTargets = wanted{
	accept: func(t typ) bool {
		if isList(t) {
			t = elemOf(t)
		}
		return t.Kind == typing.Agent || t.Kind == typing.String || t.Kind == typing.Open
	},
	name: "agents or names of agents",
}

// aims works out the targets of each task and puts those tasks together that have
// the same ones.
func (c *Compiler) aims(a *attack, u *unit, tasks *taskSet) ([]*aiming, bool) {
	if !c.aimable(a, u) {
		return nil, false
	}
	var out []*aiming
	byNames := map[string]*aiming{}
	for i := range tasks.cases {
		names, ok := a.targets, true
		if c.readsTask(a.item.On) {
			names, ok = c.targetsOf(a, u.team.roster, &tasks.cases[i])
		}
		named, good := c.namedOf(a, &tasks.cases[i])
		if !ok || !good {
			return nil, false
		}
		id := fmt.Sprintf("%q %q", names, named)
		aim := byNames[id]
		if aim == nil {
			aim = &aiming{targets: names, named: named}
			byNames[id] = aim
			out = append(out, aim)
		}
		aim.rows = append(aim.rows, tasks.cases[i].Row)
	}
	if len(out) > maxAimings {
		c.fail(a.from.m, diag.PlanTooLarge, a.item.On.Span, "", "the tasks name %d different sets of targets, and there may be %d", len(out), maxAimings)
		return nil, false
	}
	return out, len(out) > 0
}

// aimable types what reads the task, and resolves targets that do not.
func (c *Compiler) aimable(a *attack, u *unit) bool {
	if c.readsTask(a.item.On) {
		p := c.place(u, a.from, noFunctions, map[string]typ{"task": u.taskType(nil)})
		u.addTeam(p.vars)
		if _, _, ok := c.expr(p, a.item.On, wantTargets, "on"); !ok {
			return false
		}
	} else if !c.aim(a, u) {
		return false
	}
	for _, e := range c.namedByTask(a) {
		p := c.place(u, a.sc, noFunctions, map[string]typ{"task": u.taskType(nil)})
		if _, _, ok := c.expr(p, e, wantText, "the name of a tool or hole"); !ok {
			return false
		}
	}
	return true
}

// namedOf are the tools and holes that a task says the patches are about.
func (c *Compiler) namedOf(a *attack, task *runtime.Case) (map[string]string, bool) {
	list := c.namedByTask(a)
	if len(list) == 0 {
		return nil, true
	}
	out := map[string]string{}
	vars := a.sc.values()
	vars["task"] = task.Fields
	for _, e := range list {
		v, err := c.evaluate(e, vars)
		name, ok := v.(string)
		if err != nil || !ok {
			c.fail(a.sc.m, diag.DataField, e.Span, "", "the task %s does not say which tool or hole is meant", task.Name)
			return nil, false
		}
		out[e.Cooked] = name
	}
	return out, true
}

// targetsOf are the agents that a task says the attack is on.
func (c *Compiler) targetsOf(a *attack, r *roster, task *runtime.Case) ([]string, bool) {
	m, on := a.from.m, a.item.On
	vars := a.from.values()
	for name, v := range r.lookup() {
		vars[name] = v
	}
	vars["task"] = task.Fields
	v, err := c.evaluate(on, vars)
	if err != nil {
		c.fail(m, diag.DataField, on.Span, "", "whom the attack is on in the task %s cannot be worked out: %v", task.Name, err)
		return nil, false
	}
	names, unknown := r.namedBy(v)
	switch {
	case unknown != "":
		c.fail(m, diag.NoSuchAgent, on.Span, "the team has "+list(r.names()), "in the task %s the attack is on %q, and the team has nobody of that name", task.Name, unknown)
		return nil, false
	case len(names) == 0:
		c.fail(m, diag.TargetMissing, on.Span, "", "in the task %s the attack is on nobody", task.Name)
		return nil, false
	}
	return names, true
}

// namedBy lists the agents that a value means: agents, groups, names of either, and
// lists of these. unknown is a name that is none.
func (r *roster) namedBy(v any) (names []string, unknown string) {
	switch x := v.(type) {
	case nil:
		return nil, ""
	case segment.Text:
		return r.namedBy(x.String())
	case string:
		if r.byName[x] != nil {
			return []string{x}, ""
		}
		if members := r.groups[x]; members != nil {
			return members, ""
		}
		return nil, x
	case []any:
		for _, e := range x {
			inner, unknown := r.namedBy(e)
			if unknown != "" {
				return nil, unknown
			}
			for _, n := range inner {
				if !contains(names, n) {
					names = append(names, n)
				}
			}
		}
		return names, ""
	}
	names, _, _ = agentNames(v)
	return names, ""
}

// aimByTask compiles the attack once for each set of targets.
func (b *cellBuild) aimByTask(a *attack) bool {
	aims, ok := b.c.aims(a, b.unit, b.tasks)
	if !ok {
		return false
	}
	bare := b.unit.again()
	for i, aim := range aims {
		u := b.unit
		if i > 0 {
			u = bare.again()
		}
		a.targets, a.named = aim.targets, aim.named
		if aim.patches, ok = b.c.patchesOf(u, a); !ok {
			return false
		}
	}
	a.targets, a.named = aims[0].targets, aims[0].named
	b.patches, b.aimed = aims[0].patches, aims[1:]
	return true
}

// variants are the programs of an attacked arm for the tasks whose targets are not
// those of its first task.
func (b *cellBuild) variants(name runtime.ArmName) []runtime.Variant {
	if name != runtime.Attacked && name != runtime.Placebo {
		return nil
	}
	var out []runtime.Variant
	for _, aim := range b.aimed {
		out = append(out, runtime.Variant{Rows: aim.rows, Program: b.patched(b.clean, aim.patches, name == runtime.Placebo)})
	}
	return out
}
