package scenarios

import (
	"fmt"
	"io/fs"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"testing/fstest"

	"parley/interp"
	"parley/lang/format"
	"parley/lang/lex"
	"parley/lang/source"
	"parley/runtime/key"
	"parley/stdlib"
)

// shelf is a folder's files in memory, the .parley files as change makes them.
func shelf(t testing.TB, from fs.FS, change func(name, text string) string) fstest.MapFS {
	t.Helper()
	out := fstest.MapFS{}
	err := fs.WalkDir(from, ".", func(name string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		data, err := fs.ReadFile(from, name)
		if filepath.Ext(name) == ".parley" {
			data = []byte(change(name, string(data)))
		}
		out[name] = &fstest.MapFile{Data: data}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return out
}

// plans are the keys of everything that one file runs: of its scenarios,
// experiments and tests, each arm and each case.
func plans(root, std fs.FS, name string) ([]string, error) {
	m, found := interp.Project{Root: root, Std: std, Getenv: os.Getenv}.Load(name)
	if found.HasErrors() {
		return nil, fmt.Errorf("%s: %v", name, found)
	}
	var keys []string
	cell := func(title string, c *interp.Cell) {
		for _, a := range c.Plan.Arms {
			keys = append(keys, fmt.Sprintf("%s %s %s", title, a.Name, key.Of(a.Program)))
		}
		for _, task := range c.Plan.Cases {
			keys = append(keys, fmt.Sprintf("%s %s", title, key.Of(task.Fields)))
		}
	}
	for _, target := range m.Targets() {
		if target.Kind == interp.TestTarget {
			continue
		}
		suite, found := m.Compile(target.Name, interp.Options{})
		if found.HasErrors() {
			keys = append(keys, fmt.Sprint(target.Name, " does not run"))
			continue
		}
		for i, c := range suite.Cells {
			cell(fmt.Sprint(target.Name, " ", i), c)
		}
	}
	tests, _ := m.Tests()
	for i, test := range tests {
		cell(fmt.Sprint("test ", i), test.Cell)
	}
	return keys, nil
}

// A file that has lost its layout and got it back runs the same plans.
func TestFormattingKeepsPlans(t *testing.T) {
	if testing.Short() {
		t.Skip("compiles every file of the repository twice")
	}
	laidOut := func(name, text string) string {
		out, found, err := format.Source(name, []byte(text))
		if err != nil || found.HasErrors() {
			t.Fatalf("%s: %v %v", name, err, found)
		}
		return string(out)
	}
	compare := func(t testing.TB, root fs.FS, name string, change func(name, text string) string) int {
		want, err := plans(root, stdlib.FS, name)
		if err != nil {
			t.Fatal(err)
		}
		got, err := plans(shelf(t, root, change), shelf(t, stdlib.FS, change), name)
		if err != nil {
			t.Fatal(err)
		}
		if i := slices.IndexFunc(want, func(k string) bool { return !slices.Contains(got, k) }); i >= 0 || len(got) != len(want) {
			t.Errorf("%s: %d plans and cases, want %d, and the first that is gone is %d", name, len(got), len(want), i)
		}
		return len(want)
	}
	keys := 0
	for _, name := range []string{"quickstart.parley", "relay.parley", "madbench/table4b.parley"} {
		keys += compare(t, os.DirFS("."), name, laidOut)
		keys += compare(t, os.DirFS("."), name, func(name, text string) string { return laidOut(name, collapsed(text)) })
	}
	for _, name := range []string{"debate.parley", "world.parley", "attacks/madbench.parley", "measures/madbench.parley"} {
		keys += compare(t, stdlib.FS, name, laidOut)
	}
	if keys < 800 {
		t.Errorf("only %d keys were compared", keys)
	}
}

// So does one with comments and line breaks wherever they may stand.
func TestFormattingKeepsPlansOfMangledFiles(t *testing.T) {
	text, err := os.ReadFile("relay.parley")
	if err != nil {
		t.Fatal(err)
	}
	want, err := plans(os.DirFS("."), stdlib.FS, "relay.parley")
	if err != nil {
		t.Fatal(err)
	}
	// Comments stand where they document nothing: what they say of a tool is
	// sent to models. Those of the file are left out.
	blanks := []string{" ", " ", " ", "\n", "\n\n\n", "\t", " // one\n\n", "\n// two\n\n"}
	for seed := range uint64(10) {
		draw := rand.New(rand.NewPCG(seed, 1))
		mangled := spread(string(text), func() string { return blanks[draw.IntN(len(blanks))] })
		out, found, err := format.Source("relay.parley", []byte(mangled))
		if err != nil || found.HasErrors() {
			t.Fatalf("%v %v\n%s", err, found, mangled)
		}
		before, err := plans(replaced{os.DirFS("."), mangled}, stdlib.FS, "relay.parley")
		if err != nil {
			t.Fatal(err)
		}
		after, err := plans(replaced{os.DirFS("."), string(out)}, stdlib.FS, "relay.parley")
		if err != nil {
			t.Fatal(err)
		}
		if strings.Join(before, "\n") != strings.Join(after, "\n") || len(before) != len(want) {
			t.Fatalf("the plans are\n%s\nand were\n%s", strings.Join(after, "\n"), strings.Join(before, "\n"))
		}
	}
}

// replaced is a folder in which relay.parley has another text.
type replaced struct {
	fs.FS
	text string
}

func (r replaced) Open(name string) (fs.File, error) {
	if name == "relay.parley" {
		return fstest.MapFS{name: {Data: []byte(r.text)}}.Open(name)
	}
	return r.FS.Open(name)
}

// collapsed is a file on as few lines as its comments allow.
func collapsed(text string) string {
	var b strings.Builder
	behind := 0
	for _, tok := range lex.Scan(source.New("", text)).Tokens {
		if gap := text[behind:tok.Start]; strings.Contains(gap, "//") {
			b.WriteString(gap)
		} else {
			b.WriteByte(' ')
		}
		b.WriteString(tok.Text)
		behind = tok.End
	}
	return b.String()
}

// spread writes a file's tokens with something between them.
func spread(text string, blank func() string) string {
	var b strings.Builder
	for _, tok := range lex.Scan(source.New("", text)).Tokens {
		b.WriteString(tok.Text)
		b.WriteString(blank())
	}
	return b.String()
}
