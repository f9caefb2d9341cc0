package runtime

import (
	"context"

	"parley/runtime/eval"
	"parley/runtime/trace"
)

// frame is what names mean at one place of a trial: in a step, a patch, a tool
// body or the turn program itself. A frame belongs to one goroutine.
type frame struct {
	run  *run
	ctx  context.Context
	self *member        // whose turn it is; nil in the turn program
	step string         // the step's label, for conditions of patches
	to   *trace.Agent   // recipient of a message that a patch may change
	vars map[string]any // parameters, args, agent, result, reply and a tool body's lets
	// draws counts the chances drawn here, so that two of one place differ.
	place string
	draws int
}

func (f *frame) context() context.Context {
	if f.ctx == nil {
		f.ctx = context.WithValue(f.run.ctx, frameKey{}, f)
	}
	return f.ctx
}

// Lookup gives the value of a name; see SPEC.md for who sees what.
func (f *frame) Lookup(name string) (any, bool) {
	if v, ok := f.vars[name]; ok {
		return v, true
	}
	r := f.run
	switch name {
	case "task":
		return r.task, true
	case "self":
		return agentOr(f.self, name)
	case "agent":
		return agentOr(f.self, name)
	case "heard":
		if f.self == nil {
			return nil, false
		}
		return f.self.heard(), true
	case "turns":
		return r.record.TurnList(), true
	case "messages":
		return r.record.MessageList(), true
	case "calls":
		return r.record.CallList(), true
	case "agents":
		return r.record.AgentList(), true
	case "state":
		return r.world.State(), true
	case "files":
		return fileView{r.world.Files(), "file"}, true
	case "pages":
		return fileView{r.world.Pages(), "page"}, true
	case "mails":
		return r.world.Mails(), true
	case "hole":
		return fields(r.world.Holes()), true
	case "step":
		if f.step == "" {
			return nil, false
		}
		return f.step, true
	case "to":
		if f.to == nil {
			return nil, false
		}
		return f.to, true
	}
	if v, ok := r.lets[name]; ok {
		return v, true
	}
	if v, ok := r.labels[name]; ok {
		return v, true
	}
	v, ok := r.named[name]
	return v, ok
}

func agentOr(m *member, name string) (any, bool) {
	if m == nil {
		return eval.Missing{Why: "nobody speaks here, so there is no " + name}, true
	}
	return m.agent, true
}

// fields gives a map fields, so that a name it lacks is missing data.
type fields map[string]any

// Field returns the named field.
func (m fields) Field(name string) (any, bool) { v, ok := m[name]; return v, ok }
