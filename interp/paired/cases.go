package paired

import (
	"context"
	"fmt"
	"slices"

	"parley/interp"
	"parley/interp/judge"
	"parley/runtime"
)

// matching says which cases of two configurations are the same task.
type matching struct {
	rows    [2]map[int]string // row → the task's name in this comparison, for what both have
	repeats int
	rest    [2]Rest
	named   int // cases that were matched by their names
}

// caseKeys reads off a run's links which task stands at each row.
func caseKeys(ctx context.Context, in Input, cell int) (map[int]string, error) {
	links, err := in.Run.Links(ctx, cell)
	if err != nil {
		return nil, err
	}
	out := map[int]string{}
	for _, l := range links {
		out[l.Row] = l.Case
	}
	return out, nil
}

// match pairs cases by their keys, the first of equal ones with the first; what is
// left over by names that stand once on each side: the task is then read otherwise
// than before, and still the same one.
func match(ctx context.Context, before, after Input, p [2]int) (*matching, error) {
	m := &matching{rows: [2]map[int]string{{}, {}}}
	var cells [2]*interp.Cell
	var left [2][]*runtime.Case
	var keys [2]map[int]string
	for i, in := range []Input{before, after} {
		cells[i] = in.Suite.Cells[p[i]]
		var err error
		if keys[i], err = caseKeys(ctx, in, p[i]); err != nil {
			return nil, err
		}
		for k := range cells[i].Plan.Cases {
			left[i] = append(left[i], &cells[i].Plan.Cases[k])
		}
	}
	left = m.pair(left, func(side int, c *runtime.Case) string { return keys[side][c.Row] })
	keyed := len(m.rows[0])
	var names [2]map[string]int
	for i := range left {
		names[i] = map[string]int{}
		for _, c := range left[i] {
			names[i][c.Name]++
		}
	}
	left = m.pair(left, func(side int, c *runtime.Case) string {
		if c.Name == "" || names[0][c.Name] != 1 || names[1][c.Name] != 1 {
			return ""
		}
		return "named " + c.Name
	})
	m.named = len(m.rows[0]) - keyed
	m.leave(cells, left)
	return m, nil
}

// pair pairs cases of one identity, in order, and gives what is left of both sides.
// An empty identity is none.
func (m *matching) pair(list [2][]*runtime.Case, identity func(side int, c *runtime.Case) string) (left [2][]*runtime.Case) {
	open := map[string][]*runtime.Case{}
	for _, c := range list[1] {
		id := identity(1, c)
		open[id] = append(open[id], c)
	}
	for _, a := range list[0] {
		id := identity(0, a)
		if id == "" || len(open[id]) == 0 {
			left[0] = append(left[0], a)
			continue
		}
		b := open[id][0]
		open[id] = open[id][1:]
		m.rows[0][a.Row], m.rows[1][b.Row] = id, id
	}
	for _, b := range list[1] {
		if _, both := m.rows[1][b.Row]; !both {
			left[1] = append(left[1], b)
		}
	}
	return left
}

// restNames is how many cases that one run alone has are named.
const restNames = 5

// leave notes what only one side has.
func (m *matching) leave(cells [2]*interp.Cell, left [2][]*runtime.Case) {
	repeats := [2]int{max(1, cells[0].Plan.Repeats), max(1, cells[1].Plan.Repeats)}
	m.repeats = min(repeats[0], repeats[1])
	for i := range m.rest {
		m.rest[i] = Rest{Cases: len(left[i]), Repeats: repeats[i] - m.repeats}
		for k := range min(len(left[i]), restNames) {
			m.rest[i].Names = append(m.rest[i].Names, taskName(left[i][k]))
		}
		for _, a := range cells[i].Plan.Arms {
			if !hasArm(cells[1-i].Plan, a.Name) {
				m.rest[i].Arms = append(m.rest[i].Arms, string(a.Name))
			}
		}
	}
}

func hasArm(p *runtime.Plan, name runtime.ArmName) bool {
	return slices.ContainsFunc(p.Arms, func(a runtime.Arm) bool { return a.Name == name })
}

func taskName(c *runtime.Case) string {
	if c.Name != "" {
		return c.Name
	}
	return fmt.Sprintf("row %d", c.Row)
}

// restricted is a configuration over the cases and repeats that both runs have.
func (m *matching) restricted(c *interp.Cell, side int) judge.Cell {
	plan := *c.Plan
	plan.Repeats = m.repeats
	plan.Cases = slices.DeleteFunc(slices.Clone(plan.Cases), func(k runtime.Case) bool {
		_, both := m.rows[side][k.Row]
		return !both
	})
	return judge.Cell{Plan: &plan, Spec: c.Spec}
}
