package runtime

import (
	"fmt"
	"maps"
	"reflect"
	"slices"

	"parley/runtime/eval"
	"parley/runtime/model/sim"
)

// payloadKey is what tells payloads apart: one text may ask for something else in
// every task.
type payloadKey struct{ id, text, prompt string }

// SimTable tells the simulator what it may know of the plans of a run: the tasks
// with their right and wrong answers, and the payloads with what obeying them
// means. One table serves all plans, so that equal trials stay equal.
func SimTable(plans ...*Plan) (*sim.Table, error) {
	all := sim.Contents{Users: map[string]string{}}
	prompts := map[string]bool{}
	payloads := map[payloadKey]sim.Payload{}
	for _, plan := range plans {
		e, err := Prepare(plan)
		if err != nil {
			return nil, err
		}
		c, err := e.simContents()
		if err != nil {
			return nil, err
		}
		for _, task := range c.Cases {
			if !prompts[task.Prompt] {
				prompts[task.Prompt] = true
				all.Cases = append(all.Cases, task)
			}
		}
		for _, p := range c.Payloads {
			id := payloadKey{p.ID, p.Text, p.Prompt}
			known, twice := payloads[id]
			if twice && !reflect.DeepEqual(known, p) {
				return nil, fmt.Errorf("two rows of this run have the same payload %q and mean different things by obeying it, which the simulator cannot tell apart; word them differently, or run them one by one", p.Text)
			}
			if !twice {
				payloads[id] = p
				all.Payloads = append(all.Payloads, p)
			}
		}
		all.Writes = append(all.Writes, c.Writes...)
		all.Retrieval = append(all.Retrieval, c.Retrieval...)
		maps.Copy(all.Users, c.Users)
	}
	slices.Sort(all.Writes)
	slices.Sort(all.Retrieval)
	all.Writes, all.Retrieval = slices.Compact(all.Writes), slices.Compact(all.Retrieval)
	return sim.NewTable(all)
}

// simContents is what the simulator may know of one plan.
func (e *Engine) simContents() (sim.Contents, error) {
	var c sim.Contents
	for i := range e.Plan.Cases {
		for _, part := range e.Plan.Cases[i].Parts() {
			c.Cases = append(c.Cases, simCase(part))
		}
	}
	for i := range e.Plan.Arms {
		arm := &e.Plan.Arms[i]
		for _, t := range e.arms[arm].tools {
			if t.changes() && !slices.Contains(c.Writes, t.src.Name) {
				c.Writes = append(c.Writes, t.src.Name)
			}
		}
		for _, name := range arm.Program.CorpusTools() {
			if !slices.Contains(c.Retrieval, name) {
				c.Retrieval = append(c.Retrieval, name)
			}
		}
	}
	var err error
	if c.Payloads, err = e.simPayloads(); err != nil {
		return c, err
	}
	c.Users = e.simUsers(c.Payloads)
	return c, nil
}

// simPayloads lists the payloads of all arms and tasks, a task's equal ones once.
func (e *Engine) simPayloads() ([]sim.Payload, error) {
	var out []sim.Payload
	seen := map[payloadKey]bool{}
	for i := range e.Plan.Arms {
		if len(e.Plan.Arms[i].Program.Patches) == 0 {
			continue
		}
		for k := range e.Plan.Cases {
			for _, part := range e.Plan.Cases[k].Parts() {
				list, err := e.Payloads(&e.Plan.Arms[i], part)
				if err != nil {
					return nil, fmt.Errorf("task %d: %w", part.Row, err)
				}
				prompt := part.Prompt()
				for _, p := range list {
					id := payloadKey{p.Patch, p.Text, prompt}
					// Output is nobody's order: it is heard like any other voice.
					if p.Text == "" || p.Slot == SlotOutput || seen[id] {
						continue
					}
					seen[id] = true
					out = append(out, simPayload(p, prompt))
				}
			}
		}
	}
	return out, nil
}

func simPayload(p Payload, prompt string) sim.Payload {
	out := sim.Payload{ID: p.Patch, Text: p.Text, Prompt: prompt, Reply: p.Reply}
	if p.Tool != "" {
		out.Calls = append(out.Calls, sim.Call{Tool: p.Tool, Args: p.Args})
	}
	for _, c := range p.Calls {
		out.Calls = append(out.Calls, sim.Call{Tool: c.Tool, Args: c.Args, Agent: c.Agent})
	}
	return out
}

// Prompt is the task's text, as `${task.prompt}` renders it.
func (c *Case) Prompt() string { return eval.Render(c.Fields["prompt"]).String() }

// simCase reads the task fields that the simulator gives a meaning to: prompt,
// answer, wrong, wrongs, class and calls.
func simCase(c *Case) sim.Case {
	out := sim.Case{
		Prompt: c.Prompt(),
		Answer: c.Fields["answer"],
		Class:  eval.Render(c.Fields["class"]).String(),
	}
	if wrong, ok := c.Fields["wrong"]; ok && wrong != nil {
		out.Wrongs = append(out.Wrongs, wrong)
	}
	if list, ok := c.Fields["wrongs"].([]any); ok {
		for _, w := range list {
			if !slices.ContainsFunc(out.Wrongs, func(x any) bool { return eval.Equal(x, w) == eval.True }) {
				out.Wrongs = append(out.Wrongs, w)
			}
		}
	}
	list, _ := c.Fields["calls"].([]any)
	for _, x := range list {
		call, ok := x.(map[string]any)
		if !ok {
			continue
		}
		args, _ := call["args"].(map[string]any)
		agent, _ := call["agent"].(string)
		if tool, ok := call["tool"].(string); ok {
			out.Calls = append(out.Calls, sim.Call{Tool: tool, Args: args, Agent: agent})
		}
	}
	return out
}
