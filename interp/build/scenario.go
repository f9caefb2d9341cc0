package build

import (
	"slices"

	"parley/interp/load"
	"parley/lang/ast"
	"parley/lang/diag"
	"parley/runtime"
)

// Options are what the command line decides.
type Options struct {
	// Params are values for parameters of the scenario, read by their types.
	Params map[string]string
	// Seed replaces the experiment's.
	Seed *uint64
	// Models chooses models: "" for all agents, else a role, an agent or a group;
	// the value is openai/NAME or the name of a declared model.
	Models map[string]string
	// Limit keeps some of the tasks: 10, or 11..20.
	Limit string
	// Runs replaces the experiment's repeats; 0 keeps them.
	Runs int
	// Pairs is independent or shared; empty keeps the experiment's.
	Pairs string
	// Approve is how people decide who have to approve: ask, always or never; empty:
	// nobody is asked, and what hangs on it is not run.
	Approve string
}

// scenario is a scenario with its parameters bound and its choices taken.
type scenario struct {
	sc       scope
	decl     *ast.Scenario
	team     *ast.Ref
	world    *ast.Ref
	tasks    *ast.Tasks
	baseline *ast.Baseline
	attack   *ast.AttackUse
	defense  *ast.DefenseUse
	// sweptDefense stands in the place of every defense clause.
	sweptDefense *defenseChoice
	models       []*ast.ModelUse
	verify       []*ast.Verify
	verifies     []*ast.Ref
	score        []*ast.ScoreSet
	scores       []*ast.Ref
	budget       *ast.Budget
	fail         []*ast.Expr

	// Where the team, the workspace and the attack are named: in the scenario, or in
	// an experiment that sweeps them.
	teamFrom, worldFrom, attackFrom scope
	judges                          []*ast.Ref // whose arguments are given
}

// expandScenario takes a scenario's static choices, sorts its clauses, and puts what
// an experiment sweeps in their place.
func (c *Compiler) expandScenario(sc scope, decl *ast.Scenario, swept *overrides) *scenario {
	c.unused(sc.m, "scenario "+decl.Name.Name, decl.Params, decl.Members)
	s := &scenario{sc: sc, decl: decl, teamFrom: sc, worldFrom: sc, attackFrom: sc}
	for _, m := range flatten(c, sc, decl.Members, func(m *ast.ScenarioMember) *ast.If[ast.ScenarioMember] { return m.If }) {
		switch {
		case m.Team != nil:
			c.single(sc, m.Span, "team", s.team != nil)
			s.team = m.Team
		case m.Workspace != nil:
			c.single(sc, m.Span, "workspace", s.world != nil)
			s.world = m.Workspace
		case m.Tasks != nil:
			c.single(sc, m.Span, "tasks clause", s.tasks != nil)
			s.tasks = m.Tasks
		case m.Baseline != nil:
			c.single(sc, m.Span, "baseline", s.baseline != nil)
			s.baseline = m.Baseline
		case m.Attack != nil:
			c.single(sc, m.Span, "attack clause; attack any a(), b() tries several one by one", s.attack != nil)
			s.attack = m.Attack
		case m.Defense != nil:
			c.single(sc, m.Span, "defense clause", s.defense != nil)
			s.defense = m.Defense
		case m.Budget != nil:
			c.single(sc, m.Span, "budget", s.budget != nil)
			s.budget = m.Budget
		case m.Model != nil:
			c.single(sc, m.Span, "model clause for the same agents", slices.ContainsFunc(s.models, func(u *ast.ModelUse) bool { return forWhom(u) == forWhom(m.Model) }))
			s.models = append(s.models, m.Model)
		case m.Verify != nil:
			s.verify = append(s.verify, m.Verify)
		case m.VerifyRef != nil:
			s.verifies = append(s.verifies, m.VerifyRef)
		case m.Score != nil:
			s.score = append(s.score, m.Score)
		case m.ScoreRef != nil:
			s.scores = append(s.scores, m.ScoreRef)
		case m.Judge != nil:
			s.judges = append(s.judges, m.Judge)
		case m.Fail != nil:
			s.fail = append(s.fail, m.Fail)
		}
	}
	s.override(swept)
	if s.team == nil {
		c.fail(sc.m, diag.ClauseMissing, decl.Name.Span, "write team NAME()", "the scenario %q has no team", decl.Name.Name)
		return nil
	}
	if s.attack != nil && !s.attack.Any && len(s.attack.Items) > 1 {
		c.fail(sc.m, diag.ClauseTwice, s.attack.Span, "write attack any a(), b() to try them one by one", "a run has one attack")
		return nil
	}
	return s
}

func (c *Compiler) single(sc scope, at ast.Span, what string, twice bool) {
	if twice {
		c.fail(sc.m, diag.ClauseTwice, at, "", "a scenario has one %s", what)
	}
}

// attacks are the values of the attack axis; a nil one stands for no attack.
func (s *scenario) attacks() []*ast.AttackItem {
	if s.attack == nil || len(s.attack.Items) == 0 {
		return []*ast.AttackItem{nil}
	}
	return s.attack.Items
}

// attackLabel names a value of the attack axis: by its name, with its arguments
// as written where the axis has the name twice.
func (s *scenario) attackLabel(item *ast.AttackItem) string {
	name := refName(item.Ref)
	for _, other := range s.attack.Items {
		if other == item || refName(other.Ref) != name {
			continue
		}
		text := writtenRef(item.Ref)
		if item.On != nil {
			text += " on " + item.On.Text
		}
		return text
	}
	return item.Ref.Path[len(item.Ref.Path)-1].Name
}

// writtenRef is a reference with its arguments as they are written.
func writtenRef(ref *ast.Ref) string {
	text := refName(ref) + "("
	for i, a := range ref.Args {
		if i > 0 {
			text += ", "
		}
		if a.Name != nil {
			text += a.Name.Name + ": "
		}
		text += a.Value.Text
	}
	return text + ")"
}

// setup is what an experiment, a test or the command line adds to a scenario.
type setup struct {
	tasks   *taskSet // replaces the scenario's
	rules   []modelRule
	limit   string
	runs    int
	seed    uint64
	shared  bool
	budgets []budgetUse // later ones win
	fails   []failUse
	notes   *notes
	models  map[string]string // command line, to check names
	test    *testParts
	swept   overrides
	// sweptFor are the agents that a swept model is for, to check names.
	sweptFor []*ast.Expr
	defense  *defenseChoice // in place of the scenario's
}

type budgetUse struct {
	sc scope
	b  *ast.Budget
}

type failUse struct {
	sc scope
	e  *ast.Expr
}

// scenarioTasks reads the tasks a scenario runs on.
func (c *Compiler) scenarioTasks(s *scenario, su *setup) *taskSet {
	t := su.tasks
	if t == nil {
		if s.tasks == nil {
			c.fail(s.sc.m, diag.ClauseMissing, s.decl.Name.Span, `write tasks "file.jsonl"`, "the scenario %q has no tasks", s.decl.Name.Name)
			return nil
		}
		if t = c.tasks(s.sc, s.tasks); t == nil {
			return nil
		}
	}
	if su.limit != "" {
		first, last, ok := parseLimit(su.limit)
		if !ok {
			c.option(diag.WrongValue, "write 10, or 11..20", "the limit %q is not a number of tasks", su.limit)
			return nil
		}
		if t = t.limited(first, last); len(t.cases) == 0 {
			c.option(diag.DataEmpty, "", "the limit %s leaves no task", su.limit)
			return nil
		}
	}
	for i := range t.cases {
		t.cases[i].Row = i
	}
	return t
}

// budget reads the bounds of a run.
func (c *Compiler) budget(uses []budgetUse) runtime.Budget {
	var out runtime.Budget
	for _, use := range uses {
		for _, it := range use.b.Items {
			switch it.Key.Name {
			case "calls":
				out.Calls, _ = c.constantInt(use.sc, it.Value, "a budget of calls", 1)
			case "tokens":
				out.Tokens, _ = c.constantInt(use.sc, it.Value, "a budget of tokens", 1)
			case "usd":
				usd, ok := c.constantNumber(use.sc, it.Value, "a budget of money")
				if ok && usd <= 0 {
					c.fail(use.sc.m, diag.WrongValue, it.Value.Span, "", "a budget of money is more than 0")
				}
				out.USD = usd
			default:
				c.fail(use.sc.m, diag.NoSuchField, it.Key.Span, load.Suggest(it.Key.Name, []string{"calls", "tokens", "usd"}), "a budget bounds calls, tokens and usd, not %q", it.Key.Name)
			}
		}
	}
	return out
}

// forWhom is what a model clause says after its name, empty for everybody.
func forWhom(u *ast.ModelUse) string {
	switch {
	case u.Judge != nil:
		return judgeWord + " " + refName(&ast.Ref{Path: u.Judge.Path})
	case u.For == nil:
		return ""
	}
	return u.For.Cooked
}
