package lsp

import (
	"bytes"
	"io"
	"io/fs"
	"time"
)

// overlay is a folder in which texts that are being edited stand in for files.
type overlay struct {
	fs.FS
	texts map[string]string
}

// Open opens the text, or else the file.
func (o overlay) Open(name string) (fs.File, error) {
	if text, ok := o.texts[name]; ok {
		return &textFile{Reader: bytes.NewReader([]byte(text)), name: name}, nil
	}
	return o.FS.Open(name)
}

// Lstat tells a text from a link: a text is none.
func (o overlay) Lstat(name string) (fs.FileInfo, error) {
	if text, ok := o.texts[name]; ok {
		return textInfo{name, int64(len(text))}, nil
	}
	return fs.Lstat(o.FS, name)
}

// Stat tells the size of a text.
func (o overlay) Stat(name string) (fs.FileInfo, error) {
	if text, ok := o.texts[name]; ok {
		return textInfo{name, int64(len(text))}, nil
	}
	return fs.Stat(o.FS, name)
}

// ReadLink reads the links of the folder.
func (o overlay) ReadLink(name string) (string, error) { return fs.ReadLink(o.FS, name) }

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
