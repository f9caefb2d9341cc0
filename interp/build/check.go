package build

import (
	"parley/interp/load"
	"parley/lang/ast"
	"parley/runtime/shape"
)

// Check compiles everything in the main file that can be compiled: experiments,
// scenarios with their defaults, tests, and what nothing refers to on its own.
func (c *Compiler) Check() {
	m := c.prog.Main
	c.compileAll(m.File.Decls)
	if c.hasErrors() {
		return // what could not be compiled may be what the rest is for
	}
	c.unofferedTools(m)
	c.unfulfilled()
	c.unasked(m)
	for _, imp := range m.Unused() {
		c.warn(m, imp.Code, imp.Span, imp.Hint, "%s", imp.Message)
	}
}

// CheckOnly compiles, of the main file, these declarations alone: the others could not
// be read, or hang on what could not. Nothing is said about what is never used, since
// what cannot be read may use it.
func (c *Compiler) CheckOnly(whole []*ast.Decl) { c.compileAll(whole) }

func (c *Compiler) compileAll(decls []*ast.Decl) {
	m := c.prog.Main
	c.kept = map[string][]*Cell{}
	tested := c.testedScenarios(m)
	for _, d := range decls {
		switch {
		case d.Experiment != nil:
			su := &setup{notes: newNotes()}
			c.experiment(m, d.Experiment, su, Options{}) // for what it finds
		case d.Scenario != nil:
			c.checkScenario(m, d.Scenario, tested[d.Scenario.Name.Name])
		}
	}
	for _, d := range decls {
		if d.Test != nil {
			c.test(d.Test)
		}
	}
	for _, d := range decls {
		if !c.used[d] {
			c.checkAlone(m, d)
		}
	}
}

// testedScenarios are the scenarios that a test or an experiment of the file
// runs, with tasks or arguments of its own.
func (c *Compiler) testedScenarios(m *load.Module) map[string]bool {
	used := map[string]bool{}
	for _, d := range m.File.Decls {
		if d.Test != nil {
			for _, x := range d.Test.Members {
				if x.Scenario != nil && len(x.Scenario.Path) == 1 {
					used[x.Scenario.Path[0].Name] = true
				}
			}
		}
		if d.Experiment != nil {
			for _, x := range d.Experiment.Members {
				for _, ref := range x.Scenario {
					if len(ref.Path) == 1 {
						used[ref.Path[0].Name] = true
					}
				}
			}
		}
	}
	return used
}

// checkScenario compiles a scenario with its defaults. One without tasks or team,
// or with parameters that have no default, is for tests and experiments to run.
func (c *Compiler) checkScenario(m *load.Module, d *ast.Scenario, ran bool) {
	if ran && !standsAlone(d) {
		return
	}
	su := &setup{notes: newNotes(), runs: 1, seed: DefaultSeed}
	ref := &ast.Ref{Span: d.Name.Span, Path: []*ast.Ident{d.Name}}
	c.scenarioCells(m, ref, nil, su, Options{}, false)
	c.checkChoices(m, ref, d, su)
}

// maxChoices bounds how many further values of parameters a check tries.
const maxChoices = 16

// checkChoices compiles a scenario again with each other value of a parameter
// that has few of them: static choices hide what they do not take.
func (c *Compiler) checkChoices(m *load.Module, ref *ast.Ref, d *ast.Scenario, su *setup) {
	tried := 0
	for _, p := range d.Params {
		if p.Type == nil || p.Default == nil || c.hasErrors() {
			continue
		}
		s, ok := c.paramShape(m, p)
		var usual any
		known := c.attempt(func() { usual, _ = c.constantAs(scope{m: m}, p.Default, s, "a default") })
		if !ok || !known { // one that hangs on another parameter is no choice of its own
			continue
		}
		values := s.Values
		if s.Kind == shape.Bool {
			values = []any{true, false}
		}
		for _, v := range values {
			if v == usual || tried == maxChoices {
				continue
			}
			tried++
			swept := map[string]argument{p.Name.Name: {value: v, span: p.Name.Span, name: p.Name.Span}}
			c.scenarioCells(m, ref, swept, su, Options{}, false)
		}
	}
}

// checkAlone looks at a declaration that nothing in the file refers to: its
// parameters, its choices, and whatever can be typed without a scenario.
func (c *Compiler) checkAlone(m *load.Module, d *ast.Decl) {
	c.openly(m, d)
	switch {
	case d.Model != nil:
		c.modelSpec(m, d.Model)
	case d.AgentSet != nil:
		c.agentSet(m, d.AgentSet)
	case d.Team != nil:
		c.aloneTeam(m, d.Team)
	case d.Workspace != nil:
		if sc, ok := c.defaults(m, "workspace", d.Workspace.Name, d.Workspace.Params, d.Workspace.Members); ok {
			c.aloneWorkspace(sc, d.Workspace)
		}
	case d.Attack != nil:
		if sc, ok := c.defaults(m, "attack", d.Attack.Name, d.Attack.Params, d.Attack.Members); ok {
			c.expandAttack(sc, d.Attack)
		}
	case d.Defense != nil:
		if sc, ok := c.defaults(m, "defense", d.Defense.Name, d.Defense.Params, d.Defense.Members); ok {
			c.expandDefense(sc, d.Defense)
		}
	case d.Verify != nil:
		c.defaults(m, "verify", d.Verify.Name, d.Verify.Params, d.Verify.Preds)
	case d.Score != nil:
		c.defaults(m, "score", d.Score.Name, d.Score.Params, d.Score.Scores)
	case d.Judge != nil:
		c.defaults(m, "judge", d.Judge.Name, d.Judge.Params, d.Judge.Attrs)
	case d.Tasks != nil:
		c.tasks(scope{m: m, params: map[string]param{}}, d.Tasks)
	case d.Task != nil:
		c.inlineTask(&taskSet{m: m}, scope{m: m, params: map[string]param{}}, d.Task)
	}
}

// openly types the expressions of predicates, scores, attacks and sets that no
// scenario of the file uses. What their names hold is known only there, so this
// finds what is wrong whatever they hold: unknown functions, misused operators.
func (c *Compiler) openly(m *load.Module, d *ast.Decl) {
	if d.Verify == nil && d.Score == nil && d.Attack == nil && d.Defense == nil && d.AgentSet == nil && d.Judge == nil {
		return
	}
	eachExpr(d, func(e *ast.Expr) {
		p := c.place(nil, scope{m: m}, nil, map[string]typ{})
		for _, n := range c.namesIn(e) {
			p.vars[n] = openType
		}
		c.expr(p, e, anyWanted, "this")
	})
}

// defaults binds parameters to their defaults; false where one has none, or its
// default is wrong.
func (c *Compiler) defaults(m *load.Module, kind string, name *ast.Ident, params []*ast.Param, body any) (scope, bool) {
	c.unused(m, kind+" "+name.Name, params, body)
	for _, p := range params {
		if p.Default == nil {
			return scope{}, false
		}
	}
	return c.bindValues(m, kind+" "+name.Name, params, m, name.Span, nil)
}

// aloneTeam compiles a team in an empty world, on tasks of any shape.
func (c *Compiler) aloneTeam(m *load.Module, d *ast.Team) {
	c.unused(m, "team "+d.Name.Name, d.Params, d.Members)
	given := c.standIns(d.Params, nil)
	for _, p := range d.Params {
		if _, stands := given[p.Name.Name]; p.Default == nil && !stands {
			return
		}
	}
	sc, ok := c.bindValues(m, "team "+d.Name.Name, d.Params, m, d.Name.Span, given)
	if !ok {
		return
	}
	t := c.expandTeam(sc, d, m, &ast.Ref{Span: d.Name.Span})
	if t == nil || usesWorldTools(t) {
		return
	}
	world := &workspace{sc: scope{m: m, params: map[string]param{}}}
	prog, u := c.program(t, world, &taskSet{open: true, m: m, at: d.Name.Span}, &modelChoice{}, nil)
	c.lint(prog, u)
}

// usesWorldTools reports that the team names tools that a workspace must bring.
func usesWorldTools(t *team) bool {
	own := map[string]bool{"read": true, "write": true, "all": true, "none": true}
	for _, d := range t.tools {
		own[d.Name.Name] = true
	}
	foreign := false
	look := func(list []*ast.Attr) {
		for _, a := range list {
			if a.Tools == nil {
				continue
			}
			for _, n := range a.Tools.Names {
				foreign = foreign || !own[n.Name]
			}
		}
	}
	for _, m := range t.roster.agents {
		look(m.decl.Attrs)
	}
	for _, st := range t.steps {
		look(st.decl.Attrs)
	}
	return foreign
}

// aloneWorkspace compiles a workspace without a team: its tools, state and files.
func (c *Compiler) aloneWorkspace(sc scope, d *ast.Workspace) {
	w := c.expandWorkspace(sc, d)
	u := &unit{
		c: c, world: w, tasks: &taskSet{open: true, m: sc.m, at: d.Name.Span}, offered: map[string]bool{}, labels: map[string]bool{},
		team: &team{sc: scope{m: sc.m, params: map[string]param{}}, roster: &roster{byName: map[string]*member{}, groups: map[string][]string{}}},
	}
	w.corpus = nil
	w.allow = unowned(w.allow)
	u.declareTools()
	u.environment()
	u.compileTools()
	u.compileWorld()
}

func unowned(rules []*ast.Allow) []*ast.Allow {
	var out []*ast.Allow
	for _, a := range rules {
		if a.By == nil {
			out = append(out, a)
		}
	}
	return out
}
