package query

import (
	"io/fs"
	"path"
	"sort"
	"strings"

	"parley/interp/load"
	"parley/lang/source"
)

// maxWorkspace bounds the files of a project that are looked through.
const maxWorkspace = 2000

// Workspace is all files of a project, for questions that reach beyond what a file
// imports.
type Workspace struct {
	project Project
	files   map[string]*File
	order   []string
	names   *names
}

// OpenWorkspace reads every .parley file of a project. Files that cannot be read are
// left out.
func OpenWorkspace(p Project) (w *Workspace, err error) {
	defer recovered(&err)
	w = &Workspace{project: p, files: map[string]*File{}, order: paths(p.Root)}
	var modules []*load.Module
	for _, name := range w.order {
		f, err := Open(p, name)
		if err != nil {
			continue
		}
		w.files[name] = f
		modules = append(modules, f.prog.Modules...)
	}
	w.names = namesOf(modules)
	return w, nil
}

// paths lists the files of a project, hidden folders, those of test data and what
// runs left behind apart.
func paths(root fs.FS) []string {
	seen := map[string]bool{}
	if o, ok := root.(Overlay); ok {
		for name := range o.Texts {
			seen[name] = strings.HasSuffix(name, ".parley")
		}
		root = o.FS
	}
	_ = fs.WalkDir(root, ".", func(name string, d fs.DirEntry, err error) error {
		if err != nil {
			return nil // what cannot be read is passed over
		}
		base := path.Base(name)
		if d.IsDir() && name != "." && (strings.HasPrefix(base, ".") || base == "testdata" || base == "node_modules" || base == "runs") {
			return fs.SkipDir
		}
		if strings.HasSuffix(name, ".parley") && d.Type().IsRegular() {
			seen[name] = true
		}
		if len(seen) > maxWorkspace {
			return fs.SkipAll
		}
		return nil
	})
	var out []string
	for name, ok := range seen {
		if ok {
			out = append(out, name)
		}
	}
	sort.Strings(out)
	return out
}

// Source is the text of a file of the workspace, or of one that it imports.
func (w *Workspace) Source(name string) *source.Source {
	if ix := w.names.byName[name]; ix != nil {
		return ix.module.Source
	}
	return nil
}

// at is the name at an offset of a file, with all that the whole workspace knows.
func (w *Workspace) at(file string, offset int) (Occurrence, bool) {
	ix := w.names.byName[file]
	if ix == nil {
		return Occurrence{}, false
	}
	for _, o := range w.names.occurrences(ix.module) {
		if o.Span.Start <= offset && offset <= o.Span.End {
			return o, true
		}
	}
	return Occurrence{}, false
}

// Definitions are where the name at an offset of a file is declared, in files that
// use this one too: an attack's agents are those of the teams it is used with.
func (w *Workspace) Definitions(file string, offset int) (out []Location, err error) {
	defer recovered(&err)
	o, ok := w.at(file, offset)
	if !ok {
		return nil, nil
	}
	for _, s := range o.Symbols {
		out = append(out, Location{File: s.File, Span: s.Span, Std: s.Std, Def: true})
	}
	return out, nil
}

// References are all places of the workspace that name what stands at an offset of a
// file, in order of files and places.
func (w *Workspace) References(file string, offset int) (out []Location, err error) {
	defer recovered(&err)
	o, ok := w.at(file, offset)
	if !ok {
		return nil, nil
	}
	for _, at := range w.naming(o.Symbols) {
		out = append(out, at.Location)
	}
	return out, nil
}

// naming is a place that names something, and what else it may mean there.
type naming struct {
	Location
	Occurrence
}

// naming finds all places that name one of some symbols.
func (w *Workspace) naming(syms []*Symbol) []naming {
	want := map[id]bool{}
	for _, s := range syms {
		want[s.id()] = true
	}
	var out []naming
	for _, m := range w.names.modules {
		for _, o := range w.names.occurrences(m) {
			for _, s := range o.Symbols {
				if want[s.id()] {
					out = append(out, naming{Location{File: m.Name, Span: o.Span, Std: m.Std, Def: o.Def}, o})
					break
				}
			}
		}
	}
	sort.SliceStable(out, func(i, j int) bool {
		if out[i].File != out[j].File {
			return out[i].File < out[j].File
		}
		return out[i].Location.Span.Start < out[j].Location.Span.Start
	})
	return out
}

// Found is something that the workspace declares.
type Found struct {
	Location
	Kind Kind
	Name string
}

// maxFound bounds what a search for names gives.
const maxFound = 500

// Find lists the declarations, agents, tools and steps whose names hold the letters
// of a text in their order.
func (w *Workspace) Find(text string) (out []Found, err error) {
	defer recovered(&err)
	for _, name := range w.order {
		f := w.files[name]
		if f == nil {
			continue
		}
		entries, err := f.Outline()
		if err != nil {
			return nil, err
		}
		var add func(list []Entry)
		add = func(list []Entry) {
			for _, e := range list {
				if len(out) < maxFound && holds(e.Name, text) {
					out = append(out, Found{Location{File: name, Span: e.Span}, e.Kind, e.Name})
				}
				add(e.Inner)
			}
		}
		add(entries)
	}
	return out, nil
}

func holds(name, letters string) bool {
	rest := []rune(strings.ToLower(letters))
	for _, r := range strings.ToLower(name) {
		if len(rest) > 0 && r == rest[0] {
			rest = rest[1:]
		}
	}
	return len(rest) == 0
}
