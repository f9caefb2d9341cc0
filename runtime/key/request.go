package key

import (
	"parley/runtime/model"
	"parley/runtime/shape"
)

// request writes a request in canonical form: everything a model can see, and
// nothing that it cannot or that differs between equal calls. The request's
// seed and user stay out (they follow from the position), and tool-call ids,
// which servers make up, become the order of their first appearance.
func (e *encoder) request(r *model.Request) {
	e.str(r.Model)
	e.optFloat(r.Temperature)
	e.int(int64(r.MaxTokens))
	e.open(tagList, len(r.Messages))
	var ids idTable
	for i := range r.Messages {
		e.message(&r.Messages[i], &ids)
	}
	e.open(tagList, len(r.Tools))
	for i := range r.Tools {
		t := &r.Tools[i]
		e.str(t.Name)
		e.str(t.Description)
		e.shape(&t.Params)
	}
	if r.Replies == nil {
		e.null()
	} else {
		e.shape(r.Replies)
	}
}

func (e *encoder) message(m *model.Message, ids *idTable) {
	e.str(m.Role)
	e.str(m.Name)
	e.str(m.Content)
	e.open(tagList, len(m.ToolCalls))
	for i := range m.ToolCalls {
		c := &m.ToolCalls[i]
		e.int(ids.number(c.ID))
		e.str(c.Name)
		e.str(c.Args)
	}
	e.int(ids.number(m.ToolCallID))
}

// idTable numbers ids from 1 in order of appearance; the empty id is 0.
type idTable struct {
	seen  []string
	space [16]string
}

func (t *idTable) number(id string) int64 {
	if id == "" {
		return 0
	}
	if t.seen == nil {
		t.seen = t.space[:0]
	}
	for i, s := range t.seen {
		if s == id {
			return int64(i + 1)
		}
	}
	t.seen = append(t.seen, id)
	return int64(len(t.seen))
}

func (e *encoder) shape(s *shape.Shape) {
	e.str(string(s.Kind))
	e.flag(s.Optional)
	if s.Elem == nil {
		e.null()
	} else {
		e.shape(s.Elem)
	}
	e.open(tagList, len(s.Fields))
	for i := range s.Fields {
		f := &s.Fields[i]
		e.str(f.Name)
		e.shape(&f.Shape)
		e.flag(f.HasDefault)
		e.value(f.Default)
	}
	e.open(tagList, len(s.Values))
	for _, v := range s.Values {
		e.value(v)
	}
}
