package queue

import (
	"bytes"
	"context"
	"fmt"
	"maps"
	"slices"
	"sort"

	"parley/runtime"
	"parley/runtime/key"
	"parley/runtime/model"
	"parley/runtime/store"
	"parley/runtime/trace"
)

// cell is one plan, with what all its trials have in common.
type cell struct {
	index int
	plan  *runtime.Plan
	run   runtime.Runner
	arms  []arm
	cases []string // case keys
}

// arm is one arm of a cell.
type arm struct {
	*runtime.Arm
	key       key.Key
	variants  map[int]key.Key // by row, where the arm has a program of its own for it
	revisions map[string]string
	tasked    map[string]model.Tasked // of these models, those that know more of a task
}

// unit is a case and a repeat, over all cells: its trials share draws where
// their plans say so, and one worker runs them.
type unit struct {
	key      string
	caseKey  string
	seed     uint64
	repeat   int
	members  []member
	finished int // trials that were stored before, set when the run is prepared
}

// member is a row of a cell that has the unit's case.
type member struct {
	cell *cell
	row  int // index into Plan.Cases
}

// task is one trial to be run.
type task struct {
	runtime.Trial
	cell *cell
}

// prepare compiles the plans, expands them into units in their order, records
// the links, and sets the units aside that are done.
func (q *queue) prepare(ctx context.Context, plans []*runtime.Plan) ([]*unit, error) {
	q.models = newModels(q.opt)
	for i, p := range plans {
		if p.Unmeasured != "" {
			continue
		}
		c, err := q.cell(i, p)
		if err != nil {
			return nil, err
		}
		q.plans = append(q.plans, c)
	}
	var err error
	if q.ledger, err = newLedger(ctx, q.opt, plans, q.models.paid()); err != nil {
		return nil, err
	}
	if q.opt.Store != nil {
		n, _, err := q.opt.Store.Counts(ctx)
		if err != nil {
			return nil, err
		}
		if q.journal, err = q.opt.Store.HasAnswers(ctx); err != nil {
			return nil, err
		}
		q.resumed = n > 0 || q.journal
	}
	var left []*unit
	for _, u := range q.units() {
		open, err := q.survey(ctx, u)
		if err != nil {
			return nil, err
		}
		if open {
			left = append(left, u)
		}
	}
	if q.opt.Store != nil {
		if err := q.opt.Store.SetPlanned(ctx, q.progress.Total); err != nil {
			return nil, err
		}
	}
	return left, nil
}

func (q *queue) cell(index int, p *runtime.Plan) (*cell, error) {
	c := &cell{index: index, plan: p}
	var err error
	if c.run, err = q.opt.Prepare(p); err != nil {
		return nil, err
	}
	for i := range p.Arms {
		a := arm{Arm: &p.Arms[i], key: key.Arm(p.Arms[i].Program, p.Arms[i].Scripts), variants: variantKeys(&p.Arms[i]), revisions: map[string]string{}, tasked: map[string]model.Tasked{}}
		for name, spec := range a.Program.Models {
			if a.revisions[name], err = q.models.revision(spec); err != nil {
				return nil, fmt.Errorf("model %s: %w", name, err)
			}
			if t, ok := q.models.tasked(spec); ok {
				a.tasked[name] = t
			}
		}
		c.arms = append(c.arms, a)
	}
	for i := range p.Cases {
		c.cases = append(c.cases, key.Case(p.Cases[i].Fields, p.CaseFields).String())
	}
	return c, nil
}

// units lists all units in the order in which they run: tasks in an order that
// the seed draws, whatever the file's order, each as a whole block with its
// repeats, never by who finishes first.
func (q *queue) units() []*unit {
	type id struct {
		seed   uint64
		task   string
		repeat int
	}
	all := map[id]*unit{}
	var list []*unit
	for _, c := range q.plans {
		for row, task := range c.cases {
			for repeat := 1; repeat <= max(1, c.plan.Repeats); repeat++ {
				i := id{c.plan.Seed, task, repeat}
				u := all[i]
				if u == nil {
					u = &unit{
						key:     key.Of("unit", i.seed, i.task, i.repeat).String(),
						caseKey: task, seed: i.seed, repeat: repeat,
					}
					all[i] = u
					list = append(list, u)
				}
				u.members = append(u.members, member{c, row})
			}
		}
	}
	place := map[string]key.Key{}
	for _, u := range list {
		if _, ok := place[u.caseKey]; !ok {
			place[u.caseKey] = key.Of("order", q.opt.Order, u.caseKey)
		}
	}
	sort.SliceStable(list, func(i, j int) bool {
		a, b := list[i], list[j]
		if x, y := place[a.caseKey], place[b.caseKey]; x != y {
			return bytes.Compare(x[:], y[:]) < 0
		}
		return a.repeat < b.repeat
	})
	return list
}

// trials expands a unit into its different trials, clean arms first, and says
// which arms of which cells each of them serves.
func (u *unit) trials() ([]task, []store.Link) {
	var tasks []task
	var links []store.Link
	seen := map[string]bool{}
	for _, m := range u.members {
		c := &m.cell.plan.Cases[m.row]
		for i := range m.cell.arms {
			a := &m.cell.arms[i]
			revisions := a.of(c)
			k := key.Trial(key.TrialParts{
				Engine: runtime.EngineVersion, Arm: a.keyOf(c.Row), Fields: key.Fields(c.Fields, a.Fields), Allow: c.Allow,
				Case: u.caseKey, Repeat: u.repeat, Seed: u.seed, Stream: a.Stream, Revisions: revisions,
			}).String()
			links = append(links, store.Link{
				Cell: m.cell.index, Row: c.Row, Repeat: u.repeat, Arm: string(a.Name), Case: u.caseKey, Trial: k,
			})
			if seen[k] {
				continue
			}
			seen[k] = true
			tasks = append(tasks, task{cell: m.cell, Trial: runtime.Trial{
				Plan: m.cell.plan, Arm: a.Arm, Case: c, Repeat: u.repeat, Key: k, CaseKey: u.caseKey, Revisions: revisions,
			}})
		}
	}
	slices.SortStableFunc(tasks, func(a, b task) int { return rank(a.Arm.Name) - rank(b.Arm.Name) })
	return tasks, links
}

// of gives the models' revisions for a task.
func (a *arm) of(c *runtime.Case) map[string]string {
	if len(a.tasked) == 0 {
		return a.revisions
	}
	out := maps.Clone(a.revisions)
	for name, t := range a.tasked {
		out[name] += "+" + t.TaskRevision(c.Prompt())
	}
	return out
}

// variantKeys are the keys of an arm's programs for some tasks, by their rows; nil
// where all tasks have one.
func variantKeys(a *runtime.Arm) map[int]key.Key {
	var out map[int]key.Key
	for _, v := range a.Variants {
		if out == nil {
			out = map[int]key.Key{}
		}
		k := key.Arm(v.Program, a.Scripts)
		for _, row := range v.Rows {
			out[row] = k
		}
	}
	return out
}

// keyOf is the key of what the arm does in the task of a row.
func (a *arm) keyOf(row int) key.Key {
	if k, ok := a.variants[row]; ok {
		return k
	}
	return a.key
}

// rank puts the runs that others are compared with first.
func rank(a runtime.ArmName) int {
	switch a {
	case runtime.Clean:
		return 0
	case runtime.BaselineClean:
		return 1
	}
	return 2
}

// survey records a unit's links, counts its trials, and reports whether any of
// them is still to be run.
func (q *queue) survey(ctx context.Context, u *unit) (bool, error) {
	tasks, links := u.trials()
	if q.opt.Store != nil {
		if err := q.opt.Store.PutLinks(ctx, links); err != nil {
			return false, err
		}
	}
	q.progress.Total += len(tasks)
	if !q.resumed {
		return true, nil
	}
	for _, t := range tasks {
		done, err := q.done(ctx, t.Key)
		if err != nil {
			return false, err
		}
		if done {
			u.finished++
		}
	}
	q.progress.Found += u.finished
	q.progress.Done += u.finished
	return u.finished < len(tasks), nil
}

// done reports whether the trial is stored; one that ended in an error is run again.
func (q *queue) done(ctx context.Context, trial string) (bool, error) {
	outcome, ok, err := q.opt.Store.Outcome(ctx, trial)
	return ok && outcome != trace.Errored, err
}
