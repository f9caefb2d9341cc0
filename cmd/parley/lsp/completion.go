package lsp

import (
	"context"
	"fmt"
	"strings"

	"parley/interp/query"
	"parley/lang/source"
)

func (s *server) completion(_ context.Context, p at) (any, error) {
	d := s.docs[p.TextDocument.URI]
	if d == nil {
		return nil, errNotOpen
	}
	src := source.New("", d.text)
	offset := s.units.offset(src, p.Position)
	c, err := query.Complete(s.project(d.folder, nil), d.path, offset)
	if err != nil {
		return nil, err
	}
	span := s.units.span(src, c.Span)
	list := completionList{Items: []completionItem{}}
	for _, i := range c.Items {
		item := completionItem{
			Label: strings.TrimSuffix(i.Label, ": "), Kind: completionKind(i.Kind), Detail: i.Detail,
			SortText: fmt.Sprintf("%d%s", i.Rank+1, i.Label), TextEdit: &textEdit{span, i.Label},
		}
		if strings.HasPrefix(i.Label, ".") && strings.HasSuffix(d.text[:c.Span.Start], ".") {
			continue // the dot stands there
		}
		if i.Doc != "" {
			item.Documentation = &markup{"markdown", i.Doc}
		}
		list.Items = append(list.Items, item)
	}
	return list, nil
}

// completionKind picks the protocol's kind that editors show best.
func completionKind(k query.ItemKind) int {
	switch k {
	case query.KeywordItem:
		return 14 // keyword
	case query.WordItem:
		return 20 // enum member
	case query.FieldItem, query.SlotItem:
		return 5 // field
	case query.FunctionItem:
		return 3 // function
	case query.TypeItem:
		return 25 // type parameter
	case query.FileItem:
		return 17 // file
	case query.NameItem, query.ItemKind(query.Parameter), query.ItemKind(query.Variable), query.ItemKind(query.Agent):
		return 6 // variable
	case query.ItemKind(query.Tool):
		return 2 // method
	case query.ItemKind(query.Label):
		return 23 // event
	case query.ItemKind(query.Alias):
		return 9 // module
	}
	if query.Kind(k).Declares() {
		return 7 // class
	}
	return 10 // property
}

// The words in which the server tells colours; the order is the protocol's numbers.
var (
	tokenKinds     = []string{"class", "parameter", "variable", "property", "enumMember", "method", "function", "namespace", "keyword"}
	tokenModifiers = []string{"declaration", "defaultLibrary"}
)

func tokenKind(k query.Kind) uint32 {
	switch k {
	case query.Parameter:
		return 1
	case query.Variable, query.Agent, query.NameColor:
		return 2
	case query.Label:
		return 4
	case query.Tool:
		return 5
	case query.FunctionColor:
		return 6
	case query.Alias:
		return 7
	case query.KeywordColor:
		return 8
	}
	if k.Declares() {
		return 0
	}
	return 3
}

func (s *server) colors(_ context.Context, p at) (any, error) {
	_, file, err := s.open(p.TextDocument.URI)
	if err != nil {
		return nil, err
	}
	colors, err := file.Colors()
	if err != nil {
		return nil, err
	}
	out := semanticTokens{Data: []uint32{}}
	var last position
	for _, c := range colors {
		r := s.units.span(file.Main(), c.Span)
		if r.Start.Line != r.End.Line {
			continue
		}
		column := r.Start.Character
		if r.Start.Line == last.Line {
			column -= last.Character
		}
		var modifiers uint32
		if c.Def {
			modifiers |= 1
		}
		if c.Std || c.Kind == query.FunctionColor || c.Kind == query.NameColor {
			modifiers |= 2
		}
		out.Data = append(out.Data, uint32(r.Start.Line-last.Line), uint32(column), uint32(r.End.Character-r.Start.Character), tokenKind(c.Kind), modifiers)
		last = r.Start
	}
	return out, nil
}
