package build

import (
	"fmt"

	"parley/interp/score"
	"parley/lang/ast"
	"parley/lang/diag"
	"parley/runtime"
)

// Cell is one configuration, compiled.
type Cell struct {
	Labels []Label
	Plan   *runtime.Plan
	Spec   *score.Spec
	Data   []string // files that the tasks come from

	scenario string // as an experiment names it
}

// Label is one coordinate of a cell.
type Label struct{ Name, Value string }

// cellBuild is one cell while it is compiled.
type cellBuild struct {
	c        *Compiler
	s        *scenario
	su       *setup
	tasks    *taskSet
	clean    *runtime.Program
	unit     *unit
	attack   *attack
	patches  *patchSet
	baseProg *runtime.Program
	baseUnit *unit
	basePat  *patchSet
	baseOK   bool
	aimed    []*aiming // of tasks with other targets than the first
	preds    []*item
	failRefs []armRefs

	defenses  []*defense
	armed     []*armed         // the defenses, as compiled for the team
	bareProg  *runtime.Program // the baseline before its defenses
	bare      *runtime.Program // the team without its defenses
	defended  bool             // there is a defense clause, if only for none
	unguarded bool             // the defenses cannot stand before the baseline
}

// cell compiles a scenario under one attack, or none.
func (c *Compiler) cell(s *scenario, item *ast.AttackItem, su *setup) *Cell {
	b := &cellBuild{c: c, s: s, su: su}
	if b.tasks = c.scenarioTasks(s, su); b.tasks == nil {
		return nil
	}
	t := c.team(s.teamFrom, s.team)
	w := c.workspaceOf(s.worldFrom, s.world)
	if t == nil || w == nil {
		return nil
	}
	choice := &modelChoice{rules: b.rules(), notes: su.notes}
	b.clean, b.unit = c.programOnce(t, w, b.tasks, choice, nil)
	c.lint(b.clean, b.unit)
	if !b.addDefenses() {
		return nil
	}
	if item != nil && !b.addAttack(item) {
		return nil
	}
	b.addBaseline(w)
	b.checkModels()
	return b.finish()
}

// rules are the model choices beside the agents' own, strongest first.
func (b *cellBuild) rules() []modelRule {
	rules := append([]modelRule(nil), b.su.rules...)
	for _, strong := range []bool{true, false} {
		for _, use := range b.s.models {
			if (use.For != nil) != strong {
				continue
			}
			if r, ok := b.c.useRule(b.s.sc, use, "scenario"); ok {
				rules = append(rules, r)
			}
		}
	}
	return rules
}

// checkModels reports models that are chosen for nobody.
func (b *cellBuild) checkModels() {
	teams := []*team{b.unit.team}
	for _, a := range b.armed {
		teams = append(teams, a.unit.team)
	}
	if b.baseUnit != nil {
		teams = append(teams, b.baseUnit.team)
	}
	b.c.checkOptions(teams, b.su.models)
	for _, use := range b.s.models {
		b.c.checkFor(b.s.sc, teams, use)
	}
	for _, who := range b.su.sweptFor {
		b.c.checkFor(b.su.swept.sc, teams, &ast.ModelUse{For: who})
	}
}

// addAttack compiles the attack against the team.
func (b *cellBuild) addAttack(item *ast.AttackItem) bool {
	a := b.c.attackOf(b.s.attackFrom, item)
	if a == nil {
		return false
	}
	b.attack = a
	ok := true
	if b.c.byTask(a) {
		ok = b.aimByTask(a)
	} else if ok = b.c.aim(a, b.unit); ok {
		b.patches, ok = b.c.patchesOf(b.unit, a)
	}
	if !ok {
		return false
	}
	for _, p := range a.patches {
		if name, named := a.namedBy(p.Slot.Arg); named && p.Slot.Head.Name == "hole" {
			b.c.unshownHole(b.unit, a, p.Slot, b.clean, name)
		}
	}
	return true
}

// addBaseline compiles the single-agent team on the same workspace, and the
// attack's patches where they can enter there.
func (b *cellBuild) addBaseline(w *workspace) {
	if b.s.baseline == nil {
		return
	}
	c := b.c
	t := c.team(b.s.sc, b.s.baseline.Team)
	if t == nil {
		return
	}
	stand := &standIn{roster: b.unit.team.roster}
	if b.s.baseline.Corpus != nil {
		names, _, ok := c.pick(b.s.sc, b.unit.team.roster, b.s.baseline.Corpus, "corpus")
		if !ok {
			return
		}
		stand.corpus = names
	}
	choice := &modelChoice{rules: b.rules(), notes: b.su.notes}
	b.baseProg, b.baseUnit = c.programOnce(t, w, b.tasks, choice, stand)
	b.guardBaseline()
	// An attack that is about something else in every task has none there: it would be
	// another one in the team than in the single agent.
	if b.attack != nil && len(b.aimed) == 0 && b.entersBaseline() {
		b.baseOK = c.attempt(func() { b.basePat, _ = c.patchesOf(b.baseUnit, b.attack) }) && len(b.basePat.patches) == len(b.patches.patches)
	}
}

// entersBaseline reports that every patch has a place in a single agent: what
// comes from outside has, an agent's own slots have not.
func (b *cellBuild) entersBaseline() bool {
	for _, p := range b.patches.patches {
		switch p.Slot {
		case runtime.SlotTask, runtime.SlotHole, runtime.SlotResource, runtime.SlotTool:
		case runtime.SlotDescription, runtime.SlotResult:
			if !b.baseUnit.offered[p.Name] {
				return false
			}
		case runtime.SlotCorpus:
			if len(b.baseProg.World.Corpus) == 0 {
				return false
			}
		default:
			return false
		}
	}
	return len(b.patches.patches) > 0
}

// finish types predicates and scores, and lays out the arms they need.
func (b *cellBuild) finish() *Cell {
	c, s := b.c, b.s
	spec := &score.Spec{Labels: b.unit.labels, Groups: b.clean.Groups}
	if b.attack != nil {
		spec.Attack, spec.Goal, spec.Level = b.attack.display, b.attack.goal, b.attack.level
	}
	trial := b.unit.verdictVars()
	judging := b.judging()
	c.judges = judging
	defer func() { c.judges = nil }()
	trial[judgeWord] = noJudges
	attackPreds, attackTypes := b.attackVerify(trial)
	spec.AttackVerify = attackPreds
	if b.attack != nil {
		trial["attack"] = b.unit.attackType(attackTypes)
	}
	spec.TaskVerify = b.taskVerify(trial)
	declared := c.predsOf(s.sc, s.verify, s.verifies)
	preds, types := c.compilePreds(b.unit, b.pairedPlace(trial, declared), declared)
	spec.Verify = preds
	b.preds = c.predItems(declared, preds)
	items := c.itemsOf(s.sc, s.score, s.scores, types)
	places := b.scorePlaces(trial, types, items)
	spec.Scores = c.compileItems(b.unit, places, items)
	c.refuseArms("score", items, b.attack != nil, s.baseline != nil, b.defended)
	c.refuseArms("predicate", b.preds, b.attack != nil, s.baseline != nil, b.defended)
	spec.Fail = b.fails(items, places)
	plan := &runtime.Plan{
		Scenario: s.decl.Name.Name, Unmeasured: b.unmeasurable(), Cases: b.tasks.cases, Repeats: b.su.runs, Seed: b.su.seed, Shared: b.su.shared, Budget: c.budget(b.budgets()),
	}
	if b.su.test != nil {
		b.testExpectations(places)
	}
	for _, item := range items {
		if plan.Shared && item.decl.Kind.Name == "value" && len(item.refs.of["baseline"]) > 0 {
			c.warn(item.sc.m, diag.PairsForced, item.decl.Span, "", "the value %q compares with the baseline, so its arms draw independently in spite of pairs shared", item.decl.Name.Name)
			plan.Shared = false
			break
		}
	}
	b.unread(items)
	spec.Judges = judging.compile(trial)
	b.ownAllow()
	b.layArms(plan, items, spec)
	return &Cell{Plan: plan, Spec: spec, Data: b.tasks.files}
}

func (b *cellBuild) budgets() []budgetUse {
	if b.s.budget == nil {
		return b.su.budgets
	}
	return append([]budgetUse{{b.s.sc, b.s.budget}}, b.su.budgets...)
}

// attackVerify types the attack's own predicates, read as attack.NAME.
func (b *cellBuild) attackVerify(base map[string]typ) ([]score.Pred, map[string]typ) {
	if b.attack == nil {
		return nil, nil
	}
	vars := copyVars(base, map[string]typ{"attack": b.unit.attackType(nil)})
	return b.c.ownVerify(b.unit, vars, b.attack.sc, b.attack.verify)
}

// taskVerify types what tasks bring, read as task.NAME, and adds the names to
// the task's type.
func (b *cellBuild) taskVerify(vars map[string]typ) map[int][]score.Pred {
	var out map[int][]score.Pred
	extra := map[string]typ{}
	for _, o := range b.tasks.owned {
		if o.row >= len(b.tasks.cases) || o.verify == nil {
			continue
		}
		preds, types := b.c.ownVerify(b.unit, vars, o.sc, o.verify)
		if out == nil {
			out = map[int][]score.Pred{}
		}
		out[o.row] = preds
		for name, t := range types {
			extra[name] = t
		}
	}
	if len(extra) > 0 {
		vars["task"] = b.unit.taskType(extra)
	}
	return out
}

// ownAllow compiles the authority rules that tasks bring.
func (b *cellBuild) ownAllow() {
	if len(b.tasks.owned) == 0 {
		return
	}
	cases := append([]runtime.Case(nil), b.tasks.cases...)
	for _, o := range b.tasks.owned {
		for i := range cases {
			if cases[i].Row != o.row {
				continue
			}
			cases[i].Allow = nil
			for _, a := range o.allow {
				cases[i].Allow = append(cases[i].Allow, b.unit.allow(o.sc, a))
			}
		}
	}
	b.tasks.cases = cases
}

// fails types the thresholds; scores are records with value, low and high.
func (b *cellBuild) fails(items []*item, places scorePlaces) []score.Pred {
	vars := estimateVars(items)
	var out []score.Pred
	uses := append([]failUse(nil), b.su.fails...)
	for _, e := range b.s.fail {
		uses = append(uses, failUse{b.s.sc, e})
	}
	for i, use := range uses {
		x, _, ok := b.c.expr(b.c.place(b.unit, use.sc, noFunctions, vars), use.e, wantBool, "fail when")
		if ok {
			b.failRefs = append(b.failRefs, b.c.refsOf(x.Src))
			out = append(out, score.Pred{Name: fmt.Sprintf("fail %d", i+1), Expr: x, Text: use.e.Text})
		}
	}
	return out
}
