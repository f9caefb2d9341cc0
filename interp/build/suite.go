package build

import (
	"fmt"
	"strings"

	"parley/interp/load"
	"parley/lang/ast"
	"parley/lang/diag"
)

// MaxCells bounds how many configurations one experiment expands to.
const MaxCells = 10_000

// MaxRuns bounds how often each run is repeated.
const MaxRuns = 100_000

// DefaultSeed is the seed where nobody names one.
const DefaultSeed = 1

// Suite is everything one target runs.
type Suite struct {
	Name  string
	Cells []*Cell
	// Across are an experiment's scores over its scenarios' scores.
	Across []*Across
	Notes  []Note
}

// Suite compiles an experiment or a scenario of the main file. It is nil where
// nothing could be compiled; Diagnostics says why.
func (c *Compiler) Suite(target string, o Options) *Suite {
	d := c.target(target)
	if d == nil {
		return nil
	}
	m := c.prog.Main
	c.approval(o)
	su := &setup{notes: newNotes(), limit: o.Limit, models: o.Models, rules: c.optionRules(o.Models)}
	suite := &Suite{}
	if d.Experiment != nil {
		suite.Name = d.Experiment.Name.Name
		suite.Cells, suite.Across = c.experiment(m, d.Experiment, su, o)
	} else {
		suite.Name = d.Scenario.Name.Name
		c.settings(m, su, nil, o)
		ref := &ast.Ref{Span: d.Scenario.Name.Span, Path: []*ast.Ident{d.Scenario.Name}}
		suite.Cells = c.scenarioCells(m, ref, nil, su, o, false)
	}
	suite.Notes = su.notes.list
	c.unusedParams(o)
	if len(suite.Cells) == 0 {
		return nil
	}
	return suite
}

// target finds what is to be compiled: by name, or the only one there is.
func (c *Compiler) target(name string) *ast.Decl {
	m := c.prog.Main
	var experiments, scenarios []*ast.Decl
	var names []string
	for _, d := range m.File.Decls {
		kind, id := load.Named(d)
		if id == nil || kind != load.Experiment && kind != load.Scenario {
			continue
		}
		names = append(names, id.Name)
		if name != "" && id.Name == name {
			return d
		}
		if kind == load.Experiment {
			experiments = append(experiments, d)
		} else {
			scenarios = append(scenarios, d)
		}
	}
	switch {
	case name == "" && len(experiments) == 1:
		return experiments[0]
	case name == "" && len(experiments) == 0 && len(scenarios) == 1:
		return scenarios[0]
	case len(names) == 0:
		c.option(diag.NoSuchTarget, "", "the file has no scenario and no experiment to run")
	case name == "":
		c.option(diag.NoSuchTarget, "name one of them: "+strings.Join(names, ", "), "the file has more than one thing to run")
	default:
		hint := load.Suggest(name, names)
		if hint == "" {
			hint = "there are " + list(names)
		}
		c.option(diag.NoSuchTarget, hint, "the file has no scenario or experiment %q", name)
	}
	return nil
}

// unusedParams reports command-line parameters that nothing has.
func (c *Compiler) unusedParams(o Options) {
	for _, name := range keysOf(o.Params) {
		if !c.used["param "+name] {
			c.option(diag.NoSuchParam, "", "no scenario that runs has a parameter %q", name)
		}
	}
}

// settings resolves runs, seed, pairs and budget: the command line first, then
// the experiment, then defaults.
func (c *Compiler) settings(m *load.Module, su *setup, e *experiment, o Options) {
	sc := scope{m: m, params: map[string]param{}}
	su.runs, su.seed, su.shared = 1, DefaultSeed, false
	runs, seed, pairs := "default", "default", "default"
	if e != nil {
		if e.runs != nil {
			su.runs, _ = c.constantInt(sc, e.runs, "runs", 1)
			runs = "experiment"
			if su.runs > MaxRuns {
				c.fail(m, diag.PlanTooLarge, e.runs.Span, "", "runs is at most %d", MaxRuns)
			}
		}
		if e.seed != nil {
			n, _ := c.constantInt(sc, e.seed, "a seed", 0)
			su.seed, seed = uint64(n), "experiment"
		}
		if e.pairs != nil {
			pairs = "experiment"
			switch e.pairs.Name {
			case "shared":
				su.shared = true
			case "independent":
			default:
				c.fail(m, diag.WrongValue, e.pairs.Span, load.Suggest(e.pairs.Name, []string{"independent", "shared"}), "pairs are independent or shared, and this is %q", e.pairs.Name)
			}
		}
	}
	if o.Runs > 0 {
		su.runs, runs = o.Runs, "command line"
	}
	if o.Seed != nil {
		su.seed, seed = *o.Seed, "command line"
	}
	switch o.Pairs {
	case "":
	case "shared", "independent":
		su.shared, pairs = o.Pairs == "shared", "command line"
	default:
		c.option(diag.WrongValue, "", "pairs are independent or shared, and this is %q", o.Pairs)
	}
	word := "independent"
	if su.shared {
		word = "shared"
	}
	su.notes.add("runs", fmt.Sprint(su.runs), runs)
	su.notes.add("seed", fmt.Sprint(su.seed), seed)
	su.notes.add("pairs", word, pairs)
	if o.Limit != "" {
		su.notes.add("limit", o.Limit, "command line")
	}
}

// scenarioCells compiles a referenced scenario, once for each attack it tries.
func (c *Compiler) scenarioCells(m *load.Module, ref *ast.Ref, swept map[string]argument, su *setup, o Options, experiment bool) []*Cell {
	owner, d := c.find(m, load.Scenario, ref.Path)
	if d == nil {
		return nil
	}
	sc, ok := c.bindScenario(owner, d.Scenario, m, ref, swept, su, o)
	if !ok {
		return nil
	}
	return c.cellsOnce(d, sc, su, func() []*Cell { return c.expandedCells(sc, d.Scenario, su) })
}

func (c *Compiler) expandedCells(sc scope, d *ast.Scenario, su *setup) []*Cell {
	s := c.expandScenario(sc, d, &su.swept)
	if s == nil {
		return nil
	}
	var cells []*Cell
	for _, item := range s.attacks() {
		cell := c.cell(s, item, su)
		if cell == nil {
			continue
		}
		if s.attack != nil && s.attack.Any {
			cell.Labels = append(cell.Labels, Label{"attack", s.attackLabel(item)})
		}
		cells = append(cells, cell)
	}
	return cells
}

// bindScenario binds a scenario's parameters: the command line first, then the
// sweep, the reference's arguments, and defaults.
func (c *Compiler) bindScenario(owner *load.Module, d *ast.Scenario, from *load.Module, ref *ast.Ref, swept map[string]argument, su *setup, o Options) (scope, bool) {
	given, ok := c.given(scope{m: from, params: map[string]param{}}, "a scenario", d.Params, ref)
	sources := map[string]string{}
	for name := range given {
		sources[name] = "reference"
	}
	for _, p := range d.Params {
		name := p.Name.Name
		if a, has := swept[name]; has {
			given[name], sources[name] = a, "sweep"
		}
		if text, has := o.Params[name]; has {
			given[name], sources[name] = argument{text: &text, span: p.Name.Span, name: p.Name.Span}, "command line"
			c.used["param "+name] = true
		}
	}
	sc, good := c.bindValues(owner, "scenario "+d.Name.Name, d.Params, from, ref.Span, given)
	for _, p := range d.Params {
		if v, has := sc.params[p.Name.Name]; has && sources[p.Name.Name] != "sweep" {
			source := sources[p.Name.Name]
			if source == "" {
				source = "default"
			}
			su.notes.add("parameter "+p.Name.Name, display(v.value), source)
		}
	}
	return sc, ok && good
}
