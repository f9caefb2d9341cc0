package query

import (
	"path"
	"regexp"
	"strings"

	"parley/lang/ast"
	"parley/lang/diag"
)

// Fix is a change that mends a finding.
type Fix struct {
	Title string
	Edits []Edit
	// Sure says that it is what the finding suggests, and the only thing.
	Sure bool
}

var (
	nearName = regexp.MustCompile("did you mean (`?)([^`?\\s]+)(`?)\\?")
	importIt = regexp.MustCompile(`import it first: (use "std/[^"]+")`)
)

// Fixes are the changes that a finding in the file proposes.
func (f *File) Fixes(d diag.Diagnostic) (out []Fix, err error) {
	defer recovered(&err)
	src := f.Source(d.File)
	if src == nil {
		return nil, nil
	}
	text := src.Text
	if d.Span.Start < 0 || d.Span.End > len(text) || d.Span.Start > d.Span.End {
		return nil, nil
	}
	if m := nearName.FindStringSubmatch(d.Hint); m != nil {
		if span, ok := misspelt(text, d.Span, m[2]); ok {
			name := strings.Trim(m[2], `"`)
			out = append(out, Fix{"Change to " + name, []Edit{{d.File, span, name}}, true})
		}
	}
	if m := importIt.FindStringSubmatch(d.Hint); m != nil && f.hasStd(m[1]) {
		out = append(out, Fix{"Add " + m[1], []Edit{f.useLine(d.File, m[1])}, true})
	}
	if d.Code == diag.ImportUnused {
		out = append(out, Fix{"Remove the import", []Edit{{d.File, wholeLine(text, d.Span), ""}}, true})
	}
	return out, nil
}

// misspelt is the part of a finding's place that the near name stands for.
func misspelt(text string, span ast.Span, near string) (ast.Span, bool) {
	at := text[span.Start:span.End]
	switch {
	case at == "":
		return span, false
	case at[0] == '"' && len(at) > 1 && strings.HasSuffix(at, `"`):
		return ast.Span{Start: span.Start + 1, End: span.End - 1}, true
	case strings.Contains(at, `"`) && strings.Contains(near, "/"): // the path of a `use`
		i := strings.IndexByte(at, '"')
		j := strings.IndexByte(at[i+1:], '"')
		if j < 0 {
			return span, false
		}
		return ast.Span{Start: span.Start + i + 1, End: span.Start + i + 1 + j}, true
	case strings.ContainsAny(at, " \n\t(){}"):
		return span, false
	}
	return span, true
}

func wholeLine(text string, span ast.Span) ast.Span {
	start := strings.LastIndexByte(text[:span.Start], '\n') + 1
	end := len(text)
	if i := strings.IndexByte(text[span.End:], '\n'); i >= 0 {
		end = span.End + i + 1
	}
	if strings.TrimSpace(text[start:span.Start]) != "" || strings.TrimSpace(text[span.End:end]) != "" {
		return span
	}
	return ast.Span{Start: start, End: end}
}

func (f *File) hasStd(use string) bool {
	name := strings.TrimPrefix(strings.Trim(strings.TrimPrefix(use, "use "), `"`), "std/")
	if f.project.Std == nil {
		return false
	}
	file, err := f.project.Std.Open(path.Clean(name) + ".parley")
	if err != nil {
		return false
	}
	return file.Close() == nil
}

// useLine adds an import behind the others, or at the top of the file.
func (f *File) useLine(file, use string) Edit {
	for _, m := range f.prog.Modules {
		if m.Name != file {
			continue
		}
		if n := len(m.File.Uses); n > 0 {
			end := m.File.Uses[n-1].End
			return Edit{file, ast.Span{Start: end, End: end}, "\n" + use}
		}
		text := m.Source.Text
		if m.File.Language != nil {
			at := strings.Index(text, "language")
			if i := strings.IndexByte(text[at:], '\n'); i >= 0 {
				at += i + 1
				return Edit{file, ast.Span{Start: at, End: at}, "\n" + use + "\n"}
			}
		}
	}
	return Edit{file, ast.Span{}, use + "\n\n"}
}
