package sim

import (
	"slices"
	"strings"

	"parley/runtime/model"
	"parley/runtime/shape"
)

// Where a task says whose its calls are, whoever decides who goes on can go by that:
// it names the one of them that was heard least, is satisfied when each was heard
// twice, delegates to all of them, and hands over to whom nobody has heard yet.

// involved are those whose calls the task has, in the order of the calls.
func (v *view) involved() []string {
	var out []string
	if v.task == nil {
		return nil
	}
	for _, c := range v.task.Calls {
		if c.Agent != "" && !slices.Contains(out, c.Agent) {
			out = append(out, c.Agent)
		}
	}
	return out
}

// voices counts the messages of one agent in the request, in what is shown of others
// included.
func (v *view) voices(agent string) int {
	n := 0
	for i := range v.req.Messages {
		m := &v.req.Messages[i]
		switch {
		case m.Role != "user":
		case m.Name != "":
			if m.Name == model.WireName(agent) {
				n++
			}
		default:
			n += strings.Count(m.Content, "["+agent+"]\n")
		}
	}
	return n
}

// next is whose part of the task is due: of those involved the one heard least.
func (v *view) next() (agent string, heard int) {
	for i, a := range v.involved() {
		if n := v.voices(a); i == 0 || n < heard {
			agent, heard = a, n
		}
	}
	return agent, heard
}

// handoff begins the names of tools by which an agent hands over: to call one reads
// nothing.
const handoff = "transfer_to_"

// enough is how many messages of each one involved make a lead take the work for done.
const enough = 2

// leads fills a field by which a lead says how the work stands and who is next. The
// field may be a record that gives a reason beside it.
func (v *view) leads(name string, s shape.Shape) (any, bool) {
	next, heard := v.next()
	if next == "" {
		return nil, false
	}
	var value any
	switch name {
	case "next", "next_speaker":
		value = next
	case "satisfied", "done", "finished":
		value = heard >= enough
	case "progressing", "progress":
		value = true
	case "instruction":
		value = "Do your part of this: " + v.task.Prompt
	default:
		return nil, false
	}
	if s.Kind != shape.Record {
		return fit(s, value)
	}
	out, _ := filler(name, s, v).(map[string]any)
	for _, f := range s.Fields {
		if answerRank(f.Name) == 0 {
			if fitted, ok := fit(f.Shape, value); ok && out != nil {
				out[f.Name] = fitted
				return out, true
			}
		}
	}
	return nil, false
}

// delegates are the calls that give each one involved its part of the task, where a
// tool for that is offered: one that names a co-worker. Payloads go along as in a reply.
func (s *Sim) delegates(v *view) []Call {
	for i := range v.req.Tools {
		tool := &v.req.Tools[i]
		if !strings.Contains(tool.Name, "delegate") || !slices.ContainsFunc(tool.Params.Fields, func(f shape.Field) bool { return f.Name == "coworker" }) {
			continue
		}
		var out []Call
		for _, agent := range v.involved() {
			if agent == v.agent {
				continue
			}
			args := map[string]any{}
			for _, f := range tool.Params.Fields {
				switch {
				case f.Name == "coworker":
					args[f.Name] = agent
				case f.Shape.Kind == shape.String:
					args[f.Name] = withCarried(v.task.Prompt, s.carried(v), "\n")
				case !f.HasDefault && !f.Shape.Optional:
					args[f.Name] = plausible(f.Name, f.Shape, v.task.Prompt)
				}
			}
			if c := (Call{Tool: tool.Name, Args: args}); !v.made(c) {
				out = append(out, c)
			}
		}
		return out
	}
	return nil
}

// handsOver is the call by which whoever has nothing left to do lets one of those
// involved speak whom it has not heard.
func (v *view) handsOver() (Call, bool) {
	for _, agent := range v.involved() {
		c := Call{Tool: handoff + strings.ToLower(model.WireName(agent)), Args: map[string]any{}}
		if agent != v.agent && v.voices(agent) == 0 && v.offered(c.Tool) != nil {
			return c, true
		}
	}
	return Call{}, false
}
