package score

import (
	"context"

	"parley/runtime"
	"parley/runtime/eval"
	"parley/runtime/trace"
)

// Group is the trials of one case and repeat, by arm: what is scored together.
// Arms that have not run are absent.
type Group struct {
	Row    int    // of the case, as in the plan
	Repeat int    // from 1
	Key    string // case key: rows that agree are one task; empty: the trials'
	Trials map[runtime.ArmName]*trace.Trial
}

// observation is one arm's run as expressions see it: an environment, and a
// record behind `clean`, `baseline` and `placebo`. Nothing is computed before
// it is asked for. It belongs to one goroutine.
type observation struct {
	s     *Scorer
	all   *observed
	arm   runtime.ArmName
	team  *team
	trial *trace.Trial
	fault fault
	preds []verdict // by the predicate's number
}

// verdict is a predicate's value in one run, once it has been asked for.
type verdict struct {
	value any
	state int8
}

const (
	unasked int8 = iota
	running
	known
)

// observed is a group with the observations made of it so far.
type observed struct {
	ctx  context.Context
	key  string // of the task
	c    *runtime.Case
	tr   map[runtime.ArmName]*trace.Trial
	arms map[runtime.ArmName]*observation
	err  error // the context's, once it is done
}

func (s *Scorer) observe(ctx context.Context, g Group) *observed {
	all := &observed{ctx: ctx, key: g.task(), c: &runtime.Case{}, tr: g.Trials, arms: make(map[runtime.ArmName]*observation, len(s.teams))}
	if c := s.cases[g.Row]; c != nil {
		all.c = c
	}
	return all
}

func (s *Scorer) run(all *observed, arm runtime.ArmName) *observation {
	if o := all.arms[arm]; o != nil {
		return o
	}
	o := &observation{s: s, all: all, arm: arm, team: s.teamIn(arm, all.c.Row), trial: all.tr[arm]}
	if o.team == nil {
		o.team = s.teamIn(s.base, all.c.Row)
	}
	o.fault = faultOf(o.trial)
	all.arms[arm] = o
	return o
}

// Observe gives the environment of one arm's run: everything predicates can
// name, the predicates themselves, and the paired runs. It may not be used by
// two goroutines at once.
func (s *Scorer) Observe(ctx context.Context, g Group, arm runtime.ArmName) eval.Env {
	return s.run(s.observe(ctx, g), arm)
}

// Field makes a paired run readable: clean.correct, clean.run.tokens.
func (o *observation) Field(name string) (any, bool) { return o.Lookup(name) }

// Key makes two mentions of one run equal.
func (o *observation) Key() string { return "run/" + string(o.arm) }

// Lookup gives the value of a name. Names of a run that is missing or failed
// are unknown, whatever they are.
func (o *observation) Lookup(name string) (any, bool) {
	switch name {
	case "task":
		return o.task(), true
	case "attack":
		return attackRecord{o}, true
	case "judge":
		if o.fault != sound {
			return o.unknown(), true
		}
		return judges{o}, true
	case "clean", "baseline", "placebo", "undefended":
		arm := sibling(o.arm, name)
		if arm == "" {
			return eval.Missing{Why: "this run has no " + name + " run"}, true
		}
		return o.s.run(o.all, arm), true
	}
	if p := o.s.preds[name]; p != nil {
		return o.predicate(p), true
	}
	if members, ok := o.team.groups[name]; ok {
		return o.group(name, members), true
	}
	if o.fault != sound {
		return o.unknown(), true
	}
	return o.recorded(name)
}

// faulty gives the unknown value if any of the arms' runs is missing or failed:
// what rests on such a run is unknown as a whole, because some functions make
// an answer out of silence.
func (s *Scorer) faulty(all *observed, arms []runtime.ArmName) any {
	for _, arm := range arms {
		if o := s.run(all, arm); o.fault != sound {
			return o.unknown()
		}
	}
	return nil
}

func (o *observation) unknown() eval.Missing {
	if o.fault == missing {
		return eval.Missing{Why: "the " + string(o.arm) + " run is not there"}
	}
	return eval.Missing{Why: "the " + string(o.arm) + " run ended in an error"}
}

// recorded gives what the trace holds.
func (o *observation) recorded(name string) (any, bool) {
	t := o.trial
	switch name {
	case "run":
		return t, true
	case "calls":
		return t.CallList(), true
	case "reads":
		return t.ReadList(), true
	case "writes":
		return t.WriteList(), true
	case "messages":
		return t.MessageList(), true
	case "turns":
		return t.TurnList(), true
	case "interventions":
		return t.InterventionList(), true
	case "agents":
		return t.AgentList(), true
	case "before":
		return world(t.Before)
	case "after":
		return world(t.After)
	}
	if list, ok := o.team.labels[name]; ok {
		return label(t, name, list), true
	}
	if a := t.Agent(name); a != nil {
		return a, true
	}
	return nil, false
}

func world(w *trace.World) (any, bool) {
	if w == nil {
		return eval.Missing{Why: "the run recorded no workspace"}, true
	}
	return w, true
}

// label gives a step's latest turn, or the turns of its latest pass in order.
func label(t *trace.Trial, step string, list bool) any {
	turns := t.TurnList()
	last := -1
	for i := len(turns) - 1; i >= 0; i-- {
		if turns[i].(*trace.Turn).Step == step {
			last = i
			break
		}
	}
	if last < 0 {
		return eval.Missing{Why: "step " + step + " did not run"}
	}
	latest := turns[last].(*trace.Turn)
	if !list && !latest.Listed {
		return latest
	}
	var out []any
	for _, v := range turns[:last+1] {
		if u := v.(*trace.Turn); u.Step == step && u.Round == latest.Round {
			out = append(out, u)
		}
	}
	return out
}

// group keeps its size where the run is unknown, so that what is counted per
// member is still counted right.
func (o *observation) group(name string, members []string) eval.Group {
	g := eval.Group{Name: name, Members: make([]any, len(members))}
	for i, m := range members {
		if o.fault != sound {
			if g.Members[i] = o.unknown(); o.team.planned[m] != nil {
				g.Members[i] = o.team.planned[m]
			}
			continue
		}
		g.Members[i] = eval.Missing{Why: "the run has no " + m}
		if a := o.trial.Agent(m); a != nil {
			g.Members[i] = a
		}
	}
	return g
}

// predicate evaluates a predicate once. One that asks for itself is unknown;
// such a cycle is an error before anything runs.
func (o *observation) predicate(p *pred) any {
	if o.preds == nil {
		o.preds = make([]verdict, o.s.count)
	}
	v := &o.preds[p.number]
	switch v.state {
	case known:
		return v.value
	case running:
		return eval.Missing{Why: p.Name + " refers to itself"}
	}
	v.state = running
	if v.value = o.s.faulty(o.all, p.uses[o.arm]); v.value == nil {
		var env eval.Env = o
		if p.scope != nil {
			env = scoped{o, p.scope}
		}
		v.value = o.eval(p.prog, env)
	}
	v.state = known
	return v.value
}

// eval evaluates a program; one that does not end is unknown.
func (o *observation) eval(p *eval.Program, env eval.Env) any {
	if o.all.err != nil {
		return eval.Missing{Why: "scoring was stopped"}
	}
	v, err := p.Eval(o.all.ctx, env, &eval.Budget{})
	if err == nil {
		return v
	}
	if e := o.all.ctx.Err(); e != nil {
		o.all.err = e
	}
	return eval.Missing{Why: err.Error()}
}

// task gives the row's fields, with the predicates that the task brings.
func (o *observation) task() any {
	fields := o.all.c.Fields
	own := o.s.tasks[o.all.c.Row]
	if own == nil {
		if fields == nil {
			return map[string]any{}
		}
		return fields
	}
	return taskRecord{o, fields, own}
}

type taskRecord struct {
	o      *observation
	fields map[string]any
	preds  map[string]*pred
}

// Field gives a predicate of the task, or a field of its row.
func (t taskRecord) Field(name string) (any, bool) {
	if p := t.preds[name]; p != nil {
		return t.o.predicate(p), true
	}
	v, ok := t.fields[name]
	return v, ok
}

type attackRecord struct{ o *observation }

// Field gives the attack's name, goal and level, and its own predicates.
func (a attackRecord) Field(name string) (any, bool) {
	switch name {
	case "name":
		return a.o.s.spec.Attack, true
	case "goal":
		return a.o.s.spec.Goal, true
	case "level":
		return a.o.s.spec.Level, true
	}
	if p := a.o.s.attack[name]; p != nil {
		return a.o.predicate(p), true
	}
	return nil, false
}

// scoped is the environment of a predicate that a task or an attack brings: its
// siblings go by their bare names.
type scoped struct {
	*observation
	scope map[string]*pred
}

// Lookup gives a sibling, or what the run gives.
func (e scoped) Lookup(name string) (any, bool) {
	if p := e.scope[name]; p != nil {
		return e.predicate(p), true
	}
	return e.observation.Lookup(name)
}

// within is the environment of one element under `per`.
type within struct {
	*observation
	self any
}

// Lookup gives self, or what the run gives.
func (w within) Lookup(name string) (any, bool) {
	if name == "self" {
		return w.self, true
	}
	return w.observation.Lookup(name)
}
