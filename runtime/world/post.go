package world

import (
	"fmt"
	"slices"

	"parley/runtime/segment"
)

// Mail is one mail of the workspace; its parts may carry provenance.
type Mail struct {
	ID                  string // as in inbox/1
	From, Subject, Body segment.Text
}

// Value returns the mail as expressions see it.
func (m Mail) Value() map[string]any {
	return map[string]any{"id": m.ID, "from": m.From, "subject": m.Subject, "body": m.Body}
}

// SetMail puts a mail into the workspace: last, or in the place of the one that
// has its id.
func (w *World) SetMail(m Mail) error {
	if m.ID = CleanPath(m.ID); m.ID == "" {
		return fmt.Errorf("a mail needs a name, as in inbox/1")
	}
	mails := slices.Clone(w.now.mails)
	if i := w.mailAt(m.ID); i >= 0 {
		mails[i] = m
	} else {
		mails = append(mails, m)
	}
	w.now.mails = mails
	return nil
}

// Mail returns the mail with an id.
func (w *World) Mail(id string) (Mail, bool) {
	if i := w.mailAt(CleanPath(id)); i >= 0 {
		return w.now.mails[i], true
	}
	return Mail{}, false
}

func (w *World) mailAt(id string) int {
	return slices.IndexFunc(w.now.mails, func(m Mail) bool { return m.ID == id })
}

// Mails are all mails in order, as expressions see them.
func (w *World) Mails() []any {
	out := make([]any, len(w.now.mails))
	for i, m := range w.now.mails {
		out[i] = m.Value()
	}
	return out
}

// RemoveMail takes a mail away, and reports whether it was there.
func (w *World) RemoveMail(id string) bool {
	i := w.mailAt(CleanPath(id))
	if i >= 0 {
		w.now.mails = slices.Delete(slices.Clone(w.now.mails), i, i+1)
	}
	return i >= 0
}

// SetPage puts a page at an address.
func (w *World) SetPage(address string, text segment.Text) error {
	if address = CleanPath(address); address == "" {
		return fmt.Errorf("a page needs an address, as in intranet/rules")
	}
	w.now.pages = with[any](w.now.pages, address, text)
	return nil
}

// Page returns the page at an address.
func (w *World) Page(address string) (segment.Text, bool) {
	text, ok := w.now.pages[CleanPath(address)].(segment.Text)
	return text, ok
}

// Pages is the view of pages that expressions index by address.
func (w *World) Pages() Files { return Files{w.now.pages} }

// RemovePage takes a page away, and reports whether it was there.
func (w *World) RemovePage(address string) (was bool) {
	w.now.pages, was = without(w.now.pages, CleanPath(address))
	return was
}

// RemoveFile takes a file away, and reports whether it was there.
func (w *World) RemoveFile(path string) (was bool) {
	w.now.files, was = without(w.now.files, CleanPath(path))
	return was
}

// without returns a copy of m that lacks key, and whether m had it.
func without(m map[string]any, key string) (map[string]any, bool) {
	if _, ok := m[key]; !ok {
		return m, false
	}
	out := make(map[string]any, len(m))
	for name, v := range m {
		if name != key {
			out[name] = v
		}
	}
	return out, true
}
