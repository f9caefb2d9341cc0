package runtime

import (
	"errors"
	"fmt"
	"strconv"

	"parley/runtime/eval"
	"parley/runtime/segment"
	"parley/runtime/trace"
)

// passing is something that passes a point where defenses look: a call, a message,
// a prompt. Hooks see it by name, and may change it or stop it.
type passing struct {
	point HookPoint
	name  string         // what it is called: call, message, …
	agent *member        // whose doing it is; nil: nobody's
	job   *job           // the turn in whose middle it stands; nil outside of turns
	step  string         // the step's label
	turn  int            // -1 outside of turns
	tool  string         // of a call
	place string         // where it stands in the run
	vars  map[string]any // what hooks see besides the run
	shown segment.Text   // what it is, for the record and for people who approve

	over    bool   // no further hook looks at it
	blocked bool   // it does not come to pass
	dropped bool   // it disappears
	changed bool   // vars[name] is another one now
	why     string // of blocked
}

// stopped reports whether it does not come to pass, in whatever way.
func (p *passing) stopped() bool { return p.blocked || p.dropped }

// guarded reports whether some hook looks at a point.
func (r *run) guarded(at HookPoint) bool { return r.program.hooked[at] && r.calls != nil }

// defend lets the defenses look at something, in their order, until one of them
// has stopped it.
func (r *run) defend(p *passing) error {
	for _, g := range r.program.guards {
		for i, h := range g.hooks {
			if p.over {
				return nil
			}
			if h.src.Point != p.point || !covers(h.src.Agents, p.agent) {
				continue
			}
			x := &hookRun{run: r, guarding: g, hook: h, passing: p, left: MaxPasses}
			x.frame = &frame{
				run: r, self: p.agent, step: p.step, vars: map[string]any{},
				place: p.place + "/" + g.src.Name + "." + strconv.Itoa(i+1),
			}
			for name, v := range p.vars {
				x.frame.vars[name] = v
			}
			if err := x.play(); err != nil {
				return err
			}
		}
	}
	return nil
}

// What ends a run by a limit in the middle of a hook.
var (
	errEndless   = errors.New("the hook does not come to an end")
	errManyCalls = fmt.Errorf("more than %d model calls", MaxModelCalls)
)

// hookRun is one hook at work. Its lets are its own.
type hookRun struct {
	run      *run
	guarding *guarding
	hook     *hook
	passing  *passing
	frame    *frame
	left     int // statements and loop passes
}

// play runs the body where the condition holds; an unknown one does not.
func (x *hookRun) play() error {
	if x.hook.when != nil {
		holds, err := x.hook.when.truth(x.frame)
		if err != nil || holds != eval.True {
			return err
		}
	}
	_, err := x.statements(x.hook.body)
	return err
}

// statements runs a block; leaving says that the innermost loop ends.
func (x *hookRun) statements(list []*stmt) (leaving bool, err error) {
	for _, s := range list {
		if x.left--; x.left < 0 {
			return false, fmt.Errorf("%s: %w", x.hook.src.At, errEndless)
		}
		if err := x.run.ctx.Err(); err != nil {
			return false, err
		}
		leaving, err := x.statement(s)
		if err != nil || leaving || x.passing.over {
			return leaving, err
		}
	}
	return false, nil
}

func (x *hookRun) statement(s *stmt) (leaving bool, err error) {
	switch s.src.Kind {
	case StepStmt:
		return false, x.step(s)
	case IfStmt:
		holds, err := s.expr.truth(x.frame)
		if err != nil {
			return false, err
		}
		if holds == eval.True {
			return x.statements(s.body)
		}
		return x.statements(s.elses)
	case RepeatStmt:
		return false, x.repeat(s)
	case ForStmt:
		return false, x.each(s)
	case BreakStmt:
		return true, nil
	case LetStmt:
		v, err := s.expr.value(x.frame)
		x.frame.vars[s.src.Name] = v
		return false, err
	case SetStmt, AppendStmt:
		return false, x.assign(s)
	case BlockStmt:
		return false, x.block(s)
	case SwapStmt:
		return false, x.swap(s)
	case DropStmt:
		x.passing.dropped, x.passing.over = true, true
		x.record(trace.Dropped, "")
		return false, nil
	case QuarantineStmt:
		return false, x.quarantine(s)
	case ApproveStmt:
		return false, x.approve(s)
	}
	return false, fmt.Errorf("%s: a hook has no statement %q", s.src.At, s.src.Kind)
}

func (x *hookRun) repeat(s *stmt) error {
	times := -1
	if s.expr != nil {
		v, err := s.expr.value(x.frame)
		if err != nil {
			return err
		}
		n, ok := wholeNumber(v)
		if !ok {
			x.note(s.src.At + ": repeat found no whole number of times, so it does nothing")
			return nil
		}
		times = max(n, 0)
	}
	for pass := 0; times < 0 || pass < times; pass++ {
		if s.until != nil {
			holds, err := s.until.truth(x.frame)
			if err != nil || holds == eval.True {
				return err
			}
		}
		if over, err := x.pass(s); over || err != nil {
			return err
		}
	}
	return nil
}

func (x *hookRun) each(s *stmt) error {
	v, err := s.expr.value(x.frame)
	if err != nil {
		return err
	}
	list, ok := elements(v)
	if !ok {
		x.note(s.src.At + ": for found no list to walk, so it does nothing")
		return nil
	}
	defer delete(x.frame.vars, s.src.Name)
	for _, e := range list {
		x.frame.vars[s.src.Name] = e
		if over, err := x.pass(s); over || err != nil {
			return err
		}
	}
	return nil
}

// pass runs a loop's body once and reports whether the loop is over.
func (x *hookRun) pass(s *stmt) (over bool, err error) {
	if x.left--; x.left < 0 {
		return true, fmt.Errorf("%s: %w", s.src.At, errEndless)
	}
	leaving, err := x.statements(s.body)
	return leaving || x.passing.over, err
}

// assign changes a let of this hook; a value that does not fit is noted.
func (x *hookRun) assign(s *stmt) error {
	keys := make([]any, len(s.target))
	for i, e := range s.target {
		k, err := e.value(x.frame)
		if err != nil {
			return err
		}
		if t, ok := k.(segment.Text); ok {
			k = t.String()
		}
		keys[i] = k
	}
	v, err := s.expr.value(x.frame)
	if err != nil {
		return err
	}
	if missing, ok := v.(eval.Missing); ok {
		x.note(s.src.At + ": nothing is set: the value is missing: " + missing.Why)
		return nil
	}
	changed, err := changedAt(x.frame.vars[s.root], keys, v, s.src.Kind == AppendStmt, s.root)
	if err != nil {
		x.note(s.src.At + ": nothing is set: " + err.Error())
		return nil
	}
	x.frame.vars[s.root] = changed
	return nil
}

// emit puts an event where it belongs: into the turn that is on its way, or into
// the record.
func (x *hookRun) emit(e trace.Event, prompts []*message) {
	if j := x.passing.job; j != nil {
		j.events = append(j.events, pending{event: e, prompts: prompts})
		return
	}
	if e.Model != nil {
		e.Model.Prompts = x.run.intern(prompts)
	}
	x.run.record.Append(e)
}

func (x *hookRun) note(text string) { x.emit(noteEvent("defense", "", x.passing.turn, text), nil) }

// record says what the defense did to what passes.
func (x *hookRun) record(action, why string) {
	p := x.passing
	i := &trace.Intervention{
		Defense: x.guarding.src.Name, Hook: string(p.point), Action: action, Step: p.step, Tool: p.tool, Turn: p.turn,
		Why: why, Text: p.shown.String(), Payloads: p.shown.Payloads(),
	}
	if p.agent != nil {
		i.Agent = p.agent.agent.Name
	}
	x.emit(trace.Event{Kind: trace.KindDefense, Defense: i}, nil)
}
