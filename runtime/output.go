package runtime

import (
	"maps"
	"slices"
	"strings"

	"parley/runtime/eval"
	"parley/runtime/segment"
	"parley/runtime/shape"
	"parley/runtime/trace"
)

// said is what a turn says: to everybody, or to one recipient.
type said struct {
	text    segment.Text
	reply   any
	dropped bool // nobody hears it
}

// speak finishes what the agent said: payloads that it repeats are marked, then
// the output slot is offered to the patches that change it for everybody.
func (j *job) speak() error {
	out := said{text: j.markText(j.text)}
	if j.reply != nil {
		out.reply = j.markValue(j.reply)
	}
	if last := j.own; len(last) > 0 && last[len(last)-1].Role == "assistant" {
		last[len(last)-1].Text = out.text
	}
	out, err := j.run.offerOutput(j, nil, out)
	if err != nil {
		return err
	}
	if out, err = j.guardReply(out); err != nil {
		return err
	}
	if out.dropped {
		j.turn.Unreadable = false // it was readable, and nobody may read it
	}
	j.text, j.reply, j.dropped = out.text, out.reply, out.dropped
	j.turn.Text, j.turn.Reply = out.text, out.reply
	j.turn.Unreadable = j.turn.Unreadable && out.reply == nil
	if !j.attrs.aside {
		j.carries = carried(out.text.Payloads(), out.reply)
	}
	return nil
}

// carried adds the payloads that stand in a reply's texts to ids.
func carried(ids []string, v any) []string {
	switch v := v.(type) {
	case segment.Text:
		for _, id := range v.Payloads() {
			if !slices.Contains(ids, id) {
				ids = append(ids, id)
			}
		}
	case []any:
		for _, x := range v {
			ids = carried(ids, x)
		}
	case map[string]any:
		for _, name := range slices.Sorted(maps.Keys(v)) {
			ids = carried(ids, v[name])
		}
	}
	return ids
}

// offerOutput is where the output slot is offered: once for what the turn says
// to everybody (to is nil), then once for each recipient.
func (r *run) offerOutput(j *job, to *trace.Agent, out said) (said, error) {
	for _, p := range r.program.patches {
		if p.src.Slot != SlotOutput || !p.agents[j.member.agent.Name] || p.recipient != (to != nil) {
			continue
		}
		f := j.within(p, map[string]any{"reply": out.reply})
		f.to = to
		changed, payload, ok, err := r.output(p, j, f, out)
		if err != nil {
			return out, err
		}
		if !ok {
			continue
		}
		out = changed
		where := j.member.agent.Name
		if to != nil {
			where += " -> " + to.Name
		}
		j.after = append(j.after, insertion(p, where, payload, j.turn.ID))
		if out.dropped {
			break
		}
	}
	return out, nil
}

// output applies one patch to what is said; false where it is not due, or finds
// nothing to change.
func (r *run) output(p *patch, j *job, f *frame, out said) (said, segment.Text, bool, error) {
	ok, err := p.due(f)
	if !ok || err != nil {
		return out, nil, false, err
	}
	var payload segment.Text
	switch p.src.Op {
	case "drop":
		return said{dropped: true}, nil, true, nil
	case "rewrite":
		payload, ok, err = r.rewritten(p, f, j.outputText(p, out))
	default:
		payload, err = r.payload(p, f)
	}
	if !ok || err != nil {
		return out, nil, false, err
	}
	changed, ok := j.replaceOutput(p, payload, out)
	if !ok {
		j.after = append(j.after, noteEvent("patch", j.member.agent.Name, j.turn.ID,
			"the patch "+p.src.ID+" found no "+p.src.Name+" in the reply"))
	}
	return changed, payload, ok, nil
}

// outputText is the text that a patch rewrites: all that is said, or a field.
func (j *job) outputText(p *patch, out said) segment.Text {
	if p.src.Name == "" {
		return out.text
	}
	v := out.reply
	for _, name := range strings.Split(p.src.Name, ".") {
		record, _ := v.(map[string]any)
		v = record[name]
	}
	return eval.Render(v)
}

// replaceOutput changes the whole text, which is then read again where a reply
// is due, or one field of the reply.
func (j *job) replaceOutput(p *patch, payload segment.Text, out said) (said, bool) {
	replies := j.attrs.replies
	if p.src.Name == "" {
		out.text = apply(p.src.Op, out.text, payload)
		if replies != nil {
			out.reply = nil
			if reply, err := replies.Read(out.text.String()); err == nil {
				out.reply = carry(reply, out.text)
			}
		}
		return out, true
	}
	if out.reply == nil || replies == nil {
		return out, false
	}
	reply, ok := replaceField(*replies, out.reply, strings.Split(p.src.Name, "."), p.src.Op, payload)
	if !ok {
		return out, false
	}
	return said{text: jsonText(replies, reply), reply: reply}, true
}

// carry gives the texts of a reply the payloads of the spans that they were
// read from.
func carry(v any, from segment.Text) any {
	switch v := v.(type) {
	case string:
		var ids []string
		for _, s := range from {
			if len(s.Payloads) > 0 && (strings.Contains(s.Text, v) || strings.Contains(v, s.Text)) {
				ids = append(ids, s.Payloads...)
			}
		}
		if len(ids) == 0 || v == "" {
			return v
		}
		t := segment.Of(v, "output")
		for _, id := range ids {
			t = t.Mark(id)
		}
		return t
	case []any:
		out := make([]any, len(v))
		for i, x := range v {
			out[i] = carry(x, from)
		}
		return out
	case map[string]any:
		out := make(map[string]any, len(v))
		for name, x := range v {
			out[name] = carry(x, from)
		}
		return out
	}
	return v
}

// replaceField changes one field of a reply; false where there is no such field
// or the text does not fit it.
func replaceField(s shape.Shape, v any, path []string, op string, payload segment.Text) (any, bool) {
	if len(path) == 0 {
		text := payload
		if old, ok := v.(segment.Text); ok {
			text = apply(op, old, payload)
		} else if old, ok := v.(string); ok {
			text = apply(op, segment.Of(old, "output"), payload)
		}
		typed, err := s.Coerce(text)
		return typed, err == nil
	}
	record, ok := v.(map[string]any)
	if !ok {
		return nil, false
	}
	for _, f := range s.Fields {
		if f.Name != path[0] {
			continue
		}
		changed, ok := replaceField(f.Shape, record[f.Name], path[1:], op, payload)
		if !ok {
			return nil, false
		}
		out := make(map[string]any, len(record))
		for name, x := range record {
			out[name] = x
		}
		out[f.Name] = changed
		return out, true
	}
	return nil, false
}

// publish sends what a turn said to those who hear it, each with a body of its
// own where a patch says so.
func (r *run) publish(j *job) error {
	a := j.attrs
	if a.aside || a.shares == ShareNothing || j.dropped {
		return nil
	}
	everybody := said{text: j.text, reply: j.reply}
	common := r.message(j, everybody)
	single := r.singled(j)
	for _, to := range r.hearers(j.member) {
		out, text := everybody, common
		if single {
			var err error
			if out, err = r.offerOutput(j, to.agent, everybody); err != nil {
				return err
			}
			r.flush(j)
			r.single[j.turn.ID] = true
			text = r.message(j, out)
		}
		if len(text) == 0 || out.dropped {
			continue
		}
		msg := &trace.Message{
			From: j.member.agent.Name, To: to.agent.Name, Turn: j.turn.ID, Step: j.turn.Step, Round: j.turn.Round, Text: text,
		}
		if a.shares == ShareReply {
			msg.Reply = out.reply
		}
		if err := r.deliver(msg, to, j.attrs.replies); err != nil {
			return err
		}
	}
	return nil
}

// singled reports whether a patch may change single messages of this turn.
func (r *run) singled(j *job) bool {
	j.after = nil
	for _, p := range r.program.patches {
		if p.recipient && p.agents[j.member.agent.Name] {
			return true
		}
	}
	return false
}

// flush records what patches did to a message before the message itself.
func (r *run) flush(j *job) {
	for _, e := range j.after {
		r.record.Append(e)
		if e.Insert != nil && len(e.Insert.Text) > 0 && !j.member.carried[e.Insert.Payload] {
			j.member.carry(e.Insert.Payload)
			r.record.Append(trace.Event{Kind: trace.KindCarry, Carry: &trace.Exposure{
				Agent: j.member.agent.Name, Payload: e.Insert.Payload, Slot: "output", Turn: j.turn.ID,
			}})
		}
	}
	j.after = nil
}

// message is the text of a message by what the turn shares.
func (r *run) message(j *job, out said) segment.Text {
	var text segment.Text
	switch {
	case j.attrs.shares == ShareResults && len(j.results) > 0 && j.handoff == nil:
		text = joined(j.results)
	case j.attrs.shares == ShareReply && out.reply != nil && j.attrs.replies != nil:
		text = jsonText(j.attrs.replies, out.reply)
	default:
		text = out.text
	}
	return sourced(text, "message:"+j.member.agent.Name)
}
