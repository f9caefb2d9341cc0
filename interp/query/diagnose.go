package query

import (
	"parley/interp/build"
	"parley/lang/diag"
)

// Diagnose says what is wrong with a file and with what it imports. Where
// something cannot be read, the declarations that do not hang on it are looked at
// all the same. Files are those that were read, the file itself last.
func Diagnose(p Project, path string) (found diag.List, f *File, err error) {
	defer recovered(&err)
	if f, err = Open(p, path); err != nil {
		return nil, nil, err
	}
	found = append(found, f.found...)
	if !found.HasErrors() {
		c := build.New(f.prog, p.Getenv)
		c.Watch(build.Watch{Stop: p.Stop})
		c.Check()
		found = append(found, c.Diagnostics()...)
	} else {
		found = append(found, f.beyond(found)...)
	}
	found.Sort()
	return found, f, nil
}
