package build

import (
	"fmt"
	"hash/fnv"
	"io"

	"parley/runtime"
	"parley/runtime/key"
)

// prints compares what cells run. Most cells differ in something that is quick to
// see; those that do not are digested whole.
type prints struct {
	c         *Compiler
	cells     []*Cell
	glances   []uint64
	digests   map[int]key.Key
	sameTasks bool
}

func (c *Compiler) prints(cells []*Cell) *prints {
	p := &prints{c: c, cells: cells, digests: map[int]key.Key{}, sameTasks: true}
	for _, cell := range cells {
		a, b := cell.Plan.Cases, cells[0].Plan.Cases
		p.sameTasks = p.sameTasks && len(a) == len(b) && &a[0] == &b[0]
		p.glances = append(p.glances, glance(cell.Plan))
	}
	return p
}

// equal reports whether two cells run the same.
func (p *prints) equal(i, j int) bool {
	return p.glances[i] == p.glances[j] && p.digest(i) == p.digest(j)
}

func (p *prints) digest(i int) key.Key {
	k, done := p.digests[i]
	if !done {
		if plan := p.cells[i].Plan; p.sameTasks { // the usual case: nothing about them has to be compared
			k = key.Of(plan.Arms)
		} else {
			k = key.Of(plan.Arms, p.c.casesKey(plan.Cases))
		}
		p.digests[i] = k
	}
	return k
}

// glance hashes some of what enters a plan's keys: plans with different glances
// have different keys.
func glance(plan *runtime.Plan) uint64 {
	h := fnv.New64a()
	for i := range plan.Arms {
		arm := &plan.Arms[i]
		p := arm.Program
		fmt.Fprintf(h, "%q %q %d %d %d %q ", arm.Name, arm.Stream, len(p.Agents), len(p.Edges), p.TurnLimit, p.Answer.Src)
		for k := range p.Agents {
			_, _ = io.WriteString(h, p.Agents[k].Name+p.Agents[k].Attrs.Model+p.Agents[k].Attrs.System.Src)
		}
		for k := range p.Patches {
			x := &p.Patches[k]
			fmt.Fprintf(h, "%q %q %q %q %q ", x.Op, x.Agents, x.Name, x.Value.Src, x.When.Src)
		}
		eachSource(p.Turns, func(src string) { _, _ = io.WriteString(h, src) })
	}
	return h.Sum64()
}

// casesKey digests the tasks of a cell; cells over the same tasks share them.
func (c *Compiler) casesKey(cases []runtime.Case) key.Key {
	k, done := c.cases[&cases[0]]
	if !done {
		k = key.Of(cases)
		c.cases[&cases[0]] = k
	}
	return k
}
