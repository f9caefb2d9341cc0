package runtime

import (
	"errors"
	"fmt"

	"parley/runtime/eval"
	"parley/runtime/segment"
	"parley/runtime/trace"
)

// toolBody runs the statements of one tool call. Its lets are its own.
type toolBody struct {
	job   *job
	frame *frame
	left  int // statements and passes
}

func (b *toolBody) statements(list []*stmt) (flow, error) {
	for _, s := range list {
		if b.left--; b.left < 0 {
			return flow{}, failure("the tool does not come to an end")
		}
		end, err := b.statement(s)
		if err != nil || end.kind != next {
			return end, err
		}
	}
	return flow{}, nil
}

func (b *toolBody) statement(s *stmt) (flow, error) {
	switch s.src.Kind {
	case LetStmt:
		v, err := s.expr.value(b.frame)
		if err == nil {
			b.frame.vars[s.src.Name] = v
		}
		return flow{}, err
	case IfStmt:
		holds, err := s.expr.truth(b.frame)
		if err != nil {
			return flow{}, err
		}
		if holds == eval.True {
			return b.statements(s.body)
		}
		return b.statements(s.elses)
	case ForStmt:
		return b.each(s)
	case SetStmt, AppendStmt:
		return flow{}, b.assign(s)
	case RequireStmt:
		return flow{}, b.require(s)
	case ReturnStmt:
		if s.expr == nil {
			return flow{kind: back}, nil
		}
		v, err := s.expr.value(b.frame)
		return flow{kind: back, value: v}, err
	case BreakStmt:
		return flow{kind: leave}, nil
	}
	return flow{}, fmt.Errorf("%s: a tool's body has no statement %q", s.src.At, s.src.Kind)
}

func (b *toolBody) each(s *stmt) (flow, error) {
	v, err := s.expr.value(b.frame)
	if err != nil {
		return flow{}, err
	}
	list, ok := elements(v)
	if !ok {
		return flow{}, failure("there is no list to walk")
	}
	defer delete(b.frame.vars, s.src.Name)
	for _, x := range list {
		b.frame.vars[s.src.Name] = x
		end, err := b.statements(s.body)
		if err != nil || end.kind == back {
			return end, err
		}
		if end.kind == leave {
			break
		}
	}
	return flow{}, nil
}

// require ends the call with an error result unless its condition holds; an
// unknown condition does not hold.
func (b *toolBody) require(s *stmt) error {
	holds, err := s.expr.truth(b.frame)
	if err != nil || holds == eval.True {
		return err
	}
	why := "a condition of the tool does not hold"
	if s.orElse != nil {
		text, err := s.orElse.text(b.frame, "")
		if err != nil {
			return err
		}
		why = first(text.String(), why)
	}
	return failure("%s", why)
}

func (b *toolBody) assign(s *stmt) error {
	change, err := b.job.run.change(s, b.frame)
	var unfit *unfitValue
	if errors.As(err, &unfit) {
		return failure("%s", unfit)
	}
	if err != nil {
		return err
	}
	if change != nil {
		b.job.changes = append(b.job.changes, pending{event: trace.Event{Kind: trace.KindState, State: change}})
	}
	return nil
}

// assign is set and append in the turn program. A value that does not fit is
// noted and changes nothing: it may come from a model, whose trial goes on.
func (r *run) assign(s *stmt) error {
	change, err := r.change(s, r.frame("set"))
	var unfit *unfitValue
	if errors.As(err, &unfit) {
		r.note("value", "", -1, s.src.At+": nothing is set: "+unfit.Error())
		return nil
	}
	if err != nil {
		return err
	}
	if change != nil {
		change.Call = -1
		r.record.Append(trace.Event{Kind: trace.KindState, State: change})
	}
	return nil
}

// change evaluates a set or append and applies it: to the workspace, which gives
// a record of the change, or to a let.
func (r *run) change(s *stmt, f *frame) (*trace.State, error) {
	keys := make([]any, len(s.target))
	for i, x := range s.target {
		k, err := x.value(f)
		if err != nil {
			return nil, err
		}
		if t, ok := k.(segment.Text); ok {
			k = t.String()
		}
		keys[i] = k
	}
	v, err := s.expr.value(f)
	if err != nil {
		return nil, err
	}
	if missing, ok := v.(eval.Missing); ok {
		return nil, &unfitValue{fmt.Errorf("the value is missing: %s", missing.Why)}
	}
	appending := s.src.Kind == AppendStmt
	if s.root == "state" || s.root == "files" {
		target, err := r.world.write(s.root, keys, v, appending)
		if err != nil {
			return nil, &unfitValue{err}
		}
		return &trace.State{Target: target, Value: v}, nil
	}
	lets := r.lets
	if f.self != nil {
		lets = f.vars
	}
	old, ok := lets[s.root]
	if !ok {
		return nil, &unfitValue{fmt.Errorf("there is no %s to change", s.root)}
	}
	changed, err := changedAt(old, keys, v, appending, s.root)
	if err != nil {
		return nil, &unfitValue{err}
	}
	lets[s.root] = changed
	return nil, nil
}

// unfitValue says that a value cannot stand where it was to be put.
type unfitValue struct{ error }
