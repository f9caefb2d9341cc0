package runtime

import (
	"fmt"
	"slices"

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
		if err == nil {
			err = f.run.program.canMake(c)
		}
		if err != nil {
			return o.calls.located(err)
		}
		to.Calls = append(to.Calls, c)
	}
	if name := f.run.program.stranger(to.Calls); name != "" {
		return o.calls.located(fmt.Errorf("obeying is for %q to do, and the team has nobody of that name", name))
	}
	return nil
}

// stranger is who should make calls and is not there, where others of those named
// are. A single agent that a team is compared with makes the calls of all.
func (p *program) stranger(calls []OrderedCall) string {
	name, there := "", false
	for _, c := range calls {
		switch {
		case c.Agent == "":
		case slices.ContainsFunc(p.src.Agents, func(a Agent) bool { return a.Name == c.Agent }):
			there = true
		case name == "":
			name = c.Agent
		}
	}
	if !there {
		return ""
	}
	return name
}

// canMake says what keeps a call from being made as it is written: the attack would
// look harmless only because of a slip.
func (p *program) canMake(c OrderedCall) error {
	t := p.tools[c.Tool]
	if t == nil {
		return fmt.Errorf("obeying calls %q, and no tool is named so", c.Tool)
	}
	args := c.Args
	if args == nil {
		args = map[string]any{}
	}
	if _, err := t.params.Fit(args); err != nil {
		return fmt.Errorf("obeying calls %q with arguments that do not fit: %w", c.Tool, err)
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
