package runtime

import (
	"context"
	"slices"

	"parley/runtime/eval"
)

// MostCalls is the most model calls that one trial of an arm can make: every
// turn with all its tool rounds, its repair and its tries, every loop with all
// its passes. Without a bound in the program it is MaxModelCalls.
func (e *Engine) MostCalls(arm ArmName) int {
	p := e.byName[arm]
	if p == nil {
		return 0
	}
	m := most{p: p}
	calls, turns := m.block(p.turns)
	if limit := p.src.TurnLimit; limit > 0 && turns > limit {
		dearest := m.dearest(p.turns)
		for _, t := range p.tools {
			dearest = max(dearest, m.dearest(t.body))
		}
		calls = min(calls, limit*dearest)
	}
	return min(calls, MaxModelCalls)
}

// most counts over one program. Sums saturate at MaxModelCalls, so that nested
// loops cannot overflow.
type most struct{ p *program }

func (m most) block(list []*stmt) (calls, turns int) {
	for _, s := range list {
		c, t := m.statement(s)
		calls, turns = saturate(calls+c), saturate(turns+t)
	}
	return calls, turns
}

func (m most) statement(s *stmt) (calls, turns int) {
	switch s.src.Kind {
	case StepStmt:
		who := m.members(s)
		for i := range who {
			calls += s.turnCalls(who[i])
			if s.delegates(who[i]) { // one answer may call such a tool any number of times
				return MaxModelCalls, MaxModelCalls
			}
		}
		return saturate(calls), len(who)
	case IfStmt:
		thenCalls, thenTurns := m.block(s.body)
		elseCalls, elseTurns := m.block(s.elses)
		return max(thenCalls, elseCalls), max(thenTurns, elseTurns)
	case RepeatStmt, ForStmt:
		calls, turns = m.block(s.body)
		n := m.passes(s)
		return saturate(calls * n), saturate(turns * n)
	}
	return 0, 0
}

// members lists the actors that a step can ask: a named agent, a named group,
// else as many of the dearest agents as there can be.
func (m most) members(s *stmt) []int {
	if a := m.p.byName[s.src.Who.Src]; a != nil {
		return []int{a.index}
	}
	var list []int
	if group, ok := m.p.groups[s.src.Who.Src]; ok {
		for _, a := range group {
			list = append(list, a.index)
		}
		return list
	}
	if s.src.Many || s.src.Each {
		for _, a := range m.p.agents {
			list = append(list, a.index)
		}
		return list
	}
	best := 0
	for i := range s.attrs {
		if s.turnCalls(i) > s.turnCalls(best) {
			best = i
		}
	}
	return []int{best}
}

// turnCalls is the most calls of one turn of an agent in a step.
func (s *stmt) turnCalls(actor int) int {
	if actor >= len(s.attrs) || s.attrs[actor] == nil {
		return 0
	}
	a := s.attrs[actor]
	n := 1
	if len(a.offered) > 0 || a.handoff != nil {
		n = a.rounds
		if a.then == ThenAnswer {
			n++
		}
	}
	if a.replies != nil {
		n += a.repairs // of an unreadable reply
	}
	if a.where != nil {
		n += a.try
	}
	return n
}

// delegates reports whether a turn offers a tool in which others speak.
func (s *stmt) delegates(actor int) bool {
	return actor < len(s.attrs) && s.attrs[actor] != nil &&
		slices.ContainsFunc(s.attrs[actor].tools, func(t *tool) bool { return len(t.labels) > 0 })
}

// passes is the most passes of a loop; MaxModelCalls where only the run knows.
func (m most) passes(s *stmt) int {
	if s.expr == nil {
		return MaxModelCalls
	}
	if group, ok := m.p.groups[s.src.Expr.Src]; ok && s.src.Kind == ForStmt {
		return len(group)
	}
	v, err := s.expr.prog.Eval(context.Background(), eval.Map{}, nil)
	if err != nil {
		return MaxModelCalls
	}
	switch n := v.(type) {
	case int:
		return max(n, 0)
	case []any:
		return len(n)
	}
	return MaxModelCalls
}

// dearest is the most calls that any one turn of the program can make.
func (m most) dearest(list []*stmt) int {
	n := 0
	for _, s := range list {
		for i := range s.attrs {
			n = max(n, s.turnCalls(i))
		}
		n = max(n, m.dearest(s.body), m.dearest(s.elses))
	}
	return n
}

func saturate(n int) int { return min(n, MaxModelCalls) }
