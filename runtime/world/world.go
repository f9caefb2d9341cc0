// Package world is what a trial's workspace is made of: typed state, files, mails,
// pages and holes; searchable stores of documents; and the names of resources. Values in
// it are never changed in place: writing makes a new list, record or map along
// the path and leaves the old one to whoever still holds it. So a copy for a
// trial, a checkpoint before a call and a rollback after its failure cost a few
// words each, and what was read keeps its provenance.
package world

import (
	"fmt"
	"maps"

	"parley/runtime/segment"
	"parley/runtime/shape"
	"parley/runtime/trace"
)

// World is one trial's workspace. It is used by one trial at a time.
type World struct {
	shapes map[string]shape.Shape
	now    version
}

// version is all that a trial can change. The maps are never changed in place.
type version struct {
	state map[string]any
	files map[string]any // clean path → segment.Text or string
	holes map[string]segment.Text
	pages map[string]any // address → segment.Text
	mails []Mail
}

// New returns an empty workspace.
func New() *World {
	return &World{shapes: map[string]shape.Shape{}}
}

// Declare adds a state field of a shape with its initial value.
func (w *World) Declare(name string, s shape.Shape, initial any) error {
	v, err := s.Fit(initial)
	if err != nil {
		return fmt.Errorf("state.%s: %w", name, err)
	}
	w.shapes = with(w.shapes, name, s)
	w.now.state = with(w.now.state, name, v)
	return nil
}

// SetFile puts a file into the workspace; text is a string or segment.Text.
func (w *World) SetFile(path string, text any) error {
	if !isText(text) {
		return fmt.Errorf("files[%q]: a file holds text", path)
	}
	clean := CleanPath(path)
	if clean == "" {
		return fmt.Errorf("files[%q]: a file needs a name", path)
	}
	w.now.files = with(w.now.files, clean, text)
	return nil
}

// File returns a file's text, and false where there is none: a missing file is
// an error for the tool that wanted it, not an empty text.
func (w *World) File(path string) (segment.Text, bool) {
	v, ok := w.now.files[CleanPath(path)]
	if !ok {
		return nil, false
	}
	if text, ok := v.(segment.Text); ok {
		return text, true
	}
	return segment.Of(v.(string), "file:"+CleanPath(path)), true
}

// SetHole fills a hole: a named place where outsiders' text can stand.
func (w *World) SetHole(name string, text segment.Text) {
	w.now.holes = with(w.now.holes, name, text)
}

// State is the typed state for expressions: a record of the fields' values. It
// is a view of this moment and must not be changed.
func (w *World) State() map[string]any {
	if w.now.state == nil {
		return map[string]any{}
	}
	return w.now.state
}

// Holes are the holes' texts by name, for expressions.
func (w *World) Holes() map[string]any {
	out := make(map[string]any, len(w.now.holes))
	for name, text := range w.now.holes {
		out[name] = text
	}
	return out
}

// Files is the view of files that expressions index by path. Reading a path
// that does not exist is unknown.
type Files struct{ byPath map[string]any }

// Files returns a view of this moment's files.
func (w *World) Files() Files { return Files{w.now.files} }

// Field returns the text of the file at a path.
func (f Files) Field(path string) (any, bool) {
	v, ok := f.byPath[CleanPath(path)]
	return v, ok
}

// Checkpoint is a moment of a workspace, to which Restore returns.
type Checkpoint struct{ then version }

// Checkpoint remembers this moment. It costs a few words.
func (w *World) Checkpoint() Checkpoint { return Checkpoint{w.now} }

// Restore undoes everything since the checkpoint, so a tool whose body failed
// leaves no trace of half its work.
func (w *World) Restore(c Checkpoint) { w.now = c.then }

// Snapshot returns state, files, mails and pages as plain values for the trace.
func (w *World) Snapshot() *trace.World {
	out := &trace.World{}
	if len(w.now.state) > 0 {
		out.State = Plain(w.now.state).(map[string]any)
	}
	if len(w.now.files) > 0 {
		out.Files = make(map[string]string, len(w.now.files))
		for path, text := range w.now.files {
			out.Files[path] = Plain(text).(string)
		}
	}
	for _, m := range w.now.mails {
		out.Mails = append(out.Mails, trace.Mail{ID: m.ID, From: m.From.String(), Subject: m.Subject.String(), Body: m.Body.String()})
	}
	if len(w.now.pages) > 0 {
		out.Pages = make(map[string]string, len(w.now.pages))
		for address, text := range w.now.pages {
			out.Pages[address] = Plain(text).(string)
		}
	}
	return out
}

// Plain returns a copy of a value in which texts have lost their provenance.
func Plain(v any) any {
	switch v := v.(type) {
	case segment.Text:
		return v.String()
	case []any:
		out := make([]any, len(v))
		for i, x := range v {
			out[i] = Plain(x)
		}
		return out
	case map[string]any:
		out := make(map[string]any, len(v))
		for name, x := range v {
			out[name] = Plain(x)
		}
		return out
	}
	return v
}

func isText(v any) bool {
	switch v.(type) {
	case string, segment.Text:
		return true
	}
	return false
}

// with returns a copy of m in which key has a new value.
func with[V any](m map[string]V, key string, v V) map[string]V {
	out := make(map[string]V, len(m)+1)
	maps.Copy(out, m)
	out[key] = v
	return out
}
