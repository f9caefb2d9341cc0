package imports

import (
	"bytes"
	"errors"
	"flag"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/google/go-cmp/cmp"

	"parley/interp"
	"parley/lang/diag"
	"parley/stdlib"
)

var update = flag.Bool("update", false, "write the golden files anew")

// sample imports a source's hand-made sample.
func sample(t testing.TB, source string) *Output {
	t.Helper()
	out, err := Import(source, filepath.Join("testdata", "in", source), Options{})
	if err != nil {
		t.Fatal(err)
	}
	return out
}

func TestSamples(t *testing.T) {
	for _, s := range Sources() {
		t.Run(s.Name, func(t *testing.T) {
			out := sample(t, s.Name)
			for _, f := range out.Files {
				golden := filepath.Join("testdata", "golden", s.Name, f.Name+".golden")
				if *update {
					if err := os.MkdirAll(filepath.Dir(golden), 0o755); err != nil {
						t.Fatal(err)
					}
					if err := os.WriteFile(golden, f.Data, 0o644); err != nil {
						t.Fatal(err)
					}
				}
				want, err := os.ReadFile(golden)
				if err != nil {
					t.Fatal(err)
				}
				if diff := cmp.Diff(string(want), string(f.Data)); diff != "" {
					t.Errorf("%s (-golden +import):\n%s", f.Name, diff)
				}
			}
		})
	}
}

// checked loads and checks a file of an output, and says what is wrong: errors
// and warnings, or what is of one severity.
func checked(t testing.TB, out *Output, name string, only ...diag.Severity) string {
	t.Helper()
	root := fstest.MapFS{}
	for _, f := range out.Files {
		root[f.Name] = &fstest.MapFile{Data: f.Data}
	}
	module, found := interp.Project{Root: root, Std: stdlib.FS, Getenv: os.Getenv}.Load(name)
	if module != nil && !found.HasErrors() {
		found = module.Check()
	}
	var lines []string
	for _, d := range found {
		if len(only) == 0 || d.Severity == only[0] {
			lines = append(lines, d.Message)
		}
	}
	return strings.Join(lines, "\n")
}

func TestWorkspacesPassTheCheck(t *testing.T) {
	outs := []*Output{sample(t, "agentdojo")}
	t.Run("sample", func(t *testing.T) { workspacesPass(t, outs[0]) })
	t.Run("originals", func(t *testing.T) { workspacesPass(t, dojoOutput(t)) })
}

func workspacesPass(t *testing.T, out *Output) {
	for _, suite := range suiteNames {
		if wrong := checked(t, out, suite+".parley"); wrong != "" {
			t.Errorf("%s: %s", suite, wrong)
		}
	}
}

// The originals that are held give the counts that their pages state.
func TestOriginals(t *testing.T) {
	held := heldData(t)
	for _, c := range []struct {
		source, path string
		records      map[string]int
	}{
		{"strategyqa", "strategyqa", map[string]int{"tasks.jsonl": 229}},
		{"strategyqa", "strategyqa/train.first600.json", map[string]int{"tasks.jsonl": 600}},
		{"gsm8k", "gsm8k", map[string]int{"tasks.jsonl": 1319}},
		{"truthfulqa", "truthfulqa", map[string]int{"tasks.jsonl": 817}},
		{"jailbreakbench", "jailbreakbench", map[string]int{"harmful.jsonl": 10, "benign.jsonl": 10}},
		{"injecagent", "injecagent", map[string]int{"users.jsonl": 17, "goals.jsonl": 62, "tasks.jsonl": 1054}},
		{"injecagent", "injecagent/test_cases_dh_base.json", map[string]int{"tasks.jsonl": 510}},
		{"injecagent", "injecagent/test_cases_ds_base.json", map[string]int{"tasks.jsonl": 544}},
		{"agentdojo", ".", map[string]int{
			"banking-tasks.jsonl": 16, "slack-tasks.jsonl": 21, "travel-tasks.jsonl": 20, "workspace-tasks.jsonl": 40,
			"banking-goals.jsonl": 9, "slack-goals.jsonl": 5, "travel-goals.jsonl": 7, "workspace-goals.jsonl": 14,
		}},
	} {
		out, err := Import(c.source, filepath.Join(held, filepath.FromSlash(c.path)), Options{})
		if err != nil {
			t.Errorf("%s: %v", c.path, err)
			continue
		}
		got := map[string]int{}
		for _, f := range out.Files {
			if f.Records > 0 {
				got[f.Name] = f.Records
			}
		}
		if diff := cmp.Diff(c.records, got); diff != "" {
			t.Errorf("%s (-stated +import):\n%s", c.path, diff)
		}
	}
}

// Every answer differs from each of its wrong twins, in every original.
func TestWrongAnswersAreWrong(t *testing.T) {
	held := heldData(t)
	for _, source := range []string{"strategyqa", "gsm8k", "truthfulqa", "jailbreakbench"} {
		out, err := Import(source, filepath.Join(held, source), Options{})
		if err != nil {
			t.Fatal(err)
		}
		for _, f := range out.Files {
			rows, err := readLines(fstest.MapFS{f.Name: {Data: f.Data}}, f.Name)
			if err != nil {
				t.Fatal(err)
			}
			for _, r := range rows {
				for _, w := range r.fields["wrongs"].([]any) {
					if strings.EqualFold(r.fields["answer"].(string), w.(string)) {
						t.Errorf("%s record %d: %v is right and wrong", source, r.n, w)
					}
				}
			}
		}
	}
}

// The merged cases hold the tool answers as the benchmark plants them, behind an
// extra pair of quotes.
func TestInjectedAnswersAreTheBenchmarks(t *testing.T) {
	held := filepath.Join(heldData(t), "injecagent")
	for _, name := range []string{"test_cases_dh_base.json", "test_cases_ds_base.json"} {
		rows, err := readArray(os.DirFS(held), name)
		if err != nil {
			t.Fatal(err)
		}
		for _, r := range rows {
			u, err := userOf(r)
			if err != nil {
				t.Fatal(err)
			}
			ours := strings.ReplaceAll(u.template, planted, r.fields["Attacker Instruction"].(string))
			theirs := strings.TrimSuffix(strings.TrimPrefix(r.fields["Tool Response"].(string), `"`), `"`)
			theirs = strings.ReplaceAll(theirs, `\"`, `"`)
			if ours != theirs {
				t.Errorf("%s record %d:\n%s\n%s", name, r.n, ours, theirs)
			}
		}
	}
}

func TestImportingTwiceGivesTheSame(t *testing.T) {
	for _, s := range Sources() {
		first, second := sample(t, s.Name), sample(t, s.Name)
		if diff := cmp.Diff(first, second); diff != "" {
			t.Errorf("%s: %s", s.Name, diff)
		}
	}
	held := heldData(t)
	for _, source := range []string{"agentdojo", "strategyqa", "gsm8k", "truthfulqa", "injecagent", "jailbreakbench"} {
		var outs [2]*Output
		for i := range outs {
			var err error
			if outs[i], err = Import(source, filepath.Join(held, source), Options{}); err != nil {
				t.Fatal(err)
			}
		}
		for i, f := range outs[0].Files {
			if !bytes.Equal(f.Data, outs[1].Files[i].Data) {
				t.Errorf("%s: %s differs from import to import", source, f.Name)
			}
		}
	}
}

func TestUnknownSource(t *testing.T) {
	_, err := Import("hotpot", ".", Options{})
	if err == nil || !strings.Contains(err.Error(), "strategyqa") {
		t.Errorf("got %v", err)
	}
	_, err = Import("gsm8k", filepath.Join("testdata", "none"), Options{})
	if err == nil || !strings.Contains(err.Error(), "there is no such file") {
		t.Errorf("got %v", err)
	}
}

// asProblem is the problem that an import reports.
func asProblem(t *testing.T, err error) *Problem {
	t.Helper()
	var p *Problem
	if !errors.As(err, &p) {
		t.Fatalf("got %v", err)
	}
	return p
}
