package build

import (
	"fmt"

	exprast "github.com/expr-lang/expr/ast"

	"parley/interp/load"
	"parley/lang/ast"
	"parley/lang/diag"
	"parley/runtime"
	"parley/runtime/shape"
)

// team is a team with its parameters bound and its static choices taken; its
// expressions are not yet compiled.
type team struct {
	sc     scope
	name   string
	decl   *ast.Team
	roster *roster
	edges  []runtime.Edge
	tools  []*ast.Tool
	turns  *ast.Turns
	answer *ast.Expr
	steps  []*step // all steps of the turn program, in order
	labels map[string]bool
	bound  map[string]bool // labels and variables of the turn program
	from   *load.Module    // where the team is used,
	ref    *ast.Ref        // and with which arguments
	broken bool            // a label is in doubt: what reads it cannot be judged
}

// step is one step of the turn program as far as it is known before compiling.
type step struct {
	decl  *ast.Step
	label string
	many  bool     // its label is a list of turns
	who   []string // agents that may speak; all where it is decided at run time
	fixed bool     // who is known before anything runs
	wrong bool     // who it is was reported as wrong
}

// team expands the team that a reference names.
func (c *Compiler) team(from scope, ref *ast.Ref) *team {
	m, decl := c.find(from.m, load.Team, ref.Path)
	if decl == nil {
		return nil
	}
	sc, ok := c.bind(m, "team "+refName(ref), decl.Team.Params, from, ref)
	if !ok {
		return nil
	}
	id := fmt.Sprintf("%p %#v", decl, sc.values())
	t, done := c.teams[id]
	if !done {
		t = c.expandTeam(sc, decl.Team, from.m, ref)
		c.teams[id] = t
	}
	return t
}

func (c *Compiler) expandTeam(sc scope, decl *ast.Team, from *load.Module, ref *ast.Ref) *team {
	c.unused(sc.m, "team "+decl.Name.Name, decl.Params, decl.Members)
	t := &team{sc: sc, name: decl.Name.Name, decl: decl, from: from, ref: ref, bound: map[string]bool{}}
	members := flatten(c, sc, decl.Members, func(m *ast.TeamMember) *ast.If[ast.TeamMember] { return m.If })
	var agents []*ast.Agent
	for _, m := range members {
		switch {
		case m.Agent != nil:
			agents = append(agents, m.Agent)
		case m.Tool != nil:
			t.tools = append(t.tools, m.Tool)
		case m.Turns != nil && t.turns != nil:
			c.fail(sc.m, diag.ClauseTwice, m.Turns.Span, "", "a team has one turns block")
		case m.Turns != nil:
			t.turns = m.Turns
		case m.Answer != nil && t.answer != nil:
			c.fail(sc.m, diag.ClauseTwice, m.Answer.Span, "", "a team has one answer")
		case m.Answer != nil:
			t.answer = m.Answer
		}
	}
	t.roster = c.roster(sc, agents)
	if t.turns != nil {
		boundIn(t.turns.Body, t.bound)
	}
	if !c.joinSets(t) {
		return nil
	}
	if len(t.roster.agents) == 0 {
		c.fail(sc.m, diag.ClauseMissing, decl.Name.Span, "declare one: agent solver { … }", "the team %q has no agents", t.name)
		return nil
	}
	g := newEdges()
	for _, m := range members {
		switch {
		case m.Edge != nil:
			c.edge(sc, t.roster, g, m.Edge)
		case m.Graph != nil:
			c.graph(sc, t.roster, g, m.Graph)
		}
	}
	t.edges = g.list
	if t.turns == nil {
		c.fail(sc.m, diag.ClauseMissing, decl.Name.Span, "say who speaks when: turns { … }", "the team %q has no turns", t.name)
		return nil
	}
	if t.answer == nil {
		c.fail(sc.m, diag.ClauseMissing, decl.Name.Span, "say which reply is the answer: answer decide.reply.answer", "the team %q has no answer", t.name)
		return nil
	}
	c.collectTeam(t)
	if len(t.labels) == 0 {
		c.fail(sc.m, diag.ClauseMissing, t.turns.Span, "", "nobody speaks in the turns of team %q", t.name)
		return nil
	}
	if t.broken {
		return nil
	}
	return t
}

// collectTeam finds the labels, then the steps, of the turn program and of the
// bodies of the team's own tools.
func (c *Compiler) collectTeam(t *team) {
	t.labels = map[string]bool{}
	labelsIn(t.turns.Body, t.labels)
	for _, tool := range t.tools {
		labelsIn(tool.Body, t.labels)
	}
	c.collectSteps(t, t.turns.Body, nil)
	for _, tool := range t.tools {
		args := map[string]bool{}
		for _, p := range tool.Params {
			args[p.Name.Name] = true
		}
		c.collectSteps(t, tool.Body, args)
	}
}

// collectSteps finds every step of the turn program; inner names are loop
// variables and lets, which make a speaker one of run time.
func (c *Compiler) collectSteps(t *team, body []*ast.Stmt, inner map[string]bool) {
	names := map[string]bool{}
	for n := range inner {
		names[n] = true
	}
	for _, s := range body {
		switch {
		case s.Let != nil:
			names[s.Let.Name.Name] = true
		case s.Repeat != nil:
			c.collectSteps(t, s.Repeat.Body, names)
		case s.For != nil:
			within := map[string]bool{s.For.Var.Name: true}
			for n := range names {
				within[n] = true
			}
			c.collectSteps(t, s.For.Body, within)
		case s.If != nil:
			c.collectSteps(t, s.If.Then, names)
			c.collectSteps(t, s.If.Else, names)
		case s.Step != nil:
			c.collectStep(t, s.Step, names)
		}
	}
}

func (c *Compiler) collectStep(t *team, s *ast.Step, inner map[string]bool) {
	label := s.Label.Name
	for _, other := range t.steps {
		if other.label == label {
			c.fail(t.sc.m, diag.LabelTwice, s.Label.Span, "", "another step is already labelled %q", label)
			t.broken = true
			return
		}
	}
	_, param := t.sc.params[label]
	if param || t.roster.taken(label) || taken(label) {
		why := takenWhy(label)
		switch {
		case param:
			why = "it is a parameter of the team"
		case t.roster.taken(label):
			why = "an agent or a group has that name"
		}
		c.fail(t.sc.m, diag.NameTaken, s.Label.Span, "", "%q cannot label a step: %s", label, why)
		t.broken = true
		return
	}
	st := &step{decl: s, label: label, many: s.Each}
	if c.decidedLater(t, s.Who, inner) {
		for _, m := range t.roster.agents {
			st.who = append(st.who, m.Name)
		}
	} else if c.nobody(t.sc, s.Who) {
		st.fixed = true
	} else {
		names, many, ok := c.pick(t.sc, t.roster, s.Who, "a step")
		st.who, st.fixed, st.wrong, st.many = names, ok, !ok, many || s.Each
	}
	t.steps = append(t.steps, st)
}

// nobody reports a parameter, of type agent? or agents?, that names none: the step
// is there and nobody speaks in it.
func (c *Compiler) nobody(sc scope, who *ast.Expr) bool {
	tree, err := c.memo.Parse(who.Cooked)
	if id, ok := tree.(*exprast.IdentifierNode); ok && err == nil {
		p, param := sc.params[id.Value]
		return param && p.who && p.value == nil
	}
	return false
}

// decidedLater reports that who speaks hangs on something known only at run time.
func (c *Compiler) decidedLater(t *team, who *ast.Expr, inner map[string]bool) bool {
	for _, n := range c.namesIn(who) {
		if _, param := t.sc.params[n]; param || t.roster.taken(n) {
			continue
		}
		if inner[n] || reserved[n] || t.labels[n] {
			return true
		}
	}
	return c.callsEngine(who)
}

// callsEngine reports an expression that calls a function which only a run answers.
func (c *Compiler) callsEngine(e *ast.Expr) bool {
	tree, err := c.memo.Parse(e.Cooked)
	if err != nil {
		return false
	}
	v := &nameVisitor{callees: map[exprast.Node]bool{}, bound: map[string]bool{}}
	exprast.Walk(&tree, calleeVisitor{v})
	for n := range v.callees {
		if id, ok := n.(*exprast.IdentifierNode); ok && toolFunctions[id.Value] {
			return true
		}
	}
	return false
}

// labelsIn collects the labels of all steps in a turn program.
func labelsIn(body []*ast.Stmt, labels map[string]bool) {
	for _, s := range body {
		switch {
		case s.Step != nil:
			labels[s.Step.Label.Name] = true
		case s.Repeat != nil:
			labelsIn(s.Repeat.Body, labels)
		case s.For != nil:
			labelsIn(s.For.Body, labels)
		case s.If != nil:
			labelsIn(s.If.Then, labels)
			labelsIn(s.If.Else, labels)
		}
	}
}

// groupMembers gives types their groups' members.
func (t *team) groupMembers() map[string][]string { return t.roster.groups }

// replyOf is the reply schema that holds in a step: its own, else the agent's.
// Where its possible speakers disagree there is none.
func (c *Compiler) replyOf(t *team, st *step) *shape.Shape {
	if own := c.replies(t, t.sc, st.decl.Attrs); own != nil {
		return own
	}
	var common *shape.Shape
	for i, name := range st.who {
		m := t.roster.byName[name]
		s := c.replies(t, m.sc, m.decl.Attrs)
		if s == nil {
			return nil
		}
		if i > 0 && !sameShape(*common, *s) {
			return nil
		}
		common = s
	}
	return common
}

func (c *Compiler) replies(t *team, sc scope, attrs []*ast.Attr) *shape.Shape {
	for _, a := range flatten(c, sc, attrs, attrChoice) {
		if a.Key.Name != "replies" || a.Type == nil {
			continue
		}
		s, ok := c.shapeOf(sc, a.Type, t.groupMembers())
		if ok && s.Kind != shape.Record {
			c.fail(sc.m, diag.WrongValue, a.Type.Span, "write replies { answer: string }", "a reply is a record of fields")
			return nil
		}
		if ok {
			return &s
		}
	}
	return nil
}
