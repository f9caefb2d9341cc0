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
	pages  []*fileField
	mails  []*mailField
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

type mailField struct{ id, from, subject, body *expression }

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
	var err error
	if w.files, err = c.files(src.World.Files); err != nil {
		return w, err
	}
	if w.pages, err = c.files(src.World.Pages); err != nil {
		return w, err
	}
	if w.mails, err = c.mails(src.World.Mails); err != nil {
		return w, err
	}
	for _, h := range src.World.Holes {
		text, err := c.expr(h.Default)
		if err != nil {
			return w, err
		}
		w.holes = append(w.holes, &holeField{name: h.Name, text: text})
	}
	if w.stores, err = c.stores(src.World.Corpus); err != nil {
		return w, err
	}
	w.allow, err = c.allow(src.World.Allow)
	return w, err
}

func (c *compiler) files(list []File) ([]*fileField, error) {
	var out []*fileField
	for _, f := range list {
		path, err := c.expr(f.Path)
		if err != nil {
			return nil, err
		}
		text, err := c.expr(f.Text)
		if err != nil {
			return nil, err
		}
		out = append(out, &fileField{path: path, text: text})
	}
	return out, nil
}

func (c *compiler) mails(list []Mail) ([]*mailField, error) {
	var out []*mailField
	for _, m := range list {
		field := &mailField{}
		for _, x := range []struct {
			to   **expression
			from Expr
		}{{&field.id, m.ID}, {&field.from, m.From}, {&field.subject, m.Subject}, {&field.body, m.Body}} {
			var err error
			if *x.to, err = c.expr(x.from); err != nil {
				return nil, err
			}
		}
		out = append(out, field)
	}
	return out, nil
}

// runWorld is the workspace of one trial, the documents of its agents, and what
// they are authorized to touch.
type runWorld struct {
	*world.World
	run    *run
	stores map[string]*store
	allow  []*allowRule
}

// fileView gives files or pages by name to expressions; one that is not there is
// missing.
type fileView struct {
	world.Files
	kind string
}

// Field returns the text of the file or page with this name.
func (v fileView) Field(name string) (any, bool) {
	if text, ok := v.Files.Field(name); ok {
		return text, true
	}
	return eval.Missing{Why: "there is no " + v.kind + " " + name}, true
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
		if err := file.lay(f, "file:", func(path string, text segment.Text) error { return w.SetFile(path, text) }); err != nil {
			return err
		}
	}
	for _, page := range plan.pages {
		if err := page.lay(f, "page:", w.SetPage); err != nil {
			return err
		}
	}
	for _, mail := range plan.mails {
		if err := mail.lay(w, f); err != nil {
			return err
		}
	}
	if err := r.offerResources(w); err != nil {
		return err
	}
	r.layAllow(w)
	return r.layStores(w)
}

// lay evaluates a file or a page and puts it into the world.
func (x *fileField) lay(f *frame, scheme string, put func(string, segment.Text) error) error {
	path, err := x.path.text(f, "")
	if err != nil {
		return err
	}
	text, err := textOf(x.text, f, scheme+path.String())
	if err != nil {
		return err
	}
	if err := put(path.String(), text); err != nil {
		return fmt.Errorf("%s: %w", x.path.at, err)
	}
	return nil
}

func (x *mailField) lay(w *runWorld, f *frame) error {
	id, err := x.id.text(f, "")
	if err != nil {
		return err
	}
	m := world.Mail{ID: id.String()}
	for _, part := range []struct {
		to   *segment.Text
		from *expression
	}{{&m.From, x.from}, {&m.Subject, x.subject}, {&m.Body, x.body}} {
		if *part.to, err = textOf(part.from, f, "mail:"+m.ID); err != nil {
			return err
		}
	}
	if err := w.SetMail(m); err != nil {
		return fmt.Errorf("%s: %w", x.id.at, err)
	}
	return nil
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
	if len(s.State) == 0 && len(s.Files) == 0 && len(s.Mails) == 0 && len(s.Pages) == 0 {
		return nil
	}
	return s
}
