package runtime

import (
	"context"

	"parley/runtime/eval"
	"parley/runtime/world"
)

// Payload is a payload as one agent meets it in one task, and what obeying it
// means. The simulator works from these; nothing else of a plan reaches it.
type Payload struct {
	Patch string // payload id
	Agent string // whose slot it stands in; empty where nobody's
	Slot  SlotKind
	Text  string
	Tool  string         // obeying is a call of this tool …
	Args  map[string]any // … with these arguments,
	Calls []OrderedCall  // or these calls,
	Reply map[string]any // or a reply with these fields
}

// Payloads renders the payloads of an arm for a task as they are before anybody
// speaks. Only those that say what obeying means are listed; a placebo means
// nothing. Parts that depend on the course of a trial are empty.
func (e *Engine) Payloads(arm *Arm, c *Case) ([]Payload, error) {
	p := e.of(arm, c.Row)
	if p == nil {
		return nil, nil
	}
	r := newRun(context.Background(), e, p, Trial{Plan: e.Plan, Arm: arm, Case: c, Repeat: 1}, nil)
	if err := r.begin(); err != nil {
		return nil, err
	}
	var out []Payload
	for _, q := range p.patches {
		if q.obeyed == nil || q.src.Placebo || !q.src.says() {
			continue
		}
		for _, m := range r.whose(q) {
			found, err := r.rendered(q, m)
			if err != nil {
				return nil, err
			}
			out = append(out, found...)
		}
	}
	return out, nil
}

// says reports whether the patch has a text that is known before the run, and
// that somebody could obey.
func (p *Patch) says() bool {
	switch p.Slot {
	case SlotSpeaker, SlotAgent, SlotCalls:
		return false
	case SlotTool:
		return true
	}
	return p.puts() && p.Op != "rewrite"
}

// whose lists the agents that a patch names, or nobody once.
func (r *run) whose(p *patch) []*member {
	if len(p.agents) == 0 {
		return []*member{nil}
	}
	var out []*member
	for _, m := range r.order {
		if p.agents[m.agent.Name] {
			out = append(out, m)
		}
	}
	return out
}

func (r *run) rendered(p *patch, m *member) ([]Payload, error) {
	f := r.before(p)
	f.self = m
	one := Payload{Patch: p.src.ID, Slot: p.src.Slot}
	if m != nil {
		one.Agent = m.agent.Name
	}
	if err := p.obeyed.render(f, &one); err != nil {
		return nil, err
	}
	if p.value == nil {
		one.Text = r.program.tools[p.src.Name].src.About
		return []Payload{one}, nil
	}
	v, err := p.value.value(f)
	if err != nil {
		return nil, err
	}
	if mail, ok := v.(map[string]any); ok && p.src.Slot == SlotResource {
		v = mail["body"]
	}
	if p.src.Slot != SlotCorpus {
		one.Text = eval.Render(v).String()
		return []Payload{one}, nil
	}
	list, ok := elements(v)
	if !ok {
		list = []any{v}
	}
	var out []Payload
	for _, x := range list {
		d, err := docOf(x, 0)
		if err != nil {
			return nil, p.value.located(err)
		}
		one.Text = world.Truncate(d.Text, r.program.truncates(one.Agent)).String()
		out = append(out, one)
	}
	return out, nil
}

// truncates is how many characters of a document an agent gets to see; 0: all.
func (p *program) truncates(agent string) int {
	if plans := p.worldly.stores[agent]; len(plans) > 0 {
		return plans[0].src.Truncate
	}
	return 0
}

// render evaluates what obeying means in this task, for this agent.
func (o *obeyed) render(f *frame, to *Payload) error {
	to.Tool = o.tool
	for name, x := range o.args {
		v, err := x.value(f)
		if err != nil {
			return err
		}
		if to.Args == nil {
			to.Args = map[string]any{}
		}
		to.Args[name] = plainValue(v)
	}
	if err := o.list(f, to); err != nil || o.reply == nil {
		return err
	}
	v, err := o.reply.value(f)
	if err != nil {
		return err
	}
	switch v := plainValue(v).(type) {
	case map[string]any:
		to.Reply = v
	case string:
		to.Reply = map[string]any{"text": v}
	}
	return nil
}
