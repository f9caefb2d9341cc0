package query

import (
	"errors"
	"fmt"
	"maps"
	"slices"
	"sort"
	"strings"

	"parley/lang/ast"
	"parley/lang/diag"
	"parley/lang/lex"
	"parley/lang/source"
)

// Edit puts a text in the place of another.
type Edit struct {
	File string
	Span ast.Span
	Text string
}

var errNoName = errors.New("nothing that can be renamed stands here")

// Renamable is the name at an offset of a file, if it can be renamed, or why not.
func (w *Workspace) Renamable(file string, offset int) (span ast.Span, err error) {
	defer recovered(&err)
	o, _, err := w.renamable(file, offset)
	return o.Span, err
}

func (w *Workspace) renamable(file string, offset int) (Occurrence, []naming, error) {
	o, ok := w.at(file, offset)
	if !ok || len(o.Symbols) == 0 {
		return o, nil, errNoName
	}
	places := w.naming(o.Symbols)
	for _, s := range o.Symbols {
		switch {
		case s.Std:
			return o, nil, fmt.Errorf("%s is declared in the standard library, which is not changed", s.Name)
		case s.Kind == Reply:
			return o, nil, fmt.Errorf("%q is a field that models answer with and data may hold, so it is not renamed everywhere at once", s.Name)
		case s.Name != o.Symbols[0].Name:
			return o, nil, errNoName
		}
	}
	all := map[id]*Symbol{}
	for _, p := range places {
		for _, s := range p.Symbols {
			all[s.id()] = s
		}
	}
	if len(all) > 1 {
		var names []string
		for _, s := range all {
			names = append(names, fmt.Sprintf("%s in line %d of %s", s.Kind, w.Source(s.File).LineOf(s.Span.Start), s.File))
		}
		sort.Strings(names)
		return o, nil, fmt.Errorf("%q means several things in some place, which would come apart: %s", o.Symbols[0].Name, strings.Join(names, ", "))
	}
	return o, places, nil
}

// Rename gives the edits that call the thing at an offset of a file by another name,
// wherever the workspace names it. It refuses a name that cannot be, or that would
// clash with another: what it would make is looked at first.
func (w *Workspace) Rename(file string, offset int, name string) (edits []Edit, err error) {
	defer recovered(&err)
	o, places, err := w.renamable(file, offset)
	if err != nil {
		return nil, err
	}
	if why := unfit(name); why != "" {
		return nil, errors.New(why)
	}
	sym := o.Symbols[0]
	if sym.Name == name {
		return nil, nil
	}
	for _, p := range places {
		if p.Std {
			return nil, fmt.Errorf("the standard library names %q too", sym.Name)
		}
		edits = append(edits, Edit{p.File, p.Location.Span, name})
	}
	if sym.Kind == Alias && sym.Span == sym.Whole {
		edits = append(edits, Edit{sym.File, ast.Span{Start: sym.Whole.End, End: sym.Whole.End}, " as " + name})
	}
	return edits, w.tried(sym, edits)
}

// unfit says why a word cannot be a name.
func unfit(name string) string {
	tokens := lex.Scan(source.New("", name)).Tokens
	if len(tokens) != 2 || tokens[0].Kind != lex.Word || tokens[0].Text != name {
		return fmt.Sprintf("%q is no name: a name is a word of letters, digits and _", name)
	}
	if lex.Reserved(name) {
		return fmt.Sprintf("%q is a word of the language", name)
	}
	return ""
}

// tried makes the edits aside and looks whether anything is worse than before.
func (w *Workspace) tried(sym *Symbol, edits []Edit) error {
	texts, err := w.Apply(edits)
	if err != nil {
		return err
	}
	after := w.project.overlaid(texts)
	for _, name := range w.order {
		f := w.files[name]
		if f == nil || !slices.ContainsFunc(f.Files(), func(n string) bool { _, changed := texts[n]; return changed }) {
			continue
		}
		was, _, err := Diagnose(w.project, name)
		if err != nil {
			return err
		}
		is, _, err := Diagnose(after, name)
		if err != nil {
			return err
		}
		if d, worse := moreErrors(was, is); worse {
			return fmt.Errorf("that would be wrong in %s: %s", d.File, d.Message)
		}
	}
	return w.sameNamed(after, sym, edits)
}

// moreErrors finds an error of which there were fewer before.
func moreErrors(was, is diag.List) (diag.Diagnostic, bool) {
	type kind struct {
		code diag.Code
		file string
	}
	count := map[kind]int{}
	for _, d := range was {
		count[kind{d.Code, d.File}]++
	}
	for _, d := range is {
		k := kind{d.Code, d.File}
		if count[k]--; count[k] < 0 && d.Severity == diag.Error {
			return d, true
		}
	}
	return diag.Diagnostic{}, false
}

// sameNamed holds that the new name is said at just the places where the old one was.
func (w *Workspace) sameNamed(after Project, sym *Symbol, edits []Edit) error {
	again, err := OpenWorkspace(after)
	if err != nil {
		return err
	}
	at, added := sym.Span.Start, 0
	if sym.Kind == Alias && sym.Span == sym.Whole {
		at, added = sym.Whole.End+len(" as "), 0
	}
	for _, e := range edits {
		if e.File == sym.File && e.Span.Start < sym.Span.Start {
			added += len(e.Text) - (e.Span.End - e.Span.Start)
		}
	}
	o, ok := again.at(sym.File, at+added)
	if !ok || len(again.naming(o.Symbols)) != len(edits) {
		return fmt.Errorf("%q has another meaning in one of the places where it would stand", edits[0].Text)
	}
	return nil
}

// Apply makes edits and gives the new texts of the files, by name.
func (w *Workspace) Apply(edits []Edit) (map[string]string, error) {
	by := map[string][]Edit{}
	for _, e := range edits {
		by[e.File] = append(by[e.File], e)
	}
	out := map[string]string{}
	for _, file := range slices.Sorted(maps.Keys(by)) {
		src := w.Source(file)
		if src == nil {
			return nil, fmt.Errorf("%s is not there any more", file)
		}
		list := by[file]
		sort.Slice(list, func(i, j int) bool { return list[i].Span.Start < list[j].Span.Start })
		var b strings.Builder
		at := 0
		for _, e := range list {
			if e.Span.Start < at {
				return nil, fmt.Errorf("two changes of %s overlap", file)
			}
			b.WriteString(src.Text[at:e.Span.Start] + e.Text)
			at = e.Span.End
		}
		out[file] = b.String() + src.Text[at:]
	}
	return out, nil
}
