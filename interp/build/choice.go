package build

import (
	"reflect"
	"strings"

	"parley/interp/load"
	"parley/lang/ast"
	"parley/lang/diag"
	"parley/runtime/key"
	"parley/runtime/model"
)

// modelChoice decides which model speaks for an agent. Nearer to the user wins:
// command line, experiment, scenario, the agent itself, the simulator.
type modelChoice struct {
	rules []modelRule // strongest first
	notes *notes
}

// fromOption is where choices of the command line come from.
const fromOption = "command line"

// modelRule gives a model to all agents, or to those named.
type modelRule struct {
	sc    scope
	from  string         // command line, experiment, scenario
	who   string         // command line: agent, group or role; empty: all
	agent *ast.Expr      // model NAME for WHO
	judge *ast.JudgeName // model NAME for judge WHO: no agent's
	name  string         // as the user calls it
	spec  model.Spec
	known string // spec's name in a program, once it was asked for
}

// of names the model of an agent and makes it known to the program.
func (ch *modelChoice) of(u *unit, m *member) string {
	for i := range ch.rules {
		r := &ch.rules[i]
		if r.covers(u, m) {
			ch.notes.add("model of "+bareName(m.Name), r.name, r.from)
			u.models[r.id()] = r.spec
			return r.id()
		}
	}
	for _, a := range flatten(u.c, m.sc, m.decl.Attrs, attrChoice) {
		if a.Key.Name != "model" || a.Word == nil {
			continue
		}
		if spec, ok := u.c.modelNamed(m.sc.m, a.Word); ok {
			ch.notes.add("model of "+bareName(m.Name), a.Word.Name, "agent")
			return u.know(spec)
		}
	}
	ch.notes.add("model of "+bareName(m.Name), DefaultModel, "default")
	return u.know(model.Spec{Provider: "sim", Name: "sim"})
}

func (r *modelRule) covers(u *unit, m *member) bool {
	if r.judge != nil {
		return false
	}
	if r.agent != nil {
		covered := false
		u.c.attempt(func() {
			names, _, _ := u.c.pick(r.sc, u.team.roster, r.agent, "for")
			covered = contains(names, m.Name)
		})
		return covered
	}
	return r.who == "" || r.who == m.Name || contains(u.team.roster.groups[r.who], m.Name) || u.team.roster.alias[r.who] == m.Name || r.who == m.Role && m.Role != ""
}

// know adds a model to the program under a name made of what it is, so that a
// declaration's name changes no key.
func (u *unit) know(spec model.Spec) string {
	name := specName(spec)
	u.models[name] = spec
	return name
}

// id is the name of the rule's model in programs.
func (r *modelRule) id() string {
	if r.known == "" {
		r.known = specName(r.spec)
	}
	return r.known
}

func specName(spec model.Spec) string {
	name := spec.Provider
	if spec.Name != "" && spec.Name != spec.Provider {
		name += "/" + spec.Name
	}
	bare := model.Spec{Provider: spec.Provider, Name: spec.Name}
	if reflect.DeepEqual(bare, spec) {
		return name
	}
	if k := key.Of(spec); k != key.Of(bare) {
		name += "#" + k.Short()
	}
	return name
}

// attrModel is the model a step asks for; a choice of experiment, scenario or
// command line that covers all its speakers is stronger.
func (c *Compiler) attrModel(u *unit, p place, a *ast.Attr, st *step) string {
	if a.Word == nil {
		return ""
	}
	spec, ok := c.modelNamed(p.sc.m, a.Word)
	if !ok || st == nil {
		return ""
	}
	for _, name := range st.who {
		covered := false
		for i := range u.choice.rules {
			covered = covered || u.choice.rules[i].covers(u, u.team.roster.byName[name])
		}
		if !covered {
			return u.know(spec)
		}
	}
	return ""
}

// modelNamed resolves a declared model; `sim` is always there.
func (c *Compiler) modelNamed(m *load.Module, name *ast.Ident) (model.Spec, bool) {
	if name.Name == DefaultModel && !m.Has(load.Model, DefaultModel) {
		return model.Spec{Provider: "sim", Name: "sim"}, true
	}
	owner, decl := c.find(m, load.Model, []*ast.Ident{name})
	if decl == nil {
		return model.Spec{}, false
	}
	return c.modelSpec(owner, decl.Model)
}

// useRule makes a rule of `model NAME [for WHO]`.
func (c *Compiler) useRule(sc scope, use *ast.ModelUse, from string) (modelRule, bool) {
	spec, ok := c.modelNamed(sc.m, use.Name)
	return modelRule{sc: sc, from: from, agent: use.For, judge: use.Judge, name: use.Name.Name, spec: spec}, ok
}

// checkFor reports a `for` that names nobody of the teams.
func (c *Compiler) checkFor(sc scope, teams []*team, use *ast.ModelUse) {
	if use.For == nil {
		return
	}
	for _, t := range teams[1:] {
		if c.attempt(func() { c.pick(sc, t.roster, use.For, "for") }) {
			return
		}
	}
	c.pick(sc, teams[0].roster, use.For, "for")
}

// optionRules makes rules of what the command line chose.
func (c *Compiler) optionRules(choices map[string]string) []modelRule {
	var named, all []modelRule
	for _, who := range keysOf(choices) {
		value := choices[who]
		r := modelRule{from: fromOption, who: who, name: value}
		var ok bool
		if r.spec, ok = c.endpointModel(value); !ok {
			if r.spec, ok = c.optionModel(value); !ok {
				continue
			}
		}
		if who == "" {
			all = append(all, r)
		} else {
			named = append(named, r)
		}
	}
	return append(named, all...)
}

// endpointModel reads ENDPOINT/NAME: openai, or an endpoint whose address stands
// in the variable ENDPOINT_BASE_URL.
func (c *Compiler) endpointModel(value string) (model.Spec, bool) {
	where, name, ok := strings.Cut(value, "/")
	if !ok || name == "" {
		return model.Spec{}, false
	}
	spec := model.Spec{Provider: "openai", Name: name}
	if where == "openai" {
		return spec, true
	}
	spec.BaseURL = c.getenv(baseURLVariable(where))
	return spec, spec.BaseURL != ""
}

func baseURLVariable(endpoint string) string {
	return strings.ToUpper(strings.ReplaceAll(endpoint, "-", "_")) + "_BASE_URL"
}

// optionModel resolves a model that the command line names.
func (c *Compiler) optionModel(name string) (model.Spec, bool) {
	m := c.prog.Main
	if name != DefaultModel && !m.Has(load.Model, name) {
		hint := load.Suggest(name, m.Names(load.Model))
		if hint == "" {
			hint = "name a model that the file declares, or write openai/NAME"
		}
		if where, _, ok := strings.Cut(name, "/"); ok {
			hint = "set " + baseURLVariable(where) + " to the address of that endpoint"
		}
		c.option(diag.NoSuchDecl, hint, "no model is named %q", name)
		return model.Spec{}, false
	}
	return c.modelNamed(m, &ast.Ident{Name: name})
}

// checkOptions reports a model chosen for somebody who is not in the team.
func (c *Compiler) checkOptions(teams []*team, choices map[string]string) {
	for _, who := range keysOf(choices) {
		known := who == "" || who == judgeWord || strings.HasPrefix(who, judgeWord+".")
		for _, t := range teams {
			known = known || t.roster.taken(who) || who == "orchestrator" && t.hasOrchestrator()
		}
		if known {
			continue
		}
		t := teams[0]
		c.option(diag.NoSuchAgent, "the team has "+list(t.roster.names()), "a model is chosen for %q, and the team %q has nobody of that name", who, t.name)
	}
}

func (t *team) hasOrchestrator() bool {
	for _, m := range t.roster.agents {
		if m.Role == "orchestrator" {
			return true
		}
	}
	return false
}
