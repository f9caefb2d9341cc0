package lsp

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"parley/interp/load"
	"parley/interp/query"
	"parley/lang/diag"
	"parley/lang/source"
)

// openDocument is a text that the client has open.
type openDocument struct {
	uri     string
	version int
	text    string
	folder  *folder
	path    string // in its folder, with forward slashes

	file *query.File // as of change
	seen int
	uses map[string]bool // the files that the last look at it read

	looked lookedAt
}

// lookedAt is what was found in a document, as of a change.
type lookedAt struct {
	found  diag.List
	file   *query.File
	change int
}

// folder is a project's folder.
type folder struct {
	dir   string // empty for texts that are no files
	root  *os.Root
	files fs.FS
	cache *load.Cache

	all  *query.Workspace // as of seen
	seen int
}

func (f *folder) close() {
	if f.root != nil {
		f.root.Close() //nolint:errcheck // nothing was written through it
	}
}

// nothing is a folder without files.
type nothing struct{}

// Open finds nothing.
func (nothing) Open(name string) (fs.File, error) {
	return nil, &fs.PathError{Op: "open", Path: name, Err: fs.ErrNotExist}
}

// folderOf opens the project that a file belongs to, once.
func (s *server) folderOf(path string) (*folder, string) {
	if path == "" {
		return s.folder("", nothing{}, nil), ""
	}
	dir := s.host.Root(filepath.Dir(path))
	rel, err := filepath.Rel(dir, path)
	if err != nil || strings.HasPrefix(rel, "..") {
		dir, rel = filepath.Dir(path), filepath.Base(path)
	}
	if f := s.folders[dir]; f != nil {
		return f, filepath.ToSlash(rel)
	}
	root, err := os.OpenRoot(dir)
	if err != nil {
		return s.folder(dir, nothing{}, nil), filepath.ToSlash(rel) // not there yet
	}
	return s.folder(dir, root.FS(), root), filepath.ToSlash(rel)
}

func (s *server) folder(dir string, files fs.FS, root *os.Root) *folder {
	if f := s.folders[dir]; f != nil {
		return f
	}
	f := &folder{dir: dir, root: root, files: files, cache: load.NewCache()}
	s.folders[dir] = f
	return f
}

// project is a document's project with the texts that are open in it. stop ends a
// long look at them.
func (s *server) project(f *folder, stop func() bool) query.Project {
	texts := map[string]string{}
	for _, d := range s.docs {
		if d.folder == f {
			texts[d.path] = d.text
		}
	}
	return query.Project{
		Root: query.Overlay{FS: f.files, Texts: texts}, Std: s.host.Std, Getenv: s.host.Getenv, Cache: f.cache, Stop: stop,
	}
}

func (s *server) opened(p didOpen) {
	path := fileOf(p.TextDocument.URI)
	d := &openDocument{uri: p.TextDocument.URI, version: p.TextDocument.Version, text: p.TextDocument.Text}
	if d.folder, d.path = s.folderOf(path); d.path == "" {
		d.path = "untitled.parley"
	}
	s.docs[d.uri] = d
	s.mark(d, 0)
}

func (s *server) changed(p didChange) {
	d := s.docs[p.TextDocument.URI]
	if d == nil || len(p.ContentChanges) == 0 {
		return
	}
	for _, c := range p.ContentChanges {
		if c.Range == nil {
			d.text = c.Text
			continue
		}
		src := source.New("", d.text)
		from, to := s.units.offset(src, c.Range.Start), s.units.offset(src, c.Range.End)
		d.text = d.text[:from] + c.Text + d.text[max(from, to):]
	}
	d.version = p.TextDocument.Version
	s.mark(d, s.host.Delay)
}

func (s *server) closed(p didClose) {
	d := s.docs[p.TextDocument.URI]
	if d == nil {
		return
	}
	delete(s.docs, d.uri)
	delete(s.dirty, d.uri)
	s.change++
	s.say(d.uri, nil)
	s.markUsers(d)
	s.schedule(s.host.Delay)
}

// touched takes notice of files that may have changed on the disk.
func (s *server) touched() {
	s.change++
	for uri := range s.docs {
		s.dirty[uri] = true
	}
	s.schedule(s.host.Delay)
}

var errNotOpen = errors.New("this file is not open")

// open is what is known of an open document as it is now.
func (s *server) open(uri string) (*openDocument, *query.File, error) {
	d := s.docs[uri]
	if d == nil {
		return nil, nil, errNotOpen
	}
	if d.file == nil || d.seen != s.change {
		file, err := query.Open(s.project(d.folder, nil), d.path) // what is found out is kept for later requests
		if err != nil {
			return d, nil, err
		}
		d.file, d.seen = file, s.change
	}
	return d, d.file, nil
}

// uriIn names a file of a folder as the client does; library files are put where it
// can open them. It is empty where that cannot be.
func (s *server) uriIn(f *folder, name string, std bool, src *source.Source) string {
	if std {
		if s.host.Library == nil || src == nil {
			return ""
		}
		path, err := s.host.Library(name, src.Text)
		if err != nil {
			return ""
		}
		return uriOf(path)
	}
	for _, d := range s.docs {
		if d.folder == f && d.path == name {
			return d.uri
		}
	}
	if f.dir == "" {
		return ""
	}
	return uriOf(filepath.Join(f.dir, filepath.FromSlash(name)))
}
