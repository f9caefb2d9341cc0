package load_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"parley/interp/load"
	"parley/lang"
	"parley/runtime/shape"
)

func read(t *testing.T, name, text string) ([]load.Record, error) {
	t.Helper()
	prog, found := load.Load(load.Files{Root: files(map[string]string{"m.parley": "", name: text}), Parse: lang.Parse}, "m.parley")
	if found.HasErrors() {
		t.Fatal(found)
	}
	records, _, err := prog.Data(prog.Main, name)
	return records, err
}

func TestDataFormats(t *testing.T) {
	want := []load.Record{
		{N: 1, Fields: map[string]any{"q": "a, b", "n": 1, "f": 1.5, "ok": true, "l": []any{"x", nil}}},
		{N: 2, Fields: map[string]any{"q": "2021-01-02", "n": -2, "f": 2.0, "ok": false, "l": []any{}}},
	}
	for name, text := range map[string]string{
		"t.json":     `[{"q":"a, b","n":1,"f":1.5,"ok":true,"l":["x",null]},{"q":"2021-01-02","n":-2,"f":2.0,"ok":false,"l":[]}]`,
		"u.json":     "\xef\xbb\xbf" + `{"tasks":[{"q":"a, b","n":1,"f":1.5,"ok":true,"l":["x",null]},{"q":"2021-01-02","n":-2,"f":2.0,"ok":false,"l":[]}]}`,
		"same.jsonl": "{\"q\":\"a, b\",\"n\":1,\"f\":1.5,\"ok\":true,\"l\":[\"x\",null]}\n{\"q\":\"2021-01-02\",\"n\":-2,\"f\":2.0,\"ok\":false,\"l\":[]}",
		"t.jsonl":    "{\"q\":\"a, b\",\"n\":1,\"f\":1.5,\"ok\":true,\"l\":[\"x\",null]}\n\n{\"q\":\"2021-01-02\",\"n\":-2,\"f\":2.0,\"ok\":false,\"l\":[]}\n",
		"t.yaml":     "- {q: 'a, b', n: 1, f: 1.5, ok: true, l: [x, null]}\n- {q: 2021-01-02, n: -2, f: 2.0, ok: false, l: []}\n",
		"tasks.yml":  "tasks:\n- {q: 'a, b', n: 1, f: 1.5, ok: true, l: [x, ~]}\n- {q: 2021-01-02, n: -2, f: 2.0, ok: false, l: []}\n",
	} {
		got, err := read(t, name, text)
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		if d := cmp.Diff(want, got); d != "" {
			t.Errorf("%s (-want +got)\n%s", name, d)
		}
	}
}

func TestCSV(t *testing.T) {
	got, err := read(t, "t.csv", "\xef\xbb\xbfType,Best Answer\r\nx,\"a, \"\"b\"\"\nc\"\r\ny,2\r\n")
	if err != nil {
		t.Fatal(err)
	}
	want := []load.Record{
		{N: 1, Fields: map[string]any{"Type": "x", "Best Answer": "a, \"b\"\nc"}},
		{N: 2, Fields: map[string]any{"Type": "y", "Best Answer": "2"}},
	}
	if d := cmp.Diff(want, got); d != "" {
		t.Error(d)
	}
}

func TestDataMistakesNameTheRecord(t *testing.T) {
	deep := strings.Repeat("[", 100) + strings.Repeat("]", 100)
	bomb := "a: &a [x,x,x,x,x,x,x,x,x,x]\n"
	for i := 1; i < 9; i++ {
		prev, name := string(rune('a'+i-1)), string(rune('a'+i))
		bomb += name + ": &" + name + " [" + strings.Repeat("*"+prev+",", 9) + "*" + prev + "]\n"
	}
	for name, c := range map[string]struct{ file, text, say string }{
		"no list":       {"t.json", `{"q":1}`, "one record"},
		"not a record":  {"t.json", `[{"q":1}, "x"]`, "record 2 is text"},
		"broken":        {"t.json", "[{\"q\":1},\n{\"q\":}]", "line 2"},
		"trailing":      {"t.json", "[{\"q\":1}]\n{}", "line 2"},
		"empty":         {"t.json", "", "empty"},
		"broken line":   {"t.jsonl", "{\"q\":1}\n{\"q\":\n", "record 2 (line 2)"},
		"two on a line": {"t.jsonl", `{"q":1} {"q":2}`, "more than one value"},
		"list in line":  {"t.jsonl", `[1]`, "record 1 is a list"},
		"short row":     {"t.csv", "a,b\n1,2\n3\n", "record 2 (line 3) has 1 values"},
		"same column":   {"t.csv", "a,a\n1,2\n", `two columns are named "a"`},
		"no column":     {"t.csv", "a,\n1,2\n", "column 2 has no name"},
		"open quote":    {"t.csv", "a,b\n1,\"2\n", "record 1"},
		"deep":          {"t.json", `[{"q":` + deep + `}]`, "deeper than"},
		"alias bomb":    {"t.yaml", bomb + "tasks: [{x: *i}]", "more than"},
		"tag":           {"t.yaml", "- {q: !include x.yaml}", "!include"},
		"twice":         {"t.yaml", "- {q: 1, q: 2}", "twice"},
		"twice in JSON": {"t.json", "[{\"q\":1},\n{\"q\":{\"a\":[{}],\"b\":1},\"\\u0071\":2}]", `line 2: the field "q" stands twice`},
		"twice within":  {"t.jsonl", `{"q":{"a":1,"b":[],"a":2}}`, `record 1 (line 1): the field "a" stands twice`},
		"two documents": {"t.yaml", "- {q: 1}\n---\n- {q: 2}\n", "line 3: a second document begins"},
		"no number":     {"t.yaml", "- {q: .nan}", ".nan is no number"},
		"no end":        {"t.yaml", "- {q: -.inf}", "-.inf is no number"},
		"far too deep":  {"t.jsonl", `{"q":` + strings.Repeat("[", 20000) + strings.Repeat("]", 20000) + "}", "nested too deeply"},
		"not text":      {"t.jsonl", "{\"q\":1}\n{\"q\":\"\xff\"}", "line 2"},
		"format":        {"t.xml", "<x/>", ".jsonl"},
	} {
		t.Run(name, func(t *testing.T) {
			_, err := read(t, c.file, c.text)
			if err == nil || !strings.Contains(err.Error(), c.say) {
				t.Errorf("got %v, want %q", err, c.say)
			}
		})
	}
}

func TestDataStaysInside(t *testing.T) {
	prog, _ := load.Load(load.Files{Root: files(map[string]string{"a/m.parley": "", "t.jsonl": "{}"}), Parse: lang.Parse}, "a/m.parley")
	if _, _, err := prog.Data(prog.Main, "../t.jsonl"); err != nil {
		t.Error(err)
	}
	for _, path := range []string{"../../t.jsonl", "/etc/hosts", "none.jsonl"} {
		if _, _, err := prog.Data(prog.Main, path); err == nil {
			t.Errorf("%q was read", path)
		}
	}
}

func TestInfer(t *testing.T) {
	columns := load.Infer([]load.Record{
		{N: 1, Fields: map[string]any{"q": "x", "n": 1, "mix": 1, "r": map[string]any{"a": 1}, "l": []any{}}},
		{N: 2, Fields: map[string]any{"q": "y", "n": 2.5, "mix": "s", "r": map[string]any{"a": 2, "b": "t"}, "l": []any{"w"}, "rare": nil}},
	})
	text, whole := shape.Shape{Kind: shape.String}, shape.Shape{Kind: shape.Int}
	optional := text
	optional.Optional = true
	want := []load.Column{
		{Name: "l", Shape: shape.Shape{Kind: shape.List, Elem: &text}, Have: 2},
		{Name: "mix", Shape: shape.Shape{Kind: shape.Any}, Have: 2},
		{Name: "n", Shape: shape.Shape{Kind: shape.Number}, Have: 2},
		{Name: "q", Shape: text, Have: 2},
		{Name: "r", Shape: shape.Shape{Kind: shape.Record, Fields: []shape.Field{{Name: "a", Shape: whole}, {Name: "b", Shape: optional}}}, Have: 2},
		{Name: "rare", Shape: shape.Shape{Optional: true}, Lacking: 1},
	}
	if d := cmp.Diff(want, columns); d != "" {
		t.Error(d)
	}
}

func TestWindowAndSample(t *testing.T) {
	var all []load.Record
	for i := range 100 {
		all = append(all, load.Record{N: i + 1})
	}
	if w := load.Window(all, 10, 20); len(w) != 11 || w[0].N != 10 || w[10].N != 20 {
		t.Errorf("10..20 gave %d records from %d", len(w), w[0].N)
	}
	if w := load.Window(all, 101, 120); w != nil {
		t.Error("a window beyond the end is not empty")
	}
	a, b, other := load.Sample(all, 50, 7), load.Sample(all, 50, 7), load.Sample(all, 50, 8)
	if !cmp.Equal(a, b) || cmp.Equal(a, other) || len(a) != 50 {
		t.Error("a sample hangs on its seed, and on nothing else")
	}
	grown := load.Sample(append(all, load.Record{N: 101}), 50, 7)
	kept := map[int]bool{}
	for _, r := range grown {
		kept[r.N] = true
	}
	lost := 0
	for i, r := range a {
		if i > 0 && a[i-1].N >= r.N {
			t.Fatal("a sample keeps the file's order")
		}
		if !kept[r.N] {
			lost++
		}
	}
	if lost > 1 {
		t.Errorf("one more record changed %d of the sample", lost)
	}
}

// The files that people have, read as they are. PARLEY_DATA names their folder, else it is
// shared/data beside the project.
func TestPublishedFiles(t *testing.T) {
	folder := os.Getenv("PARLEY_DATA")
	if folder == "" {
		folder = "../../../shared/data"
	}
	if _, err := os.Stat(folder); err != nil {
		t.Skip("neither PARLEY_DATA nor shared/data beside the project is a folder with strategyqa, truthfulqa and gsm8k")
	}
	for name, c := range map[string]struct {
		records int
		fields  map[string]shape.Kind
	}{
		"strategyqa/dev.json":       {229, map[string]shape.Kind{"question": shape.String, "answer": shape.Bool, "facts": shape.List}},
		"truthfulqa/TruthfulQA.csv": {817, map[string]shape.Kind{"Type": shape.String, "Best Answer": shape.String, "Question": shape.String}},
		"gsm8k/test.jsonl":          {1319, map[string]shape.Kind{"question": shape.String, "answer": shape.String}},
	} {
		if _, err := os.Stat(filepath.Join(folder, name)); err != nil {
			t.Logf("%s is not there", name)
			continue
		}
		root := os.DirFS(folder)
		prog := &load.Program{Files: load.Files{Root: root, Parse: lang.Parse}, Main: &load.Module{Name: "m.parley"}}
		records, _, err := prog.Data(prog.Main, name)
		if err != nil || len(records) != c.records {
			t.Errorf("%s: %d records, %v", name, len(records), err)
			continue
		}
		kinds := map[string]shape.Kind{}
		for _, col := range load.Infer(records) {
			kinds[col.Name] = col.Shape.Kind
		}
		for field, kind := range c.fields {
			if kinds[field] != kind {
				t.Errorf("%s: %s is %q, want %q", name, field, kinds[field], kind)
			}
		}
	}
}

func FuzzData(f *testing.F) {
	for _, seed := range []string{`[{"q":1}]`, "a,b\n1,2\n", "- q: 1\n", "{\"q\":1}\n"} {
		f.Add(".json", seed)
		f.Add(".csv", seed)
		f.Add(".yaml", seed)
		f.Add(".jsonl", seed)
	}
	f.Fuzz(func(t *testing.T, ext, text string) {
		if len(ext) > 6 || strings.ContainsAny(ext, "/\\\x00") {
			return
		}
		records, err := read(t, "t"+ext, text)
		if err == nil {
			load.Infer(records)
		}
	})
}
