package interp_test

import (
	"io"
	"io/fs"
	"os"
	"slices"
	"strings"
	"testing"
	"testing/fstest"

	"parley/interp"
	"parley/lang/diag"
	"parley/stdlib"
)

func load(t testing.TB, root fs.FS, file string) *interp.Module {
	t.Helper()
	m, found := interp.Project{Root: root, Std: stdlib.FS}.Load(file)
	if m == nil || found.HasErrors() {
		t.Fatalf("%s: %v", file, found)
	}
	return m
}

// TestLibraryChecks: every file of the library is right, without a warning.
func TestLibraryChecks(t *testing.T) {
	err := fs.WalkDir(stdlib.FS, ".", func(name string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() || !strings.HasSuffix(name, ".parley") {
			return err
		}
		m := load(t, stdlib.FS, name)
		if found := m.Check(); len(found) > 0 {
			t.Errorf("%s:\n%v", name, found)
		}
		tests, _ := m.Tests()
		want := 0
		for _, target := range m.Targets() {
			if target.Kind == interp.TestTarget {
				want++
			}
		}
		if len(tests) != want {
			t.Errorf("%s: %d of %d tests compile", name, len(tests), want)
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
}

const small = `use "std/debate"
scenario s(n: int = 3) { about "A debate." team debate.standard(n: n) tasks "f.jsonl" verify { ok = same(run.answer, task.answer) } score { rate a = ok } }
test "t" { scenario s() task { prompt: "P", answer: "A" } script debater[1..3] { reply "x" repeat } expect !ok }
`

func TestFacade(t *testing.T) {
	root := fstest.MapFS{"m.parley": {Data: []byte(small)}, "f.jsonl": {Data: []byte(`{"prompt":"P","answer":"A"}`)}}
	m := load(t, root, "m.parley")
	var kinds []string
	for _, target := range m.Targets() {
		kinds = append(kinds, string(target.Kind)+" "+target.Name+" "+target.Pos)
	}
	if got := strings.Join(kinds, "; "); got != "scenario s m.parley:2:1; test t m.parley:3:1" {
		t.Error(got)
	}
	suite, found := m.Compile("", interp.Options{})
	if found.HasErrors() || suite == nil || suite.Name != "s" || len(suite.Cells) != 1 {
		t.Fatal(found)
	}
	tests, found := m.Tests()
	if len(tests) != 1 || tests[0].Pos != "m.parley:3:1" {
		t.Fatal(found)
	}
	if m.Source("std/debate.parley") == nil || m.Source("x.parley") != nil {
		t.Error("sources of the files that were read are kept, and of no others")
	}
	if _, found := m.Compile("t2", interp.Options{}); !found.HasErrors() || found[0].Code != diag.NoSuchTarget {
		t.Error(found)
	}
}

// TestPublishedTasks puts the published StrategyQA file in the place of the sample
// that the scenario comes with.
func TestPublishedTasks(t *testing.T) {
	folder := os.Getenv("PARLEY_DATA")
	if folder == "" {
		folder = "../../shared/data"
	}
	if _, err := os.Stat(folder); err != nil {
		t.Skip("neither PARLEY_DATA nor shared/data beside the project is a folder with strategyqa")
	}
	data, err := os.ReadFile(folder + "/strategyqa/dev.json")
	if err != nil {
		t.Fatal(err)
	}
	src, err := os.ReadFile("../scenarios/strategyqa.parley")
	if err != nil {
		t.Fatal(err)
	}
	m := load(t, fstest.MapFS{"m.parley": {Data: src}, "strategyqa/sample.json": {Data: data}}, "m.parley")
	if found := m.Check(); len(found) > 0 {
		t.Error(found)
	}
	suite, found := m.Compile("", interp.Options{})
	if suite == nil {
		t.Fatal(found)
	}
	for _, c := range suite.Cells {
		if len(c.Plan.Cases) != 50 {
			t.Errorf("%d cases", len(c.Plan.Cases))
		}
	}
}

// TestParsedFilesFollowTheirText: a file whose text changed is parsed again.
func TestParsedFilesFollowTheirText(t *testing.T) {
	root := fstest.MapFS{"m.parley": {Data: []byte(small)}, "f.jsonl": {Data: []byte(`{"prompt":"P","answer":"A"}`)}}
	p := interp.Project{Root: root, Std: stdlib.FS, Parsed: interp.NewParsed()}
	for text, want := range map[string]int{small: 2, "": 0, strings.Replace(small, "test", "scenario z() { team debate.vote() } test", 1): 3} {
		root["m.parley"] = &fstest.MapFile{Data: []byte(text)}
		m, found := p.Load("m.parley")
		if found.HasErrors() || len(m.Targets()) != want {
			t.Errorf("%d targets, want %d (%v)", len(m.Targets()), want, found)
		}
	}
}

// TestKeptDataFollowsItsText: so is a data file.
func TestKeptDataFollowsItsText(t *testing.T) {
	root := fstest.MapFS{"m.parley": {Data: []byte(small)}}
	p := interp.Project{Root: root, Std: stdlib.FS, Parsed: interp.NewParsed()}
	for _, lines := range []int{1, 3, 2} {
		root["f.jsonl"] = &fstest.MapFile{Data: []byte(strings.Repeat(`{"prompt":"P","answer":"A"}`+"\n", lines))}
		m, _ := p.Load("m.parley")
		suite, found := m.Compile("", interp.Options{})
		if suite == nil || len(suite.Cells[0].Plan.Cases) != lines {
			t.Errorf("want %d cases: %v", lines, found)
		}
	}
}

// BenchmarkCheck is what `parley check` costs a small scenario file.
func BenchmarkCheck(b *testing.B) {
	root := fstest.MapFS{"m.parley": {Data: []byte(small)}, "f.jsonl": {Data: []byte(`{"prompt":"P","answer":"A"}`)}}
	p := interp.Project{Root: root, Std: stdlib.FS, Parsed: interp.NewParsed()}
	b.ReportAllocs()
	for b.Loop() {
		m, _ := p.Load("m.parley")
		if found := m.Check(); found.HasErrors() {
			b.Fatal(found)
		}
	}
}

// TestUnreadable: a file that cannot be read at all is said in words, at its
// place where it has one, and whoever shows the finding may ask for its text.
func TestUnreadable(t *testing.T) {
	root := fstest.MapFS{
		"bytes.parley":   {Data: []byte("scenario s() { }\n\xff")},
		"wide.parley":    {Data: []byte("\xff\xfes\x00")},
		"huge.parley":    {Data: make([]byte, 4<<20+1)},
		"pipe.parley":    {Mode: fs.ModeNamedPipe},
		"imports.parley": {Data: []byte(`use "bytes" use "huge" use "pipe"`)},
	}
	for file, want := range map[string][]diag.Code{
		"bytes.parley": {diag.NotUTF8}, "wide.parley": {diag.NotUTF8}, "huge.parley": {diag.TooLarge}, "pipe.parley": {diag.ImportNotFound},
		"none.parley": {diag.ImportNotFound}, "../x.parley": {diag.ImportEscapes},
		"imports.parley": {diag.NotUTF8, diag.TooLarge, diag.ImportNotFound},
	} {
		m, found := interp.Project{Root: root, Std: stdlib.FS}.Load(file)
		var codes []diag.Code
		for _, d := range found {
			codes = append(codes, d.Code)
		}
		if !slices.Equal(codes, want) {
			t.Errorf("%s: %v", file, found)
		}
		if err := (diag.Printer{}).Print(io.Discard, found, m.Source); err != nil {
			t.Error(err)
		}
	}
}
