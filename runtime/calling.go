package runtime

import (
	"encoding/json"
	"fmt"

	"parley/runtime/model"
	"parley/runtime/segment"
	"parley/runtime/trace"
)

// insertCalls is where the calls slot is offered at the beginning of a turn: a
// call that a patch inserts is made before the model is asked, and the model sees
// it and its result as its own.
func (j *job) insertCalls() error {
	for _, p := range j.run.program.patches {
		if p.src.Slot != SlotCalls || p.src.Op != "insert" || !p.agents[j.member.agent.Name] {
			continue
		}
		f := j.within(p, nil)
		if ok, err := p.due(f); !ok || err != nil {
			if err != nil {
				return err
			}
			continue
		}
		c, err := p.makeCall(f, fmt.Sprintf("inserted_%d_%d", j.turn.ID, len(j.turn.Calls)))
		if err != nil {
			return err
		}
		said := newMessage("assistant", "", nil)
		said.Calls = asks([]model.ToolCall{c})
		j.keep(said)
		result, err := j.force(p, c)
		if err != nil {
			return err
		}
		answer := newMessage("tool", "", result)
		answer.Call = c.ID
		j.keep(answer)
	}
	return nil
}

// offerCall is where the calls slot is offered for a call that the model asks
// for: a patch may drop it, and the agent is told `ok`, or make another one in
// its place.
func (j *job) offerCall(c model.ToolCall) (segment.Text, error) {
	for _, p := range j.run.program.patches {
		if p.src.Slot != SlotCalls || p.src.Op == "insert" || !p.agents[j.member.agent.Name] {
			continue
		}
		f := j.within(p, map[string]any{"call": j.wanted(c)})
		f.place += fmt.Sprintf("#%s", c.ID)
		ok, err := p.due(f)
		if err != nil {
			return nil, err
		}
		if !ok {
			continue
		}
		if p.src.Op == "drop" {
			j.record(insertion(p, j.member.agent.Name, segment.Of(c.Name+" "+c.Args, "calls"), j.turn.ID))
			return segment.Of("ok", "tool:"+c.Name), nil
		}
		other, err := p.makeCall(f, c.ID)
		if err != nil {
			return nil, err
		}
		return j.force(p, other)
	}
	return j.callTool(c)
}

// wanted is a call that is not yet made, as conditions see it.
func (j *job) wanted(c model.ToolCall) map[string]any {
	args := map[string]any{}
	if t := j.attrs.tool(c.Name); t != nil {
		if read, err := arguments(t, c.Args); err == nil {
			args = read
		}
	}
	return map[string]any{"tool": c.Name, "args": args, "agent": j.member.agent, "step": j.turn.Step}
}

// makeCall evaluates the call that a patch makes.
func (p *patch) makeCall(f *frame, id string) (model.ToolCall, error) {
	args := map[string]any{}
	for name, x := range p.args {
		v, err := x.value(f)
		if err != nil {
			return model.ToolCall{}, err
		}
		args[name] = plainValue(v)
	}
	data, err := json.Marshal(args)
	if err != nil {
		return model.ToolCall{}, fmt.Errorf("the arguments of %s cannot be written as JSON: %w", p.src.Call.Tool, err)
	}
	return model.ToolCall{ID: id, Name: p.src.Call.Tool, Args: string(data)}, nil
}

// force makes a patch's call, with any tool of the world, and records whose it is.
func (j *job) force(p *patch, c model.ToolCall) (segment.Text, error) {
	j.record(insertion(p, j.member.agent.Name, segment.Of(c.Name+" "+c.Args, "calls"), j.turn.ID))
	j.forced = p
	defer func() { j.forced = nil }()
	return j.callTool(c)
}

// owned marks all texts of a value as a payload's.
func owned(v any, payload string) any {
	switch v := v.(type) {
	case string:
		return segment.Of(v, "calls").Mark(payload)
	case []any:
		out := make([]any, len(v))
		for i, x := range v {
			out[i] = owned(x, payload)
		}
		return out
	case map[string]any:
		out := make(map[string]any, len(v))
		for name, x := range v {
			out[name] = owned(x, payload)
		}
		return out
	}
	return v
}

// offerResult is where what a tool tells its caller is offered. The record keeps
// what the tool really returned.
func (j *job) offerResult(c *trace.Call, result segment.Text) (segment.Text, error) {
	for _, p := range j.run.program.patches {
		if p.src.Slot != SlotResult || p.src.Name != c.Tool {
			continue
		}
		args := c.Args
		if args == nil {
			args = map[string]any{}
		}
		f := j.within(p, map[string]any{"call": map[string]any{
			"tool": c.Tool, "args": args, "agent": j.member.agent, "step": j.turn.Step,
		}})
		f.place += fmt.Sprintf("#%d", c.Index)
		changed, payload, ok, err := j.run.changed(p, f, result)
		if err != nil {
			return nil, err
		}
		if ok {
			result = changed
			j.record(insertion(p, "tool:"+c.Tool, payload, j.turn.ID))
		}
	}
	return j.guardResult(c, result)
}
