package trace

import "strconv"

// Field gives the agent's fields in expressions: name, index, about, turns,
// honest, role, group.
func (a *Agent) Field(name string) (any, bool) {
	switch name {
	case "name":
		return a.Name, true
	case "index":
		return a.Index, true
	case "about":
		return a.About, true
	case "turns":
		return clip(a.turns), true
	case "honest":
		return a.Honest, true
	case "role":
		return a.Role, true
	case "group":
		return a.Group, true
	}
	return nil, false
}

// Key makes agents of one name equal, also across the arms of a case.
func (a *Agent) Key() string { return "agent/" + a.Name }

// Field gives the turn's fields: step, agent, text, reply (nil when unreadable),
// calls, round, tokens, refused, unreadable, limit (empty: none), aside, path,
// handoff (nil: to nobody).
func (u *Turn) Field(name string) (any, bool) {
	switch name {
	case "step":
		return u.Step, true
	case "agent":
		return agentValue(u.agent)
	case "text":
		return u.Text, true
	case "reply":
		return u.Reply, true
	case "calls":
		return clip(u.calls), true
	case "round":
		return u.Round, true
	case "tokens":
		return u.Tokens, true
	case "refused":
		return u.Refused, true
	case "unreadable":
		return u.Unreadable, true
	case "limit":
		return u.Limit, true
	case "aside":
		return u.Aside, true
	case "path":
		return u.Path, true
	case "handoff":
		if u.next == nil {
			return nil, true
		}
		return u.next, true
	}
	return nil, false
}

// Key identifies the turn within its trial and the trial among others.
func (u *Turn) Key() string {
	if u.ID < 0 {
		return u.guardKey()
	}
	return "turn/" + trialKey(u.trial) + "/" + strconv.Itoa(u.ID)
}

// Field gives the message's fields: from, to, text, round, step, reply.
func (m *Message) Field(name string) (any, bool) {
	switch name {
	case "from":
		return agentValue(m.from)
	case "to":
		return agentValue(m.to)
	case "text":
		return m.Text, true
	case "round":
		return m.Round, true
	case "step":
		return m.Step, true
	case "reply":
		return m.Reply, true
	}
	return nil, false
}

// Field gives the call's fields: agent, tool, args, result, error (empty: none),
// effected, authorized (every resource it touched is), step, reads, writes, turn.
func (c *Call) Field(name string) (any, bool) {
	switch name {
	case "agent":
		return agentValue(c.agent)
	case "tool":
		return c.Tool, true
	case "args":
		if c.Args == nil {
			return map[string]any{}, true
		}
		return c.Args, true
	case "result":
		return c.Result, true
	case "error":
		return c.Error, true
	case "effected":
		return c.Effected, true
	case "authorized":
		return c.Authorized(), true
	case "step":
		return c.Step, true
	case "reads":
		return clip(c.reads), true
	case "writes":
		return clip(c.writes), true
	case "turn":
		if c.trial != nil {
			if u := c.trial.turnAt(c.Turn); u != nil {
				return u, true
			}
		}
	}
	return nil, false
}

// Authorized reports whether every resource that the call touched is within the
// task's authority; a call that touches none is.
func (c *Call) Authorized() bool {
	for _, r := range c.Reads {
		if !r.Authorized {
			return false
		}
	}
	for _, r := range c.Writes {
		if !r.Authorized {
			return false
		}
	}
	return true
}

// Key identifies the call within its trial and the trial among others.
func (c *Call) Key() string { return "call/" + trialKey(c.trial) + "/" + strconv.Itoa(c.Index) }

// Access is one resource that one call read or wrote: an element of the lists
// `reads` and `writes`.
type Access struct {
	*Resource
	call *Call
}

// Call returns the call that touched the resource.
func (a *Access) Call() *Call { return a.call }

// Field gives the access's fields: uri, authorized, effected, call, agent, tool.
func (a *Access) Field(name string) (any, bool) {
	switch name {
	case "uri":
		return a.URI, true
	case "authorized":
		return a.Authorized, true
	case "effected":
		return a.call.Effected, true
	case "call":
		return a.call, true
	case "agent":
		return agentValue(a.call.agent)
	case "tool":
		return a.call.Tool, true
	}
	return nil, false
}

// Field gives the run's fields: answer (nil unless the trial ended Answered),
// reply, tokens (input and output of the team's calls and of what guards it),
// model_calls, guard_tokens and guard_calls (of these, the defense's), blocked (how
// often a defense kept something from happening), refused, ended_by (empty: a plain
// answer).
func (t *Trial) Field(name string) (any, bool) {
	switch name {
	case "answer":
		if t.Outcome != Answered {
			return nil, true
		}
		return t.Answer, true
	case "reply":
		return t.Reply, true
	case "tokens":
		return t.Usage.Tokens() + t.guards().Tokens(), true
	case "model_calls":
		return t.Usage.Calls + t.guards().Calls, true
	case "guard_tokens":
		return t.guards().Tokens(), true
	case "guard_calls":
		return t.guards().Calls, true
	case "blocked":
		return t.blocked(), true
	case "refused":
		return t.Outcome == Refused, true
	case "ended_by":
		return t.EndedBy, true
	case "parts":
		return t.PartList(), true
	}
	return nil, false
}

// Field gives the fields of a session's task as it ended: task, answer (nil unless
// it was answered), reply, refused, ended_by (empty: a plain answer), and turns,
// those of this task.
func (p *Part) Field(name string) (any, bool) {
	switch name {
	case "task":
		return p.Task, true
	case "answer":
		if p.Outcome != Answered {
			return nil, true
		}
		return p.Answer, true
	case "reply":
		return p.Reply, true
	case "refused":
		return p.Outcome == Refused, true
	case "ended_by":
		return p.EndedBy, true
	case "turns":
		if p.trial == nil {
			return nil, false
		}
		turns := p.trial.TurnList()
		last := min(max(p.Turns, 0), len(turns))
		first := min(max(p.first, 0), last)
		return turns[first:last:last], true
	}
	return nil, false
}

// Field gives the snapshot's fields: state, files and pages, all maps, and mails,
// a list.
func (w *World) Field(name string) (any, bool) {
	switch name {
	case "state":
		if w.State == nil {
			return map[string]any{}, true
		}
		return w.State, true
	case "files":
		return texts(w.Files), true
	case "pages":
		return texts(w.Pages), true
	case "mails":
		mails := make([]any, len(w.Mails))
		for i, m := range w.Mails {
			mails[i] = map[string]any{"id": m.ID, "from": m.From, "subject": m.Subject, "body": m.Body}
		}
		return mails, true
	}
	return nil, false
}

func texts(byName map[string]string) map[string]any {
	out := make(map[string]any, len(byName))
	for name, text := range byName {
		out[name] = text
	}
	return out
}

// Silent reports whether the trial gave no readable answer: it was refused, hit
// a limit, or answered with nothing that could be read.
func (t *Trial) Silent() bool { return t.Outcome != Answered || t.Answer == nil }

func agentValue(a *Agent) (any, bool) {
	if a == nil {
		return nil, false
	}
	return a, true
}

func trialKey(t *Trial) string {
	if t == nil {
		return ""
	}
	return t.Key
}
