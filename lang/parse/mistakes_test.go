package parse_test

import (
	"flag"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"parley/lang"
	"parley/lang/diag"
	"parley/lang/source"
)

var update = flag.Bool("update", false, "write the golden files anew")

// Each file under testdata/mistakes holds one kind of mistake; beside it is
// what a reader is told.
func TestMistakes(t *testing.T) {
	files, err := filepath.Glob("testdata/mistakes/*.parley")
	if err != nil {
		t.Fatal(err)
	}
	if len(files) < 40 {
		t.Fatalf("%d files of mistakes, want at least 40", len(files))
	}
	for _, path := range files {
		name := filepath.Base(path)
		t.Run(strings.TrimSuffix(name, ".parley"), func(t *testing.T) {
			text, err := os.ReadFile(path)
			if err != nil {
				t.Fatal(err)
			}
			golden(t, strings.TrimSuffix(path, ".parley")+".txt", printed(t, name, text))
		})
	}
}

// printed parses a file and prints what was found.
func printed(t *testing.T, name string, text []byte) string {
	t.Helper()
	_, found := lang.Parse(name, text)
	if len(found) == 0 {
		t.Error("nothing was found wrong")
	}
	var out strings.Builder
	src := source.New(name, string(text))
	if err := (diag.Printer{}).Print(&out, found, func(string) *source.Source { return src }); err != nil {
		t.Fatal(err)
	}
	return out.String()
}

func golden(t *testing.T, path, got string) {
	t.Helper()
	if *update {
		if err := os.WriteFile(path, []byte(got), 0o644); err != nil {
			t.Fatal(err)
		}
		return
	}
	want, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if d := cmp.Diff(string(want), got); d != "" {
		t.Errorf("differs from %s (-want +got):\n%s", path, d)
	}
}
