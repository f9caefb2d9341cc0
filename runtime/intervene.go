package runtime

import (
	"slices"
	"strings"

	"parley/runtime/eval"
	"parley/runtime/key"
	"parley/runtime/model"
	"parley/runtime/segment"
	"parley/runtime/trace"
)

// block stops what passes, and says why.
func (x *hookRun) block(s *stmt) error {
	why, err := s.expr.text(x.frame, "")
	if err != nil {
		return err
	}
	x.stop(trace.Blocked, why.String())
	return nil
}

func (x *hookRun) stop(action, why string) {
	p := x.passing
	p.blocked, p.over, p.why = true, true, first(why, "blocked by "+x.guarding.src.Name)
	x.record(action, p.why)
}

// swap puts another thing in the place of what passes. What is missing, or what
// cannot stand there, changes nothing.
func (x *hookRun) swap(s *stmt) error {
	p := x.passing
	v, err := s.expr.value(x.frame)
	if err != nil {
		return err
	}
	if missing, ok := v.(eval.Missing); ok {
		x.note(s.src.At + ": nothing is replaced: the value is missing: " + missing.Why)
		return nil
	}
	if p.point != BeforeTools && p.point != BeforeAnswer && p.point != AfterReply {
		v = eval.Render(v).From("defense:" + x.guarding.src.Name)
	}
	p.vars[s.src.Name], x.frame.vars[s.src.Name], p.changed = v, v, true
	x.record(trace.Replaced, "")
	return nil
}

// quarantine shuts agents off: nobody hears them from now on, and what they have
// said and nobody has been shown yet is withheld.
func (x *hookRun) quarantine(s *stmt) error {
	v, err := s.who.value(x.frame)
	if err != nil {
		return err
	}
	for _, m := range x.run.speakers(v) {
		if m.shut {
			continue
		}
		m.shut = true
		i := &trace.Intervention{
			Defense: x.guarding.src.Name, Hook: string(x.passing.point), Action: trace.Quarantined, Agent: m.agent.Name,
			Step: x.passing.step, Turn: x.passing.turn, Text: x.passing.shown.String(), Payloads: x.passing.shown.Payloads(),
		}
		x.emit(trace.Event{Kind: trace.KindDefense, Defense: i}, nil)
		for _, other := range x.run.order {
			x.withhold(m, other)
		}
	}
	return nil
}

// withhold takes out of an agent's inbox what it has from one that is shut off. A
// turn that is on its way has seen what it has seen.
func (x *hookRun) withhold(from, at *member) {
	at.inbox = slices.DeleteFunc(slices.Clone(at.inbox), func(v any) bool {
		msg := v.(*trace.Message)
		if msg.From != from.agent.Name || at.job != nil {
			return false
		}
		x.emit(trace.Event{Kind: trace.KindDefense, Defense: withheld(x.guarding.src.Name, x.passing.point, msg)}, nil)
		return true
	})
}

func withheld(defense string, at HookPoint, msg *trace.Message) *trace.Intervention {
	return &trace.Intervention{
		Defense: defense, Hook: string(at), Action: trace.Withheld, Agent: msg.From, Step: msg.Step, Turn: msg.Turn,
		Text: msg.Text.String(), Payloads: msg.Text.Payloads(),
	}
}

// approve asks a person. What says yes lets it pass; whatever else is said does
// not, and is the reason.
func (x *hookRun) approve(s *stmt) error {
	r, p, who := x.run, x.passing, s.src.Name
	var question segment.Text
	question = append(question, segment.Segment{Text: string(p.point), Source: "defense:" + x.guarding.src.Name})
	if p.agent != nil {
		question = append(question, segment.Segment{Text: ", " + p.agent.agent.Name, Source: "defense:" + x.guarding.src.Name})
	}
	question = segment.Concat(question, segment.Of(":\n", "defense:"+x.guarding.src.Name), p.shown)
	messages := []*message{newMessage("user", "", question)}
	position := key.Position{Path: r.unique(x.frame.place + "/approve"), Agent: who, Role: ApproverRole}.String()
	spec := r.program.src.Models[s.src.Attrs.Model]
	req := &model.Request{
		Model: spec.Name, Messages: []model.Message{messages[0].wire()},
		Seed: r.table.ProviderSeed(position), User: r.table.User(who),
	}
	callKey := r.table.Call(position, &spec, r.input.Revisions[s.src.Attrs.Model], req).String()
	res, err := r.calls.Call(r.ctx, Call{
		Spec: spec, Request: req, Key: callKey, Position: position, Agent: who, Role: ApproverRole, Script: r.input.Arm.Scripts,
	})
	if err != nil {
		return err
	}
	got := clean(res.Response, 0)
	x.emit(trace.Event{Kind: trace.KindModel, Model: &trace.Model{
		Turn: -1, Agent: who, Role: ApproverRole, Position: position, Key: callKey, Model: spec.Name,
		Text: got.Content, Finish: got.Finish, Shared: res.Shared,
	}}, messages)
	if approves(got.Content) {
		x.record(trace.Approved, who)
		return nil
	}
	why := "not approved by " + who
	if said := strings.TrimSpace(got.Content); said != "" && !denies(said) {
		why += ": " + said
	}
	x.stop(trace.Denied, why)
	return nil
}

// approves reports whether a person said yes.
func approves(said string) bool {
	switch strings.TrimRight(strings.ToLower(strings.TrimSpace(said)), ".!") {
	case "yes", "approve", "approved":
		return true
	}
	return false
}

func denies(said string) bool {
	switch strings.TrimRight(strings.ToLower(said), ".!") {
	case "no", "deny", "denied":
		return true
	}
	return false
}
