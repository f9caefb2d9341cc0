package main

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"parley/interp"
	"parley/stdlib"
)

// opened is a scenario file with the project it belongs to.
type opened struct {
	project interp.Project
	path    string // slash-separated, inside the project root
	root    *os.Root
}

// Close releases the root folder.
func (o *opened) Close() error { return o.root.Close() }

// openProject finds the project of a file: the nearest folder above it that
// holds .git or parley.project, else the file's own folder. Nothing outside is read.
func openProject(file string, getenv func(string) string) (*opened, error) {
	abs, err := filepath.Abs(file)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", file, err)
	}
	if _, err := os.Stat(abs); err != nil {
		return nil, fmt.Errorf("%s: %s", file, reason(err))
	}
	dir := projectRoot(filepath.Dir(abs))
	root, err := os.OpenRoot(dir)
	if err != nil {
		return nil, fmt.Errorf("%s: %s", dir, reason(err))
	}
	rel, err := filepath.Rel(dir, abs)
	if err != nil {
		return nil, errors.Join(fmt.Errorf("%s: %w", file, err), root.Close())
	}
	return &opened{
		project: interp.Project{Root: root.FS(), Std: stdlib.FS, Getenv: getenv},
		path:    filepath.ToSlash(rel),
		root:    root,
	}, nil
}

// projectRoot walks up from dir.
func projectRoot(dir string) string {
	for d := dir; ; {
		for _, mark := range []string{".git", "parley.project"} {
			if _, err := os.Stat(filepath.Join(d, mark)); err == nil {
				return d
			}
		}
		up := filepath.Dir(d)
		if up == d {
			return dir
		}
		d = up
	}
}

// reason is what went wrong with a file, without the path that the caller names.
func reason(err error) string {
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return "there is no such file"
	case errors.Is(err, fs.ErrPermission):
		return "it may not be read"
	}
	var pe *fs.PathError
	if errors.As(err, &pe) {
		return pe.Err.Error()
	}
	return err.Error()
}
