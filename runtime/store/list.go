package store

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"sort"
	"strings"
)

// Info is a run as a list shows it. Err is set where the file cannot be read;
// then only its path is known.
type Info struct {
	Path    string
	Name    string // the file's name without its ending
	Meta    Meta
	State   State
	Trials  int // stored
	Errored int // of these
	Err     error
}

// List reads the runs of a folder, newest first. A folder that is not there
// holds none.
func List(dir string) ([]Info, error) {
	names, err := runFiles(dir)
	if err != nil {
		return nil, err
	}
	infos := make([]Info, 0, len(names))
	for _, n := range names {
		infos = append(infos, look(filepath.Join(dir, n)))
	}
	sort.SliceStable(infos, func(i, j int) bool { return later(infos[i], infos[j]) })
	return infos, nil
}

// Latest is the newest run of a target in a folder; an empty target is any.
// ErrNoRun where there is none.
func Latest(dir, target string) (Info, error) {
	names, err := runFiles(dir)
	if err != nil {
		return Info{}, err
	}
	var newest Info
	for _, n := range names {
		if newest.Path != "" && second(runName(n)) != second(newest.Name) {
			break
		}
		i := look(filepath.Join(dir, n))
		if i.Err == nil && (target == "" || i.Meta.Target == target) && (newest.Path == "" || later(i, newest)) {
			newest = i
		}
	}
	if newest.Path == "" {
		return newest, fmt.Errorf("%s: %w", dir, ErrNoRun)
	}
	return newest, nil
}

// later reports whether a run began after another. Names tell it to the second,
// what stands in the files tells it within one.
func later(a, b Info) bool {
	if x, y := second(a.Name), second(b.Name); x != y {
		return x > y
	}
	return a.Meta.Started.After(b.Meta.Started)
}

// second is the time in a run's name.
func second(name string) string { return name[:min(len(name), len("2006-01-02T15-04-05"))] }

// Find gives the path of a run that is named by its path, its name, its id or
// the beginning of its name.
func Find(dir, name string) (string, error) {
	if st, err := os.Stat(name); err == nil && st.Mode().IsRegular() {
		return name, nil
	}
	names, err := runFiles(dir)
	if err != nil {
		return "", err
	}
	var found []string
	for _, n := range names {
		whole := runName(n)
		switch {
		case n == name || whole == name:
			return filepath.Join(dir, n), nil
		case name != "" && (strings.HasPrefix(whole, name) || strings.HasSuffix(whole, "_"+name)):
			found = append(found, n)
		}
	}
	switch len(found) {
	case 0:
		return "", fmt.Errorf("%s: %w", name, ErrNoRun)
	case 1:
		return filepath.Join(dir, found[0]), nil
	}
	return "", fmt.Errorf("%s names %d runs, among them %s and %s", name, len(found), runName(found[0]), runName(found[1]))
}

// runFiles lists the run files of a folder, newest first: their names begin
// with the time.
func runFiles(dir string) ([]string, error) {
	entries, err := os.ReadDir(dir)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, explain("read the folder", dir, err)
	}
	var names []string
	for _, e := range entries {
		if e.Type().IsRegular() && strings.HasSuffix(e.Name(), Ending) {
			names = append(names, e.Name())
		}
	}
	sort.Sort(sort.Reverse(sort.StringSlice(names)))
	return names, nil
}

func look(path string) Info {
	i := Info{Path: path, Name: runName(filepath.Base(path))}
	r, err := Open(path)
	if err != nil {
		i.Err = err
		return i
	}
	i.Meta, i.State = r.Meta(), r.State()
	i.Trials, i.Errored, err = r.Counts(context.Background())
	i.Err = errors.Join(err, r.Close())
	return i
}
