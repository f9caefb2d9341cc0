package imports

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/google/go-cmp/cmp"

	"parley/interp"
	"parley/lang"
	"parley/lang/diag"
	"parley/runtime"
	"parley/runtime/trace"
	"parley/runtime/world"
	"parley/stdlib"
)

func TestPythonFunctions(t *testing.T) {
	for name, c := range map[string]struct {
		src  string
		want pyFunc
	}{
		"plain": {"def a(x: str, n: int = 3):\n    \"\"\"Does\n    it.\"\"\"\n    return 'ok'\n", pyFunc{
			name: "a", about: "Does it.", params: []pyParam{{"x", "string", "", false}, {"n", "int", "", true}}, returns: []textPart{{text: "ok"}},
		}},
		"on one line":        {"def a(): return 'x'", pyFunc{name: "a", returns: []textPart{{text: "x"}}}},
		"comment is no text": {"def a():\n  # \"\"\"no\n  return f(1)", pyFunc{name: "a"}},
		"a method":           {"class C:\n  @tool\n  async def a(self, b) -> str:\n    'say'\n", pyFunc{name: "a", about: "say", class: "C", params: []pyParam{{"b", "string", "", false}}}},
		"values in a text":   {"def a(x):\n  return f\"{x!r} {{x}} {y} }\" ' {x}'", pyFunc{name: "a", params: []pyParam{{"x", "string", "", false}}, returns: []textPart{{param: "x"}, {text: " "}, {text: "{"}, {text: "x"}, {text: "}"}, {text: " "}, {text: "{y}"}, {text: " "}, {text: "}"}, {text: " {x}"}}}},
		"types": {"def a(a: Optional[int], b: float | None, c: List[bool], d: typing.Literal['u', 'v'], e: Annotated[str, 'the e'], f: Dict[str, int], g: 'int', h: int | str, *k, l=[1, (2, 3)], **m): pass", pyFunc{name: "a", params: []pyParam{
			{"a", "int", "", true},
			{"b", "number", "", true},
			{"c", "[bool]", "", false},
			{"d", `"u" | "v"`, "", false},
			{"e", "string", "the e", false},
			{"f", "string", "", false},
			{"g", "int", "", false},
			{"h", "string", "", false},
			{"l", "string", "", true},
		}}},
		"no code in it runs": {"def a(x=__import__('os').system('touch /tmp/x')):\n  \"d\"\n  def b(): return 'inner'\n  return b()", pyFunc{name: "a", about: "d", params: []pyParam{{"x", "string", "", true}}}},
	} {
		t.Run(name, func(t *testing.T) {
			got, err := readPython(c.src)
			if err != nil || len(got.funcs) != 1 {
				t.Fatalf("%v, %d functions", err, len(got.funcs))
			}
			if diff := cmp.Diff(c.want, got.funcs[0], cmp.AllowUnexported(pyFunc{}, pyParam{}, textPart{})); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
}

func TestPythonTables(t *testing.T) {
	got, err := readPython("TOOLS: dict = {\n 'one agent': [a, FunctionTool(b, description=\"b does\")],\n \"two\": (c,),\n}\nattack_functions = [a, 'c']\nother = 3\n")
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(map[string][]string{"one agent": {"a", "FunctionTool", "b", "description", "b does"}, "two": {"c"}}, got.owners); diff != "" {
		t.Error(diff)
	}
	if diff := cmp.Diff([]string{"a", "c"}, got.attacks); diff != "" {
		t.Error(diff)
	}
}

func TestBadPython(t *testing.T) {
	for src, want := range map[string]string{
		"x = 'a\n'":                      "line 1: a text is not closed on its line",
		"\n\nx = \"\"\"a":                "line 3: a text is never closed",
		"def a(\n  b":                    "line 2: a bracket is never closed",
		"f(]":                            "line 1: a bracket closes that is not open",
		strings.Repeat("(", maxNested+1): "line 1: brackets nest deeper than 32",
		`x = '\x4'`:                      "line 1: an escape in a text is not whole",
	} {
		if _, err := readPython(src); err == nil || err.Error() != want {
			t.Errorf("%q: got %v, want %s", src, err, want)
		}
	}
}

func TestSaidCalls(t *testing.T) {
	for src, want := range map[string]saidCall{
		"tool":                          {tool: "tool"},
		"tool()":                        {tool: "tool"},
		" tool(John Doe, 'x') ":         {tool: "tool", args: []saidArg{{value: "John Doe"}, {value: "x"}}},
		"Ann.tool(a=1, b=True)":         {agent: "Ann", tool: "tool", args: []saidArg{{"a", json.Number("1")}, {"b", true}}},
		"tool(2026-01-05, f(a, b), 5 )": {tool: "tool", args: []saidArg{{value: "2026-01-05"}, {value: "f(a, b)"}, {value: json.Number("5")}}},
		"tool(['a', 'b'], a == b);":     {tool: "tool", args: []saidArg{{value: []any{"a", "b"}}, {value: "a == b"}}},
	} {
		got, err := readSaid(src)
		if diff := cmp.Diff(want, got, cmp.AllowUnexported(saidCall{}, saidArg{})); err != nil || diff != "" {
			t.Errorf("%q: %v\n%s", src, err, diff)
		}
	}
	for src, want := range map[string]string{
		"":          "a tool's name and its arguments in brackets",
		"3(a)":      "a tool's name and its arguments in brackets",
		"tool(a":    "a call whose bracket closes",
		"tool('a":   "a call whose bracket closes",
		"tool(a) b": "nothing behind the call",
		"tool(" + strings.Repeat("1,", maxParams+1) + ")": "at most 64 arguments",
	} {
		if _, err := readSaid(src); err == nil || err.Error() != want {
			t.Errorf("%q: got %v, want %s", src, err, want)
		}
	}
}

// tamasSample is the hand-made sample, in memory.
func tamasSample(t testing.TB) fstest.MapFS {
	t.Helper()
	out, root := fstest.MapFS{}, filepath.Join("testdata", "in", "tamas")
	for _, name := range []string{"PNA_harbour.json", "PNA_orchard.json", "RAS_harbour_DPI.json", "RAS_harbour_Imp.json", "RAS_harbour_IPI.json", "RAS_harbour_Coop.json", "RAS_harbour_contra.json", "tools/harbour_tools.py"} {
		data, err := os.ReadFile(filepath.Join(root, filepath.FromSlash(name)))
		if err != nil {
			t.Fatal(err)
		}
		out[name] = &fstest.MapFile{Data: data}
	}
	return out
}

func tamasOf(files fstest.MapFS) (*Output, error) {
	return tamas(folder{files: files, path: "in"}, Options{})
}

func TestTamasPassesTheCheck(t *testing.T) {
	out := sample(t, "tamas")
	for _, name := range []string{"harbour.parley", "orchard.parley"} {
		if wrong := checked(t, out, name); wrong != "" {
			t.Errorf("%s: %s", name, wrong)
		}
	}
}

// callsMade compiles a scenario beside an imported domain in which one agent makes
// each row's calls, and returns what the calls of a row came to.
func callsMade(t *testing.T, out *Output, domain string, row int) []*trace.Call {
	t.Helper()
	root := fstest.MapFS{"stage.parley": {Data: []byte(strings.ReplaceAll(`use "DOMAIN.parley" as d
team solo() { agent doer { system "Work." tools all } turns { act: doer { prompt "${task.prompt}" } } answer act.text }
scenario replay() { team solo() workspace d.DOMAIN() tasks "DOMAIN/benign.jsonl" verify { ended = run.answer != nil } score { rate ends = ended } }`, "DOMAIN", domain))}}
	for _, f := range out.Files {
		root[f.Name] = &fstest.MapFile{Data: f.Data}
	}
	module, found := interp.Project{Root: root, Std: stdlib.FS, Getenv: os.Getenv}.Load("stage.parley")
	if module == nil || found.HasErrors() {
		t.Fatal(found)
	}
	built, found := module.Compile("replay", interp.Options{})
	if found.HasErrors() {
		t.Fatal(found)
	}
	rows, err := readLines(root, domain+"/benign.jsonl")
	if err != nil {
		t.Fatal(err)
	}
	var said []rowCall
	data, err := json.Marshal(rows[row].fields["calls"])
	if err == nil {
		err = json.Unmarshal(data, &said)
	}
	if err != nil {
		t.Fatal(err)
	}
	r := &replayer{answer: "done"}
	for _, c := range said {
		r.calls = append(r.calls, call{c.Tool, string(c.Args)})
	}
	got := replayed(t, built.Cells[0], runtime.Clean, row, r)
	var calls []*trace.Call
	for _, e := range got.Events {
		if e.Kind == trace.KindCall {
			calls = append(calls, e.Call)
		}
	}
	if len(calls) != len(said) || len(got.After.State) == 0 {
		t.Fatalf("%d calls were made of %d", len(calls), len(said))
	}
	for _, c := range calls {
		kept, _ := world.Plain(got.After.State[c.Tool]).([]any)
		if len(kept) == 0 {
			t.Errorf("%s left no trace in the state", c.Tool)
		}
	}
	return calls
}

// The calls that a task writes out are carried out as they are imported.
func TestTamasCallsReplay(t *testing.T) {
	out := sample(t, "tamas")
	want := map[string][]string{
		"harbour": {"A berth for Marigold of 90 metres: Q3.|Marigold lies at Q3 {confirmed}.|A pilot is on the way.|reckon_dues: done.", "inspect_cargo: done.|write_to_shipper: done.", "The crane is free.|Tern lies at Q1 {confirmed}."},
		"orchard": {"pick_row: done.|weigh: done.|filter_tool: done."},
	}
	for domain, rows := range want {
		for row, results := range rows {
			var got []string
			for _, c := range callsMade(t, out, domain, row) {
				if !c.Effected || !c.Writes[0].Authorized {
					t.Errorf("%s %d: %s: %s", domain, row+1, c.Tool, c.Error)
				}
				got = append(got, plainText(world.Plain(c.Result)))
			}
			if said := strings.Join(got, "|"); said != results {
				t.Errorf("%s %d: got %s, want %s", domain, row+1, said, results)
			}
		}
	}
}

// brokenTamas is the sample with one text of one file exchanged.
func brokenTamas(t *testing.T, file, old, fresh string) (*Output, error) {
	t.Helper()
	files := tamasSample(t)
	before := string(files[file].Data)
	if !strings.Contains(before, old) {
		t.Fatalf("%s has no %q", file, old)
	}
	files[file] = &fstest.MapFile{Data: []byte(strings.Replace(before, old, fresh, 1))}
	return tamasOf(files)
}

func TestBadTamas(t *testing.T) {
	const pna, py = "PNA_harbour.json", "tools/harbour_tools.py"
	for name, c := range map[string]struct{ file, old, fresh, want string }{
		"no query":         {pna, `"user_query"`, `"query"`, `PNA_harbour.json: record 1, field "user_query": expected a text, got nothing`},
		"name of no agent": {pna, `"agent_name": "Dues Agent"`, `"agent_name": "!!"`, `PNA_harbour.json: record 1, field "agent_name": expected a name with letters, of at most 60 characters, got the text "!!"`},
		"agent twice":      {pna, `"agent_name": "Dues Agent"`, `"agent_name": "Pilot dispatch agent"`, `field "agent_name": expected each agent once, got the text "Pilot dispatch agent" twice`},
		"unknown agent":    {pna, `"berth planning"`, `"stoker"`, `PNA_harbour.json: record 3, field "agents_involved": expected agents of the domain, got the text "stoker"`},
		"half a call":      {pna, `"check_crane()"`, `"check_crane("`, `record 3, field "sequence_of_tool_calls": expected a call whose bracket closes, got the text "check_crane("`},
		"argument twice":   {pna, `"check_crane()"`, `"check_crane(a=1, a=2)"`, `record 3, field "sequence_of_tool_calls": expected each argument once, got the text "check_crane"`},
		"calls are a text": {pna, `"check_crane()",`, `3,`, `record 3, field "sequence_of_tool_calls": expected a list of texts of at most 256 KiB, got the number 3`},
		"nobody colludes":  {"RAS_harbour_Coop.json", "You and the inspectors share a plan of your own.", "You plan which ship lies at which berth. Long ships go to the outer quay.", ``},
		"no twin":          {"RAS_harbour_contra.json", `"Cargo Inspection Agent B"`, `"Stoker"`, `RAS_harbour_contra.json: record 1, field "agents": expected two agents of one role, told apart by A and B, got 0 of them`},
		"tools":            {"RAS_harbour_IPI.json", `"find_berth"`, `{"a": 1}`, `RAS_harbour_IPI.json: record 1, field "tools": expected a tool with a name, got a record`},
		"name of a tool":   {"RAS_harbour_IPI.json", `"find_berth"`, `"find berth }"`, `field "tools": expected a tool's name of letters, digits and _, got the text "find berth }"`},
		"Python":           {py, `"""Finds a free`, `"Finds a free`, `tools/harbour_tools.py: expected Python, got line 15: a text is not closed on its line`},
		"argument's name":  {py, `ship: str, length: int`, `ship: str, länge: int`, `tools/harbour_tools.py: field "find_berth": expected an argument's name of letters, digits and _, got the text "länge"`},
	} {
		t.Run(name, func(t *testing.T) {
			out, err := brokenTamas(t, c.file, c.old, c.fresh)
			if c.want == "" {
				if err != nil {
					t.Fatal(err)
				}
				if wrong := checked(t, out, "harbour.parley", diag.Error); wrong != "" {
					t.Error(wrong)
				}
				return
			}
			if p := asProblem(t, err); !strings.Contains(p.Error(), c.want) {
				t.Errorf("got  %s\nwant %s", p, c.want)
			}
		})
	}
	if _, err := tamasOf(fstest.MapFS{"notes.json": {}}); err == nil || err.Error() != "in: there is no PNA_….json or RAS_…_DPI.json here" {
		t.Errorf("got %v", err)
	}
	twice := fstest.MapFS{"PNA_a.json": {Data: []byte("[]")}, "old/PNA_A.json": {Data: []byte("[]")}}
	if _, err := tamasOf(twice); err == nil || !strings.Contains(err.Error(), "expected one file of a kind, got this one and ") {
		t.Errorf("got %v", err)
	}
}

// Text from data stays text, and a word of the language that data uses as a
// name is written as another.
func TestHostileTamas(t *testing.T) {
	inJSON, err := json.Marshal(hostile)
	if err != nil {
		t.Fatal(err)
	}
	inPython := strings.NewReplacer(`\`, `\\`, `"`, `\"`, "\n", `\n`).Replace(hostile)
	files := tamasSample(t)
	for file, pairs := range map[string][]string{
		"PNA_harbour.json":       {`"Move the Tern to Q1 as soon as the crane is free."`, string(inJSON), `"You plan which ship lies at which berth. Long ships go to the outer quay."`, string(inJSON), `"assign_berth(Tern, Q1)"`, `"assign_berth(Tern } ${x} // \", Q1)", "Dues Agent.waive_dues(state=1, ship='a')"`},
		"RAS_harbour_Coop.json":  {`"You and the inspectors share a plan of your own."`, string(inJSON)},
		"RAS_harbour_Imp.json":   {`"Give the Tern the berth of the Marigold."`, string(inJSON)},
		"tools/harbour_tools.py": {`"Nobody pays."`, `"` + inPython + `"`, `"""Sends a pilot."""`, `"` + inPython + `"`, `Literal["Q1", "Q2", "Q3"]`, `Literal["` + inPython + `", "Q1", "Q3"]`, "def open_sluice()", "def count(result, nil_, task: int = 1):\n    \"\"\"Counts.\"\"\"\n\n\ndef open_sluice()"},
	} {
		text := string(files[file].Data)
		for i := 0; i < len(pairs); i += 2 {
			if !strings.Contains(text, pairs[i]) {
				t.Fatalf("%s has no %s", file, pairs[i])
			}
			text = strings.Replace(text, pairs[i], pairs[i+1], 1)
		}
		files[file] = &fstest.MapFile{Data: []byte(text)}
	}
	out, err := tamasOf(files)
	if err != nil {
		t.Fatal(err)
	}
	if wrong := checked(t, out, "harbour.parley"); wrong != "" {
		t.Errorf("%s\n%s", wrong, out.file("harbour.parley"))
	}
	calls := callsMade(t, out, "harbour", 2)
	if got := plainText(world.Plain(calls[2].Result)); got != hostile {
		t.Errorf("the tool says\n%q, not\n%q", got, hostile)
	}
	if got := plainText(world.Plain(calls[1].Args["ship"])); got != `Tern } ${x} // "` {
		t.Errorf("the ship is called %q", got)
	}
}

// Names that the language uses may stand as domains, agents, tools and arguments.
func TestTamasNamesThatAreTaken(t *testing.T) {
	for _, word := range append([]string{"members", "in_turn", "filter", "len", "let", "nil", "true", "orchard"}, ownMeaning...) {
		item := `[{"agents": [{"agent_name": "WORD", "agent_description": "d"}, {"agent_name": "other", "agent_description": "e"}], "user_query": "q", "agents_involved": ["WORD"], "sequence_of_tool_calls": ["WORD(1, WORD='x')"]}]`
		out, err := tamasOf(fstest.MapFS{"PNA_" + word + ".json": {Data: []byte(strings.ReplaceAll(item, "WORD", word))}})
		if err != nil {
			// Words that no text of a call can begin with are told.
			if !strings.Contains(err.Error(), "tool's name") {
				t.Errorf("%s: %v", word, err)
			}
			continue
		}
		if wrong := checked(t, out, out.Files[0].Name, diag.Error); wrong != "" {
			t.Errorf("%s: %s\n%s", word, wrong, out.Files[0].Data)
		}
	}
}

func FuzzPython(f *testing.F) {
	data, err := os.ReadFile(filepath.Join("testdata", "in", "tamas", "tools", "harbour_tools.py"))
	if err != nil {
		f.Fatal(err)
	}
	f.Add(string(data))
	for _, s := range []string{"def a(x: Literal['\"', \"${x}\"], y: List[Optional[int]]=[]): return f'{x!r:>3} {{'", "class A(B):\n\tdef c(self, *, d): '''e'''", "x = {'a': [b,", "\\\n\\", "def a(b=", "async def"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, src string) {
		got, err := readPython(src)
		if err != nil {
			return
		}
		for _, fn := range got.funcs {
			for _, p := range fn.params {
				if _, found := lang.Parse("t.parley", []byte("workspace w() { tool t(x: "+p.kind+") { return x } }")); found.HasErrors() {
					t.Errorf("the type %s of %q is none: %s", p.kind, p.name, found[0].Message)
				}
			}
		}
	})
}

func FuzzSaidCall(f *testing.F) {
	for _, s := range []string{"tool(arg, 'x')", "a.b(c=[1, {'d': 2}], e)", "t(((", "t(\"\\u00\")"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, src string) {
		c, err := readSaid(src)
		if err != nil {
			return
		}
		for _, a := range c.args {
			for _, kind := range []string{"string", "int", "number", "bool", "[string]", `"a" | "b"`} {
				if v, ok := asKind(a.value, kind); ok {
					if _, err := json.Marshal(v); err != nil {
						t.Errorf("%q as %s: %v", src, kind, err)
					}
				}
			}
		}
	})
}

// FuzzTamas exchanges one file of the sample. What comes out, if anything, passes
// the check.
func FuzzTamas(f *testing.F) {
	files := tamasSample(f)
	names := []string{"PNA_harbour.json", "RAS_harbour_DPI.json", "RAS_harbour_IPI.json", "RAS_harbour_Coop.json", "RAS_harbour_contra.json", "tools/harbour_tools.py"}
	for i, n := range names {
		f.Add(byte(i), files[n].Data)
	}
	f.Fuzz(func(t *testing.T, which byte, text []byte) {
		mine := fstest.MapFS{}
		for n, file := range files {
			mine[n] = file
		}
		mine[names[int(which)%len(names)]] = &fstest.MapFile{Data: text}
		out, err := tamasOf(mine)
		if err != nil {
			return
		}
		if wrong := checked(t, out, "harbour.parley", diag.Error); wrong != "" {
			t.Errorf("%s\n%s", wrong, out.file("harbour.parley"))
		}
	})
}
