package runtime

import (
	"fmt"
	"slices"

	"parley/runtime/model"
	"parley/runtime/shape"
)

// What follows when a turn has used up its tool rounds.
const (
	ThenAnswer = "answer" // one more call, without tools
	ThenShare  = "share"  // the results of the last round are the text
	ThenStop   = "stop"   // the turn ends with what was said beside the calls
)

// What an agent's turn tells those who hear it.
const (
	ShareReply   = "reply"
	ShareText    = "text"
	ShareResults = "tool_results"
	ShareNothing = "nothing"
)

// attributes resolves what holds for an agent in a step: the step's own first,
// then the agent's, then the model's.
func (c *compiler) attributes(p *program, name string, agent, step Attrs) (*attributes, error) {
	a := &attributes{aside: step.Aside || agent.Aside, try: step.Try, repairs: 1}
	speaks := first(step.Model, agent.Model)
	spec, ok := p.src.Models[speaks]
	if !ok {
		return nil, fmt.Errorf("there is no model %q", speaks)
	}
	a.spec, a.model = spec, speaks
	a.temperature = firstOf(step.Temperature, agent.Temperature, spec.Temperature)
	a.maxTokens = first(step.MaxTokens, agent.MaxTokens, spec.MaxTokens)
	a.replies = firstOf(step.Replies, agent.Replies)
	if a.replies != nil {
		a.instruction = a.replies.Instruction()
	}
	a.remembers = Remember{All: true}
	if r := firstOf(step.Remembers, agent.Remembers); r != nil {
		a.remembers = *r
	}
	a.shares = first(step.Shares, agent.Shares, ShareReply)
	where, replies := step, step
	if where.Where.Absent() {
		where, a.try = agent, agent.Try
	}
	if replies.Replies == nil {
		replies = agent
	}
	if replies.Repairs != nil {
		a.repairs = *replies.Repairs
	}
	use := toolUse(agent.Tools, step.Tools)
	for _, x := range []struct {
		to   **expression
		from Expr
	}{
		{&a.system, first(step.System, agent.System)},
		{&a.prompt, first(step.Prompt, agent.Prompt)},
		{&a.where, where.Where},
		{&a.whereElse, where.WhereElse},
		{&a.repliesElse, replies.RepliesElse},
		{&a.handoff, first(step.Handoff, agent.Handoff)},
		{&a.order, use.Order},
	} {
		var err error
		if *x.to, err = c.expr(x.from); err != nil {
			return nil, err
		}
	}
	a.placesHeard = a.prompt.reads("heard")
	if err := a.offer(p, use); err != nil {
		return nil, err
	}
	a.offerAdded(p, name)
	return a, nil
}

// offerAdded adds the tools that an attack offers an agent in each of its turns.
func (a *attributes) offerAdded(p *program, agent string) {
	for i := range p.src.Tools {
		t := p.tools[p.src.Tools[i].Name]
		if slices.Contains(t.src.For, agent) && a.tool(t.src.Name) == nil {
			a.add(t)
		}
	}
}

// toolUse is what a step says of tools, else what the agent says.
func toolUse(agent, step *ToolUse) ToolUse {
	switch {
	case step == nil && agent == nil:
		return ToolUse{}
	case step == nil:
		return *agent
	case !step.Own || agent == nil:
		return *step
	}
	use := *agent
	use.Names = slices.Clone(use.Names)
	for _, name := range step.Names {
		if !slices.Contains(use.Names, name) {
			use.Names = append(use.Names, name)
		}
	}
	if use.Limit = first(step.Limit, use.Limit); step.Then != "" {
		use.Then, use.Order = step.Then, step.Order
	}
	return use
}

// offer resolves the tools of a step.
func (a *attributes) offer(p *program, use ToolUse) error {
	a.rounds = first(use.Limit, DefaultToolRounds)
	a.then = first(use.Then, ThenAnswer)
	for _, name := range use.Names {
		t := p.tools[name]
		if t == nil {
			return fmt.Errorf("there is no tool %q", name)
		}
		a.add(t)
	}
	return nil
}

func (a *attributes) add(t *tool) {
	a.tools = append(a.tools, t)
	a.toolNames = append(a.toolNames, t.src.Name)
	a.offered = append(a.offered, model.Tool{Name: t.src.Name, Description: t.src.About, Params: t.params})
	a.acts = a.acts || t.changes() || speaks(t.src.Body)
}

// tool finds an offered tool by name.
func (a *attributes) tool(name string) *tool {
	for _, t := range a.tools {
		if t.src.Name == name {
			return t
		}
	}
	return nil
}

func (c *compiler) tool(src *Tool) (*tool, error) {
	t := &tool{src: src, params: shape.Shape{Kind: shape.Record, Fields: src.Params}}
	for _, x := range []struct {
		to   *[]*header
		from []Expr
	}{{&t.reads, src.Reads}, {&t.writes, src.Writes}} {
		for _, e := range x.from {
			compiled, err := c.expr(e)
			if err != nil {
				return nil, fmt.Errorf("tool %s: %w", src.Name, err)
			}
			*x.to = append(*x.to, &header{expr: compiled, after: compiled.reads("result")})
		}
	}
	return t, nil
}

// changes reports whether calls of the tool may change the world, so that they
// must happen one after another.
func (t *tool) changes() bool {
	return t.src.Class == "write" || len(t.src.Writes) > 0 || sets(t.src.Body)
}

func sets(list []Stmt) bool { return within(list, SetStmt, AppendStmt) }

// speaks reports whether a body takes part in the team's conversation.
func speaks(list []Stmt) bool { return within(list, StepStmt, SayStmt, ResetStmt, StopStmt, FailStmt) }

// within reports whether a statement of one of the kinds stands in a block.
func within(list []Stmt, kinds ...StmtKind) bool {
	for i := range list {
		s := &list[i]
		if slices.Contains(kinds, s.Kind) || within(s.Body, kinds...) || within(s.Elses, kinds...) {
			return true
		}
	}
	return false
}

// first returns the first value that is not zero.
func first[T comparable](values ...T) T {
	var zero T
	for _, v := range values {
		if v != zero {
			return v
		}
	}
	return zero
}

func firstOf[T any](values ...*T) *T {
	for _, v := range values {
		if v != nil {
			return v
		}
	}
	return nil
}
