package runtime

import (
	"slices"
	"strconv"
	"strings"

	"parley/runtime/eval"
	"parley/runtime/model"
	"parley/runtime/segment"
	"parley/runtime/trace"
)

// The points at which defenses look, each after the attack had its turn there.

// guardText puts the texts of defenses at a slot.
func (r *run) guardText(slot SlotKind, j *job, text segment.Text) (segment.Text, error) {
	for _, g := range r.program.guards {
		for _, t := range g.texts {
			if t.src.Slot != slot || !covers(t.src.Agents, j.member) {
				continue
			}
			f := *j.frame
			f.ctx, f.draws, f.place = nil, 0, f.place+"/"+g.src.Name
			if t.when != nil {
				if holds, err := t.when.truth(&f); err != nil || holds != eval.True {
					if err != nil {
						return nil, err
					}
					continue
				}
			}
			own, err := t.value.text(&f, "defense:"+g.src.Name)
			if err != nil {
				return nil, err
			}
			text = apply(t.src.Op, text, own)
		}
	}
	return text, nil
}

// guardTask lets defenses look at the task before anybody speaks.
func (r *run) guardTask() (flow, error) {
	if !r.guarded(BeforeTask) {
		return flow{}, nil
	}
	prompt, _ := r.task["prompt"].(segment.Text)
	p := &passing{point: BeforeTask, name: "task.prompt", turn: -1, place: "start/task", vars: map[string]any{}, shown: prompt}
	if err := r.defend(p); err != nil {
		return flow{}, err
	}
	if t, ok := p.vars[p.name].(segment.Text); ok && p.changed {
		r.task["prompt"] = t
	}
	if p.blocked {
		return flow{kind: barred, why: p.why}, nil
	}
	return flow{}, nil
}

// turnPoint is something of a turn that is on its way.
func (j *job) turnPoint(at HookPoint, name string, value any, shown segment.Text) *passing {
	return &passing{
		point: at, name: name, agent: j.member, job: j, step: j.turn.Step, turn: j.turn.ID, place: j.frame.place,
		vars: map[string]any{"agent": j.member.agent, "context": exchange(j.sent).text(), name: value}, shown: shown,
	}
}

// guardTools lets defenses choose among the tools that a turn is offered. What
// they leave out is not there for this turn.
func (r *run) guardTools(j *job) error {
	if !r.guarded(BeforeTools) || len(j.attrs.tools) == 0 {
		return nil
	}
	var names []any
	for _, t := range j.attrs.tools {
		names = append(names, t.src.Name)
	}
	p := j.turnPoint(BeforeTools, "tools", names, segment.Of(eval.Render(names).String(), "defense"))
	if err := r.defend(p); err != nil || !p.changed {
		return err
	}
	list, _ := elements(p.vars["tools"])
	kept := map[string]bool{}
	for _, v := range list {
		kept[eval.Render(v).String()] = true
	}
	own := func(name string) bool { return j.attrs.tool(name) != nil }
	j.withdrawn = map[string]bool{}
	for _, t := range j.attrs.tools {
		if !kept[t.src.Name] {
			j.withdrawn[t.src.Name] = true
		}
	}
	j.offered = slices.DeleteFunc(slices.Clone(j.offered), func(t model.Tool) bool { return own(t.Name) && j.withdrawn[t.Name] })
	j.described = slices.DeleteFunc(slices.Clone(j.described), func(d trace.Described) bool { return j.withdrawn[d.Tool] })
	return nil
}

// offeredNames are the tools that the turn is offered.
func (j *job) offeredNames() []string {
	names := make([]string, len(j.offered))
	for i := range j.offered {
		names[i] = j.offered[i].Name
	}
	return names
}

// guardPrompt lets defenses look at what a turn is asked. A turn that they block
// is not held: the agent's words are the reason.
func (r *run) guardPrompt(j *job, prompt segment.Text) (segment.Text, error) {
	if !r.guarded(BeforePrompt) {
		return prompt, nil
	}
	p := j.turnPoint(BeforePrompt, "prompt", prompt, prompt)
	if err := r.defend(p); err != nil {
		return nil, err
	}
	if p.blocked {
		j.barred = p.why
	}
	if t, ok := p.vars["prompt"].(segment.Text); ok {
		return t, nil
	}
	return prompt, nil
}

// sayBarred makes the reason for which a turn is not held what the agent says.
func (j *job) sayBarred() {
	j.turn.Refused = true
	j.text = segment.Of(j.barred, "defense")
	j.keep(newMessage("assistant", "", j.text))
}

// guardCall lets defenses look at a call that is about to be made. An error is
// what the agent is told instead; ok is false where the call just disappears.
func (j *job) guardCall(c *trace.Call) (ok bool, err error) {
	if !j.run.guarded(BeforeCall) {
		return true, nil
	}
	p := j.callPoint(BeforeCall, c, segment.Concat(segment.Of(c.Tool+" ", "call"), eval.Render(any(c.Args))))
	p.name = "call"
	if err := j.run.defend(p); err != nil {
		return false, err
	}
	if p.blocked {
		return false, failure("blocked: %s", p.why)
	}
	return !p.dropped, nil
}

// callPoint is a call, or its result, as hooks see it.
func (j *job) callPoint(at HookPoint, c *trace.Call, shown segment.Text) *passing {
	j.run.record.LinkCall(c)
	p := j.turnPoint(at, "call", c, shown)
	p.tool = c.Tool
	p.place += "/" + c.Tool + "#" + strconv.Itoa(c.Index)
	return p
}

// guardResult lets defenses look at what a tool tells its caller.
func (j *job) guardResult(c *trace.Call, result segment.Text) (segment.Text, error) {
	if !j.run.guarded(AfterResult) {
		return result, nil
	}
	p := j.callPoint(AfterResult, c, result)
	p.vars["result"], p.name = result, "result"
	if err := j.run.defend(p); err != nil {
		return nil, err
	}
	switch {
	case p.blocked:
		return segment.Of("error: blocked: "+p.why, "tool:"+c.Tool), nil
	case p.dropped:
		return nil, nil
	}
	if t, ok := p.vars["result"].(segment.Text); ok {
		return t, nil
	}
	return result, nil
}

// guardReply lets defenses look at what an agent has said, before anybody hears it.
func (j *job) guardReply(out said) (said, error) {
	if !j.run.guarded(AfterReply) || out.dropped {
		return out, nil
	}
	p := j.turnPoint(AfterReply, "reply", out.reply, out.text)
	p.vars["text"], p.job = out.text, nil
	if err := j.run.defend(p); err != nil {
		return out, err
	}
	if p.stopped() {
		return said{dropped: true}, nil
	}
	if !p.changed {
		return out, nil
	}
	v := p.vars["reply"]
	if _, record := v.(map[string]any); record && j.attrs.replies != nil {
		typed, err := j.attrs.replies.Coerce(v)
		if err != nil {
			j.run.note("defense", j.member.agent.Name, j.turn.ID, "the reply that a defense puts there does not fit: "+err.Error())
			return out, nil
		}
		return said{text: jsonText(j.attrs.replies, typed), reply: typed}, nil
	}
	out = said{text: eval.Render(v).From("defense")}
	if j.attrs.replies != nil {
		if reply, err := j.attrs.replies.Read(out.text.String()); err == nil {
			out.reply = carry(reply, out.text)
		}
	}
	return out, nil
}

// guardMessage lets defenses look at a message on its way, and withholds those of
// agents that are shut off. It reports whether the message goes on.
func (r *run) guardMessage(msg *trace.Message, to *member) (bool, error) {
	from := r.members[msg.From]
	if from != nil && from.shut {
		r.record.Append(trace.Event{Kind: trace.KindDefense, Defense: withheld("", BeforeMessage, msg)})
		return false, nil
	}
	if !r.guarded(BeforeMessage) {
		return true, nil
	}
	var sender *trace.Agent = r.record.User()
	if from != nil {
		sender = from.agent
	}
	p := &passing{
		point: BeforeMessage, name: "message", agent: from, step: msg.Step, turn: msg.Turn, shown: msg.Text,
		place: "edge/" + msg.From + "/" + to.agent.Name + "/" + strconv.Itoa(msg.Turn),
		vars: map[string]any{"agent": sender, "message": map[string]any{
			"from": sender, "to": to.agent, "text": msg.Text, "reply": msg.Reply, "round": msg.Round, "step": msg.Step,
		}},
	}
	if err := r.defend(p); err != nil {
		return false, err
	}
	if p.stopped() {
		return false, nil
	}
	if t, ok := p.vars["message"].(segment.Text); ok && p.changed {
		r.single[msg.Turn] = true
		msg.Text, msg.Reply = sourced(t, "message:"+msg.From), nil
	}
	if from != nil && from.shut {
		r.record.Append(trace.Event{Kind: trace.KindDefense, Defense: withheld("", BeforeMessage, msg)})
		return false, nil
	}
	return true, nil
}

// guardRound lets defenses look around when a step has ended.
func (sc *scene) guardRound(s *stmt, end flow) (flow, error) {
	r := sc.run
	if !r.guarded(AfterRound) {
		return end, nil
	}
	p := &passing{point: AfterRound, step: s.src.Name, turn: -1, place: sc.path + "after/" + s.src.Name + sc.loopCounts(), vars: map[string]any{}}
	if err := r.defend(p); err != nil {
		return end, err
	}
	if p.blocked {
		return flow{kind: barred, why: p.why}, nil
	}
	return end, nil
}

// guardAnswer lets defenses look at the team's answer. It may be missing: then
// there is nothing to stop, and something may still be put in its place.
func (r *run) guardAnswer() error {
	if !r.guarded(BeforeAnswer) {
		return nil
	}
	t := r.record
	p := &passing{
		point: BeforeAnswer, name: "answer", turn: -1, place: "end/answer",
		vars: map[string]any{"answer": t.Answer}, shown: eval.Render(t.Answer),
	}
	if err := r.defend(p); err != nil {
		return err
	}
	switch {
	case p.blocked:
		t.Outcome, t.EndedBy, t.Answer = trace.Refused, "blocked: "+p.why, nil
	case p.changed:
		t.Answer = plainValue(p.vars["answer"])
		if t.Answer != nil {
			t.Outcome, t.EndedBy = trace.Answered, ""
		}
	}
	return nil
}

// refusedBy is how a run ends that a defense has stopped.
func refusedBy(why string) string { return "blocked: " + strings.TrimPrefix(why, "blocked: ") }
