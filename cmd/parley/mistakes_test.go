package main

import (
	"bytes"
	"encoding/json"
	"flag"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/google/go-cmp/cmp"
	"github.com/rogpeppe/go-internal/txtar"

	"parley/interp"
	"parley/lang/diag"
	"parley/stdlib"
)

var update = flag.Bool("update", false, "write the golden files anew")

// Each archive of the corpus of mistakes holds one kind of mistake: a line that says
// what it is, the files, in which ⟦ and ⟧ stand around what is wrong, and what
// `parley check` prints. `near:` in the head names what the hint has to name;
// `second: before` says that what is wrong may hide what stands behind it.
const mistakesDir = "testdata/mistakes"

// minMistakes is how many kinds of mistake there are at least.
const minMistakes = 180

// mistakeFacts are the tasks that the files of the corpus read.
const mistakeFacts = `{"prompt":"What is the capital of Australia?","answer":"Canberra","wrong":"Sydney","wrongs":["Sydney","Perth"],"class":"easy","documents":[{"title":"Canberra","text":"Parliament sits in Canberra."}]}
{"prompt":"Which planet is the largest?","answer":"Jupiter","wrong":"Saturn","wrongs":["Saturn","Neptune"],"class":"hard","documents":[]}
`

// mistake is one archive of the corpus.
type mistake struct {
	archive *txtar.Archive
	near    string
	before  bool // a second mistake is looked for in front of this one alone
	files   map[string]string
	marks   []mark
	golden  string
}

// mark is where something is wrong.
type mark struct {
	file       string
	start, end int
}

// finding is a diagnostic as `parley check --json` prints it.
type finding struct {
	Code     diag.Code     `json:"code"`
	Severity diag.Severity `json:"severity"`
	File     string        `json:"file"`
	Start    int           `json:"start"`
	End      int           `json:"end"`
	Message  string        `json:"message"`
	Hint     string        `json:"hint"`
}

func TestMistakes(t *testing.T) {
	paths, err := filepath.Glob(filepath.Join(mistakesDir, "*.txtar"))
	if err != nil {
		t.Fatal(err)
	}
	if len(paths) < minMistakes {
		t.Fatalf("%d kinds of mistake, want at least %d", len(paths), minMistakes)
	}
	for _, path := range paths {
		t.Run(strings.TrimSuffix(filepath.Base(path), ".txtar"), func(t *testing.T) {
			t.Parallel()
			m := readMistake(t, path)
			printed, found, code := checkedFiles(t, m.files)
			m.held(t, found, code)
			m.beside(t, found)
			if *update {
				m.rewrite(t, path, printed)
			} else if d := cmp.Diff(m.golden, printed); d != "" {
				t.Errorf("differs (-want +got):\n%s", d)
			}
		})
	}
}

func readMistake(t *testing.T, path string) *mistake {
	t.Helper()
	a, err := txtar.ParseFile(path)
	if err != nil {
		t.Fatal(err)
	}
	m := &mistake{archive: a, files: map[string]string{"facts.jsonl": mistakeFacts}}
	for _, line := range strings.Split(string(a.Comment), "\n") {
		if near, ok := strings.CutPrefix(line, "near: "); ok {
			m.near = near
		}
		m.before = m.before || line == "second: before"
	}
	for _, f := range a.Files {
		if f.Name == "found" {
			m.golden = string(f.Data)
			continue
		}
		m.files[f.Name] = m.unmark(f.Name, string(f.Data))
	}
	if len(m.marks) == 0 {
		t.Fatal("the archive does not say where its mistake is")
	}
	return m
}

// unmark takes the marks out of a file and keeps their places.
func (m *mistake) unmark(name, text string) string {
	for {
		before, rest, ok := strings.Cut(text, "⟦")
		if !ok {
			return text
		}
		inner, after, _ := strings.Cut(rest, "⟧")
		m.marks = append(m.marks, mark{name, len(before), len(before) + len(inner)})
		text = before + inner + after
	}
}

// held says whether what was found is what is wrong, and reads as it should.
func (m *mistake) held(t *testing.T, found []finding, code int) {
	t.Helper()
	if len(found) != len(m.marks) {
		t.Errorf("%d places are wrong, and %d findings are said: %+v", len(m.marks), len(found), found)
		return
	}
	wrong, named := false, false
	for i, f := range found {
		if got := (mark{f.File, f.Start, f.End}); got != m.marks[i] {
			t.Errorf("said at %+v %q, and %+v is wrong", got, cut(m.files[f.File], got), m.marks[i])
		}
		if f.Message == "" || strings.ContainsAny(f.Message, "\n\r") || strings.HasSuffix(f.Message, ".") || strings.Contains(f.Message, ". ") {
			t.Errorf("not one plain sentence without a full stop: %q", f.Message)
		}
		if f.Code.Title() == "" {
			t.Errorf("%s has no title", f.Code)
		}
		wrong = wrong || f.Severity == diag.Error
		named = named || strings.Contains(f.Hint, m.near)
	}
	if !named {
		t.Errorf("no hint names %q: %+v", m.near, found)
	}
	want := exitOK
	if wrong {
		want = exitUsage
	}
	if code != want {
		t.Errorf("exit code %d, want %d", code, want)
	}
}

func cut(text string, at mark) string {
	if at.start > at.end || at.end > len(text) {
		return ""
	}
	return text[at.start:at.end]
}

// second are mistakes that have nothing to do with any other: one of meaning, and one
// of syntax.
var second = []struct {
	code        diag.Code
	word, whole string
}{
	{diag.ExprUnknownFunc, "lenght", "verify second_mistake() {\n  longer = lenght(turns) > 1\n}\n"},
	{diag.UnknownWord, "provder", "model second_mistake {\n  provder sim\n}\n"},
}

// absences are said of what nothing uses, and only where nothing is wrong: what could
// not be compiled may use it.
var absences = map[diag.Code]bool{diag.ImportUnused: true, diag.ToolUnoffered: true, diag.NeverRead: true, diag.ResourceUntouched: true, diag.EndingUnknown: true}

// beside puts a second mistake into the file, before or behind the first: both are
// said, and nothing else.
func (m *mistake) beside(t *testing.T, alone []finding) {
	t.Helper()
	text := m.files["m.parley"]
	if strings.HasPrefix(text, "language ") || len(text) > 1<<20 {
		return
	}
	for _, other := range second {
		behind := strings.TrimSuffix(text, "\n") + "\n\n" + other.whole
		for _, both := range []string{other.whole + "\n" + text, behind} {
			if m.before && both == behind {
				continue
			}
			said, rest := 0, []string{}
			for _, f := range m.checkedAs(t, both) {
				if f.Code == other.code && f.File == "m.parley" && both[f.Span.Start:f.Span.End] == other.word {
					said++
					continue
				}
				rest = append(rest, lineNumbers.ReplaceAllString(string(f.Code)+" "+f.Message, "line N"))
			}
			want := []string{}
			for _, f := range alone {
				if absences[f.Code] {
					continue
				}
				want = append(want, lineNumbers.ReplaceAllString(string(f.Code)+" "+f.Message, "line N"))
			}
			if d := cmp.Diff(want, rest); said != 1 || d != "" {
				t.Errorf("beside %q (said %d times, -alone +beside):\n%s", other.word, said, d)
			}
		}
	}
}

var (
	lineNumbers = regexp.MustCompile(`line \d+`)
	libraryOnce = interp.NewParsed() // of the library, for all tests together
)

// checkedAs checks the files with another text in the place of m.parley.
func (m *mistake) checkedAs(t *testing.T, text string) diag.List {
	t.Helper()
	root := fstest.MapFS{}
	for name, data := range m.files {
		root[name] = &fstest.MapFile{Data: []byte(data)}
	}
	root["m.parley"] = &fstest.MapFile{Data: []byte(text)}
	mod, found := interp.Project{Root: root, Std: stdlib.FS, Parsed: libraryOnce}.Load("m.parley")
	if mod == nil {
		t.Fatal(found)
	}
	return mod.Check()
}

// checkedFiles runs `parley check` over m.parley among the files.
func checkedFiles(t *testing.T, files map[string]string) (printed string, found []finding, code int) {
	t.Helper()
	dir := t.TempDir()
	for name, data := range files {
		path := filepath.Join(dir, filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(data), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.WriteFile(filepath.Join(dir, "parley.project"), nil, 0o600); err != nil {
		t.Fatal(err)
	}
	main := filepath.Join(dir, "m.parley")
	var stdout, stderr bytes.Buffer
	code = run([]string{"check", main}, host{stdout: &stdout, stderr: &stderr, getenv: func(string) string { return "" }})
	printed = stderr.String()
	stdout.Reset()
	run([]string{"check", "--json", main}, host{stdout: &stdout, stderr: &stderr, getenv: func(string) string { return "" }})
	if err := json.Unmarshal(stdout.Bytes(), &found); err != nil {
		t.Fatalf("%v: %s", err, stdout.String())
	}
	return printed, found, code
}

// rewrite puts what was printed into the archive.
func (m *mistake) rewrite(t *testing.T, path, printed string) {
	t.Helper()
	kept := m.archive.Files[:0]
	for _, f := range m.archive.Files {
		if f.Name != "found" {
			kept = append(kept, f)
		}
	}
	m.archive.Files = append(kept, txtar.File{Name: "found", Data: []byte(printed)})
	if err := os.WriteFile(path, txtar.Format(m.archive), 0o600); err != nil {
		t.Fatal(err)
	}
}
