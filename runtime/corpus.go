package runtime

import (
	"fmt"
	"strconv"

	"parley/runtime/eval"
	"parley/runtime/segment"
	"parley/runtime/world"
)

// storePlan is a compiled Corpus.
type storePlan struct {
	src  *Corpus
	from *expression
}

// store is one agent's documents within a trial. It is made when the agent first
// looks into it.
type store struct {
	plans []*storePlan
	ready *world.Store
}

func (c *compiler) stores(list []Corpus) (map[string][]*storePlan, error) {
	out := map[string][]*storePlan{}
	for i := range list {
		from, err := c.expr(list[i].From)
		if err != nil {
			return nil, err
		}
		plan := &storePlan{src: &list[i], from: from}
		for _, owner := range list[i].Owners {
			out[owner] = append(out[owner], plan)
		}
	}
	return out, nil
}

// layStores gives every owner its own store, and offers the stores to the patches
// that insert documents.
func (r *run) layStores(w *runWorld) error {
	w.stores = make(map[string]*store, len(r.program.worldly.stores))
	for owner, plans := range r.program.worldly.stores {
		w.stores[owner] = &store{plans: plans}
	}
	return r.offerStores(w)
}

// documents are those of a file, then those that the task brings; so many stand
// before them in the store.
func (r *run) documents(plan *storePlan, before int) ([]world.Doc, error) {
	var docs []world.Doc
	for _, d := range plan.src.Docs {
		docs = append(docs, newDoc(d.ID, d.Title, d.Text, before+len(docs)))
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
		return nil, plan.from.located(fmt.Errorf("a corpus is made of a list of documents"))
	}
	for _, x := range list {
		d, err := docOf(x, before+len(docs))
		if err != nil {
			return nil, plan.from.located(err)
		}
		docs = append(docs, d)
	}
	return docs, nil
}

// newDoc makes the document at place n, from 0; its id is the place, from 1,
// where it has none of its own.
func newDoc(id, title, text string, n int) world.Doc {
	if id == "" {
		id = strconv.Itoa(n + 1)
	}
	return world.Doc{ID: id, Title: segment.Of(title, "corpus:"+id), Text: segment.Of(text, "corpus:"+id)}
}

// docOf reads a document given as a text or as a record.
func docOf(v any, n int) (world.Doc, error) {
	switch v := v.(type) {
	case string, segment.Text:
		return newDoc("", "", plain(v), n), nil
	case map[string]any:
		return newDoc(eval.Render(v["id"]).String(), plain(v["title"]), plain(v["text"]), n), nil
	}
	return world.Doc{}, fmt.Errorf("a document is a text or a record with a text")
}

// open makes the store ready.
func (s *store) open(r *run) (*world.Store, error) {
	if s.ready != nil {
		return s.ready, nil
	}
	index, err := s.base(r)
	if err != nil {
		return nil, err
	}
	s.ready = world.NewStore(index, s.plans[0].src.Top, s.plans[0].src.Truncate)
	return s.ready, nil
}

// base indexes what the store holds from the start. Equal documents are indexed
// once for all agents and trials.
func (s *store) base(r *run) (*world.Index, error) {
	var docs []world.Doc
	for _, plan := range s.plans {
		more, err := r.documents(plan, len(docs))
		if err != nil {
			return nil, err
		}
		docs = append(docs, more...)
	}
	return r.engine.indexes.Of(docs), nil
}

// retrieve returns the best documents for a query as records, best first; ties
// go by document order.
func (w *runWorld) retrieve(owner, query string) (any, error) {
	s := w.stores[owner]
	if s == nil {
		return []any{}, nil
	}
	ready, err := s.open(w.run)
	if err != nil {
		return nil, err
	}
	out := []any{}
	for _, hit := range ready.Search(query) {
		out = append(out, hit.Value())
	}
	return out, nil
}
