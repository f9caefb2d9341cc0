package eval

import (
	"encoding/json"
	"maps"
	"math"
	"slices"
	"strconv"
	"strings"

	"parley/runtime/segment"
)

// Fielded is a Record that can list its fields, so that it can be written out.
type Fielded interface {
	Record
	Fields() []string
}

// Render writes a value as a template does: texts as they are, numbers and
// truth values as text, nil and what is missing as nothing, an agent as its
// name, messages and turns as one block each, other lists and records as JSON.
func Render(v any) segment.Text {
	f := &frame{left: math.MaxInt, ctx: nil}
	f.since = math.MinInt
	return f.render(v)
}

func (f *frame) renderAll(args []any) segment.Text {
	var out segment.Text
	for _, a := range args {
		t := f.render(a)
		f.charge(1 + len(t))
		out = append(out, t...)
	}
	return out.Merge()
}

func (f *frame) render(v any) segment.Text {
	switch x := v.(type) {
	case nil, Missing, broken:
		return nil
	case string:
		f.text(len(x))
		return segment.Of(x, "")
	case segment.Text:
		return x
	case bool:
		return segment.Of(strconv.FormatBool(x), "")
	}
	if s, ok := numberText(v); ok {
		return segment.Of(s, "")
	}
	if t, ok := f.block(v); ok {
		return t
	}
	if n, ok := nameOf(v); ok {
		f.text(len(n))
		return segment.Of(n, "")
	}
	if it, ok := itemsOf(v); ok {
		if t, ok := f.blocks(it); ok {
			return t
		}
	}
	w := writer{f: f}
	w.json(v, 0)
	w.flush()
	return w.out.Merge()
}

// numberText writes whole floats without their fraction.
func numberText(v any) (string, bool) {
	i, fl, whole, ok := number(v)
	switch {
	case !ok:
		return "", false
	case whole:
		return strconv.Itoa(i), true
	case fl == math.Trunc(fl) && math.Abs(fl) < 1e15:
		return strconv.FormatFloat(fl, 'f', 0, 64), true
	}
	return strconv.FormatFloat(fl, 'g', -1, 64), true
}

// block writes what an agent said, as it stands in a prompt: its name in
// brackets, then the body.
func (f *frame) block(v any) (segment.Text, bool) {
	r, ok := v.(Record)
	if !ok {
		return nil, false
	}
	body, ok := r.Field("text")
	if !ok {
		return nil, false
	}
	who, ok := r.Field("from")
	if !ok {
		if who, ok = r.Field("agent"); !ok {
			return nil, false
		}
	}
	name, ok := nameOf(who)
	if !ok {
		if name, ok = textOf(who); !ok {
			return nil, false
		}
	}
	head := "[" + name + "]\n"
	f.text(len(head))
	return append(segment.Of(head, ""), f.render(body)...), true
}

// blocks writes a list of messages or turns. An empty list is nothing at all: a
// prompt that shows what was heard says nothing where nothing was.
func (f *frame) blocks(it items) (segment.Text, bool) {
	var out segment.Text
	for i := range it.n {
		t, ok := f.block(it.at(i))
		if !ok {
			return nil, false
		}
		if i > 0 {
			out = append(out, segment.Of("\n\n", "")...)
		}
		f.charge(1 + len(t))
		out = append(out, t...)
	}
	return out.Merge(), true
}

// writer writes JSON that knows where its texts came from.
type writer struct {
	f    *frame
	out  segment.Text
	open strings.Builder // what the author did not write and nobody sent
}

func (w *writer) put(s string) {
	w.f.text(len(s))
	w.open.WriteString(s)
}

func (w *writer) flush() {
	w.out = append(w.out, segment.Of(w.open.String(), "")...)
	w.open.Reset()
}

func (w *writer) json(v any, depth int) {
	if depth > maxDepth {
		w.put("null")
		return
	}
	switch x := v.(type) {
	case nil, Missing, broken:
		w.put("null")
		return
	case bool:
		w.put(strconv.FormatBool(x))
		return
	}
	if t, ok := originOf(v); ok {
		w.quoted(t)
		return
	}
	if s, ok := numberText(v); ok {
		w.number(v, s)
		return
	}
	if it, ok := itemsOf(v); ok {
		w.list(it, depth)
		return
	}
	if m, ok := mapOf(v); ok {
		w.record(slices.Sorted(maps.Keys(m)), func(k string) any { return m[k] }, depth)
		return
	}
	w.opaque(v, depth)
}

// number writes null for what JSON has no number for.
func (w *writer) number(v any, s string) {
	if _, fl, _, _ := number(v); math.IsNaN(fl) || math.IsInf(fl, 0) {
		s = "null"
	}
	w.put(s)
}

func (w *writer) list(it items, depth int) {
	w.put("[")
	for i := range it.n {
		if i > 0 {
			w.put(",")
		}
		w.json(it.at(i), depth+1)
	}
	w.put("]")
}

func (w *writer) record(keys []string, at func(k string) any, depth int) {
	w.put("{")
	for i, k := range keys {
		if i > 0 {
			w.put(",")
		}
		w.put(quoteJSON(k) + ":")
		w.json(at(k), depth+1)
	}
	w.put("}")
}

// opaque writes records: by their fields where they list them, else by what
// they said, their name or their key.
func (w *writer) opaque(v any, depth int) {
	if n, ok := nameOf(v); ok {
		w.put(quoteJSON(n))
		return
	}
	if r, ok := v.(Fielded); ok {
		w.record(r.Fields(), func(k string) any { x, _ := r.Field(k); return x }, depth)
		return
	}
	if t, ok := w.f.block(v); ok {
		w.quoted(t)
		return
	}
	if k, ok := v.(Keyed); ok {
		w.put(quoteJSON(k.Key()))
		return
	}
	w.put("null")
}

// quoted writes a text as a JSON string, each segment with its own origin.
func (w *writer) quoted(t segment.Text) {
	w.put(`"`)
	for _, s := range t {
		q := quoteJSON(s.Text)
		w.f.text(len(q))
		s.Text = q[1 : len(q)-1]
		if s.Source == "" && len(s.Payloads) == 0 {
			w.open.WriteString(s.Text)
			continue
		}
		w.flush()
		w.out = append(w.out, s)
	}
	w.open.WriteByte('"')
}

func quoteJSON(s string) string {
	var b jsonBuffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	if err := enc.Encode(s); err != nil {
		return `""`
	}
	return string(b[:len(b)-1])
}

type jsonBuffer []byte

// Write appends.
func (b *jsonBuffer) Write(p []byte) (int, error) { *b = append(*b, p...); return len(p), nil }
