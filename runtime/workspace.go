package runtime

import (
	"fmt"

	"parley/runtime/eval"
	"parley/runtime/segment"
	"parley/runtime/shape"
	"parley/runtime/trace"
)

// worldPlan is a compiled World.
type worldPlan struct {
	state  []*stateField
	files  []*fileField
	holes  []*holeField
	stores []*storePlan
	allow  []*allowRule
}

type stateField struct {
	name  string
	shape shape.Shape
	init  *expression
}

type fileField struct{ path, text *expression }

type holeField struct {
	name string
	text *expression
}

func (c *compiler) world(src *Program) (worldPlan, error) {
	var w worldPlan
	for i := range src.World.State {
		s := &src.World.State[i]
		init, err := c.expr(s.Init)
		if err != nil {
			return w, fmt.Errorf("state %s: %w", s.Name, err)
		}
		w.state = append(w.state, &stateField{name: s.Name, shape: s.Shape, init: init})
	}
	for _, f := range src.World.Files {
		path, err := c.expr(f.Path)
		if err != nil {
			return w, err
		}
		text, err := c.expr(f.Text)
		if err != nil {
			return w, err
		}
		w.files = append(w.files, &fileField{path: path, text: text})
	}
	for _, h := range src.World.Holes {
		text, err := c.expr(h.Default)
		if err != nil {
			return w, err
		}
		w.holes = append(w.holes, &holeField{name: h.Name, text: text})
	}
	var err error
	if w.stores, err = c.stores(src.World.Corpus); err != nil {
		return w, err
	}
	w.allow, err = c.allow(src.World.Allow)
	return w, err
}

// runWorld is the workspace of one trial. Its values are never changed in place,
// so keeping one is keeping the world as it was.
type runWorld struct {
	run    *run
	now    worldValues
	holed  fields
	stores map[string]*store
	allow  []*allowRule
}

type worldValues struct {
	state map[string]any
	files map[string]any // path → segment.Text or string
}

func (w *runWorld) state() map[string]any { return w.now.state }
func (w *runWorld) holes() fields         { return w.holed }

// files gives the files as a record: one that is not there is missing.
func (w *runWorld) files() fileRecord { return fileRecord(w.now.files) }

type fileRecord map[string]any

// Field returns the text of the file with this path.
func (m fileRecord) Field(path string) (any, bool) {
	if v, ok := m[path]; ok {
		return v, true
	}
	return eval.Missing{Why: "there is no file " + path}, true
}

// layWorld makes the workspace as the trial finds it. Holes come first, since
// files may show them.
func (r *run) layWorld() (*runWorld, error) {
	plan := &r.program.worldly
	w := &runWorld{run: r, holed: fields{}, now: worldValues{state: map[string]any{}, files: map[string]any{}}}
	r.world = w
	f := &frame{run: r, place: "start"}
	for _, h := range plan.holes {
		var text segment.Text
		var err error
		if h.text != nil {
			if text, err = h.text.text(f, "hole:"+h.name); err != nil {
				return nil, err
			}
		}
		if text, err = r.offerHole(h.name, text); err != nil {
			return nil, err
		}
		w.holed[h.name] = text
	}
	for _, s := range plan.state {
		v, err := s.start(f)
		if err != nil {
			return nil, err
		}
		w.now.state[s.name] = v
	}
	for _, file := range plan.files {
		path, err := file.path.text(f, "")
		if err != nil {
			return nil, err
		}
		text, err := file.text.text(f, "file:"+path.String())
		if err != nil {
			return nil, err
		}
		w.now.files[path.String()] = text
	}
	if err := r.layStores(w); err != nil {
		return nil, err
	}
	return w, r.layAllow(w)
}

func (s *stateField) start(f *frame) (any, error) {
	if s.init == nil {
		return nil, nil
	}
	v, err := s.init.value(f)
	if err != nil {
		return nil, err
	}
	if v, err = s.shape.Fit(v); err != nil {
		return nil, fmt.Errorf("%s: state %s: %w", s.init.at, s.name, err)
	}
	return v, nil
}

// set changes state or files and returns the target as people write it.
func (w *runWorld) set(root string, keys []any, v any, appending bool) (string, error) {
	if len(keys) == 0 {
		return "", fmt.Errorf("%s as a whole cannot be set", root)
	}
	name, ok := keys[0].(string)
	if !ok {
		return "", fmt.Errorf("%s has fields by name", root)
	}
	if root == "files" {
		return w.setFile(name, keys[1:], v, appending)
	}
	if _, declared := w.now.state[name]; !declared {
		return "", fmt.Errorf("there is no state %s", name)
	}
	changed, err := changedAt(w.now.state, keys, v, appending, "state")
	if err != nil {
		return "", err
	}
	state := changed.(map[string]any)
	for _, s := range w.run.program.worldly.state {
		if s.name == name {
			if state[name], err = s.shape.Fit(state[name]); err != nil {
				return "", fmt.Errorf("state %s: %w", name, err)
			}
		}
	}
	w.now.state = state
	return "state." + name, nil
}

func (w *runWorld) setFile(path string, more []any, v any, appending bool) (string, error) {
	if len(more) > 0 {
		return "", fmt.Errorf("a file has no parts that could be set")
	}
	text := eval.Render(v)
	if old, ok := w.now.files[path].(segment.Text); ok && appending {
		text = append(append(segment.Text(nil), old...), text...)
	}
	files := make(map[string]any, len(w.now.files)+1)
	for p, t := range w.now.files {
		files[p] = t
	}
	files[path] = text.From("file:" + path).Merge()
	w.now.files = files
	return "files[" + path + "]", nil
}

// snapshot is the world as the record keeps it; nil where there is nothing.
func (w *runWorld) snapshot() *trace.World {
	if len(w.now.state) == 0 && len(w.now.files) == 0 {
		return nil
	}
	out := &trace.World{}
	if len(w.now.state) > 0 {
		out.State = plainValue(w.now.state).(map[string]any)
	}
	if len(w.now.files) > 0 {
		out.Files = make(map[string]string, len(w.now.files))
		for path, text := range w.now.files {
			out.Files[path] = plain(text)
		}
	}
	return out
}
