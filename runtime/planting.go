package runtime

import (
	"strconv"

	"parley/runtime/segment"
	"parley/runtime/world"
)

// offerStores is where the corpus slot is offered: documents are put into the
// stores of a patch's agents, taken out or changed, before anybody speaks.
func (r *run) offerStores(w *runWorld) error {
	for _, p := range r.program.patches {
		if p.src.Slot != SlotCorpus {
			continue
		}
		for _, m := range r.order {
			s := w.stores[m.agent.Name]
			if s == nil || !p.agents[m.agent.Name] {
				continue
			}
			do := r.plant
			if p.src.Op != "insert" {
				do = r.weed
			}
			if err := do(p, m, s); err != nil {
				return err
			}
		}
	}
	return nil
}

// plant adds a patch's documents to one agent's store. They get ids by their
// place, like all others, so that nothing tells them apart.
func (r *run) plant(p *patch, m *member, s *store) error {
	f := r.before(p)
	f.self, f.place = m, f.place+"/"+m.agent.Name
	if ok, err := p.due(f); !ok || err != nil {
		return err
	}
	v, err := p.value.value(f)
	if err != nil {
		return err
	}
	list, ok := elements(v)
	if !ok {
		list = []any{v}
	}
	ready, err := s.open(r)
	if err != nil {
		return err
	}
	for _, x := range list {
		d, err := docOf(x, ready.Len())
		if err != nil {
			return p.value.located(err)
		}
		if err := r.learn(p, f, d.Text.String()); err != nil {
			return err
		}
		d = world.Doc{ID: d.ID, Title: r.planted(p, d.ID, d.Title), Text: r.planted(p, d.ID, d.Text)}
		ready = ready.With(d)
		r.record.Append(insertion(p, "corpus:"+m.agent.Name, shown(d), -1))
	}
	s.ready = ready
	return nil
}

// weed takes documents out of one agent's store, or changes them: those for which
// the condition holds, which sees each as `document`.
func (r *run) weed(p *patch, m *member, s *store) error {
	ready, err := s.open(r)
	if err != nil {
		return err
	}
	var docs []world.Doc
	touched := false
	for i, d := range ready.Docs() {
		f := r.before(p)
		f.self, f.place = m, f.place+"/"+m.agent.Name+"#"+strconv.Itoa(i)
		f.vars = map[string]any{"document": map[string]any{"id": d.ID, "title": d.Title, "text": d.Text}}
		ok, err := p.due(f)
		if err != nil {
			return err
		}
		if ok {
			touched = true
			var changed *world.Doc
			if changed, err = r.otherDoc(p, f, d); err != nil {
				return err
			}
			if changed == nil {
				r.record.Append(insertion(p, "corpus:"+m.agent.Name, shown(d), -1))
				continue
			}
			d = *changed
			r.record.Append(insertion(p, "corpus:"+m.agent.Name, shown(d), -1))
		}
		docs = append(docs, d)
	}
	if touched {
		s.ready = world.NewStore(world.NewIndex(docs), s.plans[0].src.Top, s.plans[0].src.Truncate)
	}
	return nil
}

// otherDoc is what a patch makes of a document; nil where it takes it away. It
// keeps its id.
func (r *run) otherDoc(p *patch, f *frame, d world.Doc) (*world.Doc, error) {
	switch p.src.Op {
	case "remove":
		return nil, nil
	case "replace":
		v, err := p.value.value(f)
		if err != nil {
			return nil, err
		}
		other, err := docOf(v, 0)
		if err != nil {
			return nil, p.value.located(err)
		}
		if err := r.learn(p, f, other.Text.String()); err != nil {
			return nil, err
		}
		return &world.Doc{ID: d.ID, Title: r.planted(p, d.ID, other.Title), Text: r.planted(p, d.ID, other.Text)}, nil
	}
	changed, _, ok, err := r.put(p, f, d.Text)
	if !ok || err != nil {
		return &d, err
	}
	d.Text = sourcedAs(changed, "corpus:"+d.ID)
	return &d, nil
}

// planted is a part of an inserted document, or its placebo.
func (r *run) planted(p *patch, id string, t segment.Text) segment.Text {
	text := t.String()
	if p.src.Placebo {
		text = filler(text)
	}
	return segment.Of(text, "corpus:"+id).Mark(p.src.ID)
}

// shown is a document as the record shows it.
func shown(d world.Doc) segment.Text {
	if len(d.Title) == 0 {
		return d.Text
	}
	return segment.Concat(d.Title, segment.Of("\n", ""), d.Text)
}
