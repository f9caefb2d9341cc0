package runtime

import (
	"maps"
	"strconv"

	"parley/runtime/trace"
)

// SessionField is the field of a case that holds the tasks of a session.
const SessionField = "session"

// Parts are the tasks of a session, in order, each with the whole session under
// SessionField; of a single task it is the task alone.
func (c *Case) Parts() []*Case {
	list, ok := c.Fields[SessionField].([]any)
	if !c.Session || !ok || len(list) == 0 {
		return []*Case{c}
	}
	parts := make([]*Case, len(list))
	for i, v := range list {
		part := *c
		part.Session = false
		record, _ := v.(map[string]any)
		part.Fields = maps.Clone(record)
		if part.Fields == nil {
			part.Fields = map[string]any{}
		}
		part.Fields[SessionField] = list
		parts[i] = &part
	}
	return parts
}

// parts runs the program for the trial's task, or for each task of its session.
// The world and what agents remember last from one task to the next; the
// program's names and labels and its limit of turns begin anew with each.
func (r *run) parts() error {
	parts := r.input.Case.Parts()
	for i, part := range parts {
		if i > 0 {
			if err := r.another(i, part); err != nil {
				return err
			}
		}
		end, err := r.guardTask()
		if err == nil && end.kind == next {
			end, err = r.main.statements(r.program.turns)
		}
		if err != nil {
			return err
		}
		if err := r.conclude(end); err != nil {
			return err
		}
		if r.input.Case.Session {
			r.record.Append(trace.Event{Kind: trace.KindPart, Part: r.part(part)})
		}
	}
	return nil
}

// part is how a task of a session ended.
func (r *run) part(c *Case) *trace.Part {
	t := r.record
	task := maps.Clone(c.Fields)
	delete(task, SessionField)
	return &trace.Part{
		Task: task, Outcome: t.Outcome, EndedBy: t.EndedBy, Answer: t.Answer, Reply: plainValue(t.Reply), Turns: len(t.TurnList()),
	}
}

// another begins the next task of a session.
func (r *run) another(i int, part *Case) error {
	r.now, r.task = part, taskFields(part)
	r.main = &scene{run: r, path: strconv.Itoa(i+1) + "/"}
	r.lets, r.labels, r.latest = map[string]any{}, map[string]any{}, map[string]*trace.Turn{}
	r.earlier = r.begun
	t := r.record
	t.Outcome, t.EndedBy, t.Answer, t.Reply = "", "", nil, nil
	return r.offerTask()
}
