package runtime

import (
	"strconv"

	"parley/runtime/shape"
	"parley/runtime/trace"
)

// held is a message that a patch delays.
type held struct {
	msg          *trace.Message
	to           *member
	turns, steps int // how many must have ended
}

// offerEdge is where a message on its way along an edge is offered: it may be
// tampered with, dropped or delayed. Sender and recipient know nothing of it.
func (r *run) offerEdge(msg *trace.Message, to *member, replies *shape.Shape) error {
	for _, p := range r.program.patches {
		if p.src.Slot != SlotEdge || !p.edges[Edge{msg.From, msg.To}] {
			continue
		}
		f := r.onEdge(p, msg, to)
		where := msg.From + " -> " + msg.To
		switch p.src.Op {
		case "drop", "delay":
			ok, err := p.due(f)
			if err != nil {
				return err
			}
			if !ok {
				continue
			}
			r.record.Append(insertion(p, where, nil, msg.Turn))
			if p.src.Op == "delay" {
				r.hold(p, msg, to)
			}
			return nil
		}
		changed, payload, ok, err := r.changed(p, f, msg.Text)
		if err != nil {
			return err
		}
		if !ok {
			continue
		}
		r.record.Append(insertion(p, where, payload, msg.Turn))
		r.single[msg.Turn] = true
		msg.Text = sourced(changed, "message:"+msg.From)
		if msg.Reply != nil {
			msg.Reply = nil
			if reply, err := replies.Read(changed.String()); err == nil {
				msg.Reply = carry(reply, changed)
			}
		}
	}
	return r.arrive(msg, to)
}

func (r *run) onEdge(p *patch, msg *trace.Message, to *member) *frame {
	f := &frame{run: r, step: msg.Step, to: to.agent, place: "edge/" + p.src.ID + "/" + msg.From + "/" + strconv.Itoa(msg.Turn) + r.main.loopCounts()}
	from := r.named[trace.UserName]
	if m := r.members[msg.From]; m != nil {
		f.self, from = m, m.agent
	}
	f.vars = map[string]any{"message": map[string]any{
		"from": from, "to": to.agent, "text": msg.Text, "reply": msg.Reply, "round": msg.Round, "step": msg.Step,
	}}
	return f
}

func (r *run) hold(p *patch, msg *trace.Message, to *member) {
	h := held{msg: msg, to: to}
	if p.src.Unit == "rounds" {
		h.steps = r.ended + 1 + p.src.Delay // the step that sends it is not over yet
	} else {
		h.turns = r.turns + p.src.Delay
	}
	r.delayed = append(r.delayed, h)
}

// arrivals delivers the delayed messages whose time has come, in the order in
// which they were sent.
func (r *run) arrivals() error {
	if len(r.delayed) == 0 {
		return nil
	}
	var left []held
	due := r.delayed
	r.delayed = nil
	for _, h := range due {
		if r.turns >= h.turns && r.ended >= h.steps {
			if err := r.arrive(h.msg, h.to); err != nil {
				return err
			}
		} else {
			left = append(left, h)
		}
	}
	r.delayed = left
	return nil
}

// lost notes what was still on its way when the run ended.
func (r *run) lost() {
	for _, h := range r.delayed {
		r.note("delayed", h.msg.To, h.msg.Turn, "a message from "+h.msg.From+" was still on its way when the run ended")
	}
}
