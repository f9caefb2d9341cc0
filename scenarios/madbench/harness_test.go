package madbench

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"testing"
	"testing/fstest"

	"parley/interp"
	"parley/stdlib"
)

// folder is this folder with one more file in it.
func folder(t *testing.T, name, text string) fstest.MapFS {
	t.Helper()
	root := fstest.MapFS{name: {Data: []byte(text)}}
	for _, pattern := range []string{"*.parley", "*.jsonl", "*.csv"} {
		found, err := filepath.Glob(pattern)
		if err != nil {
			t.Fatal(err)
		}
		for _, f := range found {
			data, err := os.ReadFile(f)
			if err != nil {
				t.Fatal(err)
			}
			root[f] = &fstest.MapFile{Data: data}
		}
	}
	return root
}

func loaded(t *testing.T, root fstest.MapFS, name string) *interp.Module {
	t.Helper()
	module, found := interp.Project{Root: root, Std: stdlib.FS, Getenv: os.Getenv}.Load(name)
	if module == nil {
		t.Fatal(found)
	}
	return module
}

// compiled loads a file of a folder, and stops at whatever is said about it.
func compiled(t *testing.T, root fstest.MapFS, name string) *interp.Module {
	t.Helper()
	module := loaded(t, root, name)
	if found := module.Check(); len(found) > 0 {
		t.Fatal(found)
	}
	return module
}

// broken runs a test and says which expectations do not hold.
func broken(t *testing.T, x *interp.Test) []string {
	t.Helper()
	played, err := x.Play(context.Background(), nil)
	if err != nil {
		t.Fatal(err)
	}
	var out []string
	for _, v := range played.Verdicts {
		if v.Holds != "yes" {
			out = append(out, fmt.Sprintf("%s is %s: %s", v.Text, v.Holds, v.Why))
		}
	}
	return out
}
