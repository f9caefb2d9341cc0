package main

import (
	"bytes"
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
)

// mayImport says which parts of the house each part may know.
var mayImport = map[string][]string{
	"lang":      {"lang"},
	"runtime":   {"runtime"},
	"interp":    {"interp", "lang", "runtime"},
	"stdlib":    {},
	"scenarios": {"scenarios", "interp", "lang", "runtime", "stdlib"},
	"cmd":       {"cmd", "scenarios", "interp", "lang", "runtime", "stdlib"},
}

// TestHouse holds the project to its architecture: imports run one way, the
// top level is fixed, every package says what it is for, and a file holds one
// idea, which takes about 400 lines at most.
func TestHouse(t *testing.T) {
	root := filepath.Join("..", "..")
	top(t, root)
	documented := map[string]bool{}
	err := filepath.WalkDir(root, func(file string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		rel, err := filepath.Rel(root, file)
		if err != nil {
			return err
		}
		if d.IsDir() {
			if name := d.Name(); file != root && (strings.HasPrefix(name, ".") && name != ".." || name == "testdata" || name == "runs") {
				return fs.SkipDir
			}
			return nil
		}
		if strings.HasSuffix(rel, ".go") {
			checkFileOf(t, root, filepath.ToSlash(rel), documented)
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	for pkg, ok := range documented {
		if !ok {
			t.Errorf("package %s has no package comment", pkg)
		}
	}
}

// top allows the fixed names and those that begin with a dot.
func top(t *testing.T, root string) {
	t.Helper()
	entries, err := os.ReadDir(root)
	if err != nil {
		t.Fatal(err)
	}
	allowed := []string{"lang", "interp", "runtime", "stdlib", "scenarios", "cmd", "go.mod", "go.sum", "README.md", "runs"}
	for _, e := range entries {
		if !strings.HasPrefix(e.Name(), ".") && !slices.Contains(allowed, e.Name()) {
			t.Errorf("%s does not belong at the top level", e.Name())
		}
	}
}

func checkFileOf(t *testing.T, root, rel string, documented map[string]bool) {
	t.Helper()
	src, err := os.ReadFile(filepath.Join(root, rel))
	if err != nil {
		t.Fatal(err)
	}
	f, err := parser.ParseFile(token.NewFileSet(), rel, src, parser.ImportsOnly|parser.ParseComments)
	if err != nil {
		t.Fatal(err)
	}
	if strings.HasSuffix(rel, "_test.go") {
		return
	}
	pkg := path.Dir(rel)
	documented[pkg] = documented[pkg] || f.Doc != nil
	if n := bytes.Count(src, []byte("\n")); n > 420 {
		t.Errorf("%s has %d lines: more than one idea?", rel, n)
	}
	for _, word := range []string{"util", "utils", "common", "helpers", "types", "misc"} {
		if slices.Contains(strings.Split(strings.TrimSuffix(rel, ".go"), "/"), word) {
			t.Errorf("%s: the name says nothing", rel)
		}
	}
	part, _, _ := strings.Cut(rel, "/")
	for _, imp := range f.Imports {
		name, err := strconv.Unquote(imp.Path.Value)
		if err != nil {
			t.Fatal(err)
		}
		inside, ok := strings.CutPrefix(name, "parley/")
		if !ok {
			continue
		}
		target, _, _ := strings.Cut(inside, "/")
		if !slices.Contains(mayImport[part], target) {
			t.Errorf("%s imports %s: %s must not know %s", rel, name, part, target)
		}
	}
}
