package runtime

import (
	"slices"

	"parley/runtime/eval"
	"parley/runtime/segment"
	"parley/runtime/shape"
	"parley/runtime/trace"
)

// say sends a text without a model call: an agent's along its edges, the user's
// to everybody.
func (sc *scene) say(s *stmt) error {
	r, f := sc.run, sc.at("say")
	body, err := s.expr.text(f, "say")
	if err != nil || body.String() == "" {
		return err
	}
	from, hearers := trace.UserName, r.order
	if !isUser(s.who) {
		v, err := s.who.value(f)
		if err != nil {
			return err
		}
		m := r.members[agentName(v)]
		if m == nil {
			r.note("nobody", "", -1, "say names an agent that is not there")
			return nil
		}
		from, hearers = m.agent.Name, r.hearers(m)
		m.spoke(body)
	}
	for _, to := range hearers {
		msg := &trace.Message{From: from, To: to.agent.Name, Turn: -1, Text: sourced(body, "message:"+from)}
		if err := r.deliver(msg, to, nil); err != nil {
			return err
		}
	}
	return nil
}

func isUser(who *expression) bool {
	return who == nil || (len(who.names) == 1 && who.names[trace.UserName])
}

func (r *run) hearers(m *member) []*member {
	out := make([]*member, len(m.actor.heardBy))
	for i, a := range m.actor.heardBy {
		out[i] = r.order[a.index]
	}
	return out
}

// deliver sends a message along its edge; replies is the form of its reply, if it
// has one.
func (r *run) deliver(msg *trace.Message, to *member, replies *shape.Shape) error {
	if r.program.wired {
		return r.offerEdge(msg, to, replies)
	}
	return r.arrive(msg, to)
}

// arrive lets defenses look at a message, records it and puts it before its
// recipient.
func (r *run) arrive(msg *trace.Message, to *member) error {
	if len(r.program.guards) > 0 {
		if on, err := r.guardMessage(msg, to); err != nil || !on {
			return err
		}
	}
	r.record.Append(trace.Event{Kind: trace.KindMessage, Message: msg})
	to.inbox = append(to.inbox, msg)
	return nil
}

// sourced gives all of a text one source; payloads stay.
func sourced(t segment.Text, source string) segment.Text {
	out := make(segment.Text, 0, len(t))
	for _, s := range t {
		if n := len(out); n > 0 && slices.Equal(out[n-1].Payloads, s.Payloads) {
			out[n-1].Text += s.Text
			continue
		}
		s.Source = source
		out = append(out, s)
	}
	return out
}

func wholeNumber(v any) (int, bool) {
	switch v := v.(type) {
	case int:
		return v, true
	case float64:
		return int(v), v == float64(int(v))
	}
	return 0, false
}

// elements are the members of a list or a group.
func elements(v any) ([]any, bool) {
	switch v := v.(type) {
	case []any:
		return v, true
	case eval.Group:
		return v.Members, true
	case *eval.Group:
		return v.Members, true
	}
	return nil, false
}
