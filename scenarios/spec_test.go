package scenarios

import (
	"io/fs"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"testing/fstest"

	"parley/interp"
	"parley/lang/diag"
	"parley/stdlib"
)

// check compiles everything in one file and reports what is said about it,
// warnings included.
func check(t *testing.T, root fs.FS, name string) {
	t.Helper()
	module, found := interp.Project{Root: root, Std: stdlib.FS, Getenv: os.Getenv}.Load(name)
	if module != nil {
		found = module.Check()
	}
	for _, d := range found {
		t.Errorf("%s: %s: %s (%s)", place(module, d), d.Code, d.Message, d.Hint)
	}
}

func place(module *interp.Module, d diag.Diagnostic) string {
	if module == nil {
		return d.File
	}
	src := module.Source(d.File)
	if src == nil {
		return d.File
	}
	at := src.Position(d.Span.Start)
	return d.File + ":" + strconv.Itoa(at.Line) + ":" + strconv.Itoa(at.Column)
}

// fenced lists the blocks of a page that open with the given words behind ```.
func fenced(t *testing.T, page, opening string) []string {
	t.Helper()
	raw, err := os.ReadFile(page)
	if err != nil {
		t.Fatal(err)
	}
	var blocks []string
	for _, rest := range strings.Split(string(raw), "\n```"+opening+"\n")[1:] {
		text, _, closed := strings.Cut(rest, "\n```\n")
		if !closed {
			t.Fatalf("%s: a block is never closed", page)
		}
		blocks = append(blocks, text+"\n")
	}
	return blocks
}

// TestReferenceCompiles holds every example of the reference to the compiler.
func TestReferenceCompiles(t *testing.T) {
	const page = "../lang/SPEC.md"
	data := fenced(t, page, "jsonl")
	if len(data) != 1 {
		t.Fatalf("%d data blocks, want 1", len(data))
	}
	for i, text := range fenced(t, page, "parley") {
		t.Run(strconv.Itoa(i+1), func(t *testing.T) {
			check(t, fstest.MapFS{
				"example.parley": {Data: []byte(text)},
				"facts.jsonl":    {Data: []byte(data[0])},
			}, "example.parley")
			if t.Failed() {
				t.Log("\n" + text)
			}
		})
	}
}

// TestReadmeCompiles does the same for the first page, whose examples stand
// beside the scenarios.
func TestReadmeCompiles(t *testing.T) {
	facts, err := os.ReadFile("quickstart/facts.jsonl")
	if err != nil {
		t.Fatal(err)
	}
	for i, text := range fenced(t, "../README.md", "parley") {
		t.Run(strconv.Itoa(i+1), func(t *testing.T) {
			check(t, fstest.MapFS{
				"example.parley":         {Data: []byte(text)},
				"quickstart/facts.jsonl": {Data: facts},
			}, "example.parley")
		})
	}
}

func TestScenariosCompile(t *testing.T) {
	names, err := filepath.Glob("*.parley")
	if err != nil || len(names) < 3 {
		t.Fatalf("found %v: %v", names, err)
	}
	for _, name := range names {
		t.Run(name, func(t *testing.T) { check(t, os.DirFS("."), name) })
	}
}

func TestLibraryCompiles(t *testing.T) {
	err := fs.WalkDir(stdlib.FS, ".", func(name string, d fs.DirEntry, err error) error {
		if err == nil && strings.HasSuffix(name, ".parley") {
			t.Run(name, func(t *testing.T) { check(t, stdlib.FS, name) })
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
}
