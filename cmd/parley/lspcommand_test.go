package main

import (
	"bufio"
	"encoding/json"
	"fmt"
	"io"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"unicode/utf16"
)

// editor is a client of the real command, as an editor starts it.
type editor struct {
	t     *testing.T
	dir   string
	cmd   *exec.Cmd
	in    io.WriteCloser
	out   *bufio.Reader
	ids   int
	texts map[string]string // by name
	said  map[string][]any  // diagnostics by URI
	units string
}

// startEditor starts `parley lsp` on a folder of files, and initializes it.
func startEditor(t *testing.T, units string, files map[string]string) *editor {
	t.Helper()
	dir := t.TempDir()
	for name, text := range files {
		path := filepath.Join(dir, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	e := &editor{t: t, dir: dir, texts: map[string]string{}, said: map[string][]any{}, units: units}
	e.cmd = exec.CommandContext(t.Context(), "parley", "lsp", "--delay", "10ms")
	e.cmd.Dir, e.cmd.Stderr = dir, os.Stderr
	e.cmd.Env = append(os.Environ(), "XDG_CACHE_HOME="+filepath.Join(dir, ".cache"))
	var err error
	if e.in, err = e.cmd.StdinPipe(); err != nil {
		t.Fatal(err)
	}
	out, err := e.cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	e.out = bufio.NewReader(out)
	if err := e.cmd.Start(); err != nil {
		t.Fatal(err)
	}
	offered := []string{"utf-16"}
	if units == "utf-8" {
		offered = []string{"utf-32", "utf-8", "utf-16"}
	}
	var got struct {
		Capabilities struct{ PositionEncoding string }
	}
	e.ask(&got, "initialize", map[string]any{
		"rootUri": e.uri(""), "capabilities": map[string]any{"general": map[string]any{"positionEncodings": offered}},
	})
	if got.Capabilities.PositionEncoding != units {
		t.Fatalf("the server speaks %q, not %q", got.Capabilities.PositionEncoding, units)
	}
	e.tell("initialized", map[string]any{})
	return e
}

func (e *editor) uri(name string) string {
	return (&url.URL{Scheme: "file", Path: filepath.ToSlash(filepath.Join(e.dir, name))}).String()
}

func (e *editor) send(m map[string]any) {
	e.t.Helper()
	m["jsonrpc"] = "2.0"
	body, err := json.Marshal(m)
	if err != nil {
		e.t.Fatal(err)
	}
	if _, err := fmt.Fprintf(e.in, "Content-Length: %d\r\nContent-Type: application/vscode-jsonrpc; charset=utf-8\r\n\r\n%s", len(body), body); err != nil {
		e.t.Fatal(err)
	}
}

func (e *editor) tell(method string, params any) {
	e.t.Helper()
	e.send(map[string]any{"method": method, "params": params})
}

// receive reads one message of the server.
func (e *editor) receive() map[string]json.RawMessage {
	e.t.Helper()
	size := -1
	for {
		line, err := e.out.ReadString('\n')
		if err != nil {
			e.t.Fatalf("the server says no more: %v", err)
		}
		if line = strings.TrimSpace(line); line == "" {
			break
		}
		if n, ok := strings.CutPrefix(line, "Content-Length: "); ok {
			size, _ = strconv.Atoi(n)
		}
	}
	body := make([]byte, size)
	if _, err := io.ReadFull(e.out, body); err != nil {
		e.t.Fatal(err)
	}
	var m map[string]json.RawMessage
	if err := json.Unmarshal(body, &m); err != nil {
		e.t.Fatal(err)
	}
	if string(m["method"]) == `"textDocument/publishDiagnostics"` {
		var p struct {
			URI         string
			Diagnostics []any
		}
		if err := json.Unmarshal(m["params"], &p); err != nil {
			e.t.Fatal(err)
		}
		e.said[p.URI] = p.Diagnostics
	}
	return m
}

// try asks, and gives the error's message where that is the answer.
func (e *editor) try(to any, method string, params any) string {
	e.t.Helper()
	e.ids++
	e.send(map[string]any{"id": e.ids, "method": method, "params": params})
	for {
		m := e.receive()
		if string(m["id"]) != strconv.Itoa(e.ids) {
			continue
		}
		if m["error"] != nil {
			var failure struct{ Message string }
			if err := json.Unmarshal(m["error"], &failure); err != nil {
				e.t.Fatal(err)
			}
			return failure.Message
		}
		if to != nil {
			if err := json.Unmarshal(m["result"], to); err != nil {
				e.t.Fatalf("%s: %v in %s", method, err, m["result"])
			}
		}
		return ""
	}
}

func (e *editor) ask(to any, method string, params any) {
	e.t.Helper()
	if failed := e.try(to, method, params); failed != "" {
		e.t.Fatalf("%s: %s", method, failed)
	}
}

// open opens a file with a text that need not be the one on the disk.
func (e *editor) open(name, text string) {
	e.t.Helper()
	e.texts[name] = text
	e.tell("textDocument/didOpen", map[string]any{"textDocument": map[string]any{"uri": e.uri(name), "languageId": "parley", "version": 1, "text": text}})
}

func (e *editor) change(name, text string) {
	e.t.Helper()
	e.texts[name] = text
	e.tell("textDocument/didChange", map[string]any{
		"textDocument": map[string]any{"uri": e.uri(name), "version": 2}, "contentChanges": []any{map[string]any{"text": text}},
	})
}

// findings waits for the next diagnostics of a file, and gives them as
// "line:column message", lines and columns from 0.
func (e *editor) findings(name string) []string {
	e.t.Helper()
	delete(e.said, e.uri(name))
	for e.said[e.uri(name)] == nil {
		e.receive()
	}
	out := []string{}
	for _, d := range e.said[e.uri(name)] {
		m := d.(map[string]any)
		start := m["range"].(map[string]any)["start"].(map[string]any)
		out = append(out, fmt.Sprintf("%v:%v %s", start["line"], start["character"], m["message"]))
	}
	return out
}

// spot is the request for what stands at a mark in a text around it.
func (e *editor) spot(name, around string) map[string]any {
	e.t.Helper()
	text := e.texts[name]
	i := strings.Index(text, strings.Replace(around, "¦", "", 1))
	if i < 0 || !strings.Contains(around, "¦") {
		e.t.Fatalf("%q stands nowhere in %s", around, name)
	}
	line, column := e.place(text, i+strings.Index(around, "¦"))
	return map[string]any{"textDocument": map[string]any{"uri": e.uri(name)}, "position": map[string]any{"line": line, "character": column}}
}

// place counts as the client does.
func (e *editor) place(text string, offset int) (line, column int) {
	before := text[:offset]
	line = strings.Count(before, "\n")
	before = before[strings.LastIndexByte(before, '\n')+1:]
	if e.units == "utf-8" {
		return line, len(before)
	}
	return line, len(utf16.Encode([]rune(before)))
}

// close shuts the server down as editors do.
func (e *editor) close() {
	e.t.Helper()
	var nothing any
	e.ask(&nothing, "shutdown", nil)
	e.tell("exit", nil)
	if err := e.cmd.Wait(); err != nil {
		e.t.Errorf("the server ended with %v", err)
	}
}

// The file that these sessions begin with. The parrots are two UTF-16 units each.
const counter = `use "std/debate" as debate

model pupil { provider sim }

// 🦜 Talks.
attack flatter(times: int = 1) at L2 {
  goal "answer"
  append agent.system with "🦜 ${times} ${task.wrong}"
}

scenario sale(n: int = 3) {
  team debate.standard(n: n)
  model pupil
  tasks "facts.jsonl"
  attack flatter(times: 2) on debater[1]
  verify { correct = same(run.answer, task.answer) }
  score { rate asr = !correct given clean.correct }
}
`

const deskFacts = `{"prompt": "p", "answer": "a", "wrong": "b"}` + "\n"

func TestLanguageServerReads(t *testing.T) {
	for _, units := range []string{"utf-8", "utf-16"} {
		t.Run(units, func(t *testing.T) {
			e := startEditor(t, units, map[string]string{"facts.jsonl": deskFacts, "desk.parley": counter})
			e.open("desk.parley", counter)
			if found := e.findings("desk.parley"); len(found) > 0 {
				t.Errorf("of a right file is said: %v", found)
			}
			var hover struct {
				Contents struct{ Value string }
				Range    struct{ Start, End struct{ Line, Character int } }
			}
			e.ask(&hover, "textDocument/hover", e.spot("desk.parley", "🦜 ${tim¦es}"))
			line, column := e.place(counter, strings.Index(counter, "times} ${task"))
			if !strings.Contains(hover.Contents.Value, "times: int = 1") || hover.Range.Start.Line != line || hover.Range.Start.Character != column {
				t.Errorf("hover behind a parrot: %+v, want %d:%d", hover, line, column)
			}
			e.ask(&hover, "textDocument/hover", e.spot("desk.parley", "run.ans¦wer"))
			if !strings.Contains(hover.Contents.Value, "answer: string?") {
				t.Errorf("hover in a predicate: %q", hover.Contents.Value)
			}
			var places []struct {
				URI   string
				Range struct{ Start struct{ Line, Character int } }
			}
			e.ask(&places, "textDocument/definition", e.spot("desk.parley", "attack flat¦ter(times: 2)"))
			if len(places) != 1 || places[0].URI != e.uri("desk.parley") || places[0].Range.Start.Line != 5 || places[0].Range.Start.Character != 7 {
				t.Errorf("definition: %+v", places)
			}
			e.ask(&places, "textDocument/definition", e.spot("desk.parley", "debate.stand¦ard"))
			if len(places) != 1 || !strings.HasSuffix(places[0].URI, "std/debate.parley") {
				t.Fatalf("definition in the library: %+v", places)
			}
			library, err := url.Parse(places[0].URI)
			if err != nil {
				t.Fatal(err)
			}
			if text, err := os.ReadFile(library.Path); err != nil || !strings.Contains(strings.Split(string(text), "\n")[places[0].Range.Start.Line], "team standard(") {
				t.Errorf("line %d of the library file is another: %v", places[0].Range.Start.Line, err)
			}
			var symbols []struct {
				Name     string
				Children []struct{ Name string }
			}
			e.ask(&symbols, "textDocument/documentSymbol", map[string]any{"textDocument": map[string]any{"uri": e.uri("desk.parley")}})
			if len(symbols) != 3 || symbols[2].Name != "sale" || len(symbols[2].Children) != 2 || symbols[2].Children[1].Name != "asr" {
				t.Errorf("symbols: %+v", symbols)
			}
			e.close()
		})
	}
}

// A broken file says what cannot be read, and what is wrong elsewhere all the same.
func TestLanguageServerOnBrokenText(t *testing.T) {
	e := startEditor(t, "utf-16", map[string]string{"facts.jsonl": deskFacts, "desk.parley": counter})
	broken := strings.Replace(counter, "model pupil {", "team half { agent x { sys \"…\n}\nmodel pupil {", 1)
	broken = strings.Replace(broken, "same(run.answer,", "same(run.anser,", 1)
	e.open("desk.parley", broken)
	found := strings.Join(e.findings("desk.parley"), "\n")
	if !strings.Contains(found, "2:26 ") || !strings.Contains(found, `a run has no field "anser"`) || !strings.Contains(found, "did you mean answer?") {
		t.Errorf("said of a broken file:\n%s", found)
	}
	var hover struct{ Contents struct{ Value string } }
	e.ask(&hover, "textDocument/hover", e.spot("desk.parley", "flat¦ter(times: 2)"))
	if !strings.Contains(hover.Contents.Value, "attack flatter(times: int = 1) at L2") {
		t.Errorf("hover in a broken file: %q", hover.Contents.Value)
	}
	if failed := e.try(nil, "textDocument/formatting", map[string]any{"textDocument": map[string]any{"uri": e.uri("desk.parley")}}); !strings.Contains(failed, "syntax errors") {
		t.Errorf("formatting a broken file: %q", failed)
	}
	e.change("desk.parley", counter)
	if found := e.findings("desk.parley"); len(found) > 0 {
		t.Errorf("of the mended file is said: %v", found)
	}
	e.close()
}
