package build

import (
	"errors"
	"io/fs"
	"path"
	"strings"

	"parley/interp/load"
)

// nearFile names the file that a path which leads nowhere was likely meant to be: one
// of the same folder.
func (c *Compiler) nearFile(m *load.Module, name string, err error) string {
	if !errors.Is(err, fs.ErrNotExist) && !strings.Contains(err.Error(), "there is no file") {
		return ""
	}
	root, at := c.prog.Files.Root, path.Dir(m.Name)
	if m.Std {
		root, at = c.prog.Files.Std, strings.TrimPrefix(strings.TrimPrefix(at, "std"), "/")
		if at == "" {
			at = "."
		}
	}
	folder := path.Clean(path.Join(at, path.Dir(name)))
	if root == nil || !fs.ValidPath(folder) {
		return ""
	}
	entries, err := fs.ReadDir(root, folder)
	if err != nil {
		return ""
	}
	var names []string
	for _, e := range entries {
		if !e.IsDir() && path.Ext(e.Name()) != ".parley" {
			names = append(names, e.Name())
		}
	}
	near := load.Suggest(path.Base(name), names)
	if dir := path.Dir(name); near != "" && dir != "." {
		return strings.Replace(near, "did you mean ", "did you mean "+dir+"/", 1)
	}
	return near
}
