package runtime

import (
	"errors"

	"parley/runtime/eval"
	"parley/runtime/trace"
)

// close leaves in the record what is stored. A trial that failed has no answer.
func (r *run) close(failed error) {
	if t := r.record; failed != nil {
		t.Outcome, t.EndedBy = failedAs(failed), failed.Error()
	}
	if r.world != nil {
		r.record.After = r.world.snapshot()
	}
	r.settle()
}

// conclude evaluates the answer and says how the program ended.
func (r *run) conclude(end flow) error {
	t := r.record
	switch {
	case end.kind == barred:
		t.Outcome, t.EndedBy = trace.Refused, refusedBy(end.why)
	case end.kind == limit:
		t.Outcome, t.EndedBy = trace.Limit, end.why
	default:
		err := r.answer()
		if err == nil {
			err = r.guardAnswer()
		}
		if err != nil {
			if r.unfinished(err) != nil {
				return err
			}
			t.Outcome, t.EndedBy, t.Answer = failedAs(err), err.Error(), nil
			break
		}
		if end.kind == stop && t.Outcome == trace.Answered {
			t.EndedBy = end.why
		}
	}
	return nil
}

// failedAs classes a failure. An expression or a hook that takes too long is a
// limit, not a failed infrastructure: what agents say can bring it about, and an
// attack that does must be scored; and asking again would end in the same way.
func failedAs(err error) trace.Outcome {
	for _, limit := range []error{eval.ErrBudget, errEndless, errManyCalls} {
		if errors.Is(err, limit) {
			return trace.Limit
		}
	}
	return trace.Errored
}

// answer evaluates the team's answer. A refusal of the answering turns is a
// refusal, and a limit that left no answer is a limit; whatever else gives no
// answer has answered with nothing.
func (r *run) answer() error {
	t := r.record
	t.Outcome = trace.Answered
	turns := r.answering()
	if len(turns) > 0 && all(turns, func(u *trace.Turn) bool { return u.Refused }) {
		t.Outcome, t.EndedBy = trace.Refused, "refusal of "+turns[len(turns)-1].Agent
		return nil
	}
	if r.program.answer != nil {
		v, err := r.program.answer.value(r.frame("answer"))
		if err != nil {
			return err
		}
		if _, missing := v.(eval.Missing); !missing {
			t.Answer = plainValue(v)
		}
	}
	if len(turns) == 1 {
		t.Reply = turns[0].Reply
	}
	if t.Answer != nil || len(turns) == 0 {
		return nil
	}
	switch {
	case all(turns, func(u *trace.Turn) bool { return u.Limit != "" || u.Refused }):
		t.Outcome, t.EndedBy = trace.Limit, turns[len(turns)-1].Limit+" of "+turns[len(turns)-1].Agent
	case all(turns, func(u *trace.Turn) bool { return u.Unreadable || u.Limit != "" || u.Refused }):
		t.EndedBy = "unreadable"
	}
	return nil
}

// answering are the turns that the answer reads: the latest of each label.
func (r *run) answering() []*trace.Turn {
	var out []*trace.Turn
	for _, label := range r.program.labels {
		switch v := r.labels[label].(type) {
		case *trace.Turn:
			out = append(out, v)
		case []any:
			for _, x := range v {
				out = append(out, x.(*trace.Turn))
			}
		}
	}
	return out
}

func all(turns []*trace.Turn, holds func(*trace.Turn) bool) bool {
	for _, u := range turns {
		if !holds(u) {
			return false
		}
	}
	return true
}

// settle turns texts inside values into strings: the record has provenance in
// its Text fields.
func (r *run) settle() {
	if n := int64(len(r.record.Events)); n > r.program.events.Load() {
		r.program.events.Store(min(n, mostRoom))
	}
	r.record.Reply = plainValue(r.record.Reply)
	if len(r.marks) == 0 && len(r.program.patches) == 0 {
		r.settleCalls()
		return
	}
	turns := make([]*trace.Turn, r.begun)
	for i := range r.record.Events {
		switch e := &r.record.Events[i]; {
		case e.Turn != nil:
			e.Turn.Reply = plainValue(e.Turn.Reply)
			turns[e.Turn.ID] = e.Turn
		case e.Guard != nil:
			e.Guard.Reply = plainValue(e.Guard.Reply)
		case e.Message != nil && e.Message.Reply != nil:
			e.Message.Reply = r.settled(e.Message, turns)
		}
	}
	r.settleCalls()
}

// mostRoom bounds the room made for events beforehand.
const mostRoom = 1024

// settleCalls does it for calls and changes of the world, whose values may come
// from documents and files in any arm.
func (r *run) settleCalls() {
	for i := range r.record.Events {
		switch e := &r.record.Events[i]; {
		case e.Call != nil:
			e.Call.Result = plainValue(e.Call.Result)
			if e.Call.Args != nil {
				e.Call.Args = plainValue(e.Call.Args).(map[string]any)
			}
		case e.State != nil:
			e.State.Value = plainValue(e.State.Value)
		}
	}
}

// settled is a message's reply as stored: that of its turn, which has ended before
// anybody hears of it, unless a patch gave
// the recipient another one.
func (r *run) settled(m *trace.Message, turns []*trace.Turn) any {
	if m.Turn >= 0 && turns[m.Turn] != nil && !r.single[m.Turn] {
		return turns[m.Turn].Reply
	}
	return plainValue(m.Reply)
}
