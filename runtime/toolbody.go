package runtime

import (
	"fmt"
	"strconv"

	"parley/runtime/eval"
	"parley/runtime/segment"
	"parley/runtime/trace"
)

// runTool runs a tool's body and returns what it returns. A body that fails has
// changed nothing, or nothing since its last step.
func (j *job) runTool(f *frame, t *tool, call int) (any, error) {
	w := j.run.world
	sc := &scene{run: j.run, job: j, frame: f, left: MaxPasses, before: w.Checkpoint()}
	sc.path = j.turn.Path + "/" + t.src.Name + "." + strconv.Itoa(call) + "/"
	for _, label := range t.labels {
		f.vars[label] = eval.Missing{Why: "the step " + label + " has not run in this call"}
	}
	end, err := sc.statements(t.body)
	missing, ok := end.value.(eval.Missing)
	if err == nil && ok {
		err = failure("%s", first(missing.Why, "what was asked for is not there"))
	}
	if err != nil {
		// Tools that run beside each other change nothing, so they restore nothing.
		if len(j.changes) > sc.kept {
			w.Restore(sc.before)
			j.changes = j.changes[:sc.kept]
		}
		return nil, err
	}
	if end.kind == stop || end.kind == limit || end.kind == barred {
		j.end = end // the run is over, and this turn with it
	}
	return end.value, nil
}

// require ends the call with an error result unless its condition holds; an
// unknown condition does not hold.
func (sc *scene) require(s *stmt) error {
	holds, err := s.expr.truth(sc.frame)
	if err != nil || holds == eval.True {
		return err
	}
	why := "a condition of the tool does not hold"
	if s.orElse != nil {
		text, err := s.orElse.text(sc.frame, "")
		if err != nil {
			return err
		}
		why = first(text.String(), why)
	}
	return failure("%s", why)
}

// change evaluates a set or append and applies it: to the workspace, which gives
// a record of the change, or to a let.
func (sc *scene) change(s *stmt) (*trace.State, error) {
	r, f := sc.run, sc.at("set")
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
	lets := sc.lets()
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
