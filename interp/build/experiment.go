package build

import (
	"fmt"
	"slices"
	"sort"
	"strings"

	"parley/interp/load"
	"parley/lang/ast"
	"parley/lang/diag"
)

// experiment is an experiment's clauses, sorted.
type experiment struct {
	scenarios []*ast.Ref
	sweeps    []*ast.Sweep
	models    []*ast.ModelUse
	tasks     *ast.Tasks
	runs      *ast.Expr
	seed      *ast.Expr
	pairs     *ast.Ident
	reference *ast.Expr
	compare   []*ast.Ident
	across    []*ast.Across
}

// experiment compiles every combination of scenarios and sweep points.
func (c *Compiler) experiment(m *load.Module, decl *ast.Experiment, su *setup, o Options) ([]*Cell, []*Across) {
	e := c.sortExperiment(m, decl, su)
	fails := c.acrossFails(e, su)
	c.settings(m, su, e, o)
	if e.reference != nil && su.shared {
		c.warn(m, diag.PairsForced, e.reference.Span, "", "published values come from runs that draw afresh, so the arms draw independently in spite of pairs shared")
		su.shared = false
	}
	sc := scope{m: m, params: map[string]param{}}
	if e.tasks != nil {
		if su.tasks = c.tasks(sc, e.tasks); su.tasks == nil {
			return nil, nil
		}
	}
	for _, strong := range []bool{true, false} {
		for _, use := range e.models {
			if (use.For != nil) == strong {
				if r, ok := c.useRule(sc, use, "experiment"); ok {
					su.rules = append(su.rules, r)
				}
			}
		}
	}
	if len(e.scenarios) == 0 {
		c.fail(m, diag.ClauseMissing, decl.Name.Span, "write scenario NAME()", "the experiment %q names no scenario", decl.Name.Name)
		return nil, nil
	}
	found := true
	for _, ref := range e.scenarios {
		_, d := c.find(m, load.Scenario, ref.Path)
		found = found && d != nil
	}
	if !found {
		return nil, nil
	}
	axes, ok := c.axes(m, e)
	if !ok {
		return nil, nil
	}
	axes = c.overridden(axes, su, o)
	total := len(e.scenarios)
	for _, a := range axes {
		if total *= len(a.points); total > MaxCells {
			c.fail(m, diag.PlanTooLarge, a.decl.Span, "", "the experiment expands to more than %d configurations", MaxCells)
			return nil, nil
		}
	}
	var cells []*Cell
	for _, ref := range e.scenarios {
		cells = append(cells, c.sweepScenario(m, ref, axes, su, o, len(e.scenarios) > 1)...)
	}
	c.sweepsCount(m, axes, cells)
	c.addCompare(m, e, cells)
	across := c.across(m, e, cells)
	c.holdAcross(across, fails)
	c.addReference(m, e, cells, across, o)
	return cells, across
}

func (c *Compiler) sortExperiment(m *load.Module, decl *ast.Experiment, su *setup) *experiment {
	e := &experiment{}
	sc := scope{m: m, params: map[string]param{}}
	once := func(at ast.Span, what string, twice bool) {
		if twice {
			c.fail(m, diag.ClauseTwice, at, "", "an experiment has one %s", what)
		}
	}
	for _, x := range decl.Members {
		switch {
		case len(x.Scenario) > 0:
			e.scenarios = append(e.scenarios, x.Scenario...)
		case x.Sweep != nil:
			e.sweeps = append(e.sweeps, x.Sweep)
		case x.Model != nil:
			e.models = append(e.models, x.Model)
		case x.Defense != nil:
			once(x.Span, "defense clause", su.defense != nil)
			su.defense = &defenseChoice{sc: sc, use: x.Defense, from: "experiment"}
		case x.Tasks != nil:
			once(x.Span, "tasks clause", e.tasks != nil)
			e.tasks = x.Tasks
		case x.Runs != nil:
			once(x.Span, "number of runs", e.runs != nil)
			e.runs = x.Runs
		case x.Seed != nil:
			once(x.Span, "seed", e.seed != nil)
			e.seed = x.Seed
		case x.Pairs != nil:
			once(x.Span, "pairs clause", e.pairs != nil)
			e.pairs = x.Pairs
		case x.Reference != nil:
			once(x.Span, "reference file", e.reference != nil)
			e.reference = x.Reference
		case len(x.Compare) > 0:
			once(x.Span, "list of comparisons", e.compare != nil)
			e.compare = x.Compare
		case x.Budget != nil:
			su.budgets = append(su.budgets, budgetUse{sc, x.Budget})
		case x.Score != nil:
			e.across = append(e.across, x.Score)
		case x.Fail != nil:
			su.fails = append(su.fails, failUse{sc, x.Fail})
		}
	}
	return e
}

// sweepScenario compiles one scenario at every combination of the axes that it
// has parameters for.
func (c *Compiler) sweepScenario(m *load.Module, ref *ast.Ref, axes []axis, su *setup, o Options, several bool) []*Cell {
	_, d, _ := m.Find(load.Scenario, ref.Path)
	var own []axis
	for _, a := range axes {
		for _, n := range a.names {
			if d == nil || a.clause != "" || isModel(n) || hasParam(d.Scenario.Params, n) {
				own = append(own, a)
				break
			}
		}
	}
	var cells []*Cell
	at := make([]int, len(own))
	for {
		cells = append(cells, c.point(m, ref, own, at, su, o, several)...)
		i := len(own) - 1
		for ; i >= 0; i-- {
			if at[i]++; at[i] < len(own[i].points) {
				break
			}
			at[i] = 0
		}
		if i < 0 {
			return cells
		}
	}
}

// point compiles one combination.
func (c *Compiler) point(m *load.Module, ref *ast.Ref, axes []axis, at []int, su *setup, o Options, several bool) []*Cell {
	swept := map[string]argument{}
	var labels []Label
	if several {
		labels = append(labels, Label{"scenario", ref.Path[len(ref.Path)-1].Name})
	}
	here := *su
	here.swept.sc = scope{m: m, params: map[string]param{}}
	_, d, _ := m.Find(load.Scenario, ref.Path)
	for i, a := range axes {
		for j, n := range a.names {
			arg := a.points[at[i]][j]
			labels = append(labels, Label{n, display(arg.value)})
			switch {
			case isModel(n) && (a.clause != "" || d == nil || !hasParam(d.Scenario.Params, n)):
				c.sweepModel(m, &here, a.decl.For, arg)
			case a.clause != "":
				here.swept.decide(a.clause, arg.use)
			default:
				swept[n] = arg
			}
		}
	}
	cells := c.scenarioCells(m, ref, swept, &here, o, true)
	for _, cell := range cells {
		cell.Labels = append(append([]Label(nil), labels...), cell.Labels...)
		cell.scenario = ref.Path[len(ref.Path)-1].Name
	}
	return cells
}

// sweepModel makes a swept model the experiment's choice, for all agents or for
// some. What is chosen for some agents goes before the experiment's choice for all.
func (c *Compiler) sweepModel(m *load.Module, su *setup, who *ast.Expr, arg argument) {
	name, ok := arg.value.(string)
	if !ok {
		c.fail(m, diag.WrongValue, arg.span, `write sweep model in [careful, gpt]`, "a sweep over models names them")
		return
	}
	spec, ok := c.modelNamed(m, &ast.Ident{Span: arg.span, Name: name})
	if !ok {
		return
	}
	at := len(su.rules)
	if who != nil {
		at = slices.IndexFunc(su.rules, func(r modelRule) bool { return r.from != fromOption && r.agent == nil })
		if at < 0 {
			at = len(su.rules)
		}
	}
	rule := modelRule{from: "sweep", agent: who, name: name, spec: spec, sc: scope{m: m, params: map[string]param{}}}
	su.rules = slices.Insert(slices.Clone(su.rules), at, rule)
	if who != nil {
		su.sweptFor = append(slices.Clip(su.sweptFor), who)
	}
}

// isModel reports that a sweep is over models, for all agents or for some.
func isModel(name string) bool { return name == "model" || strings.HasPrefix(name, "model for ") }

func hasParam(params []*ast.Param, name string) bool {
	for _, p := range params {
		if p.Name.Name == name {
			return true
		}
	}
	return false
}

// sweepsCount reports sweeps of which two points change no run: equal rows that
// look like different ones.
func (c *Compiler) sweepsCount(m *load.Module, axes []axis, cells []*Cell) {
	if c.hasErrors() {
		return
	}
	prints := c.prints(cells)
	for _, a := range axes {
		same := map[[2]string]bool{} // pairs of points that agree everywhere so far
		differ := map[[2]string]bool{}
		groups := map[string][]int{}
		for i, cell := range cells {
			groups[othersOf(cell.Labels, a.names)] = append(groups[othersOf(cell.Labels, a.names)], i)
		}
		for _, g := range groups {
			for x, i := range g {
				for _, j := range g[x+1:] {
					pair := [2]string{pointOf(cells[i].Labels, a.names), pointOf(cells[j].Labels, a.names)}
					if pair[0] == pair[1] {
						continue
					}
					if prints.equal(i, j) {
						same[pair] = true
					} else {
						differ[pair] = true
					}
				}
			}
		}
		var equal []string
		for pair := range same {
			if !differ[pair] && !differ[[2]string{pair[1], pair[0]}] {
				equal = append(equal, pair[0]+" and "+pair[1])
			}
		}
		if len(equal) > 0 {
			sort.Strings(equal)
			c.fail(m, diag.SweepNoEffect, a.decl.Span, "", "sweeping %s changes no run: %s are the same", list(a.names), equal[0])
		}
	}
}

func (c *Compiler) hasErrors() bool { return c.diags.HasErrors() }

// othersOf writes the labels besides the named ones.
func othersOf(labels []Label, names []string) string {
	text := ""
	for _, l := range labels {
		if !contains(names, l.Name) {
			text += fmt.Sprintf("%q=%q ", l.Name, l.Value)
		}
	}
	return text
}

func pointOf(labels []Label, names []string) string {
	text := ""
	for _, l := range labels {
		if contains(names, l.Name) {
			if text != "" {
				text += ", "
			}
			text += l.Value
		}
	}
	return text
}
