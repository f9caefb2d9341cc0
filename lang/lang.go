// Package lang reads .parley files: text in, syntax tree and diagnostics out.
// It opens no files, asks no models and runs nothing.
package lang

import (
	"fmt"

	"parley/lang/ast"
	"parley/lang/diag"
	"parley/lang/parse"
	"parley/lang/source"
)

// Version is the language version that this program reads.
const Version = parse.Language

// Parse reads one file. name is how the user calls it, for messages.
//
// It never panics and always returns a tree, which holds as much of the file
// as could be read; the list says what could not. A file without errors in
// the list is syntactically right, its expressions included.
func Parse(name string, src []byte) (*ast.File, diag.List) {
	return guarded(name, src, parse.File)
}

// ParseLaidOut is Parse, which also tells the file's layout: nil where nothing could
// be read.
func ParseLaidOut(name string, src []byte) (file *ast.File, layout *parse.Layout, found diag.List) {
	file, found = guarded(name, src, func(s *source.Source) (f *ast.File, found diag.List) {
		f, layout, found = parse.FileAndLayout(s)
		return f, found
	})
	return file, layout, found
}

// guarded refuses what is no text, and keeps panics in.
func guarded(name string, src []byte, read func(*source.Source) (*ast.File, diag.List)) (file *ast.File, found diag.List) {
	file = &ast.File{Name: name}
	refuse := func(code diag.Code, at int, message, hint string) (*ast.File, diag.List) {
		return file, diag.List{{
			Code: code, Severity: diag.Error, File: name, Span: ast.Span{Start: at, End: at}, Message: message, Hint: hint,
		}}
	}
	if len(src) > source.MaxBytes {
		return refuse(diag.TooLarge, 0, fmt.Sprintf("this file has %d bytes, and at most 4 MiB are read", len(src)),
			"split it into several files with `use`, and keep data in data files")
	}
	if bad := source.Check(src); bad != nil {
		if bad.UTF16 {
			return refuse(diag.NotUTF8, 0, "this file is not saved as UTF-8", "it looks like UTF-16: save it as UTF-8")
		}
		return refuse(diag.NotUTF8, bad.Offset, "this file is not UTF-8 from here on", "save it as UTF-8")
	}
	// The grammars are run by a library that may panic on what it does not
	// foresee; a reader is better served by the rest of the tool.
	defer func() {
		if r := recover(); r != nil {
			_, found = refuse(diag.Unexpected, 0, "this file cannot be read, and why is not known", "please report it with the file")
		}
	}()
	return read(source.New(name, string(src)))
}
