package lsp

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"parley/interp/query"
	"parley/lang/format"
	"parley/lang/source"
)

// methods are the requests that are answered.
func methods() map[string]request {
	return map[string]request{
		"initialize":                       asked((*server).initialize),
		"shutdown":                         asked((*server).shutdown),
		"textDocument/hover":               asked((*server).hover),
		"textDocument/definition":          asked((*server).definition),
		"textDocument/documentSymbol":      asked((*server).symbols),
		"textDocument/formatting":          asked((*server).formatting),
		"textDocument/references":          asked((*server).references),
		"textDocument/prepareRename":       asked((*server).prepareRename),
		"textDocument/rename":              asked((*server).rename),
		"textDocument/codeAction":          asked((*server).actions),
		"textDocument/completion":          asked((*server).completion),
		"textDocument/semanticTokens/full": asked((*server).colors),
		"workspace/symbol":                 asked((*server).find),
	}
}

func (s *server) initialize(_ context.Context, p initialize) (any, error) {
	s.ready = true
	s.units = choose(p.Capabilities.General.PositionEncodings)
	for _, f := range p.WorkspaceFolders {
		if dir := fileOf(f.URI); dir != "" {
			s.roots = append(s.roots, dir)
		}
	}
	if dir := fileOf(p.RootURI); dir != "" && len(s.roots) == 0 {
		s.roots = append(s.roots, dir)
	}
	return map[string]any{
		"serverInfo": map[string]string{"name": "parley", "version": s.host.Version},
		"capabilities": map[string]any{
			"positionEncoding": s.units,
			"textDocumentSync": map[string]any{"openClose": true, "change": 1, "save": true},
			"hoverProvider":    true, "definitionProvider": true, "documentSymbolProvider": true, "documentFormattingProvider": true,
			"referencesProvider": true, "renameProvider": map[string]any{"prepareProvider": true}, "workspaceSymbolProvider": true,
			"codeActionProvider": map[string]any{"codeActionKinds": []string{"quickfix"}},
			"completionProvider": map[string]any{"triggerCharacters": []string{".", "\"", "(", ":", "#"}},
			"semanticTokensProvider": map[string]any{
				"legend": map[string]any{"tokenTypes": tokenKinds, "tokenModifiers": tokenModifiers}, "full": true,
			},
		},
	}, nil
}

func (s *server) shutdown(context.Context, struct{}) (any, error) {
	s.down = true
	return nil, nil
}

// place is the document and the byte offset that a request is about.
func (s *server) place(p at) (*openDocument, *query.File, int, error) {
	d, file, err := s.open(p.TextDocument.URI)
	if err != nil {
		return d, nil, 0, err
	}
	return d, file, s.units.offset(file.Main(), p.Position), nil
}

func (s *server) hover(_ context.Context, p at) (any, error) {
	_, file, offset, err := s.place(p)
	if err != nil {
		return nil, err
	}
	m, err := file.At(offset)
	if m == nil || err != nil {
		return nil, err
	}
	var b strings.Builder
	if m.Form != "" {
		fmt.Fprintf(&b, "```parley\n%s\n```\n", m.Form)
	}
	if m.Doc != "" {
		b.WriteString("\n" + m.Doc + "\n")
	}
	if m.From != "" {
		fmt.Fprintf(&b, "\nin `%s`\n", m.From)
	}
	return hover{markup{"markdown", b.String()}, s.units.span(file.Main(), m.Span)}, nil
}

func (s *server) definition(_ context.Context, p at) (any, error) {
	d, file, offset, err := s.place(p)
	if err != nil {
		return nil, err
	}
	found, err := file.Definitions(offset)
	if err != nil {
		return nil, err
	}
	if len(found) == 0 { // what it means may be said by files that use this one
		_, w, err := s.openWorkspace(p.TextDocument.URI)
		if err != nil {
			return nil, err
		}
		if found, err = w.Definitions(d.path, offset); err != nil {
			return nil, err
		}
		return s.locations(d, w.Source, found), nil
	}
	return s.locations(d, file.Source, found), nil
}

// locations names places as the client does.
func (s *server) locations(d *openDocument, text func(string) *source.Source, found []query.Location) []location {
	out := []location{}
	for _, l := range found {
		src := text(l.File)
		if src == nil {
			continue
		}
		if uri := s.uriIn(d.folder, l.File, l.Std, src); uri != "" {
			out = append(out, location{uri, s.units.span(src, l.Span)})
		}
	}
	return out
}

func (s *server) symbols(_ context.Context, p at) (any, error) {
	_, file, err := s.open(p.TextDocument.URI)
	if err != nil {
		return nil, err
	}
	entries, err := file.Outline()
	return s.symbolsOf(file.Main(), entries), err
}

func (s *server) symbolsOf(src *source.Source, entries []query.Entry) []documentSymbol {
	out := []documentSymbol{}
	for _, e := range entries {
		out = append(out, documentSymbol{
			Name: e.Name, Detail: e.Detail, Kind: symbolKind(e.Kind), Range: s.units.span(src, e.Whole), SelectionRange: s.units.span(src, e.Span),
			Children: s.symbolsOf(src, e.Inner),
		})
	}
	return out
}

// symbolKind picks the protocol's kind that editors show best.
func symbolKind(k query.Kind) int {
	switch k {
	case "team", "scenario", "experiment", "defense":
		return 5 // class
	case "attack":
		return 24 // event
	case "workspace":
		return 4 // package
	case "model", "judge":
		return 11 // interface
	case "verify", "score":
		return 3 // namespace
	case "tasks":
		return 18 // array
	case "agents":
		return 10 // enum
	case query.Agent:
		return 19 // object
	case query.Tool, query.Test:
		return 12 // function
	case query.Label:
		return 6 // method
	case query.Predicate:
		return 17 // boolean
	case query.Estimate:
		return 16 // number
	}
	return 8 // field
}

var errBroken = errors.New("a file with syntax errors is not formatted")

func (s *server) formatting(_ context.Context, p at) (any, error) {
	d := s.docs[p.TextDocument.URI]
	if d == nil {
		return nil, errNotOpen
	}
	text, found, err := format.Source(d.path, []byte(d.text))
	switch {
	case err != nil:
		return nil, err
	case found.HasErrors():
		return nil, errBroken
	case string(text) == d.text:
		return []textEdit{}, nil
	}
	src := source.New(d.path, d.text)
	return []textEdit{smallest(s.units, src, string(text))}, nil
}

// smallest is the one edit that leaves what is the same at both ends of a text.
func smallest(units encoding, src *source.Source, to string) textEdit {
	from := src.Text
	head := 0
	for head < len(from) && head < len(to) && from[head] == to[head] {
		head++
	}
	head = strings.LastIndexByte(from[:head], '\n') + 1
	tail := 0
	for tail < len(from)-head && tail < len(to)-head && from[len(from)-1-tail] == to[len(to)-1-tail] {
		tail++
	}
	if i := strings.IndexByte(from[len(from)-tail:], '\n'); i >= 0 {
		tail -= i + 1
	} else {
		tail = 0
	}
	return textEdit{textRange{units.position(src, head), units.position(src, len(from)-tail)}, to[head : len(to)-tail]}
}
