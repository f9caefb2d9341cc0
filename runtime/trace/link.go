package trace

// UserName is the name of the agent that stands for the sender of the task.
const UserName = "user"

// links are the references between a trial's parts. They are built by Link and
// Append and never stored.
type links struct {
	byName                 map[string]*Agent
	user                   *Agent
	agents                 []any // *Agent
	turns, calls, messages []any // *Turn, *Call, *Message
	reads, writes          []any // *Access
	parts                  []any // *Part
	interventions          []any // *Intervention
}

// Link resolves every name in the trial to the agent, turn or call it means.
// It is needed once after Agents is set in a live run; Decode calls it. Names
// that no agent has stay unresolved, which makes reading them unknown.
func (t *Trial) Link() {
	t.links = links{
		byName: make(map[string]*Agent, len(t.Agents)+1),
		user:   &Agent{Name: UserName, Index: 1, Honest: true},
		agents: make([]any, 0, len(t.Agents)),
	}
	t.links.byName[UserName] = t.links.user
	for _, a := range t.Agents {
		a.turns, a.exposed, a.carried = nil, false, false
		t.links.byName[a.Name] = a
		t.links.agents = append(t.links.agents, a)
	}
	for _, a := range t.Guardians {
		a.turns, a.exposed, a.carried = nil, false, false
		t.links.byName[a.Name] = a
	}
	for i := range t.Events {
		if c := t.Events[i].Call; c != nil {
			t.bindCall(c)
		}
	}
	for i := range t.Events {
		if t.Events[i].Call == nil {
			t.bind(&t.Events[i])
		}
	}
}

// Append numbers an event, adds it and links it: constant time. A call belongs
// before the turn that lists it. Append is not for concurrent use, and the trial
// must have been linked once.
func (t *Trial) Append(e Event) {
	e.N = len(t.Events)
	t.Events = append(t.Events, e)
	t.bind(&e)
}

func (t *Trial) bind(e *Event) {
	switch {
	case e.Call != nil:
		t.bindCall(e.Call)
	case e.Turn != nil:
		t.bindTurn(e.Turn)
	case e.Message != nil:
		t.bindMessage(e.Message)
	case e.Part != nil:
		t.bindPart(e.Part)
	case e.Guard != nil:
		t.bindGuard(e.Guard)
	case e.Defense != nil:
		t.bindIntervention(e.Defense)
	case e.Exposure != nil:
		if a := t.links.byName[e.Exposure.Agent]; a != nil {
			a.exposed = true
		}
	case e.Carry != nil:
		if a := t.links.byName[e.Carry.Agent]; a != nil {
			a.carried = true
		}
	}
}

func (t *Trial) bindCall(c *Call) {
	c.trial, c.agent = t, t.links.byName[c.Agent]
	c.reads, c.writes = accesses(c, c.Reads), accesses(c, c.Writes)
	t.links.calls = append(t.links.calls, c)
	t.links.reads = append(t.links.reads, c.reads...)
	t.links.writes = append(t.links.writes, c.writes...)
}

func (t *Trial) bindTurn(u *Turn) {
	u.trial, u.agent, u.calls, u.next = t, t.links.byName[u.Agent], nil, nil
	if u.Handoff != "" {
		u.next = t.links.byName[u.Handoff]
	}
	for _, i := range u.Calls {
		if c := t.callAt(i); c != nil {
			u.calls = append(u.calls, c)
		}
	}
	if u.agent != nil {
		u.agent.turns = append(u.agent.turns, u)
	}
	t.links.turns = append(t.links.turns, u)
}

func (t *Trial) bindPart(p *Part) {
	p.trial, p.first = t, 0
	if n := len(t.links.parts); n > 0 {
		p.first = t.links.parts[n-1].(*Part).Turns
	}
	t.links.parts = append(t.links.parts, p)
}

func (t *Trial) bindMessage(m *Message) {
	m.from, m.to = t.links.byName[m.From], t.links.byName[m.To]
	t.links.messages = append(t.links.messages, m)
}

// LinkCall links a call before its event stands in the record.
func (t *Trial) LinkCall(c *Call) {
	c.trial, c.agent = t, t.links.byName[c.Agent]
	c.reads, c.writes = accesses(c, c.Reads), accesses(c, c.Writes)
}

func accesses(c *Call, rs []Resource) []any {
	if len(rs) == 0 {
		return nil
	}
	out := make([]any, len(rs))
	for i := range rs {
		out[i] = &Access{Resource: &rs[i], call: c}
	}
	return out
}

// callAt finds the call with index i. Calls are appended in order, so the place
// is the index unless events were dropped.
func (t *Trial) callAt(i int) *Call {
	if i >= 0 && i < len(t.links.calls) {
		if c := t.links.calls[i].(*Call); c.Index == i {
			return c
		}
	}
	for _, v := range t.links.calls {
		if c := v.(*Call); c.Index == i {
			return c
		}
	}
	return nil
}

func (t *Trial) turnAt(id int) *Turn {
	if id >= 0 && id < len(t.links.turns) {
		if u := t.links.turns[id].(*Turn); u.ID == id {
			return u
		}
	}
	for _, v := range t.links.turns {
		if u := v.(*Turn); u.ID == id {
			return u
		}
	}
	return nil
}

// Agent returns the agent of that name, the user included, or nil.
func (t *Trial) Agent(name string) *Agent { return t.links.byName[name] }

// User returns the agent that stands for the sender of the task.
func (t *Trial) User() *Agent { return t.links.user }

// AgentList returns the *Agent values in plan order, without the user.
func (t *Trial) AgentList() []any { return clip(t.links.agents) }

// TurnList returns the *Turn values in order, asides included.
func (t *Trial) TurnList() []any { return clip(t.links.turns) }

// CallList returns the *Call values in order, failed ones included.
func (t *Trial) CallList() []any { return clip(t.links.calls) }

// MessageList returns the *Message values in order, one a recipient.
func (t *Trial) MessageList() []any { return clip(t.links.messages) }

// ReadList returns one *Access a resource that a call read or tried to.
func (t *Trial) ReadList() []any { return clip(t.links.reads) }

// PartList returns one *Part a task of the trial's session, in order.
func (t *Trial) PartList() []any { return clip(t.links.parts) }

// WriteList returns one *Access a resource that a call wrote or tried to.
func (t *Trial) WriteList() []any { return clip(t.links.writes) }

// Exposed reports whether the agent has met a payload so far.
func (a *Agent) Exposed() bool { return a.exposed }

// Carried reports whether the agent has passed a payload on so far.
func (a *Agent) Carried() bool { return a.carried }

// clip keeps a reader's append from writing into the trial's own list.
func clip(list []any) []any { return list[:len(list):len(list)] }
