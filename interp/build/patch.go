package build

import (
	"fmt"

	"parley/lang/ast"
	"parley/lang/diag"
	"parley/runtime"
	"parley/runtime/model"
	"parley/runtime/shape"
)

// patchSet is an attack compiled for one program.
type patchSet struct {
	patches []runtime.Patch
	text    bool // all of them put text somewhere, so that a placebo can be made
	models  map[string]model.Spec
	tools   []runtime.Tool
	twins   []twin
}

// patchesOf compiles an attack's patches for the program of a unit.
func (c *Compiler) patchesOf(u *unit, a *attack) (*patchSet, bool) {
	set, ok := &patchSet{text: true, models: map[string]model.Spec{}}, true
	for i, p := range a.patches {
		id := fmt.Sprintf("%s/%d", a.name, i+1)
		patch, good := c.patch(u, a, p, set, id)
		if !good {
			ok = false
			continue
		}
		set.add(a, id, patch)
	}
	if ok && len(a.targets) > 0 && !a.hit && u.standIn == nil && len(a.patches) > 0 {
		c.fail(a.from.m, diag.TargetUnused, a.item.On.Span, "leave out on", "no patch of the attack %q is about its targets", a.name)
		ok = false
	}
	if a.obeyed != nil && ok {
		obeyed, good := c.obeyed(u, a)
		ok = ok && good
		for i := range set.patches {
			set.patches[i].Obeyed = obeyed
		}
	}
	return set, ok
}

func (s *patchSet) add(a *attack, id string, patch runtime.Patch) {
	patch.ID, patch.Attack, patch.Level, patch.Goal = id, a.display, a.level, a.goal
	s.patches = append(s.patches, patch)
}

// patch compiles one patch; set gets what it brings along.
func (c *Compiler) patch(u *unit, a *attack, p *ast.Patch, set *patchSet, id string) (out runtime.Patch, ok bool) {
	use, ok := c.slot(u, a, p)
	if !ok || !c.fitsSlot(a, p, use) || !c.heldToLevel(u, a, p, use) {
		return out, false
	}
	out = runtime.Patch{Op: p.Op.Name, Slot: use.rule.kind, Agents: use.agents, Name: use.name, URI: use.uri, Edges: use.edges}
	where := u.patchPlace(a.sc, use, p.Op.Name)
	switch {
	case p.Tool != nil:
		set.text = false
		return out, c.addTool(u, a, p.Tool, set, id, &out)
	case p.Agent != nil:
		set.text = false
		return out, c.addAgent(u, a, p.Agent, set, id, &out)
	case p.Call != nil:
		args, good := c.callArgs(u, where, p.Call)
		out.Call, ok = &runtime.ScriptCall{Tool: p.Call.Name.Name, Args: args}, good
		set.text = false
	case p.Value != nil:
		want, text := c.patchWant(u, use, p)
		set.text = set.text && text
		out.Value, _, ok = c.expr(where, p.Value, want, "what the attack puts there")
		c.emptyPatch(a, p)
	default:
		set.text = false
	}
	if p.Model != nil {
		ok = c.rewriter(a, p, set, &out) && ok
	}
	if p.Delay != nil {
		var good bool
		out.Delay, good = c.constantInt(a.sc, p.Delay, "how long a message is delayed", 1)
		out.Unit, ok = p.Unit.Name, ok && good
	}
	if p.When != nil {
		var good bool
		out.When, _, good = c.expr(where, p.When, wantBool, patchWhen)
		ok = ok && good
	}
	return out, ok
}

// rewriter resolves the model that rewrites. The set keeps it: an attack's model
// is no part of the program without the attack.
func (c *Compiler) rewriter(a *attack, p *ast.Patch, set *patchSet, out *runtime.Patch) bool {
	spec, ok := c.modelNamed(a.sc.m, p.Model)
	if ok {
		knows := unit{models: set.models}
		out.Model = knows.know(spec)
	}
	return ok
}

// fitsSlot holds an operation, and the form it is written in, against the table.
func (c *Compiler) fitsSlot(a *attack, p *ast.Patch, use slotUse) bool {
	m, op, rule := a.sc.m, p.Op.Name, use.rule
	switch {
	case !contains(rule.ops, op):
		c.fail(m, diag.OperationSlot, p.Op.Span, "", "at the slot %s one can %s, not %s", rule.kind, list(rule.ops), op)
	case rule.kind == runtime.SlotCalls && op != "drop" && p.Call == nil:
		c.fail(m, diag.OperationSlot, p.Value.Span, "write "+op+" agent.calls call NAME(argument: value)", "what an agent calls is written with call")
	case rule.kind != runtime.SlotCalls && p.Call != nil:
		c.fail(m, diag.OperationSlot, p.Call.Span, "", "a call can stand at the slot calls, not at %s", rule.kind)
	case rule.kind == runtime.SlotOutput && op == "drop" && use.name != "":
		c.fail(m, diag.OperationSlot, p.Op.Span, "write replace, or drop all of the output", "a field of a reply cannot be dropped")
	default:
		return true
	}
	return false
}

// heldToLevel compares the level of the slot with what the attack declares.
func (c *Compiler) heldToLevel(u *unit, a *attack, p *ast.Patch, use slotUse) bool {
	kind := use.rule.kind
	if kind == runtime.SlotSpeaker && !c.orchestrates(u, a, p, use) {
		return false
	}
	if use.rule.level != "" {
		if use.rule.level == a.level {
			return true
		}
		c.fail(a.sc.m, diag.LevelMismatch, p.Slot.Span, "an attack stands at one level; write at "+use.rule.level, "the slot %s is %s, and the attack %q is declared at %s", kind, use.rule.level, a.name, a.level)
		return false
	}
	for _, name := range use.agents {
		level := "L2"
		if m := u.team.roster.byName[name]; m != nil && m.Role == "orchestrator" {
			level = "L1"
		}
		if level != a.level {
			c.fail(a.sc.m, diag.LevelMismatch, p.Slot.Span, "an attack stands at one level; write at "+level, "the slot %s of %s is %s, and the attack %q is declared at %s", kind, name, level, a.name, a.level)
			return false
		}
	}
	return true
}

// orchestrates reports whether the one agent named is an orchestrator: nobody
// else decides who speaks.
func (c *Compiler) orchestrates(u *unit, a *attack, p *ast.Patch, use slotUse) bool {
	if len(use.agents) == 1 {
		if m := u.team.roster.byName[use.agents[0]]; m != nil && m.Role == "orchestrator" {
			return true
		}
	}
	c.fail(a.sc.m, diag.LevelMismatch, p.Slot.Span, "", "the slot speaker belongs to one orchestrator, and this is %s", list(use.agents))
	return false
}

// patchWant is what a patch's value has to be; text says that it is text, of
// which a neutral filler can be made.
func (c *Compiler) patchWant(u *unit, use slotUse, p *ast.Patch) (want wanted, text bool) {
	op := p.Op.Name
	if op == "rewrite" {
		return wantText, false // what will stand there is not known before the run
	}
	switch use.rule.kind {
	case runtime.SlotCorpus:
		switch op {
		case "insert":
			return wantDocuments(p.Value), true
		case "replace":
			return wantType(documentType), true
		}
	case runtime.SlotSpeaker:
		return wantAgents, false
	case runtime.SlotResource:
		if op == "insert" && use.scheme == "mail" {
			return wantType(mailType), true
		}
		if op == "insert" && use.scheme == "state" {
			return wantShape(*use.inner.Elem), use.inner.Elem.Kind == shape.String
		}
	case runtime.SlotOutput:
		if use.name == "" {
			return wantText, true
		}
		s, _ := u.outputField(use.agents, use.name)
		if s.Kind == shape.String {
			return wantText, true
		}
		return wantShape(s), false
	}
	return wantText, true
}

// mailType is a mail as it is put into a world.
var mailType = recordOf("mail", map[string]typ{"from": textType, "subject": textType, "body": textType})

// patchPlace is what a patch's expressions see: what is there when its slot is
// offered.
func (u *unit) patchPlace(sc scope, use slotUse, op string) place {
	kind := use.rule.kind
	switch kind {
	case runtime.SlotTask, runtime.SlotHole, runtime.SlotResource, runtime.SlotCorpus:
		p := u.outside(sc)
		if kind == runtime.SlotCorpus {
			p.vars["self"] = agentType
			if op != "insert" {
				p.vars["document"] = recordOf("document", map[string]typ{"id": textType, "title": textType, "text": textType})
			}
		}
		return p
	}
	p := u.c.place(u, sc, turnFunctions, u.vars)
	p.vars["self"] = agentType
	p.vars["step"] = u.steps
	switch kind {
	case runtime.SlotOutput:
		p.vars["to"], p.vars["reply"] = agentType, u.anyReply
	case runtime.SlotEdge:
		p.vars["to"], p.vars["message"] = agentType, u.messageType()
	case runtime.SlotSpeaker:
		p.vars["speakers"] = u.vars["agents"]
	}
	if use.rule.item == "" || op == "insert" || kind == runtime.SlotSpeaker && op != "drop" {
		return p
	}
	switch use.rule.item {
	case "call":
		p.vars["call"] = recordOf("call", map[string]typ{"agent": agentType, "tool": u.toolWords, "args": u.anyArgs(), "step": u.steps})
	case "memory":
		p.vars["memory"] = recordOf("memory", map[string]typ{"text": textType})
	case "speaker":
		p.vars["speaker"] = agentType
	}
	return p
}
