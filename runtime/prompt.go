package runtime

import (
	"maps"
	"slices"

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
// answers: system, memory, what was heard, and the step's prompt. Turns are
// numbered as they begin. In the step of a tool's body its texts see what the body
// sees.
func (sc *scene) prepare(s *stmt, m *member, path string) (*job, error) {
	r, id := sc.run, sc.run.begun
	r.begun++
	attrs := s.attrs[m.actor.index]
	j := &job{
		run: r, member: m, attrs: attrs,
		turn: &trace.Turn{
			ID: id, Step: s.src.Name, Path: path + "/" + m.agent.Name, Agent: m.agent.Name,
			Round: r.rounds[s.src.Name], Aside: attrs.aside, Listed: s.src.Many || s.src.Each,
		},
		path:  path,
		frame: &frame{run: r, self: m, step: s.src.Name, place: path + "/" + m.agent.Name},
		heard: m.taken + len(m.inbox), offered: attrs.offered, outer: m.job,
	}
	if sc.frame != nil {
		j.frame.vars = bodyVars(sc.frame.vars)
	}
	m.job = j
	if err := r.offerDescriptions(j); err != nil {
		return nil, err
	}
	if err := r.guardTools(j); err != nil {
		return nil, err
	}
	system, err := r.system(j)
	if err != nil {
		return nil, err
	}
	if system != nil {
		j.sent = append(j.sent, system)
	}
	past, err := r.offerMemory(j, m.recall(attrs.remembers))
	if err != nil {
		return nil, err
	}
	for _, x := range past {
		j.sent = append(j.sent, x...)
	}
	if !attrs.placesHeard {
		j.own = m.listened()
	}
	prompt, err := r.prompt(j)
	if err != nil {
		return nil, err
	}
	if prompt, err = r.guardPrompt(j, prompt); err != nil {
		return nil, err
	}
	if prompt.String() != "" {
		j.own = append(j.own, newMessage("user", "", prompt))
	}
	j.sent = append(j.sent, j.own...)
	return j, j.offerHandoffs()
}

// bodyVars are the names of a tool's body as they are when its step begins: its
// arguments and lets, and who called as agent.
func bodyVars(vars map[string]any) map[string]any {
	return maps.Clone(vars)
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
	// Most agents have one system prompt for the whole trial.
	if old := j.member.system; old != nil && sameText(old.Text, text) {
		return old, nil
	}
	j.member.system = newMessage("system", "", text)
	return j.member.system, nil
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
			m.number = r.prompted(m)
		}
		out[i] = m.number - 1
	}
	return out
}

// promptKey is what messages that a reader cannot tell apart have in common.
type promptKey struct{ role, name, call, text string }

// prompted returns the message's place among the trial's prompts, plus one.
func (r *run) prompted(m *message) int {
	k := promptKey{m.Role, m.Name, m.Call, m.text}
	if len(m.Calls) == 0 {
		if n := r.interned[k]; n > 0 && sameText(r.record.Prompts[n-1].Text, m.Text) && len(r.record.Prompts[n-1].Calls) == 0 {
			return n
		}
	}
	r.record.Prompts = append(r.record.Prompts, m.Prompt)
	n := len(r.record.Prompts)
	r.interned[k] = n
	return n
}

func sameText(a, b segment.Text) bool {
	return slices.EqualFunc(a, b, func(x, y segment.Segment) bool {
		return x.Text == y.Text && x.Source == y.Source && slices.Equal(x.Payloads, y.Payloads)
	})
}
