package query

import (
	"io/fs"
	"path"
	"strings"

	"parley/interp/typing"
	"parley/lang/ast"
)

// imports are the files that a `use` can name: those of the library, and those of
// the project as seen from this file.
func (a *asker) imports() {
	if a.f.project.Std != nil {
		_ = fs.WalkDir(a.f.project.Std, ".", func(name string, d fs.DirEntry, err error) error {
			if err == nil && !d.IsDir() && strings.HasSuffix(name, ".parley") {
				a.add(FileItem, 0, "std/"+strings.TrimSuffix(name, ".parley"), "standard library", "")
			}
			return nil
		})
	}
	dir := path.Dir(a.f.main.Name)
	for _, name := range paths(a.f.project.Root) {
		if name != a.f.main.Name {
			a.add(FileItem, 1, strings.TrimSuffix(relative(dir, name), ".parley"), name, "")
		}
	}
}

// dataFiles are those that tasks, documents and published values can come from.
func (a *asker) dataFiles() {
	root := a.f.project.Root
	if o, ok := root.(Overlay); ok {
		root = o.FS
	}
	dir := path.Dir(a.f.main.Name)
	count := 0
	_ = fs.WalkDir(root, dir, func(name string, d fs.DirEntry, err error) error {
		base := path.Base(name)
		switch {
		case err != nil:
			return nil
		case d.IsDir() && name != dir && (strings.HasPrefix(base, ".") || base == "runs" || base == "node_modules"):
			return fs.SkipDir
		case !d.IsDir():
			if count++; count > maxWorkspace {
				return fs.SkipAll
			}
			switch path.Ext(name) {
			case ".json", ".jsonl", ".csv", ".yaml", ".yml":
				a.add(FileItem, strings.Count(relative(dir, name), "/"), relative(dir, name), "", "")
			}
		}
		return nil
	})
}

// relative leads from a folder to a file.
func relative(dir, name string) string {
	if dir == "." {
		return name
	}
	up := ""
	for !strings.HasPrefix(name, dir+"/") {
		up += "../"
		if dir = path.Dir(dir); dir == "." {
			return up + name
		}
	}
	return up + strings.TrimPrefix(name, dir+"/")
}

// vocabulary completes a literal text by what it is compared with.
func (a *asker) vocabulary(p Project, span ast.Span) {
	text := a.f.main.Source.Text
	f, err := Open(p.overlaid(map[string]string{a.f.main.Name: text[:span.Start] + stand + text[span.End:]}), a.f.main.Name)
	if err != nil {
		return
	}
	e, t, ok := f.typedAt(span.Start + 1)
	if !ok {
		return
	}
	for _, part := range typing.Trace(e, t.env, t.want) {
		if part.Kind == typing.WordPart && part.Name == stand {
			for _, v := range part.Words.Values {
				if s, isText := v.(string); isText {
					a.add(WordItem, 0, s, part.Words.Name, "")
				}
			}
		}
	}
}
