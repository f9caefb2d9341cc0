package lsp

import (
	"context"
	"errors"
	"strings"

	"parley/interp/query"
	"parley/lang/source"
)

// openWorkspace reads the whole project of an open document, once for each change.
func (s *server) openWorkspace(uri string) (*openDocument, *query.Workspace, error) {
	d := s.docs[uri]
	if d == nil {
		return nil, nil, errNotOpen
	}
	if d.folder.all == nil || d.folder.seen != s.change {
		w, err := query.OpenWorkspace(s.project(d.folder, nil))
		if err != nil {
			return nil, nil, err
		}
		d.folder.all, d.folder.seen = w, s.change
	}
	return d, d.folder.all, nil
}

func (s *server) references(_ context.Context, p at) (any, error) {
	d, w, err := s.openWorkspace(p.TextDocument.URI)
	if err != nil {
		return nil, err
	}
	found, err := w.References(d.path, s.units.offset(source.New("", d.text), p.Position))
	if err != nil {
		return nil, err
	}
	var kept []query.Location
	for _, l := range found {
		if !l.Def || p.Context.IncludeDeclaration {
			kept = append(kept, l)
		}
	}
	return s.locations(d, w.Source, kept), nil
}

func (s *server) prepareRename(_ context.Context, p at) (any, error) {
	d, w, err := s.openWorkspace(p.TextDocument.URI)
	if err != nil {
		return nil, err
	}
	src := source.New("", d.text)
	span, err := w.Renamable(d.path, s.units.offset(src, p.Position))
	if err != nil {
		return nil, err
	}
	return map[string]any{"range": s.units.span(src, span), "placeholder": d.text[span.Start:span.End]}, nil
}

func (s *server) rename(_ context.Context, p at) (any, error) {
	d, w, err := s.openWorkspace(p.TextDocument.URI)
	if err != nil {
		return nil, err
	}
	edits, err := w.Rename(d.path, s.units.offset(source.New("", d.text), p.Position), strings.TrimSpace(p.NewName))
	if err != nil {
		return nil, err
	}
	return s.edit(d, w.Source, edits)
}

var errNowhere = errors.New("a file that would change is not one that the editor can reach")

// edit puts edits into the client's words.
func (s *server) edit(d *openDocument, text func(string) *source.Source, edits []query.Edit) (workspaceEdit, error) {
	out := workspaceEdit{map[string][]textEdit{}}
	for _, e := range edits {
		src := text(e.File)
		if src == nil {
			return out, errNowhere
		}
		uri := s.uriIn(d.folder, e.File, strings.HasPrefix(e.File, "std/"), src)
		if uri == "" {
			return out, errNowhere
		}
		out.Changes[uri] = append(out.Changes[uri], textEdit{s.units.span(src, e.Span), e.Text})
	}
	return out, nil
}

// actions are the changes that mend what is found within a range.
func (s *server) actions(ctx context.Context, p codeActionParams) (any, error) {
	d := s.docs[p.TextDocument.URI]
	if d == nil {
		return nil, errNotOpen
	}
	if d.looked.file == nil || d.looked.change != s.change {
		found, file, err := query.Diagnose(s.project(d.folder, func() bool { return ctx.Err() != nil }), d.path)
		if err != nil {
			return nil, err
		}
		d.looked = lookedAt{found, file, s.change}
	}
	file := d.looked.file
	from, to := s.units.offset(file.Main(), p.Range.Start), s.units.offset(file.Main(), p.Range.End)
	out := []codeAction{}
	for _, x := range d.looked.found {
		if x.File != d.path || x.Span.Start > to || x.Span.End < from {
			continue
		}
		fixes, err := file.Fixes(x)
		if err != nil {
			return nil, err
		}
		for _, f := range fixes {
			edit, err := s.edit(d, file.Source, f.Edits)
			if err != nil {
				continue
			}
			out = append(out, codeAction{Title: f.Title, Kind: "quickfix", Diagnostics: []diagnostic{s.diagnostic(file, x)}, IsPreferred: f.Sure, Edit: edit})
		}
	}
	return out, nil
}

func (s *server) find(_ context.Context, p workspaceSymbolParams) (any, error) {
	out := []symbolInformation{}
	seen := map[*folder]bool{}
	for uri, d := range s.docs {
		if seen[d.folder] || d.folder.dir == "" {
			continue
		}
		seen[d.folder] = true
		_, w, err := s.openWorkspace(uri)
		if err != nil {
			return nil, err
		}
		found, err := w.Find(p.Query)
		if err != nil {
			return nil, err
		}
		for _, f := range found {
			for _, l := range s.locations(d, w.Source, []query.Location{f.Location}) {
				out = append(out, symbolInformation{f.Name, symbolKind(f.Kind), l})
			}
		}
	}
	return out, nil
}
