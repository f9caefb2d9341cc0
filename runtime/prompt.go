package runtime

import (
	"strings"

	"parley/runtime/segment"
	"parley/runtime/trace"
)

// message is one message of a request, with where its parts came from.
type message struct {
	trace.Prompt
	text   string // Text joined
	number int    // its place among the trial's prompts, plus one; 0: not there yet
}

func newMessage(role, name string, text segment.Text) *message {
	return &message{Prompt: trace.Prompt{Role: role, Name: name, Text: text}, text: text.String()}
}

// prepare makes everything that a turn says to its model before the model
// answers: system, memory, what was heard, and the step's prompt.
func (r *run) prepare(s *stmt, m *member, path string) (*job, error) {
	attrs := s.attrs[m.actor.index]
	j := &job{
		run: r, member: m, attrs: attrs,
		turn: &trace.Turn{
			ID: r.turns, Step: s.src.Name, Path: path + "/" + m.agent.Name, Agent: m.agent.Name,
			Round: r.rounds[s.src.Name], Aside: attrs.aside, Listed: s.src.Many || s.src.Each,
		},
		path:  path,
		frame: &frame{run: r, self: m, step: s.src.Name, place: path + "/" + m.agent.Name},
		heard: len(m.inbox),
	}
	system, err := r.system(j)
	if err != nil {
		return nil, err
	}
	if system != nil {
		j.sent = append(j.sent, system)
	}
	j.sent = append(j.sent, m.recall(attrs.remembers)...)
	if !attrs.placesHeard {
		for _, v := range m.inbox {
			msg := v.(*trace.Message)
			j.own = append(j.own, newMessage("user", msg.From, msg.Text))
		}
	}
	prompt, err := r.prompt(j)
	if err != nil {
		return nil, err
	}
	if prompt.String() != "" {
		j.own = append(j.own, newMessage("user", "", prompt))
	}
	j.sent = append(j.sent, j.own...)
	m.job = j
	return j, nil
}

// system is the agent's system prompt after the attack's patches, and beside it,
// out of their reach, the form that a reply must have.
func (r *run) system(j *job) (*message, error) {
	var text segment.Text
	var err error
	if j.attrs.system != nil {
		if text, err = j.attrs.system.text(j.frame, "system"); err != nil {
			return nil, err
		}
	}
	if text, err = r.offer(SlotSystem, j, text); err != nil {
		return nil, err
	}
	if j.attrs.instruction != "" {
		if len(text) > 0 {
			text = append(text[:len(text):len(text)], segment.Segment{Text: "\n\n", Source: "format"})
		}
		text = append(text[:len(text):len(text)], segment.Segment{Text: j.attrs.instruction, Source: "format"}).Merge()
	}
	if len(text) == 0 {
		return nil, nil
	}
	return newMessage("system", "", text), nil
}

func (r *run) prompt(j *job) (segment.Text, error) {
	var text segment.Text
	var err error
	if j.attrs.prompt != nil {
		if text, err = j.attrs.prompt.text(j.frame, "prompt"); err != nil {
			return nil, err
		}
	}
	return r.offer(SlotPrompt, j, text)
}

// intern finds or adds request messages among the trial's prompts.
func (r *run) intern(list []*message) []int {
	out := make([]int, len(list))
	for i, m := range list {
		if m.number == 0 {
			id := m.identity()
			if m.number = r.interned[id]; m.number == 0 {
				r.record.Prompts = append(r.record.Prompts, m.Prompt)
				m.number = len(r.record.Prompts)
				r.interned[id] = m.number
			}
		}
		out[i] = m.number - 1
	}
	return out
}

// identity is equal for messages that a reader of the trace cannot tell apart.
func (m *message) identity() string {
	if len(m.Text) <= 1 && len(m.Calls) == 0 && m.Call == "" && m.Name == "" && len(m.Text.Payloads()) == 0 {
		if len(m.Text) == 0 {
			return m.Role
		}
		return m.Role + "\x00" + m.Text[0].Source + "\x00" + m.text
	}
	var b strings.Builder
	for _, part := range []string{m.Role, m.Name, m.Call} {
		b.WriteString(part)
		b.WriteByte(1)
	}
	for _, s := range m.Text {
		b.WriteString(s.Source)
		for _, p := range s.Payloads {
			b.WriteByte(2)
			b.WriteString(p)
		}
		b.WriteByte(3)
		b.WriteString(s.Text)
		b.WriteByte(4)
	}
	for _, c := range m.Calls {
		for _, part := range []string{c.ID, c.Name, c.Args} {
			b.WriteString(part)
			b.WriteByte(5)
		}
	}
	return b.String()
}
