package runtime

import (
	"fmt"
	"strconv"
	"strings"

	"parley/runtime/eval"
	"parley/runtime/segment"
	"parley/runtime/world"
)

// offerResources is where the resources of the world are offered, before anybody
// speaks: files, mails, pages, and records of the state, each by its URI.
func (r *run) offerResources(w *runWorld) error {
	for _, p := range r.program.patches {
		if p.src.Slot != SlotResource {
			continue
		}
		f := r.before(p)
		if ok, err := p.due(f); !ok || err != nil {
			if err != nil {
				return err
			}
			continue
		}
		name, err := p.uri.text(f, "")
		if err != nil {
			return err
		}
		uri, err := world.Clean(name.String())
		if err != nil {
			return p.uri.located(err)
		}
		if err := r.tamper(w, p, f, uri); err != nil {
			return err
		}
	}
	return nil
}

// tamper does what a patch does to one resource. One that is not there is noted,
// for it may depend on the task.
func (r *run) tamper(w *runWorld, p *patch, f *frame, uri string) error {
	scheme, path, _ := strings.Cut(uri, ":")
	path = world.Unescape(path)
	old, found := w.resource(scheme, path)
	var payload segment.Text
	var err error
	switch {
	case p.src.Op == "remove":
		found = w.removeResource(scheme, path)
	case p.src.Op == "insert":
		found = !found || scheme == "state"
		if found {
			payload, err = r.newResource(w, p, f, scheme, path, uri)
		}
	case found:
		var changed segment.Text
		var ok bool
		if changed, payload, ok, err = r.put(p, f, old); !ok || err != nil {
			return err
		}
		err = w.setResource(scheme, path, sourcedAs(changed, uri))
	}
	if err != nil {
		r.note("patch", "", -1, "the patch "+p.src.ID+" cannot change "+uri+": "+err.Error())
		return nil
	}
	if !found {
		what := "found no "
		if p.src.Op == "insert" {
			what = "found already there "
		}
		r.note("patch", "", -1, "the patch "+p.src.ID+" "+what+uri)
		return nil
	}
	r.record.Append(insertion(p, uri, payload, -1))
	return nil
}

// sourcedAs gives a payload's parts the resource as their source.
func sourcedAs(t segment.Text, uri string) segment.Text {
	out := append(segment.Text(nil), t...)
	for i := range out {
		if len(out[i].Payloads) > 0 {
			out[i].Source = uri
		}
	}
	return out
}

// resource is the text of a resource; of a mail its body.
func (w *runWorld) resource(scheme, path string) (segment.Text, bool) {
	switch scheme {
	case "file":
		return w.File(path)
	case "page":
		return w.Page(path)
	case "mail":
		m, ok := w.Mail(path)
		return m.Body, ok
	case "state":
		v, ok := w.stateAt(path)
		return eval.Render(v), ok
	}
	return nil, false
}

func (w *runWorld) setResource(scheme, path string, text segment.Text) error {
	switch scheme {
	case "file":
		return w.SetFile(path, text)
	case "page":
		return w.SetPage(path, text)
	case "mail":
		m, _ := w.Mail(path)
		m.Body = text
		return w.SetMail(m)
	}
	return w.Set("state", stateKeys(path), text)
}

func (w *runWorld) removeResource(scheme, path string) bool {
	switch scheme {
	case "file":
		return w.RemoveFile(path)
	case "page":
		return w.RemovePage(path)
	case "mail":
		return w.RemoveMail(path)
	}
	return false
}

// newResource adds a file, a page, a mail, or an element to a list of the state.
func (r *run) newResource(w *runWorld, p *patch, f *frame, scheme, path, uri string) (segment.Text, error) {
	v, err := p.value.value(f)
	if err != nil {
		return nil, err
	}
	record, isRecord := v.(map[string]any)
	text := eval.Render(v).String()
	if isRecord && scheme == "mail" {
		text = eval.Render(record["body"]).String()
	}
	if err := r.learn(p, f, text); err != nil {
		return nil, err
	}
	own := func(v any) segment.Text {
		return sourcedAs(r.payloadText(p, eval.Render(v).String()), uri)
	}
	switch scheme {
	case "file":
		return own(text), w.SetFile(path, own(text))
	case "page":
		return own(text), w.SetPage(path, own(text))
	case "mail":
		return own(text), w.SetMail(world.Mail{ID: path, From: own(record["from"]), Subject: own(record["subject"]), Body: own(text)})
	}
	if !isRecord {
		return own(text), w.Append("state", stateKeys(path), own(text))
	}
	return own(text), w.Append("state", stateKeys(path), owned(plainValue(v), p.src.ID))
}

// stateKeys reads state:payments/0/subject as a path into the state.
func stateKeys(path string) []any {
	var keys []any
	for i, part := range strings.Split(path, "/") {
		if n, err := strconv.Atoi(part); err == nil && i > 0 {
			keys = append(keys, n)
		} else {
			keys = append(keys, part)
		}
	}
	return keys
}

// stateAt finds a value of the state.
func (w *runWorld) stateAt(path string) (any, bool) {
	var v any = w.State()
	for _, k := range stateKeys(path) {
		switch at := v.(type) {
		case map[string]any:
			x, ok := at[fmt.Sprint(k)]
			if !ok {
				return nil, false
			}
			v = x
		case []any:
			i, ok := k.(int)
			if !ok || i < 0 || i >= len(at) {
				return nil, false
			}
			v = at[i]
		default:
			return nil, false
		}
	}
	return v, true
}
