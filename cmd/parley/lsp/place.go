package lsp

import (
	"net/url"
	"path/filepath"
	"strings"
	"unicode/utf8"

	"parley/lang/ast"
	"parley/lang/source"
)

// encoding is how a client counts within a line. All else here counts bytes, and
// these functions are the only way between the two.
type encoding string

// The encodings that are spoken. A client that names none counts UTF-16 units.
const (
	utf8Units  encoding = "utf-8"
	utf16Units encoding = "utf-16"
)

// choose takes what a client offers.
func choose(offered []string) encoding {
	for _, o := range offered {
		if o == string(utf8Units) {
			return utf8Units
		}
	}
	return utf16Units
}

// offset is the byte offset of a position, the nearest where there is none.
func (e encoding) offset(src *source.Source, p position) int {
	if e == utf16Units {
		return src.OffsetUTF16(p.Line, p.Character)
	}
	line := min(max(p.Line, 0), src.Lines()-1)
	start := src.Offset(source.Position{Line: line + 1, Column: 1})
	text := src.Line(line + 1)
	at := min(max(p.Character, 0), len(text))
	for at > 0 && at < len(text) && !utf8.RuneStart(text[at]) {
		at--
	}
	return start + at
}

// position is where a byte offset stands.
func (e encoding) position(src *source.Source, offset int) position {
	if e == utf16Units {
		line, column := src.UTF16(offset)
		return position{line, column}
	}
	offset = min(max(offset, 0), len(src.Text))
	return position{src.LineOf(offset) - 1, offset - src.LineStart(offset)}
}

func (e encoding) span(src *source.Source, s ast.Span) textRange {
	return textRange{e.position(src, s.Start), e.position(src, s.End)}
}

// fileOf is the path that a URI names; empty for what is no file.
func fileOf(uri string) string {
	u, err := url.Parse(uri)
	if err != nil || u.Scheme != "file" || u.Path == "" {
		return ""
	}
	path := u.Path
	if len(path) > 2 && path[0] == '/' && path[2] == ':' {
		path = path[1:] // a drive
	}
	return filepath.Clean(filepath.FromSlash(path))
}

// uriOf names a path.
func uriOf(path string) string {
	path = filepath.ToSlash(path)
	if !strings.HasPrefix(path, "/") {
		path = "/" + path
	}
	return (&url.URL{Scheme: "file", Path: path}).String()
}
