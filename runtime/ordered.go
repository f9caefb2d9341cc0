package runtime

import (
	"fmt"

	"parley/runtime/key"
	"parley/runtime/model/sim"
)

// OrderedCall is one of the calls that obeying a payload means.
type OrderedCall struct {
	Tool  string
	Args  map[string]any
	Agent string // who makes it; empty: whoever obeys and is offered the tool
}

// list evaluates the calls that obeying means.
func (o *obeyed) list(f *frame, to *Payload) error {
	if o.calls == nil {
		return nil
	}
	v, err := o.calls.value(f)
	if err != nil {
		return err
	}
	list, ok := plainValue(v).([]any)
	if !ok {
		return o.calls.located(fmt.Errorf("what obeying calls is no list"))
	}
	for _, x := range list {
		c, err := orderedCall(x)
		if err == nil && f.run.program.tools[c.Tool] == nil {
			err = fmt.Errorf("obeying calls %q, and no tool is named so", c.Tool)
		}
		if err != nil {
			return o.calls.located(err)
		}
		to.Calls = append(to.Calls, c)
	}
	return nil
}

func orderedCall(v any) (OrderedCall, error) {
	m, ok := v.(map[string]any)
	if !ok {
		return OrderedCall{}, fmt.Errorf("a call that obeying means is no record")
	}
	tool, ok := m["tool"].(string)
	args, record := m["args"].(map[string]any)
	agent, named := m["agent"].(string)
	switch {
	case !ok:
		return OrderedCall{}, fmt.Errorf("a call that obeying means has no tool")
	case !record && m["args"] != nil:
		return OrderedCall{}, fmt.Errorf("the args of a call of %q are no record", tool)
	case !named && m["agent"] != nil:
		return OrderedCall{}, fmt.Errorf("the agent of a call of %q is no name", tool)
	}
	return OrderedCall{Tool: tool, Args: args, Agent: agent}, nil
}

// simUsers tells the simulator by which user each agent is known in requests, where
// the calls of a task or a payload say who makes them.
func (e *Engine) simUsers(payloads []sim.Payload) map[string]string {
	byPrompt := map[string][]sim.Call{}
	for _, p := range payloads {
		byPrompt[p.Prompt] = append(byPrompt[p.Prompt], p.Calls...)
	}
	out := map[string]string{}
	for i := range e.Plan.Cases {
		c := &e.Plan.Cases[i]
		named := map[string]bool{}
		for _, call := range append(simCase(c).Calls, byPrompt[c.Prompt()]...) {
			named[call.Agent] = call.Agent != ""
		}
		task := key.Case(c.Fields, e.Plan.CaseFields).String()
		for k := range e.Plan.Arms {
			arm := &e.Plan.Arms[k]
			if agents := arm.Of(c.Row).Agents; anyNamed(agents, named) {
				e.usersOf(arm.Stream, task, agents, out)
			}
		}
	}
	return out
}

// anyNamed reports whether some agent of a program is among those that calls name. A
// single agent that a team is compared with makes the calls of all.
func anyNamed(agents []Agent, named map[string]bool) bool {
	for i := range agents {
		if named[agents[i].Name] {
			return true
		}
	}
	return false
}

func (e *Engine) usersOf(stream, task string, agents []Agent, out map[string]string) {
	for repeat := 1; repeat <= max(1, e.Plan.Repeats); repeat++ {
		table := key.Table{Seed: e.Plan.Seed, Stream: stream, Case: task, Repeat: repeat}
		for i := range agents {
			out[table.User(agents[i].Name)] = agents[i].Name
		}
	}
}
