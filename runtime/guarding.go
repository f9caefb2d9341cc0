package runtime

import (
	"fmt"
	"slices"
)

// guarding is a compiled Defense.
type guarding struct {
	src    *Defense
	agents []*actor
	groups map[string][]*actor
	texts  []*guardText
	hooks  []*hook
}

type guardText struct {
	src   *GuardText
	value *expression
	when  *expression
}

type hook struct {
	src  *Hook
	when *expression
	body []*stmt
}

// guardings compiles the defenses of a program.
func (c *compiler) guardings(p *program, src *Program) error {
	for i := range src.Defenses {
		g, err := c.guarding(p, &src.Defenses[i])
		if err != nil {
			return fmt.Errorf("defense %s: %w", src.Defenses[i].Name, err)
		}
		p.guards = append(p.guards, g)
		for _, h := range g.hooks {
			if p.hooked == nil {
				p.hooked = map[HookPoint]bool{}
			}
			p.hooked[h.src.Point] = true
		}
	}
	// Hooks in the middle of a turn may ask guards, who remember: turns are taken
	// one by one.
	p.alone = p.alone || p.hooked[BeforeCall] || p.hooked[AfterResult]
	return nil
}

func (c *compiler) guarding(p *program, src *Defense) (*guarding, error) {
	g := &guarding{src: src, groups: map[string][]*actor{}}
	byName := map[string]*actor{}
	for i := range src.Agents {
		a := &actor{src: &src.Agents[i], index: i, attrs: src.Agents[i].Attrs}
		g.agents = append(g.agents, a)
		byName[a.src.Name] = a
	}
	for _, group := range src.Groups {
		for _, name := range group.Members {
			if byName[name] == nil {
				return nil, fmt.Errorf("group %s has no agent %s", group.Name, name)
			}
			g.groups[group.Name] = append(g.groups[group.Name], byName[name])
		}
	}
	for i := range src.Texts {
		t := &guardText{src: &src.Texts[i]}
		var err error
		if t.value, err = c.expr(t.src.Value); err != nil {
			return nil, err
		}
		if t.when, err = c.expr(t.src.When); err != nil {
			return nil, err
		}
		g.texts = append(g.texts, t)
	}
	for i := range src.Hooks {
		h := &hook{src: &src.Hooks[i]}
		var err error
		if h.when, err = c.expr(h.src.When); err != nil {
			return nil, err
		}
		if h.body, err = c.guardStmts(p, g, h.src.Body); err != nil {
			return nil, err
		}
		g.hooks = append(g.hooks, h)
	}
	return g, nil
}

// guardStmts compiles a hook's body: the speakers of its steps are the defense's
// own agents.
func (c *compiler) guardStmts(p *program, g *guarding, list []Stmt) ([]*stmt, error) {
	return c.stmts(&program{src: p.src, agents: g.agents, tools: p.tools}, list)
}

// covers reports whether an agent is among those named; a twin is guarded where
// its model is. No names at all cover everybody.
func covers(names []string, m *member) bool {
	if m == nil || len(names) == 0 {
		return true
	}
	return slices.Contains(names, m.agent.Name) || m.actor.src.Like != "" && slices.Contains(names, m.actor.src.Like)
}
