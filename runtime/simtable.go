package runtime

import (
	"fmt"
	"slices"

	"parley/runtime/eval"
	"parley/runtime/model/sim"
)

// SimTable tells the simulator what it may know of a plan: the tasks with their
// right and wrong answers, and the payloads with what obeying them means.
func SimTable(plan *Plan) (*sim.Table, error) {
	e, err := Prepare(plan)
	if err != nil {
		return nil, err
	}
	return e.SimTable()
}

// SimTable is SimTable for a plan that is prepared already.
func (e *Engine) SimTable() (*sim.Table, error) {
	var c sim.Contents
	for i := range e.Plan.Cases {
		c.Cases = append(c.Cases, simCase(&e.Plan.Cases[i]))
	}
	for i := range e.Plan.Arms {
		arm := &e.Plan.Arms[i]
		for _, t := range e.arms[arm].tools {
			if t.changes() && !has(c.Writes, t.src.Name) {
				c.Writes = append(c.Writes, t.src.Name)
			}
		}
		for _, name := range arm.Program.CorpusTools() {
			if !has(c.Retrieval, name) {
				c.Retrieval = append(c.Retrieval, name)
			}
		}
	}
	slices.Sort(c.Writes)
	slices.Sort(c.Retrieval)
	var err error
	if c.Payloads, err = e.simPayloads(); err != nil {
		return nil, err
	}
	return sim.NewTable(c)
}

// simPayloads lists the payloads of all arms and tasks, equal ones once.
func (e *Engine) simPayloads() ([]sim.Payload, error) {
	var out []sim.Payload
	seen := map[markKey]bool{}
	for i := range e.Plan.Arms {
		if len(e.Plan.Arms[i].Program.Patches) == 0 {
			continue
		}
		for k := range e.Plan.Cases {
			list, err := e.Payloads(&e.Plan.Arms[i], &e.Plan.Cases[k])
			if err != nil {
				return nil, fmt.Errorf("task %d: %w", e.Plan.Cases[k].Row, err)
			}
			for _, p := range list {
				id := markKey{p.Patch, p.Text}
				// Output is nobody's order: it is heard like any other voice.
				if p.Text == "" || p.Slot == SlotOutput || seen[id] {
					continue
				}
				seen[id] = true
				out = append(out, simPayload(p))
			}
		}
	}
	return out, nil
}

func simPayload(p Payload) sim.Payload {
	out := sim.Payload{ID: p.Patch, Text: p.Text, Reply: p.Reply}
	if p.Tool != "" {
		out.Call = &sim.Call{Tool: p.Tool, Args: p.Args}
	}
	return out
}

// simCase reads the task fields that the simulator gives a meaning to: prompt,
// answer, wrong, wrongs, class and calls.
func simCase(c *Case) sim.Case {
	out := sim.Case{
		Prompt: eval.Render(c.Fields["prompt"]).String(),
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
		if tool, ok := call["tool"].(string); ok {
			out.Calls = append(out.Calls, sim.Call{Tool: tool, Args: args})
		}
	}
	return out
}
