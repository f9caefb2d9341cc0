package query

import (
	"bytes"
	"io"
	"io/fs"
	"maps"
	"time"
)

// Overlay is a folder in which texts that are being edited stand in for files.
type Overlay struct {
	fs.FS
	// Texts are what stands in for files, by slash-separated path.
	Texts map[string]string
}

// Open opens the text, or else the file.
func (o Overlay) Open(name string) (fs.File, error) {
	if text, ok := o.Texts[name]; ok {
		return &textFile{Reader: bytes.NewReader([]byte(text)), name: name}, nil
	}
	return o.FS.Open(name)
}

// Lstat tells a text from a link: a text is none.
func (o Overlay) Lstat(name string) (fs.FileInfo, error) {
	if text, ok := o.Texts[name]; ok {
		return textInfo{name, int64(len(text))}, nil
	}
	return fs.Lstat(o.FS, name)
}

// Stat tells the size of a text.
func (o Overlay) Stat(name string) (fs.FileInfo, error) {
	if text, ok := o.Texts[name]; ok {
		return textInfo{name, int64(len(text))}, nil
	}
	return fs.Stat(o.FS, name)
}

// with is the folder with further texts in it.
func (o Overlay) with(texts map[string]string) Overlay {
	all := maps.Clone(o.Texts)
	if all == nil {
		all = map[string]string{}
	}
	maps.Copy(all, texts)
	return Overlay{o.FS, all}
}

// overlaid is the project with texts in the place of files.
func (p Project) overlaid(texts map[string]string) Project {
	o, ok := p.Root.(Overlay)
	if !ok {
		o = Overlay{FS: p.Root}
	}
	p.Root = o.with(texts)
	return p
}

// ReadLink reads the links of the folder.
func (o Overlay) ReadLink(name string) (string, error) { return fs.ReadLink(o.FS, name) }

type textFile struct {
	*bytes.Reader
	name string
}

func (f *textFile) Stat() (fs.FileInfo, error) { return textInfo{f.name, f.Size()}, nil }
func (f *textFile) Close() error               { return nil }

var _ io.Reader = (*textFile)(nil)

type textInfo struct {
	name string
	size int64
}

func (i textInfo) Name() string     { return i.name }
func (i textInfo) Size() int64      { return i.size }
func (textInfo) Mode() fs.FileMode  { return 0o444 }
func (textInfo) ModTime() time.Time { return time.Time{} }
func (textInfo) IsDir() bool        { return false }
func (textInfo) Sys() any           { return nil }
