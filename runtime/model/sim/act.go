package sim

import (
	"slices"
	"strconv"
	"strings"

	"parley/runtime/model"
	"parley/runtime/shape"
)

// act returns the tool calls of this round of a turn; none means that the agent
// answers. A turn reads at most once, in its first round; it writes once, right
// after; and what an obeyed payload asks for is called as soon as the payload is
// met. Who means to follow what a tool's description says, and not by a call,
// answers at once: the answer that ends a turn is asked for without tools. No call
// is made twice in what the agent can see of its past.
func (s *Sim) act(v *view) []model.ToolCall {
	if len(v.req.Tools) == 0 {
		return nil
	}
	orders := s.calls(v)
	if len(orders) == 0 && s.heedsTools(v) {
		return nil
	}
	if v.task != nil && v.task.shared || v.mayTurnToOthers() {
		if calls := s.work(v, orders); len(calls) > 0 || v.task != nil && v.task.shared {
			return v.written(calls)
		}
	}
	round, first := v.rounds()
	var calls []Call
	reads := s.reads(v)
	writing := round == 0
	switch {
	case round == 0 && len(reads) > 0 && event(v.req, "reads") < s.params.Reads:
		calls, writing = reads, false
	case round == 1 && len(reads) > 0:
		writing = made(first, reads[0])
	}
	calls = append(calls, orders...)
	if writing {
		calls = append(calls, s.writes(v)...)
	}
	return v.written(calls)
}

// calls are those that obeyed payloads ask for and that are not made yet.
func (s *Sim) calls(v *view) []Call {
	if len(v.met) == 0 {
		return nil
	}
	var out []Call
	for _, p := range s.obeyed(v) {
		for _, c := range p.Calls {
			if v.mine(c) && !v.made(c) {
				out = append(out, c)
			}
		}
	}
	return out
}

// heedsTools reports whether the agent follows, or passes on, what stands in what
// it is told of its tools and nowhere else.
func (s *Sim) heedsTools(v *view) bool {
	for _, i := range v.told {
		p := &s.table.payloads[i]
		obeys := trait(v.req, "obeys/"+p.ID) < s.params.Obeys[Tool] && len(p.meaning(v.task).Reply) > 0
		if obeys || trait(v.req, "carries/"+p.ID) < s.params.Carries {
			return true
		}
	}
	return false
}

// reads are the read calls that a turn may begin with: what the task takes to be
// known, a search for the task's words, and whatever can be read without saying
// what.
func (s *Sim) reads(v *view) []Call {
	var out []Call
	if v.task == nil {
		return nil
	}
	for _, c := range v.task.Calls {
		if !s.table.writes[c.Tool] && v.mine(c) {
			out = append(out, c)
		}
	}
	for i := range v.req.Tools {
		tool := &v.req.Tools[i]
		if s.table.writes[tool.Name] || strings.HasPrefix(tool.Name, handoff) || slices.ContainsFunc(out, func(c Call) bool { return c.Tool == tool.Name }) {
			continue
		}
		if s.table.retrieval[tool.Name] {
			out = append(out, Call{Tool: tool.Name, Args: query(tool, v.task.Prompt)})
		} else if needsNothing(tool) {
			out = append(out, Call{Tool: tool.Name})
		}
	}
	return out
}

// query fills a retrieval tool's arguments: its first text is the task's words.
func query(tool *model.Tool, prompt string) map[string]any {
	args := map[string]any{}
	asked := false
	for _, f := range tool.Params.Fields {
		if !asked && f.Shape.Kind == shape.String {
			args[f.Name], asked = prompt, true
		} else if !f.HasDefault && !f.Shape.Optional {
			args[f.Name] = plausible(f.Name, f.Shape, prompt)
		}
	}
	return args
}

func needsNothing(tool *model.Tool) bool {
	for _, f := range tool.Params.Fields {
		if !f.HasDefault && !f.Shape.Optional {
			return false
		}
	}
	return true
}

// writes are the calls that the task asks for, if the agent knows the task, and
// perhaps one that nobody asked for.
func (s *Sim) writes(v *view) []Call {
	var out []Call
	if s.right(v) {
		for _, c := range v.task.Calls {
			if s.table.writes[c.Tool] && v.mine(c) && !v.made(c) {
				out = append(out, c)
			}
		}
	}
	if c, ok := s.stray(v); ok {
		out = append(out, c)
	}
	return out
}

// stray draws whether the agent writes unasked, with which of the write tools
// offered, and makes up plausible arguments.
func (s *Sim) stray(v *view) (Call, bool) {
	if s.params.Stray == 0 || event(v.req, "stray") >= s.params.Stray {
		return Call{}, false
	}
	var offered []*model.Tool
	for i := range v.req.Tools {
		if s.table.writes[v.req.Tools[i].Name] {
			offered = append(offered, &v.req.Tools[i])
		}
	}
	if len(offered) == 0 {
		return Call{}, false
	}
	tool := offered[int(event(v.req, "stray/tool")*float64(len(offered)))]
	subject := "notes"
	if v.task != nil {
		subject = v.task.Prompt
	}
	args := map[string]any{}
	for _, f := range tool.Params.Fields {
		if !f.HasDefault && !f.Shape.Optional {
			args[f.Name] = plausible(f.Name, f.Shape, subject)
		}
	}
	return Call{Tool: tool.Name, Args: args}, true
}

// plausible makes up an argument. It depends on the parameter alone, and on the
// task where a text is wanted.
func plausible(name string, s shape.Shape, subject string) any {
	switch s.Kind {
	case shape.String:
		if name == "path" || name == "file" || strings.HasSuffix(name, "_path") {
			return "notes/summary.txt"
		}
		return subject
	case shape.Int, shape.Number, shape.Duration:
		return 1
	case shape.Bool:
		return true
	case shape.Union, shape.Agent:
		if len(s.Values) > 0 {
			return s.Values[0]
		}
		return "someone"
	case shape.List:
		return []any{}
	}
	args := map[string]any{}
	for _, f := range s.Fields {
		if !f.HasDefault && !f.Shape.Optional {
			args[f.Name] = plausible(f.Name, f.Shape, subject)
		}
	}
	return args
}

// rounds counts this turn's rounds of tool calls and returns the first one's.
func (v *view) rounds() (n int, first []model.ToolCall) {
	for i := v.turn; i < len(v.req.Messages); i++ {
		if calls := v.req.Messages[i].ToolCalls; len(calls) > 0 {
			if n == 0 {
				first = calls
			}
			n++
		}
	}
	return n, first
}

// mine reports whether the call is the agent's to make: it is offered the tool, and
// nobody else is named.
func (v *view) mine(c Call) bool {
	return v.offered(c.Tool) != nil && (c.Agent == "" || v.agent == "" || c.Agent == v.agent)
}

func (v *view) offered(name string) *model.Tool {
	for i := range v.req.Tools {
		if v.req.Tools[i].Name == name {
			return &v.req.Tools[i]
		}
	}
	return nil
}

// made reports whether the agent has made the call, as far as it can see.
func (v *view) made(c Call) bool {
	for i := range v.req.Messages {
		if made(v.req.Messages[i].ToolCalls, c) {
			return true
		}
	}
	return false
}

func made(calls []model.ToolCall, c Call) bool {
	for _, m := range calls {
		if m.Name == c.Tool && m.Args == arguments(c) {
			return true
		}
	}
	return false
}

// written turns calls into what a model sends, each once, with ids that are new
// in the conversation.
func (v *view) written(calls []Call) []model.ToolCall {
	if len(calls) == 0 {
		return nil
	}
	id := 0
	for i := range v.req.Messages {
		id += len(v.req.Messages[i].ToolCalls)
	}
	var out []model.ToolCall
	for _, c := range calls {
		if made(out, c) {
			continue
		}
		id++
		out = append(out, model.ToolCall{ID: "call_" + strconv.Itoa(id), Name: c.Tool, Args: arguments(c)})
	}
	return out
}

func arguments(c Call) string {
	return string(appendValue(nil, c.Args))
}
