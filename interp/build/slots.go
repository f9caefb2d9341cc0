package build

import (
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
	ops   []string
	level string // L3, or empty: L1 for the orchestrator, L2 for others
}

var (
	textOps = []string{"append", "prepend", "replace"}
	slots   = map[string]slotRule{
		"system":      {runtime.SlotSystem, textOps, ""},
		"prompt":      {runtime.SlotPrompt, textOps, ""},
		"output":      {runtime.SlotOutput, textOps, ""},
		"task.prompt": {runtime.SlotTask, textOps, "L3"},
		"hole":        {runtime.SlotHole, textOps, "L3"},
		"corpus":      {runtime.SlotCorpus, []string{"insert"}, "L3"},
	}
	// laterSlots and laterOps are recognised and not part of this version.
	laterSlots = set("calls", "memory", "speaker", "resource", "tool", "edge")
	laterOps   = set("rewrite", "remove", "drop", "add")
)

// slotUse is a slot as one patch names it, resolved.
type slotUse struct {
	rule   slotRule
	agents []string // whose slot or store
	name   string   // hole name or output field
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
	case laterSlots[head]:
		c.fail(m, diag.Later, s.Head.Span, "", "the slot %s is not part of this version", head)
		return use, false
	default:
		return c.agentSlot(u, a, s, use)
	}
	return use, true
}

func (c *Compiler) holeSlot(u *unit, a *attack, s *ast.Slot, use slotUse) (slotUse, bool) {
	name, ok := argName(s.Arg)
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
		c.fail(m, diag.NoSuchSlot, s.Span, "an agent's slots are system, prompt and output", "this does not say which slot of the agent")
		return use, false
	}
	name := s.Path[0].Name
	rule, ok := slots[name]
	if !ok || rule.level != "" {
		if laterSlots[name] {
			c.fail(m, diag.Later, s.Path[0].Span, "", "the slot %s is not part of this version", name)
			return use, false
		}
		c.fail(m, diag.NoSuchSlot, s.Path[0].Span, load.Suggest(name, []string{"system", "prompt", "output"}), "an agent has no slot %q", name)
		return use, false
	}
	use.rule = rule
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
