package runtime

import (
	"strconv"

	"parley/runtime/segment"
	"parley/runtime/trace"
)

// exchange is what one turn left in its agent's memory: what it heard and was
// asked, its tool calls and their results, and its last answer.
type exchange []*message

// recall returns what a turn is to see of the past.
func (m *member) recall(how Remember) []exchange {
	past := m.past
	if !how.All {
		keep := min(max(how.Last, 0), len(past))
		past = past[len(past)-keep:]
	}
	return past
}

// offerMemory is where what an agent remembers is offered: for this turn, an
// exchange more, one less, or one with another text.
func (r *run) offerMemory(j *job, past []exchange) ([]exchange, error) {
	for _, p := range r.program.patches {
		if p.src.Slot != SlotMemory || !p.agents[j.member.agent.Name] {
			continue
		}
		var err error
		if p.src.Op == "insert" {
			past, err = r.recallToo(p, j, past)
		} else {
			past, err = r.recallOtherwise(p, j, past)
		}
		if err != nil {
			return nil, err
		}
	}
	return past, nil
}

// recallToo adds an exchange that never was.
func (r *run) recallToo(p *patch, j *job, past []exchange) ([]exchange, error) {
	f := j.within(p, nil)
	if ok, err := p.due(f); !ok || err != nil {
		return past, err
	}
	payload, err := r.payload(p, f)
	if err != nil {
		return nil, err
	}
	j.record(insertion(p, j.member.agent.Name, payload, j.turn.ID))
	return append(past[:len(past):len(past)], exchange{newMessage("user", "", payload)}), nil
}

// recallOtherwise looks at each exchange, which the patch's condition and text
// see as `memory`.
func (r *run) recallOtherwise(p *patch, j *job, past []exchange) ([]exchange, error) {
	var out []exchange
	for i, x := range past {
		f := j.within(p, map[string]any{"memory": map[string]any{"text": x.text()}})
		f.place += "#" + strconv.Itoa(i)
		var payload segment.Text
		ok, err := p.due(f)
		if ok && err == nil && p.src.Op != "remove" {
			_, payload, ok, err = r.put(p, f, x.text())
		}
		if err != nil {
			return nil, err
		}
		if !ok {
			out = append(out, x)
			continue
		}
		j.record(insertion(p, j.member.agent.Name, payload, j.turn.ID))
		if p.src.Op != "remove" {
			out = append(out, exchange{newMessage("user", "", payload)})
		}
	}
	return out, nil
}

// text is all that an exchange says, a message a line.
func (x exchange) text() segment.Text {
	texts := make([]segment.Text, len(x))
	for i, m := range x {
		texts[i] = m.Text
	}
	return joined(texts)
}

// remember stores a finished turn. An aside leaves nothing behind, and what had
// been heard before it stays to be heard.
func (m *member) remember(j *job) {
	if j.attrs.aside {
		return
	}
	m.take(j.heard)
	m.past = append(m.past, exchange(j.own))
}

// spoke stores what an agent was made to say: as if it had had a turn, in which it
// took in what it had heard.
func (m *member) spoke(text segment.Text) {
	m.past = append(m.past, append(exchange(m.listened()), newMessage("assistant", "", text)))
	m.take(m.taken + len(m.inbox))
}

// listened is what waits to be heard, as messages of a request.
func (m *member) listened() []*message {
	out := make([]*message, len(m.inbox))
	for i, v := range m.inbox {
		msg := v.(*trace.Message)
		out[i] = newMessage("user", msg.From, msg.Text)
	}
	return out
}

// take removes from what is to be heard the messages up to a number of them that
// the agent has ever been sent. Another turn, in the middle of this one, may have
// taken them.
func (m *member) take(upTo int) {
	if n := upTo - m.taken; n > 0 {
		m.inbox, m.taken = m.inbox[n:], upTo
	}
}

// reset makes agents forget their past turns, and what they have heard and were
// not yet shown.
func (sc *scene) reset(s *stmt) error {
	v, err := s.who.value(sc.at("reset"))
	if err != nil {
		return err
	}
	r := sc.run
	for _, m := range distinct(r.withTwins(r.speakers(v))) {
		m.take(m.taken + len(m.inbox))
		m.past = nil
		r.record.Append(trace.Event{Kind: trace.KindReset, Reset: &trace.Reset{Agent: m.agent.Name}})
	}
	return nil
}
