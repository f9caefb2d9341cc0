package runtime

import (
	"fmt"
	"strconv"
	"sync"

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

// documents are those of a file, then those that the task brings.
func (r *run) documents(plan *storePlan) ([]world.Doc, error) {
	var docs []world.Doc
	for _, d := range plan.src.Docs {
		docs = append(docs, newDoc(d.ID, d.Title, d.Text, len(docs)))
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
		d, err := docOf(x, len(docs))
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

// open makes the store ready. Documents that depend on the task alone are
// indexed once for all trials of the task.
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

func (s *store) base(r *run) (*world.Index, error) {
	if len(s.plans) == 1 && s.plans[0].shareable() {
		return r.engine.indexes.get(r, s.plans[0])
	}
	var docs []world.Doc
	for _, plan := range s.plans {
		more, err := r.documents(plan)
		if err != nil {
			return nil, err
		}
		docs = append(docs, more...)
	}
	return world.NewIndex(docs), nil
}

// shareable reports whether the documents follow from the task alone.
func (p *storePlan) shareable() bool {
	return p.from == nil || (len(p.from.names) == 1 && p.from.reads("task"))
}

// indexCache keeps the indexes of the tasks in hand: the arms and repeats of one
// task run close together.
type indexCache struct {
	mu  sync.Mutex
	all map[indexKey]*sharedIndex
}

type indexKey struct {
	docs *Document
	from *expression
	row  int
}

type sharedIndex struct {
	once  sync.Once
	index *world.Index
	err   error
}

// indexesKept bounds the cache; what is dropped is made again.
const indexesKept = 256

func (c *indexCache) get(r *run, plan *storePlan) (*world.Index, error) {
	k := indexKey{from: plan.from, row: r.input.Case.Row}
	if len(plan.src.Docs) > 0 {
		k.docs = &plan.src.Docs[0]
	}
	c.mu.Lock()
	shared := c.all[k]
	if shared == nil {
		if len(c.all) >= indexesKept {
			clear(c.all)
		}
		shared = &sharedIndex{}
		c.all[k] = shared
	}
	c.mu.Unlock()
	shared.once.Do(func() {
		docs, err := r.documents(plan)
		shared.index, shared.err = world.NewIndex(docs), err
	})
	return shared.index, shared.err
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
