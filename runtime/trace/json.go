package trace

import (
	"bytes"
	"encoding/json"
	"fmt"
	"math"
	"strconv"

	"parley/runtime/segment"
)

// Version is the version of a trial's JSON form. Fields may be added within a
// version; readers ignore those they do not know. A change of what a field
// means raises it.
const Version = 1

// document is a trial's JSON form: the version first, then the trial's fields.
type document struct {
	Version int `json:"version"`
	*Trial
}

// Encode writes the trial as JSON. Values of no fixed type (replies, arguments,
// results, state) keep their characters and numbers; where in them a payload's
// text stood is told by the insert, exposure and carry events alone.
func Encode(t *Trial) ([]byte, error) {
	plain := *t
	plain.Events = append([]Event(nil), t.Events...)
	plain.each(func(e *Event) {
		if e.Turn != nil {
			u := *e.Turn
			e.Turn = &u
		}
		if e.Guard != nil {
			u := *e.Guard
			e.Guard = &u
		}
		if e.Call != nil {
			c := *e.Call
			e.Call = &c
		}
		if e.Message != nil {
			m := *e.Message
			e.Message = &m
		}
		if e.State != nil {
			s := *e.State
			e.State = &s
		}
		if e.Part != nil {
			p := *e.Part
			e.Part = &p
		}
	})
	plain.Before, plain.After = copyWorld(t.Before), copyWorld(t.After)
	plain.values(plainValue)
	b, err := json.Marshal(document{Version, &plain})
	if err != nil {
		return nil, fmt.Errorf("the trial cannot be written as JSON: %w", err)
	}
	return b, nil
}

// Decode reads a trial that Encode wrote, this version's or an older one's, and
// links it. Whole numbers come back as int.
func Decode(data []byte) (*Trial, error) {
	doc := document{Trial: &Trial{}}
	d := json.NewDecoder(bytes.NewReader(data))
	d.UseNumber()
	if err := d.Decode(&doc); err != nil {
		return nil, fmt.Errorf("this is not a recorded trial: %w", err)
	}
	if doc.Version < 1 || doc.Version > Version {
		return nil, fmt.Errorf("the trial is of format version %d, and this program reads up to %d", doc.Version, Version)
	}
	for i, a := range doc.Agents {
		if a == nil {
			return nil, fmt.Errorf("agent %d of the trial is empty", i+1)
		}
	}
	doc.values(goValue)
	doc.Link()
	return doc.Trial, nil
}

func copyWorld(w *World) *World {
	if w == nil {
		return nil
	}
	c := *w
	return &c
}

func (t *Trial) each(f func(*Event)) {
	for i := range t.Events {
		f(&t.Events[i])
	}
}

// values replaces every value of no fixed type by what f makes of it. Maps and
// lists are replaced, never changed.
func (t *Trial) values(f func(any) any) {
	t.Answer, t.Reply = f(t.Answer), f(t.Reply)
	for _, w := range [2]*World{t.Before, t.After} {
		if w != nil {
			w.State = mapValue(w.State, f)
		}
	}
	t.each(func(e *Event) {
		if e.Turn != nil {
			e.Turn.Reply = f(e.Turn.Reply)
		}
		if e.Guard != nil {
			e.Guard.Reply = f(e.Guard.Reply)
		}
		if e.Call != nil {
			e.Call.Args, e.Call.Result = mapValue(e.Call.Args, f), f(e.Call.Result)
		}
		if e.Message != nil {
			e.Message.Reply = f(e.Message.Reply)
		}
		if e.State != nil {
			e.State.Value = f(e.State.Value)
		}
		if e.Part != nil {
			e.Part.Task, e.Part.Answer, e.Part.Reply = mapValue(e.Part.Task, f), f(e.Part.Answer), f(e.Part.Reply)
		}
	})
}

func mapValue(m map[string]any, f func(any) any) map[string]any {
	if m == nil {
		return nil
	}
	out := make(map[string]any, len(m))
	for k, v := range m {
		out[k] = f(v)
	}
	return out
}

func within(v any, f func(any) any) any {
	switch x := v.(type) {
	case map[string]any:
		return mapValue(x, f)
	case []any:
		out := make([]any, len(x))
		for i, e := range x {
			out[i] = f(e)
		}
		return out
	}
	return v
}

// plainValue turns texts into strings; numbers that JSON lacks become null, and
// agents their names.
func plainValue(v any) any {
	switch x := v.(type) {
	case segment.Text:
		return x.String()
	case *Agent:
		return x.Name
	case float64:
		if math.IsNaN(x) || math.IsInf(x, 0) {
			return nil
		}
		// A float keeps its point, so that it does not come back whole.
		if s := strconv.FormatFloat(x, 'f', -1, 64); x == math.Trunc(x) && math.Abs(x) < 1e15 {
			return json.RawMessage(s + ".0")
		}
		return x
	}
	return within(v, plainValue)
}

func goValue(v any) any {
	n, ok := v.(json.Number)
	if !ok {
		return within(v, goValue)
	}
	if i, err := strconv.Atoi(string(n)); err == nil {
		return i
	}
	f, err := n.Float64()
	if err != nil {
		return nil
	}
	return f
}
