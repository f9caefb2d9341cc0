package diff_test

import (
	"flag"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"sort"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/rogpeppe/go-internal/txtar"

	"parley/interp"
	"parley/interp/diff"
	"parley/stdlib"
)

var update = flag.Bool("update", false, "write what is found into the pairs")

// Twelve changes and what a reviewer has to be told of each.
func TestPairs(t *testing.T) {
	files, err := filepath.Glob("testdata/pairs/*.txtar")
	if err != nil || len(files) < 12 {
		t.Fatalf("%d pairs, %v", len(files), err)
	}
	for _, file := range files {
		t.Run(strings.TrimSuffix(filepath.Base(file), ".txtar"), func(t *testing.T) {
			ar, err := txtar.ParseFile(file)
			if err != nil {
				t.Fatal(err)
			}
			before, after := side(t, ar, "before/"), side(t, ar, "after/")
			var got, want strings.Builder
			if err := diff.Compare(before, after).Text(&got); err != nil {
				t.Fatal(err)
			}
			for i := range ar.Files {
				if ar.Files[i].Name != "want" {
					continue
				}
				if *update {
					ar.Files[i].Data = []byte(got.String())
					if err := os.WriteFile(file, txtar.Format(ar), 0o644); err != nil {
						t.Fatal(err)
					}
				}
				want.Write(ar.Files[i].Data)
			}
			if got.String() != want.String() {
				t.Errorf("got:\n%swant:\n%s", got.String(), want.String())
			}
			mirrored(t, diff.Compare(before, after), diff.Compare(after, before))
		})
	}
}

// side compiles the files of an archive below a prefix.
func side(t testing.TB, ar *txtar.Archive, prefix string) *diff.Side {
	t.Helper()
	root := fstest.MapFS{}
	for _, f := range ar.Files {
		if name, ok := strings.CutPrefix(f.Name, prefix); ok {
			root[name] = &fstest.MapFile{Data: f.Data}
		}
	}
	return sideOf(t, root)
}

func sideOf(t testing.TB, root fs.FS) *diff.Side {
	t.Helper()
	s, err := compileSide(root)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

func compileSide(root fs.FS) (*diff.Side, error) {
	names, err := fs.Glob(root, "*.parley")
	if err != nil {
		return nil, err
	}
	s := diff.NewSide()
	for _, name := range names {
		src, err := fs.ReadFile(root, name)
		if err != nil {
			return nil, err
		}
		mod, found := interp.Project{Root: root, Std: stdlib.FS}.Load(name)
		if !found.HasErrors() {
			found = s.Add(mod, name, src)
		}
		if found.HasErrors() {
			return nil, fmt.Errorf("%s: %v", name, found)
		}
	}
	return s, nil
}

// failing is what a test and a property have in common.
type failing interface {
	Helper()
	Errorf(format string, args ...any)
}

// mirrored checks that exchanging the sides exchanges what widens and what
// narrows, and before and after, and nothing else.
func mirrored(t failing, there, back *diff.Report) {
	t.Helper()
	turned := map[diff.Mark]diff.Mark{diff.Widens: diff.Narrows, diff.Narrows: diff.Widens}
	line := func(c diff.Change, turn bool) string {
		mark, a, b := c.Mark, c.Before, c.After
		if turn {
			a, b = b, a
			if m, ok := turned[mark]; ok {
				mark = m
			}
		}
		return strings.Join([]string{string(mark), c.Subject, a, b}, " | ")
	}
	var x, y []string
	for _, c := range there.Changes {
		x = append(x, line(c, false))
	}
	for _, c := range back.Changes {
		y = append(y, line(c, true))
	}
	sort.Strings(x)
	sort.Strings(y)
	if strings.Join(x, "\n") != strings.Join(y, "\n") {
		t.Errorf("there:\n%s\nback, turned:\n%s", strings.Join(x, "\n"), strings.Join(y, "\n"))
	}
}
