package imports

import (
	"fmt"
	"io/fs"
	"os"
	"path"
	"path/filepath"
)

// Write puts the files into a folder, all or none: they are written beside it
// first. A folder that holds something is refused unless force is set, and even
// then if it holds anything that this import does not make.
func (o *Output) Write(dir string, force bool) (err error) {
	dir = filepath.Clean(dir)
	if err := o.mayReplace(dir, force); err != nil {
		return err
	}
	parent := filepath.Dir(dir)
	if err := os.MkdirAll(parent, 0o755); err != nil {
		return fmt.Errorf("%s: %s", parent, why(err))
	}
	temp, err := os.MkdirTemp(parent, ".parley-import-*")
	if err != nil {
		return fmt.Errorf("%s: nothing can be written here: %s", parent, why(err))
	}
	defer func() {
		if e := os.RemoveAll(temp); e != nil && err == nil {
			err = fmt.Errorf("%s: what was written on the way is still there: %s", temp, why(e))
		}
	}()
	fresh := filepath.Join(temp, "new")
	if err := o.writeAll(fresh); err != nil {
		return err
	}
	return swap(dir, fresh, filepath.Join(temp, "old"))
}

func (o *Output) writeAll(dir string) error {
	if err := os.Mkdir(dir, 0o755); err != nil {
		return fmt.Errorf("%s: %s", dir, why(err))
	}
	for _, f := range o.Files {
		path := filepath.Join(dir, filepath.FromSlash(f.Name))
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			return fmt.Errorf("%s: it cannot be written: %s", f.Name, why(err))
		}
		if err := os.WriteFile(path, f.Data, 0o644); err != nil {
			return fmt.Errorf("%s: it cannot be written: %s", f.Name, why(err))
		}
	}
	return nil
}

// swap puts fresh in dir's place; if that fails, what was there is put back.
func swap(dir, fresh, old string) error {
	had := true
	if err := os.Rename(dir, old); os.IsNotExist(err) {
		had = false
	} else if err != nil {
		return fmt.Errorf("%s: it cannot be replaced: %s", dir, why(err))
	}
	err := os.Rename(fresh, dir)
	if err == nil {
		return nil
	}
	if had {
		if back := os.Rename(old, dir); back != nil {
			return fmt.Errorf("%s: neither written nor put back: %s", dir, why(back))
		}
	}
	return fmt.Errorf("%s: it cannot be written: %s", dir, why(err))
}

func (o *Output) mayReplace(dir string, force bool) error {
	info, err := os.Stat(dir)
	if os.IsNotExist(err) {
		return nil
	}
	if err != nil || !info.IsDir() {
		return fmt.Errorf("%s: it is there and is no folder to write into", dir)
	}
	ours := map[string]bool{}
	for _, f := range o.Files {
		ours[f.Name] = true
		for at := path.Dir(f.Name); at != "."; at = path.Dir(at) {
			ours[at+"/"] = true
		}
	}
	return fs.WalkDir(os.DirFS(dir), ".", func(name string, e fs.DirEntry, err error) error {
		folder := ""
		if err == nil && e.IsDir() {
			folder = "/"
		}
		switch {
		case err != nil:
			return fmt.Errorf("%s: %s", dir, why(err))
		case name == ".":
			return nil
		case !ours[name+folder]:
			return fmt.Errorf("%s: this folder holds %q, which this import does not make; name another folder", dir, short(name))
		case !force:
			return fmt.Errorf("%s: this folder holds %q already; --force writes it anew", dir, name)
		}
		return nil
	})
}
