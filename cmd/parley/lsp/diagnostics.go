package lsp

import (
	"context"
	"encoding/json"
	"maps"
	"slices"
	"strings"
	"time"

	"parley/interp/query"
	"parley/lang/diag"
)

// checkResult is what a look at some documents found.
type checkResult struct {
	ctx  context.Context
	docs []looked
}

type looked struct {
	uri   string
	found diag.List
	file  *query.File
	err   error
}

// mark has a document, and those that import it, looked at after a delay.
func (s *server) mark(d *openDocument, after time.Duration) {
	s.change++
	s.dirty[d.uri] = true
	s.markUsers(d)
	s.schedule(after)
}

func (s *server) markUsers(d *openDocument) {
	for uri, other := range s.docs {
		if other.folder == d.folder && other.uses[d.path] {
			s.dirty[uri] = true
		}
	}
}

// schedule calls off what is running: its texts are old.
func (s *server) schedule(after time.Duration) {
	if s.checking != nil {
		s.checking()
	}
	s.timer.Reset(after)
}

// startCheck looks at the documents that changed, beside the loop.
func (s *server) startCheck(ctx context.Context) {
	if s.checking != nil {
		return // it was called off and comes back here
	}
	if len(s.dirty) == 0 {
		return
	}
	ctx, s.checking = context.WithCancel(ctx)
	type job struct {
		uri, path string
		project   query.Project
	}
	var jobs []job
	for _, uri := range slices.Sorted(maps.Keys(s.dirty)) {
		if d := s.docs[uri]; d != nil {
			jobs = append(jobs, job{uri, d.path, s.project(d.folder, func() bool { return ctx.Err() != nil })})
		}
	}
	s.checks.Go(func() {
		r := checkResult{ctx: ctx}
		for _, j := range jobs {
			if ctx.Err() != nil {
				break
			}
			l := looked{uri: j.uri}
			l.found, l.file, l.err = query.Diagnose(j.project, j.path)
			r.docs = append(r.docs, l)
		}
		s.results <- r
	})
}

// finishCheck publishes what was found, or starts over if a text changed since.
func (s *server) finishCheck(r checkResult) error {
	stale := r.ctx.Err() != nil
	s.checking()
	s.checking = nil
	if stale {
		s.timer.Reset(0)
		return nil
	}
	for _, l := range r.docs {
		d := s.docs[l.uri]
		delete(s.dirty, l.uri)
		if d == nil || l.file == nil {
			continue
		}
		d.looked = lookedAt{l.found, l.file, s.change}
		d.uses = map[string]bool{}
		for _, name := range l.file.Files() {
			d.uses[name] = name != d.path
		}
		if err := s.say(l.uri, s.byFile(d, l)); err != nil {
			return err
		}
	}
	return nil
}

// byFile are the findings of a document, by the URI of the file they stand in.
func (s *server) byFile(d *openDocument, l looked) map[string][]diagnostic {
	out := map[string][]diagnostic{d.uri: {}}
	for _, x := range l.found {
		src := l.file.Source(x.File)
		if src == nil || strings.HasPrefix(x.File, "std/") {
			continue
		}
		uri := s.uriIn(d.folder, x.File, false, src)
		if uri == "" || uri != d.uri && s.docs[uri] != nil {
			continue // an open file is looked at for itself
		}
		out[uri] = append(out[uri], s.diagnostic(l.file, x))
	}
	return out
}

// fixData is what a diagnostic carries for the code action.
type fixData struct {
	Hint string `json:"hint"`
}

func (s *server) diagnostic(file *query.File, x diag.Diagnostic) diagnostic {
	d := diagnostic{Range: s.units.span(file.Source(x.File), x.Span), Severity: 1, Code: string(x.Code), Source: "parley", Message: x.Message}
	if x.Severity == diag.Warning {
		d.Severity = 2
	}
	switch x.Code {
	case diag.ImportUnused, diag.ParamUnused, diag.ToolUnoffered, diag.HoleUnused:
		d.Tags = []int{1} // unnecessary
	}
	if x.Hint != "" {
		d.Message += "\n" + x.Hint
		d.Data, _ = json.Marshal(fixData{x.Hint})
	}
	return d
}

// say publishes what was found through one document. A file may have findings
// through several; the client is told their union when that changes.
func (s *server) say(uri string, found map[string][]diagnostic) error {
	about := map[string]bool{uri: true}
	for other := range s.said[uri] {
		about[other] = true
	}
	for other := range found {
		about[other] = true
	}
	if s.said[uri] = found; found == nil {
		delete(s.said, uri)
	}
	for _, file := range slices.Sorted(maps.Keys(about)) {
		all := []diagnostic{}
		for _, through := range slices.Sorted(maps.Keys(s.said)) {
			if through == file || s.docs[file] == nil {
				all = appendNew(all, s.said[through][file])
			}
		}
		p := publishDiagnostics{URI: file, Diagnostics: all}
		if d := s.docs[file]; d != nil {
			p.Version = &d.version
		}
		if err := s.out.notify("textDocument/publishDiagnostics", p); err != nil {
			return err
		}
	}
	return nil
}

func appendNew(list, more []diagnostic) []diagnostic {
	for _, d := range more {
		if !slices.ContainsFunc(list, func(o diagnostic) bool {
			return o.Range == d.Range && o.Code == d.Code && o.Message == d.Message
		}) {
			list = append(list, d)
		}
	}
	return list
}
