package build

import (
	"fmt"
	"strings"

	"parley/interp/load"
	"parley/interp/score"
	"parley/lang/ast"
	"parley/lang/diag"
	"parley/runtime"
	"parley/runtime/shape"
)

// Test is one test of a file, compiled.
type Test struct {
	Title  string
	Cell   *Cell
	Expect []score.Pred
	Decl   *ast.Test
}

// testParts is what a test adds to its scenario while it is compiled.
type testParts struct {
	sc      scope
	decl    *ast.Test
	attack  *ast.AttackUse // in the place of the scenario's
	scripts []*ast.Script
	expects []*ast.Expr
	preds   []score.Pred
	sources []armRefs
}

// Tests compiles the tests of the main file. One that cannot be compiled is
// left out; Diagnostics says why.
func (c *Compiler) Tests() []*Test {
	var out []*Test
	for _, d := range c.prog.Main.File.Decls {
		if d.Test == nil {
			continue
		}
		if t := c.test(d.Test); t != nil {
			out = append(out, t)
		}
	}
	return out
}

func (c *Compiler) test(decl *ast.Test) *Test {
	m := c.prog.Main
	sc := scope{m: m, params: map[string]param{}}
	parts := &testParts{sc: sc, decl: decl}
	su := &setup{runs: 1, seed: DefaultSeed, notes: newNotes(), test: parts}
	var ref *ast.Ref
	var task *ast.Task
	for _, x := range flatten(c, sc, decl.Members, func(x *ast.TestMember) *ast.If[ast.TestMember] { return x.If }) {
		switch {
		case x.Scenario != nil && ref != nil:
			c.fail(m, diag.ClauseTwice, x.Span, "", "a test runs one scenario")
		case x.Scenario != nil:
			ref = x.Scenario
		case x.Task != nil && task != nil:
			c.fail(m, diag.ClauseTwice, x.Span, "", "a test has one task")
		case x.Task != nil:
			task = x.Task
		case x.Script != nil:
			parts.scripts = append(parts.scripts, x.Script)
		case x.Expect != nil:
			parts.expects = append(parts.expects, x.Expect)
		case x.Attack != nil:
			parts.attack = x.Attack
		case x.Defense != nil:
			su.defense = &defenseChoice{sc: sc, use: x.Defense, from: "test"}
		case x.Model != nil:
			if r, ok := c.useRule(sc, x.Model, "test"); ok {
				su.rules = append(su.rules, r)
			}
		}
	}
	if ref == nil {
		c.fail(m, diag.ClauseMissing, decl.Span, "write scenario NAME()", "the test %q names no scenario", decl.Title)
		return nil
	}
	if len(parts.expects) == 0 {
		c.fail(m, diag.TestIncomplete, decl.Span, "write expect CONDITION", "the test %q expects nothing, so it cannot fail", decl.Title)
		return nil
	}
	if task != nil {
		su.tasks = &taskSet{m: m, at: task.Span}
		if !c.inlineTask(su.tasks, sc, task) {
			return nil
		}
		su.tasks.columns = load.Infer(su.tasks.records)
	} else {
		su.limit = "1"
	}
	return c.testCell(m, ref, su, task == nil)
}

func (c *Compiler) testCell(m *load.Module, ref *ast.Ref, su *setup, borrowed bool) *Test {
	parts := su.test
	owner, d := c.find(m, load.Scenario, ref.Path)
	if d == nil {
		return nil
	}
	sc, ok := c.bindScenario(owner, d.Scenario, m, ref, nil, su, Options{})
	if !ok {
		return nil
	}
	s := c.expandScenario(sc, d.Scenario, &overrides{})
	if s == nil {
		return nil
	}
	if parts.attack != nil {
		s.attack, s.attackFrom = parts.attack, parts.sc
	}
	if s.attack != nil && len(s.attack.Items) > 1 {
		c.fail(m, diag.TestIncomplete, ref.Span, "write attack NAME() on AGENTS in the test", "the scenario tries %d attacks, and a test runs one", len(s.attack.Items))
		return nil
	}
	if borrowed && s.tasks == nil {
		c.fail(m, diag.TestIncomplete, parts.decl.Span, `write task { prompt: "…" }`, "the test %q has no task", parts.decl.Title)
		return nil
	}
	if !borrowed && s.tasks != nil {
		c.lend(su.tasks, s)
	}
	su.fails, s.fail, s.budget = nil, nil, nil
	cell := c.cell(s, s.attacks()[0], su)
	if cell == nil {
		return nil
	}
	return &Test{Title: parts.decl.Title, Cell: cell, Expect: parts.preds, Decl: parts.decl}
}

// lend makes the fields of the scenario's own tasks known in a test whose task
// leaves them out: there they have no value. A list that is empty in the test has
// elements of the type that the scenario's have.
func (c *Compiler) lend(t *taskSet, s *scenario) {
	var own *taskSet
	c.attempt(func() { own = c.tasks(s.sc, s.tasks) })
	if own == nil {
		return
	}
	has := map[string]*load.Column{}
	for i := range t.columns {
		has[t.columns[i].Name] = &t.columns[i]
	}
	var left []load.Column
	for _, col := range own.columns {
		switch mine := has[col.Name]; {
		case mine == nil:
			col.Shape.Optional, col.Have = true, 0
			left = append(left, col)
		case mine.Shape.Kind == shape.List && mine.Shape.Elem.Kind == "" && col.Shape.Kind == shape.List:
			mine.Shape.Elem = col.Shape.Elem
		}
	}
	t.columns = append(t.columns, left...)
}

// testExpectations types what a test expects of its runs.
func (b *cellBuild) testExpectations(places scorePlaces) {
	parts := b.su.test
	for i, e := range parts.expects {
		x, _, ok := b.c.expr(b.c.place(b.unit, parts.sc, scoreFunctions, places.trial), e, wantBool, "expect")
		if !ok {
			continue
		}
		if x.Src == "true" || x.Src == "false" {
			b.c.fail(parts.sc.m, diag.TestIncomplete, e.Span, "", "this is always %s, whatever the run does", x.Src)
			continue
		}
		parts.preds = append(parts.preds, score.Pred{Name: fmt.Sprintf("expect %d", i+1), Expr: x, Text: e.Text})
		parts.sources = append(parts.sources, b.c.refsOf(x.Src))
	}
}

// armWords are the names of arms in `script X in …`.
var armWords = map[string][]runtime.ArmName{
	"attacked":   {runtime.Attacked},
	"clean":      {runtime.Clean},
	"placebo":    {runtime.Placebo},
	"undefended": {runtime.Undefended},
	"baseline":   {runtime.BaselineAttacked, runtime.BaselineClean},
}

// scriptArm is the arm a script speaks in.
func (b *cellBuild) scriptArm(s *ast.Script, base runtime.ArmName, have availability) (runtime.ArmName, bool) {
	if s.In == nil {
		return base, true
	}
	arms, ok := armWords[s.In.Name]
	if !ok {
		b.c.fail(b.su.test.sc.m, diag.WrongValue, s.In.Span, load.Suggest(s.In.Name, keysOf(armWords)), "a script speaks in %s, and this is %q", list(keysOf(armWords)), s.In.Name)
		return "", false
	}
	for _, arm := range arms {
		if have.can[arm] {
			return arm, true
		}
	}
	b.c.fail(b.su.test.sc.m, diag.ArmUnavailable, s.In.Span, "", "the scenario has no %s run", s.In.Name)
	return "", false
}

// testArms are the arms a test runs: its own, those it scripts and those it
// expects something of.
func (b *cellBuild) testArms(base runtime.ArmName, have availability) map[runtime.ArmName]bool {
	wanted := map[runtime.ArmName]bool{base: true}
	for _, s := range b.su.test.scripts {
		if arm, ok := b.scriptArm(s, base, have); ok {
			wanted[arm] = true
		}
	}
	needs := b.c.armNeeds(base, nil, b.preds, nil)
	for _, refs := range b.su.test.sources {
		needs.addRefs(wanted, refs)
	}
	return wanted
}

// scripts compiles what agents say in one arm.
func (b *cellBuild) scripts(arm, base runtime.ArmName) []runtime.Script {
	var out []runtime.Script
	u := b.unit
	if arm == runtime.BaselineClean || arm == runtime.BaselineAttacked || arm == runtime.BaselinePlacebo {
		u = b.baseUnit
	}
	said := map[string]bool{}
	for _, s := range b.su.test.scripts {
		var in runtime.ArmName
		if !b.c.attempt(func() { in, _ = b.scriptArm(s, base, b.available()) }) || in != arm {
			continue
		}
		script, ok := b.script(u, s)
		if !ok {
			continue
		}
		for _, name := range script.Agents {
			if said[name] {
				b.c.fail(b.su.test.sc.m, diag.ClauseTwice, s.Span, "write one script with all that it says", "%s has a script already, and only one would be heard", name)
				break
			}
			said[name] = true
		}
		out = append(out, script)
	}
	return out
}

// speakers are those whom a script speaks for: agents of the team or of a defense,
// a person who approves, the attacker's model, or a judge.
func (b *cellBuild) speakers(u *unit, s *ast.Script) ([]string, bool) {
	c, sc := b.c, b.su.test.sc
	if s.Judge != nil {
		return b.judgeSpeaks(s.Judge)
	}
	name := s.Who.Cooked
	if name == runtime.AttackerName && !u.team.roster.taken(name) {
		return []string{name}, true
	}
	for _, a := range b.armed {
		if contains(a.people, name) {
			return []string{name}, true
		}
		for _, n := range c.namesIn(s.Who) {
			if a.unit.team.roster.taken(n) {
				names, _, ok := c.pick(sc, a.unit.team.roster, s.Who, "a script")
				return names, ok
			}
		}
	}
	names, _, ok := c.pick(sc, u.team.roster, s.Who, "a script")
	return names, ok
}

func (b *cellBuild) script(u *unit, s *ast.Script) (runtime.Script, bool) {
	c, sc := b.c, b.su.test.sc
	names, ok := b.speakers(u, s)
	if ok {
		b.silentScript(u, s, names)
	}
	out := runtime.Script{Agents: names, Repeat: s.Repeat}
	p := c.place(u, sc, noFunctions, map[string]typ{"task": u.vars["task"], "self": agentType})
	if len(s.Entries) == 0 {
		c.fail(sc.m, diag.TestIncomplete, s.Span, "", "the script has no entries")
		return out, false
	}
	for _, e := range s.Entries {
		var entry runtime.ScriptEntry
		if e.Reply != nil {
			entry.Reply, _, _ = c.expr(p, e.Reply, anyWanted, "a scripted reply")
		}
		for _, call := range e.Calls {
			// Whom an agent may hand over to is decided when its turn comes.
			var args map[string]runtime.Expr
			if !strings.HasPrefix(call.Name.Name, runtime.HandoffPrefix) || len(call.Args) > 0 {
				var good bool
				args, good = c.callArgs(u, p, call)
				ok = ok && good
			}
			entry.Calls = append(entry.Calls, runtime.ScriptCall{Tool: call.Name.Name, Args: args})
		}
		if e.When != nil {
			entry.Contains, _, _ = c.expr(p, e.When, wantText, "when request contains")
		}
		out.Entries = append(out.Entries, entry)
	}
	return out, ok
}
