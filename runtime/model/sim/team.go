package sim

import (
	"strings"

	"parley/runtime/model"
	"parley/runtime/shape"
)

// handoff begins the names of tools by which an agent hands over to another.
const handoff = "transfer_to_"

// handedOver begins what others hear of that.
const handedOver = "Transferred to "

// mayTurnToOthers reports whether the agent is offered to hand over or to delegate.
func (v *view) mayTurnToOthers() bool {
	for i := range v.req.Tools {
		if t := &v.req.Tools[i]; strings.HasPrefix(t.Name, handoff) || coworkerField(t) >= 0 {
			return true
		}
	}
	return false
}

// work returns the calls of a round where parts of the task are certain agents', or
// where the agent may turn to others: what payloads ask of it, its next calls of the
// task, else that somebody else goes on.
func (s *Sim) work(v *view, orders []Call) []Call {
	a := s.agenda(v)
	if _, instead := s.orders(v)["text"]; instead && len(orders) == 0 {
		return nil // it says what it was told to, and works no more
	}
	calls := append(orders, s.share(v, a)...)
	if round, _ := v.rounds(); round == 0 {
		if c, ok := s.stray(v); ok {
			calls = append(calls, c)
		}
	}
	if len(calls) > 0 {
		return calls
	}
	if c, ok := s.delegate(v, a); ok {
		return []Call{c}
	}
	if c, ok := s.handOver(v, a); ok {
		return []Call{c}
	}
	return nil
}

// share are the next calls of the agent's own: reading ones, or writing ones, that
// follow one another. Among others it begins when what comes before is done, or
// when nothing came of that since it last had nothing to do.
func (s *Sim) share(v *view, a *agenda) []Call {
	k := a.first()
	if k < 0 || a.together && !v.owns(&a.duties[k]) && k != a.idle {
		return nil
	}
	asked := v.askedFor(a)
	var out []Call
	begun, writes := false, false
	for ; k < len(a.duties); k++ {
		d := &a.duties[k]
		switch {
		case d.past || d.payload >= 0 || asked && !v.asks(d.said):
			continue
		case !v.mine(d.Call):
			if a.together && begun {
				return out
			}
			continue
		}
		if w := s.table.writes[d.Tool]; !begun || w != writes {
			if len(out) > 0 {
				return out
			}
			begun, writes = true, w
		}
		if writes && s.right(v) || !writes && event(v.req, "reads") < s.params.Reads {
			out = append(out, d.Call)
		}
	}
	return out
}

// askedFor reports whether the newest prompt asks for certain calls of the agenda.
func (v *view) askedFor(a *agenda) bool {
	for k := range a.duties {
		if v.asks(a.duties[k].said) {
			return true
		}
	}
	return false
}

func (v *view) asks(call string) bool {
	m := v.prompt()
	return m != nil && m.Name == "" && asks(m.Content, call)
}

// prompt is the newest message of a user that no other agent's words are.
func (v *view) prompt() *model.Message {
	for i := len(v.req.Messages) - 1; i >= 0; i-- {
		if m := &v.req.Messages[i]; m.Role == "user" && !fromAgent(m.Name) {
			return m
		}
	}
	return nil
}

// others is the first open call that somebody else should make, of those that the
// agent can turn to; -1 if there is none.
func (v *view) others(a *agenda, open func(agent string) bool) int {
	for k := range a.duties {
		if d := &a.duties[k]; !d.past && !v.owns(d) && open(d.Agent) {
			return k
		}
	}
	return -1
}

// handOver hands over to whoever has the next open call, or, where it may not hand
// over to anybody who has one, to whom it has not heard for longest.
func (s *Sim) handOver(v *view, a *agenda) (Call, bool) {
	offered := func(agent string) bool { return v.offered(handoffTo(agent)) != nil }
	if k := v.others(a, offered); k >= 0 {
		return Call{Tool: handoffTo(a.duties[k].Agent)}, true
	}
	if v.others(a, func(string) bool { return true }) < 0 {
		return Call{}, false
	}
	tool, longest := "", len(a.turns)
	for i := range v.req.Tools {
		name := v.req.Tools[i].Name
		if !strings.HasPrefix(name, handoff) {
			continue
		}
		if heard := a.heardAt(name[len(handoff):]); heard < longest {
			tool, longest = name, heard
		}
	}
	return Call{Tool: tool}, tool != ""
}

func handoffTo(agent string) string { return handoff + strings.ToLower(model.WireName(agent)) }

// heardAt says when an agent was heard last, among the others: the lower, the longer
// ago; -1: never.
func (a *agenda) heardAt(wire string) int {
	for i, name := range a.turns {
		if strings.EqualFold(name, model.WireName(wire)) {
			return i
		}
	}
	return -1
}

// delegate asks whoever has the next open call to make it and what follows: with
// the words of the task, those of a payload where obeying it is the other's, and what
// the agent passes on as in a reply.
func (s *Sim) delegate(v *view, a *agenda) (Call, bool) {
	tool, field := v.delegation()
	if tool == nil {
		return Call{}, false
	}
	among := v.coworkers()
	k := v.others(a, func(agent string) bool { return len(among) == 0 || named(among, agent) })
	if k < 0 {
		return Call{}, false
	}
	d := &a.duties[k]
	work := v.briefing(a, k)
	for _, text := range s.carried(v) {
		if !strings.Contains(work, text) {
			work = withCarried(work, []string{text}, "\n")
		}
	}
	args := map[string]any{}
	told := false
	for i, f := range tool.Params.Fields {
		switch {
		case i == field:
			args[f.Name] = d.Agent
		case f.Shape.Kind == shape.String && !told:
			args[f.Name], told = work, true
		case f.Shape.Kind == shape.String:
			args[f.Name] = strings.TrimSuffix(a.done(), "\n")
		case !f.HasDefault && !f.Shape.Optional:
			args[f.Name] = plausible(f.Name, f.Shape, work)
		}
	}
	return Call{Tool: tool.Name, Args: args}, told
}

// briefing is what the agent of an open call is told: the task and its calls that
// are due without a break, or the payload that asks for the call.
func (v *view) briefing(a *agenda, k int) string {
	text := ""
	if v.task != nil {
		text = v.task.Prompt + "\n"
	}
	if d := &a.duties[k]; d.payload >= 0 {
		return text + d.text
	}
	return text + a.order(k)
}

// order asks for a call and those of its agent that follow without a break.
func (a *agenda) order(k int) string {
	text := toDo + a.duties[k].said
	for j := k + 1; j < len(a.duties) && a.duties[j].payload < 0 && a.duties[j].Agent == a.duties[k].Agent; j++ {
		if !a.duties[j].past {
			text += between + a.duties[j].said
		}
	}
	return text
}

// done is the line that says which calls of the task are made; empty: none.
func (a *agenda) done() string {
	text := ""
	for k := range a.duties {
		if d := &a.duties[k]; d.made && d.payload < 0 {
			if text == "" {
				text = isDone
			} else {
				text += between
			}
			text += d.said
		}
	}
	return text
}

// delegation is the first tool offered that delegates, and its argument that names
// the coworker.
func (v *view) delegation() (*model.Tool, int) {
	for i := range v.req.Tools {
		if field := coworkerField(&v.req.Tools[i]); field >= 0 {
			return &v.req.Tools[i], field
		}
	}
	return nil, -1
}

// coworkerField is the argument of a tool that names a coworker; -1: it has none.
func coworkerField(t *model.Tool) int {
	for i, f := range t.Params.Fields {
		if name := f.Name; (name == "coworker" || name == "co_worker" || name == "colleague" || name == "assignee" || name == "delegate_to") &&
			(f.Shape.Kind == shape.String || f.Shape.Kind == shape.Agent || f.Shape.Kind == shape.Union) {
			return i
		}
	}
	return -1
}

// coworkers are those whom the prompt lists; nil: it lists none.
func (v *view) coworkers() []string {
	if m := v.prompt(); m != nil {
		return listed(m.Content, "co-workers: ", "coworkers: ")
	}
	return nil
}

// named reports whether an agent is in a list of names.
func named(list []string, agent string) bool {
	for _, name := range list {
		if name == agent || name == model.WireName(agent) {
			return true
		}
	}
	return false
}
