package runtime

import (
	"fmt"
	"strconv"
	"unicode/utf8"

	"parley/runtime/eval"
	"parley/runtime/segment"
)

// storePlan is a compiled Corpus.
type storePlan struct {
	src  *Corpus
	from *expression
}

// store is one agent's documents within a trial.
type store struct {
	owner string
	plan  *storePlan
	docs  []document
	index *index // made at the first retrieval
}

// document is one text of a store, with provenance.
type document struct {
	id          string
	title, text segment.Text
}

func (c *compiler) stores(list []Corpus) ([]*storePlan, error) {
	var out []*storePlan
	for i := range list {
		from, err := c.expr(list[i].From)
		if err != nil {
			return nil, err
		}
		out = append(out, &storePlan{src: &list[i], from: from})
	}
	return out, nil
}

// layStores gives every owner its own store, and offers each store to the patches
// that insert documents.
func (r *run) layStores(w *runWorld) error {
	w.stores = map[string]*store{}
	for _, plan := range r.program.worldly.stores {
		docs, err := r.documents(plan)
		if err != nil {
			return err
		}
		for _, owner := range plan.src.Owners {
			s := &store{owner: owner, plan: plan, docs: docs[:len(docs):len(docs)]}
			if old := w.stores[owner]; old != nil {
				s.docs = append(append([]document(nil), old.docs...), docs...)
			}
			w.stores[owner] = s
		}
	}
	return r.offerStores(w)
}

// documents are those of a file, then those that the task brings.
func (r *run) documents(plan *storePlan) ([]document, error) {
	var docs []document
	for i, d := range plan.src.Docs {
		docs = append(docs, newDocument(d.ID, d.Title, d.Text, i))
	}
	if plan.from == nil {
		return docs, nil
	}
	v, err := plan.from.value(&frame{run: r, place: "start"})
	if err != nil {
		return nil, err
	}
	list, ok := elements(v)
	if !ok {
		if _, missing := v.(eval.Missing); missing || v == nil {
			return docs, nil
		}
		return nil, fmt.Errorf("%s: a corpus is made of a list of documents", plan.from.at)
	}
	for _, x := range list {
		d, err := documentOf(x, len(docs))
		if err != nil {
			return nil, fmt.Errorf("%s: %w", plan.from.at, err)
		}
		docs = append(docs, d)
	}
	return docs, nil
}

func newDocument(id, title, text string, n int) document {
	if id == "" {
		id = "d" + strconv.Itoa(n+1)
	}
	return document{id: id, title: segment.Of(title, "corpus:"+id), text: segment.Of(text, "corpus:"+id)}
}

// documentOf reads a document given as a text or as a record.
func documentOf(v any, n int) (document, error) {
	switch v := v.(type) {
	case string, segment.Text:
		return newDocument("", "", plain(v), n), nil
	case map[string]any:
		id := eval.Render(v["id"]).String()
		return newDocument(id, plain(v["title"]), plain(v["text"]), n), nil
	}
	return document{}, fmt.Errorf("a document is a text or a record with `text`")
}

// offerStores is where the corpus slot is offered: documents are put into the
// stores of a patch's agents before anybody speaks.
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
			if err := r.insert(p, m, s); err != nil {
				return err
			}
		}
	}
	return nil
}

// insert adds a patch's documents to one store.
func (r *run) insert(p *patch, m *member, s *store) error {
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
	for i, x := range list {
		d, err := documentOf(x, len(s.docs))
		if err != nil {
			return fmt.Errorf("%s: %w", p.value.at, err)
		}
		if err := r.learn(p, f, d.text.String()); err != nil {
			return err
		}
		if d.id == "d"+strconv.Itoa(len(s.docs)+1) {
			d.id = p.src.ID + "." + strconv.Itoa(i+1)
		}
		d.title, d.text = r.planted(p, d.id, d.title), r.planted(p, d.id, d.text)
		s.docs = append(s.docs, d)
		text := d.text
		if len(d.title) > 0 {
			text = segment.Concat(d.title, segment.Of("\n", ""), d.text)
		}
		r.record.Append(insertion(p, "corpus:"+s.owner, text, -1))
	}
	return nil
}

// planted is a part of an inserted document, or its placebo.
func (r *run) planted(p *patch, id string, t segment.Text) segment.Text {
	text := t.String()
	if p.src.Placebo {
		text = filler(text)
	}
	return segment.Of(text, "corpus:"+id).Mark(p.src.ID)
}

// retrieve returns the best documents for a query as records, best first; ties
// go by document order.
func (w *runWorld) retrieve(owner, query string) []any {
	s := w.stores[owner]
	if s == nil {
		return []any{}
	}
	if s.index == nil {
		s.index = newIndex(s.docs)
	}
	out := []any{}
	for _, hit := range s.index.search(query, s.plan.src.Top) {
		d := s.docs[hit.doc]
		out = append(out, map[string]any{
			"id": d.id, "title": d.title, "text": truncated(d.text, s.plan.src.Truncate), "score": hit.score,
		})
	}
	return out
}

// truncated keeps the first n characters of a text; 0 keeps all.
func truncated(t segment.Text, n int) segment.Text {
	if n <= 0 {
		return t
	}
	var out segment.Text
	for _, s := range t {
		if size := utf8.RuneCountInString(s.Text); size > n {
			s.Text = string([]rune(s.Text)[:n])
			n = 0
		} else {
			n -= size
		}
		out = append(out, s)
		if n == 0 {
			break
		}
	}
	return out
}
