package runtime

import (
	"fmt"
	"strconv"

	"parley/runtime/eval"
	"parley/runtime/segment"
	"parley/runtime/shape"
	"parley/runtime/trace"
	"parley/runtime/world"
)

// worldPlan is a compiled World.
type worldPlan struct {
	state  []*stateField
	files  []*fileField
	holes  []*holeField
	stores map[string][]*storePlan // by owner
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

// runWorld is the workspace of one trial, the documents of its agents, and what
// they are authorized to touch.
type runWorld struct {
	*world.World
	run    *run
	stores map[string]*store
	allow  []*allowRule
}

// fileView gives files by path to expressions; one that is not there is missing.
type fileView struct{ world.Files }

// Field returns the text of the file with this path.
func (v fileView) Field(path string) (any, bool) {
	if text, ok := v.Files.Field(path); ok {
		return text, true
	}
	return eval.Missing{Why: "there is no file " + path}, true
}

// layWorld makes the workspace as the trial finds it. Holes come first, since
// files may show them.
func (r *run) layWorld() error {
	plan := &r.program.worldly
	w := &runWorld{World: world.New(), run: r}
	r.world = w
	f := &frame{run: r, place: "start"}
	for _, h := range plan.holes {
		text, err := textOf(h.text, f, "hole:"+h.name)
		if err != nil {
			return err
		}
		if text, err = r.offerHole(h.name, text); err != nil {
			return err
		}
		w.SetHole(h.name, text)
	}
	for _, s := range plan.state {
		if err := s.lay(w, f); err != nil {
			return err
		}
	}
	for _, file := range plan.files {
		path, err := file.path.text(f, "")
		if err != nil {
			return err
		}
		text, err := textOf(file.text, f, "file:"+path.String())
		if err != nil {
			return err
		}
		if err := w.SetFile(path.String(), text); err != nil {
			return fmt.Errorf("%s: %w", file.path.at, err)
		}
	}
	r.layAllow(w)
	return r.layStores(w)
}

func textOf(x *expression, f *frame, source string) (segment.Text, error) {
	if x == nil {
		return nil, nil
	}
	return x.text(f, source)
}

func (s *stateField) lay(w *runWorld, f *frame) error {
	var v any
	if s.init != nil {
		var err error
		if v, err = s.init.value(f); err != nil {
			return err
		}
	}
	if err := w.Declare(s.name, s.shape, v); err != nil {
		if s.init != nil {
			err = s.init.located(err)
		}
		return err
	}
	return nil
}

// write is a set or an append on the workspace; it returns the place as people
// write it.
func (w *runWorld) write(root string, keys []any, v any, add bool) (string, error) {
	if t, ok := v.(segment.Text); ok && root == "files" && len(keys) == 1 {
		v = t.From("file:" + plain(keys[0]))
	}
	err := error(nil)
	if add {
		err = w.Append(root, keys, v)
	} else {
		err = w.Set(root, keys, v)
	}
	return target(root, keys), err
}

// target writes a path as in state.payments[0].amount or files["a.txt"].
func target(root string, keys []any) string {
	out := root
	for _, k := range keys {
		switch k := k.(type) {
		case int:
			out += "[" + strconv.Itoa(k) + "]"
		case string:
			if root == "files" {
				out += "[" + strconv.Quote(k) + "]"
			} else {
				out += "." + k
			}
		}
	}
	return out
}

// snapshot is the world as the record keeps it; nil where there is nothing.
func (w *runWorld) snapshot() *trace.World {
	s := w.Snapshot()
	if len(s.State) == 0 && len(s.Files) == 0 {
		return nil
	}
	return s
}
