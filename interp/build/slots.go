package build

import (
	"sort"

	"parley/interp/load"
	"parley/lang/ast"
	"parley/lang/diag"
	"parley/runtime"
	"parley/runtime/eval"
	"parley/runtime/shape"

	exprast "github.com/expr-lang/expr/ast"
)

// slotRule is what the compiler knows of a slot: how it is written, what may be
// done there, and at which level whoever reaches it stands.
type slotRule struct {
	kind  runtime.SlotKind
	level string // empty: L1 for the orchestrator, L2 for others
	ops   []string
	// item is what conditions call one of several things that a slot holds, for
	// the operations that look at each of them.
	item string
}

// slots is the table of all slots and what may be done at each.
var slots = map[string]slotRule{
	// An agent's: the orchestrator's are L1, the others' L2.
	"system": {runtime.SlotSystem, "", []string{"append", "prepend", "replace", "rewrite"}, ""},
	"prompt": {runtime.SlotPrompt, "", []string{"append", "prepend", "replace", "rewrite"}, ""},
	"output": {runtime.SlotOutput, "", []string{"append", "prepend", "replace", "rewrite", "drop"}, ""},
	"calls":  {runtime.SlotCalls, "", []string{"insert", "replace", "drop"}, "call"},
	"memory": {runtime.SlotMemory, "", []string{"insert", "replace", "remove"}, "memory"},
	// The orchestrator's alone.
	"speaker": {runtime.SlotSpeaker, "L1", []string{"replace", "drop"}, "speaker"},
	// An agent more.
	"agent": {runtime.SlotAgent, "L2", []string{"add"}, ""},
	// The world's, and what comes in from outside.
	"task.prompt":      {runtime.SlotTask, "L3", []string{"append", "prepend", "replace", "rewrite"}, ""},
	"hole":             {runtime.SlotHole, "L3", []string{"append", "prepend", "replace", "rewrite"}, ""},
	"resource":         {runtime.SlotResource, "L3", []string{"append", "prepend", "replace", "rewrite", "insert", "remove"}, ""},
	"corpus":           {runtime.SlotCorpus, "L3", []string{"insert", "append", "prepend", "replace", "rewrite", "remove"}, "document"},
	"tool.description": {runtime.SlotDescription, "L3", []string{"append", "prepend", "replace", "rewrite"}, ""},
	"tool.result":      {runtime.SlotResult, "L3", []string{"append", "prepend", "replace", "rewrite"}, "call"},
	"tool":             {runtime.SlotTool, "L3", []string{"add"}, ""},
	"edge.message":     {runtime.SlotEdge, "L3", []string{"append", "prepend", "replace", "rewrite", "drop", "delay"}, "message"},
}

// agentSlots are the slots of an agent, as they are written after its name.
var agentSlots = []string{"system", "prompt", "output", "calls", "memory", "speaker"}

// slotUse is a slot as one patch names it, resolved.
type slotUse struct {
	rule   slotRule
	agents []string // whose slot or store
	name   string   // hole, tool, or output field
	uri    runtime.Expr
	scheme string      // of the resource
	inner  shape.Shape // of the state's part that a resource names
	edges  []runtime.Edge
	head   *ast.Ident
}

// slot resolves a patch's slot for a unit. Its agents are those that the attack
// is on, or the ones that the slot itself names.
func (c *Compiler) slot(u *unit, a *attack, p *ast.Patch) (slotUse, bool) {
	s, m := p.Slot, a.sc.m
	head := s.Head.Name
	use := slotUse{head: s.Head}
	switch {
	case head == "task":
		if len(s.Path) != 1 || s.Path[0].Name != "prompt" {
			c.fail(m, diag.NoSuchSlot, s.Span, "write task.prompt", "of a task only the prompt is a slot")
			return use, false
		}
		use.rule = slots["task.prompt"]
	case head == "hole":
		use.rule = slots["hole"]
		return c.holeSlot(u, a, s, use)
	case head == "corpus":
		use.rule = slots["corpus"]
		return c.corpusSlot(u, a, s, use)
	case head == "tool" && p.Tool != nil:
		use.rule = slots["tool"]
	case head == "agent" && p.Agent != nil:
		use.rule = slots["agent"]
	case head == "resource":
		use.rule = slots["resource"]
		return c.resourceSlot(u, a, p, use)
	case head == "tool":
		return c.toolSlot(u, a, s, use)
	case head == "edge":
		use.rule = slots["edge.message"]
		return c.edgeSlot(u, a, s, use)
	default:
		return c.agentSlot(u, a, s, use)
	}
	return use, true
}

func (c *Compiler) holeSlot(u *unit, a *attack, s *ast.Slot, use slotUse) (slotUse, bool) {
	name, ok := a.namedBy(s.Arg)
	if !ok {
		c.fail(a.sc.m, diag.NoSuchSlot, s.Span, "write hole(name)", "this slot does not say which hole")
		return use, false
	}
	if u.world.hole(name) == nil {
		hint := load.Suggest(name, u.world.holeNames())
		if hint == "" {
			hint = "its holes are " + list(u.world.holeNames())
		}
		c.fail(a.sc.m, diag.NoSuchSlot, s.Arg.Span, hint, "the workspace has no hole %q", name)
		return use, false
	}
	use.name = name
	return use, true
}

// namedBy is the hole or tool that a slot names: by its name, or by a parameter
// that holds it.
func (a *attack) namedBy(e *ast.Expr) (string, bool) {
	if e != nil {
		if name, byTask := a.named[e.Cooked]; byTask {
			return name, true
		}
	}
	name, ok := argName(e)
	if p, param := a.sc.params[name]; ok && param {
		text, isText := p.value.(string)
		return text, isText
	}
	return name, ok
}

// argName reads the bare name in hole(name).
func argName(e *ast.Expr) (string, bool) {
	if e == nil {
		return "", false
	}
	tree, err := eval.Parse(e.Cooked)
	if err != nil {
		return "", false
	}
	switch n := tree.(type) {
	case *exprast.IdentifierNode:
		return n.Value, true
	case *exprast.StringNode:
		return n.Value, true
	}
	return "", false
}

func (c *Compiler) corpusSlot(u *unit, a *attack, s *ast.Slot, use slotUse) (slotUse, bool) {
	if u.standIn != nil {
		use.agents = u.team.roster.all()
		return use, len(u.world.corpus) > 0
	}
	if s.Arg != nil {
		names, _, ok := c.pick(a.sc, u.team.roster, s.Arg, "a corpus")
		use.agents = names
		if !ok {
			return use, false
		}
	} else if !a.aimed(c, s.Span, "whose store the document goes to") {
		return use, false
	} else {
		a.hit = true
		use.agents = a.targets
	}
	for _, name := range use.agents {
		if !u.hasCorpus(name) {
			c.fail(a.sc.m, diag.NothingToAttack, s.Span, "declare one in the workspace: corpus "+name+" { … }", "%s has no corpus", name)
			return use, false
		}
	}
	return use, true
}

func (u *unit) hasCorpus(agent string) bool {
	for _, decl := range u.world.corpus {
		owns := decl.Owner == nil
		if !owns {
			u.c.attempt(func() {
				names, _, _ := u.c.pick(u.world.sc, u.team.roster, decl.Owner, "a corpus")
				owns = contains(names, agent)
			})
		}
		if owns {
			return true
		}
	}
	return false
}

// agentSlot resolves agent.system, orchestrator.prompt, debater.output.answer.
func (c *Compiler) agentSlot(u *unit, a *attack, s *ast.Slot, use slotUse) (slotUse, bool) {
	m := a.sc.m
	if s.Head.Name == "agent" {
		if !a.aimed(c, s.Span, "whose "+pathText(s.Path)) {
			return use, false
		}
		a.hit = true
		use.agents = a.targets
	} else {
		who := &ast.Expr{Span: s.Head.Span, Text: s.Head.Name, Cooked: s.Head.Name}
		names, _, ok := c.pick(scope{m: m}, u.team.roster, who, "a slot")
		if !ok {
			return use, false
		}
		use.agents = names
	}
	if len(s.Path) == 0 {
		c.fail(m, diag.NoSuchSlot, s.Span, "an agent's slots are "+list(agentSlots), "this does not say which slot of the agent")
		return use, false
	}
	name := s.Path[0].Name
	if !contains(agentSlots, name) {
		hint := load.Suggest(name, agentSlots)
		if hint == "" {
			hint = "an agent's slots are " + list(agentSlots)
		}
		c.fail(m, diag.NoSuchSlot, s.Path[0].Span, hint, "an agent has no slot %q", name)
		return use, false
	}
	use.rule = slots[name]
	if len(s.Path) == 1 {
		return use, true
	}
	if name != "output" || len(s.Path) > 2 {
		c.fail(m, diag.NoSuchSlot, s.Path[1].Span, "", "%s has no parts", name)
		return use, false
	}
	use.name = s.Path[1].Name
	if _, ok := u.outputField(use.agents, use.name); !ok {
		c.fail(m, diag.NoSuchField, s.Path[1].Span, load.Suggest(use.name, u.replyFields(use.agents)), "no reply of %s has a field %q", list(use.agents), use.name)
		return use, false
	}
	return use, true
}

// outputField is the shape of a reply field of the agents, in any of their steps.
func (u *unit) outputField(agents []string, field string) (shape.Shape, bool) {
	for _, s := range u.repliesOf(agents) {
		for _, f := range s.Fields {
			if f.Name == field {
				return f.Shape, true
			}
		}
	}
	return shape.Shape{}, false
}

func (u *unit) replyFields(agents []string) []string {
	var names []string
	for _, s := range u.repliesOf(agents) {
		for _, f := range s.Fields {
			names = append(names, f.Name)
		}
	}
	return names
}

// repliesOf are the reply schemas that the agents can be asked for.
func (u *unit) repliesOf(agents []string) []shape.Shape {
	var out []shape.Shape
	for _, st := range u.team.steps {
		speaks := false
		for _, who := range st.who {
			speaks = speaks || contains(agents, who)
		}
		if !speaks {
			continue
		}
		if s := u.c.replyOf(u.team, st); s != nil {
			out = append(out, *s)
		}
	}
	return out
}

func pathText(path []*ast.Ident) string {
	text := "slot"
	for i, p := range path {
		if i == 0 {
			text = p.Name
		} else {
			text += "." + p.Name
		}
	}
	return text
}

// Operations lists what the table allows, as OPERATION SLOT, sorted.
func Operations() []string {
	var out []string
	for _, name := range keysOf(slots) {
		for _, op := range slots[name].ops {
			out = append(out, op+" "+name)
		}
	}
	sort.Strings(out)
	return out
}
