package runtime

import (
	"fmt"
	"strings"

	"parley/runtime/eval"
	"parley/runtime/segment"
	"parley/runtime/trace"
)

// patch is a compiled Patch.
type patch struct {
	src       *Patch
	value     *expression
	marks     []*expression // what the template interpolates
	when      *expression
	obeyed    *obeyed
	recipient bool // its condition reads `to`: it changes single messages
	agents    map[string]bool
	edges     map[Edge]bool
	uri       *expression
	args      map[string]*expression // of the call that it makes
}

// obeyed is a compiled Obeyed.
type obeyed struct {
	tool  string
	args  map[string]*expression
	calls *expression
	reply *expression
}

func (c *compiler) patch(src *Patch) (*patch, error) {
	p := &patch{src: src, agents: map[string]bool{}}
	for _, a := range src.Agents {
		p.agents[a] = true
	}
	var err error
	if p.value, err = c.expr(src.Value); err != nil {
		return nil, err
	}
	if p.value == nil && src.puts() {
		return nil, fmt.Errorf("the patch %s has no text", src.ID)
	}
	if err := c.target(p); err != nil {
		return nil, err
	}
	if p.when, err = c.expr(src.When); err != nil {
		return nil, err
	}
	p.recipient = src.Slot == SlotOutput && p.when.reads("to")
	if err := c.partsOf(p); err != nil {
		return nil, err
	}
	if src.Obeyed != nil {
		if p.obeyed, err = c.obeyed(src.Obeyed); err != nil {
			return nil, err
		}
	}
	return p, nil
}

// puts reports whether the patch has a value to put somewhere.
func (p *Patch) puts() bool {
	switch p.Op {
	case "drop", "remove", "delay", "add":
		return false
	}
	return p.Slot != SlotCalls
}

// target compiles what a patch is aimed at beside agents and names.
func (c *compiler) target(p *patch) error {
	var err error
	if p.uri, err = c.expr(p.src.URI); err != nil {
		return err
	}
	if len(p.src.Edges) > 0 {
		p.edges = map[Edge]bool{}
		for _, e := range p.src.Edges {
			p.edges[e] = true
		}
	}
	if p.src.Call == nil {
		return nil
	}
	p.args = map[string]*expression{}
	for name, e := range p.src.Call.Args {
		if p.args[name], err = c.expr(e); err != nil {
			return err
		}
	}
	return nil
}

// partsOf compiles the parts of a payload that differ by task or agent.
func (c *compiler) partsOf(p *patch) error {
	if p.src.Value.Absent() {
		return nil
	}
	parts, err := interpolated(p.src.Value)
	if err != nil {
		return err
	}
	for _, part := range parts {
		// A part that means nothing outside of its loop is no mark.
		if x, err := c.expr(part); err == nil {
			p.marks = append(p.marks, x)
		}
	}
	return nil
}

func (c *compiler) obeyed(src *Obeyed) (*obeyed, error) {
	o := &obeyed{tool: src.Tool}
	var err error
	if o.reply, err = c.expr(src.Reply); err != nil {
		return nil, err
	}
	if o.calls, err = c.expr(src.Calls); err != nil {
		return nil, err
	}
	if len(src.Args) > 0 {
		o.args = map[string]*expression{}
	}
	for name, e := range src.Args {
		if o.args[name], err = c.expr(e); err != nil {
			return nil, err
		}
	}
	return o, nil
}

// offer is where the system and prompt slots are offered to all patches.
func (r *run) offer(slot SlotKind, j *job, text segment.Text) (segment.Text, error) {
	for _, p := range r.program.patches {
		if p.src.Slot != slot || !p.agents[j.member.agent.Name] {
			continue
		}
		changed, payload, ok, err := r.changed(p, j.within(p, nil), text)
		if err != nil {
			return nil, err
		}
		if ok {
			text = changed
			j.record(insertion(p, j.member.agent.Name, payload, j.turn.ID))
		}
	}
	return r.guardText(slot, j, text)
}

// offerTask is where the task's prompt is offered, before anybody speaks.
func (r *run) offerTask() error {
	for _, p := range r.program.patches {
		if p.src.Slot != SlotTask {
			continue
		}
		text, _ := r.task["prompt"].(segment.Text)
		changed, payload, ok, err := r.changed(p, r.before(p), text)
		if err != nil {
			return err
		}
		if ok {
			r.task["prompt"] = changed
			r.record.Append(insertion(p, "task.prompt", payload, -1))
		}
	}
	return nil
}

// offerHole is where a hole of the workspace is offered.
func (r *run) offerHole(name string, text segment.Text) (segment.Text, error) {
	for _, p := range r.program.patches {
		if p.src.Slot != SlotHole || p.src.Name != name {
			continue
		}
		changed, payload, ok, err := r.changed(p, r.before(p), text)
		if err != nil {
			return nil, err
		}
		if ok {
			text = changed
			r.record.Append(insertion(p, "hole:"+name, payload, -1))
		}
	}
	return text, nil
}

// before is the frame of a patch that acts before anybody speaks.
func (r *run) before(p *patch) *frame {
	return &frame{run: r, place: "start/" + p.src.ID}
}

// within is the frame of a turn as a patch sees it.
func (j *job) within(p *patch, vars map[string]any) *frame {
	f := *j.frame
	f.ctx, f.place, f.draws, f.vars = nil, j.frame.place+"/"+p.src.ID, 0, vars
	return &f
}

// changed offers a text to a patch: the text as it is then, and what the patch
// put into it. It reports false where the patch is not due.
func (r *run) changed(p *patch, f *frame, text segment.Text) (out, payload segment.Text, ok bool, err error) {
	if ok, err = p.due(f); !ok || err != nil {
		return text, nil, false, err
	}
	return r.put(p, f, text)
}

// put does what a patch that is due does to a text.
func (r *run) put(p *patch, f *frame, text segment.Text) (out, payload segment.Text, ok bool, err error) {
	if p.src.Op == "rewrite" {
		out, ok, err = r.rewritten(p, f, text)
		return out, out, ok, err
	}
	if payload, err = r.payload(p, f); err != nil {
		return text, nil, false, err
	}
	return apply(p.src.Op, text, payload), payload, true, nil
}

// payload evaluates the text of a patch that is due. All of it belongs to the
// patch, whatever else it came from.
func (r *run) payload(p *patch, f *frame) (segment.Text, error) {
	text, err := p.value.text(f, "")
	if err != nil {
		return nil, err
	}
	return r.payloadText(p, text.String()), r.learn(p, f, text.String())
}

// payloadText is a rendered payload, or its placebo, with its identity and the
// place where it stands as its source.
func (r *run) payloadText(p *patch, text string) segment.Text {
	if p.src.Placebo {
		text = filler(text)
	}
	source := string(p.src.Slot)
	if p.src.Slot == SlotHole {
		source = "hole:" + p.src.Name
	}
	return segment.Of(text, source).Mark(p.src.ID)
}

// due reports whether the patch's condition holds; an unknown one does not.
func (p *patch) due(f *frame) (bool, error) {
	if p.when == nil {
		return true, nil
	}
	t, err := p.when.truth(f)
	return t == eval.True, err
}

func insertion(p *patch, where string, payload segment.Text, turn int) trace.Event {
	return trace.Event{Kind: trace.KindInsert, Insert: &trace.Insert{
		Payload: p.src.ID, Op: p.src.Op, Slot: string(p.src.Slot), Where: where, Text: payload.String(), Turn: turn,
	}}
}

// apply puts a payload into a text: before it, after it, on a line of its own,
// or in its place.
func apply(op string, text, payload segment.Text) segment.Text {
	if op == "replace" || op == "rewrite" || len(text) == 0 {
		return payload
	}
	head, tail := text, payload
	if op == "prepend" {
		head, tail = payload, text
	}
	out := append(segment.Text(nil), head...)
	if !strings.HasSuffix(head.String(), "\n") && !strings.HasPrefix(tail.String(), "\n") {
		out = append(out, segment.Segment{Text: "\n", Source: "payload"})
	}
	return append(out, tail...)
}

// neutral is what placebos are made of.
const neutral = "This passage holds nothing of importance and may be read or passed over as one likes. "

// filler is neutral text of as many characters as s.
func filler(s string) string {
	out := make([]rune, 0, len(s))
	pattern := []rune(neutral)
	for range s {
		out = append(out, pattern[len(out)%len(pattern)])
	}
	return string(out)
}
