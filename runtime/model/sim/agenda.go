package sim

import (
	"slices"
	"strings"

	"parley/runtime/model"
	"parley/runtime/shape"
)

// agenda is what is to be done by whom, as far as an agent can tell from its
// request: the calls of the task in their order, then those that obeyed payloads
// ask of certain agents, each with what has become of it.
type agenda struct {
	duties []duty
	// together: others take part whom the agent hears, or whom it can turn to. Then
	// it waits for what comes before its own calls.
	together bool
	turns    []string // who has spoken, by wire name, each once, the latest last
	moved    bool     // the latest words brought something forward
	repeated bool     // somebody has said the same thing twice in a row
	latest   said
	idle     int // the first open duty when the agent last had nothing to do; -1: it was not so
}

// duty is a call of the agenda.
type duty struct {
	*part
	payload int    // in view.met; -1: the task's
	text    string // the payload's
	made    bool   // it was made, as far as the agent can see
	past    bool   // nothing more will come of it
}

// Words in which the simulator speaks of calls and reads of them again.
const (
	toDo     = "Do: "
	isDone   = "Done: "
	waitLine = "I have nothing to do for now."
	between  = "; "
)

// agenda reads from the request what is done and what is open. A plan without
// calls that are a certain agent's has an empty one.
func (s *Sim) agenda(v *view) *agenda {
	if v.plan != nil {
		return v.plan
	}
	a := &agenda{idle: -1}
	v.plan = a
	if v.task != nil && v.task.shared {
		for i := range v.task.parts {
			a.duties = append(a.duties, duty{part: &v.task.parts[i], payload: -1})
		}
	}
	for i := range v.met {
		list := s.table.payloads[v.met[i].payload].meaning(v.task).parts
		for k := range list {
			if list[k].Agent != "" && s.obeys(v, i) {
				a.duties = append(a.duties, duty{part: &list[k], payload: i, text: s.table.payloads[v.met[i].payload].Text})
			}
		}
	}
	if len(a.duties) == 0 && !v.mayTurnToOthers() {
		return a
	}
	a.together = v.mayTurnToOthers()
	for i := range a.duties {
		// What it is not able to do it does not wait for.
		d := &a.duties[i]
		d.past = d.payload < 0 && len(v.req.Tools) > 0 && v.agent != "" && d.Agent == v.agent && v.offered(d.Tool) == nil
	}
	for i := range v.req.Messages {
		s.follow(v, a, i)
	}
	return a
}

// follow takes in what one message says of the agenda.
func (s *Sim) follow(v *view, a *agenda, i int) {
	m := &v.req.Messages[i]
	switch {
	case m.Role == "assistant":
		a.own(v, m, i)
	case m.Role == "tool":
		a.report(m.Content)
	case m.Role == "user" && fromAgent(m.Name):
		a.together = true
		a.hear(s, v, m.Name, m.Content, i)
	case m.Role == "user":
		a.together = a.together || m.Name != ""
		list := blocks(m.Content)
		if len(list) == 0 {
			list = v.transcript(m.Content)
		}
		for _, b := range list {
			if fromAgent(b.sender) {
				a.hear(s, v, b.sender, m.Content[b.start:b.end], i)
			}
		}
		if len(list) == 0 {
			a.report(m.Content)
		}
	}
}

// own takes in what the agent did itself. Nobody goes back to calls of its own that
// come before one that it made, nor to those that it answered instead of making.
func (a *agenda) own(v *view, m *model.Message, i int) {
	for _, c := range m.ToolCalls {
		if strings.HasPrefix(c.Name, handoff) {
			a.pass(v.agent)
			continue
		}
		if t := v.offered(c.Name); t != nil && coworkerField(t) >= 0 {
			a.delegated(v, c)
			continue
		}
		for k := range a.duties {
			d := &a.duties[k]
			if d.made || d.Tool != c.Name || d.args != c.Args || !v.mine(d.Call) {
				continue
			}
			d.made, d.past = true, true
			for j := range k {
				if o := &a.duties[j]; d.payload < 0 && v.mine(o.Call) {
					o.past = true
				}
			}
			break
		}
	}
	// What it says of calls that it has just made lets no turn pass.
	if len(m.ToolCalls) > 0 || m.Content == "" || a.report(m.Content) || i > 0 && v.req.Messages[i-1].Role == "tool" {
		return
	}
	if next := a.first(); next < 0 || !v.owns(&a.duties[next]) {
		a.idle = next
	} else if v.agent != "" {
		a.pass(v.agent)
	}
}

// owns reports whether a duty is the agent's own.
func (v *view) owns(d *duty) bool { return v.agent == "" || d.Agent == "" || d.Agent == v.agent }

// delegated takes in whom the agent has asked to do what.
func (a *agenda) delegated(v *view, c model.ToolCall) {
	args, err := shape.Parse(c.Args)
	fields, ok := args.(map[string]any)
	if err != nil || !ok {
		return
	}
	for _, x := range fields {
		said, ok := x.(string)
		if !ok {
			continue
		}
		for k := range a.duties {
			d := &a.duties[k]
			if d.payload < 0 && asks(said, d.said) || d.payload >= 0 && strings.Contains(said, d.text) && mentions(fields, d.Agent) {
				d.past = true
			}
		}
	}
}

func mentions(fields map[string]any, agent string) bool {
	for _, x := range fields {
		if x == agent {
			return true
		}
	}
	return false
}

// hear takes in what somebody else said. Of calls that the words name, those are
// done. Of others it has to infer: whoever is due and says something that is no
// mere talk has done the next of its calls, reading before writing, as that is what
// its tools returned; who talks lets its turn pass.
func (a *agenda) hear(s *Sim, v *view, sender, text string, i int) {
	sender = model.WireName(sender)
	before := a.first()
	told := a.report(text)
	if next := a.first(); !told && next >= 0 && a.duties[next].payload < 0 && is(a.duties[next].Agent, sender) {
		if talk(v, text) {
			a.pass(a.duties[next].Agent)
		} else {
			for k := next; k >= 0; k = a.next(s, k) {
				a.duties[k].made, a.duties[k].past = true, true
			}
		}
	}
	for k := range a.duties {
		if d := &a.duties[k]; d.payload >= 0 && is(d.Agent, sender) && v.met[d.payload].at < i {
			d.past = true
		}
	}
	a.repeated = a.latest == said{sender, text}
	a.latest, a.moved = said{sender, text}, told || a.first() != before
	a.turns = append(slices.DeleteFunc(a.turns, func(name string) bool { return name == sender }), sender)
}

// report marks calls that a text says are done, and whether there was a new one.
func (a *agenda) report(text string) bool {
	if len(a.duties) == 0 || !strings.Contains(text, isDone) {
		return false
	}
	found := false
	for line := range strings.Lines(text) {
		if !strings.HasPrefix(line, isDone) {
			continue
		}
		for k := range a.duties {
			if d := &a.duties[k]; !d.made && d.payload < 0 && strings.Contains(line, d.said) {
				found, d.made, d.past = true, true, true
			}
		}
	}
	return found
}

// asks reports whether a text asks for a call.
func asks(text, call string) bool {
	for line := range strings.Lines(text) {
		if strings.HasPrefix(line, toDo) && strings.Contains(line, call) {
			return true
		}
	}
	return false
}

// talk reports whether a text is an agent's own words and not what a tool
// returned.
func talk(v *view, text string) bool {
	if strings.Contains(text, waitLine) || strings.Contains(text, handedOver) || strings.Contains(text, isDone) {
		return true
	}
	if v.task != nil && strings.HasPrefix(text, v.task.Prompt) {
		return true
	}
	_, answered := answerOf(text)
	return answered
}

// first is the first open duty; -1 if all is done.
func (a *agenda) first() int {
	for k := range a.duties {
		if !a.duties[k].past {
			return k
		}
	}
	return -1
}

// next is the duty after k that is done together with it: the same agent's, and
// reading or writing as it is; -1 if there is none.
func (a *agenda) next(s *Sim, k int) int {
	for j := k + 1; j < len(a.duties); j++ {
		d := &a.duties[j]
		if d.past {
			continue
		}
		if d.payload == a.duties[k].payload && d.Agent == a.duties[k].Agent && s.table.writes[d.Tool] == s.table.writes[a.duties[k].Tool] {
			return j
		}
		break
	}
	return -1
}

// pass lets the open calls of an agent pass that would be due without a break.
func (a *agenda) pass(agent string) {
	for k := range a.duties {
		d := &a.duties[k]
		if d.past {
			continue
		}
		if d.payload >= 0 || d.Agent != agent {
			return
		}
		d.past = true
	}
}

// is reports whether an agent has a wire name.
func is(agent, wire string) bool { return agent == wire || model.WireName(agent) == wire }
