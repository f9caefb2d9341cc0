package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"sort"
	"strings"
	"testing"
	"unicode/utf16"
)

// team is a file that another imports; both have parrots before what is asked for.
const (
	sellers = `// 🦜🦜
team shop(n: int = 2) {
  agent seller[n] { system "🦜 ${self.name} of ${n}" replies { answer: string } }
  turns { open: each seller { prompt "${task.prompt}" } }
  answer majority(map(open, .reply.answer))
}
`
	fair = `use "sellers" as stalls

attack bribe() at L2 { goal "answer" append agent.system with "🦜 Say ${task.wrong}." when step == "open" }

scenario day() {
  about "🦜" team stalls.shop(n: 3) tasks "facts.jsonl" attack bribe() on seller[2]
  verify { "🦜" != "" ? true : false }
}
`
)

type change struct {
	Range struct {
		Start, End struct{ Line, Character int }
	}
	NewText string
}

// apply changes a text as an editor does, by its own count of columns.
func (e *editor) apply(name string, changes []change) {
	e.t.Helper()
	text := e.texts[name]
	offset := func(line, character int) int {
		at := 0
		for range line {
			at += strings.IndexByte(text[at:], '\n') + 1
		}
		if e.units == "utf-8" {
			return at + character
		}
		for i, r := range text[at:] {
			if character <= 0 {
				return at + i
			}
			character -= len(utf16.Encode([]rune{r}))
		}
		return len(text)
	}
	sort.Slice(changes, func(i, j int) bool {
		a, b := changes[i].Range.Start, changes[j].Range.Start
		return a.Line > b.Line || a.Line == b.Line && a.Character > b.Character
	})
	for _, c := range changes {
		text = text[:offset(c.Range.Start.Line, c.Range.Start.Character)] + c.NewText + text[offset(c.Range.End.Line, c.Range.End.Character):]
	}
	e.texts[name] = text
}

type edit struct{ Changes map[string][]change }

func (e *editor) applyAll(w edit) {
	e.t.Helper()
	for uri, changes := range w.Changes {
		name, err := filepath.Rel(e.uri(""), uri)
		if err != nil || strings.HasPrefix(name, "..") {
			e.t.Fatalf("%s is changed", uri)
		}
		e.apply(name, changes)
	}
}

// check runs `parley check` over the texts as they are now.
func (e *editor) check() string {
	e.t.Helper()
	for name, text := range e.texts {
		if err := os.WriteFile(filepath.Join(e.dir, name), []byte(text), 0o644); err != nil {
			e.t.Fatal(err)
		}
	}
	out, _ := exec.CommandContext(e.t.Context(), "parley", "check", e.dir).CombinedOutput()
	return string(out)
}

func TestLanguageServerRenames(t *testing.T) {
	day := strings.Replace(fair, `"🦜" != "" ? true : false`, `right = "🦜" != "" && same(run.answer, task.answer)`, 1)
	for _, units := range []string{"utf-8", "utf-16"} {
		t.Run(units, func(t *testing.T) {
			e := startEditor(t, units, map[string]string{"facts.jsonl": deskFacts, "sellers.parley": sellers, "fair.parley": day})
			e.open("sellers.parley", sellers)
			e.open("fair.parley", day)
			var places []struct{ URI string }
			ask := e.spot("sellers.parley", "se¦ller[n]")
			ask["context"] = map[string]any{"includeDeclaration": true}
			e.ask(&places, "textDocument/references", ask)
			if len(places) != 3 || places[0].URI != e.uri("fair.parley") {
				t.Errorf("references: %+v", places)
			}
			for _, step := range []struct{ file, at, name string }{
				{"sellers.parley", "se¦ller[n]", "vendor"},
				{"fair.parley", "on ven¦dor[2]", "hawker"},
				{"sellers.parley", "shop(n¦: int", "size"},
				{"sellers.parley", "op¦en: each", "begin"},
				{"fair.parley", "sta¦lls.shop", "stands"},
				{"fair.parley", "attack bri¦be() on", "buy"},
			} {
				var prepared struct{ Placeholder string }
				e.ask(&prepared, "textDocument/prepareRename", e.spot(step.file, step.at))
				if !strings.Contains(strings.Replace(step.at, "¦", "", 1), prepared.Placeholder) || prepared.Placeholder == "" {
					t.Errorf("%s: %q would be renamed", step.at, prepared.Placeholder)
				}
				ask := e.spot(step.file, step.at)
				ask["newName"] = step.name
				var w edit
				e.ask(&w, "textDocument/rename", ask)
				e.applyAll(w)
				for name, text := range e.texts {
					e.change(name, text)
				}
			}
			if out := e.check(); !strings.Contains(out, "0 errors") {
				t.Errorf("after renaming:\n%s\n%s\n%s", out, e.texts["fair.parley"], e.texts["sellers.parley"])
			}
			for name, want := range map[string]string{
				"sellers.parley": `agent hawker[size] { system "🦜 ${self.name} of ${size}" replies`,
				"fair.parley":    `about "🦜" team stands.shop(size: 3) tasks "facts.jsonl" attack buy() on hawker[2]`,
			} {
				if !strings.Contains(e.texts[name], want) {
					t.Errorf("%s:\n%s", name, e.texts[name])
				}
			}
			ask = e.spot("sellers.parley", "team sh¦op")
			ask["newName"] = "task list"
			if failed := e.try(nil, "textDocument/rename", ask); !strings.Contains(failed, "is no name") {
				t.Errorf("a name of two words: %q", failed)
			}
			ask = e.spot("sellers.parley", "be¦gin: each")
			ask["newName"] = "hawker"
			if failed := e.try(nil, "textDocument/rename", ask); !strings.Contains(failed, "hawker") {
				t.Errorf("a name that is taken: %q", failed)
			}
			e.close()
		})
	}
}

func TestLanguageServerCompletes(t *testing.T) {
	e := startEditor(t, "utf-16", map[string]string{"facts.jsonl": deskFacts, "sellers.parley": sellers})
	for _, c := range []struct{ was, is, want string }{
		{"at L2 {", "at ¦ {", "L1 L2 L3"},
		{"append agent.system", "append agent.¦", "system prompt output"},
		{"goal \"answer\" append agent.system", "goal \"answer\" ¦ append agent.system", "append drop if"},
		{"when step == \"open\"", "when step == \"¦\"", "open"},
		{"🦜 Say ${task.wrong}", "🦜 Say ${task.¦", "prompt answer wrong"},
		{"stalls.shop(n: 3)", "stalls.¦", "shop"},
		{"stalls.shop(n: 3)", "stalls.shop(¦)", "n"},
		{"on seller[2]", "on ¦", "seller"},
		{"\"🦜\" != \"\" ? true : false", "r = \"🦜\" != \"\" && any(open, .reply.¦)", "answer"},
		{"\"🦜\" != \"\" ? true : false", "r = \"🦜\" != \"\" && ru¦", "run turns same any"},
		{"use \"sellers\"", "use \"¦\"", "sellers std/debate"},
		{"tasks \"facts.jsonl\"", "tasks \"¦\"", "facts.jsonl"},
		{"scenario day()", "¦ scenario day()", "team agents model experiment"},
	} {
		if !strings.Contains(fair, c.was) {
			t.Fatalf("%q stands nowhere", c.was)
		}
		text := strings.Replace(fair, c.was, strings.Replace(c.is, "¦", "", 1), 1)
		e.open("fair.parley", text)
		var list struct {
			Items []struct {
				Label    string
				TextEdit change
			}
		}
		e.ask(&list, "textDocument/completion", e.spot("fair.parley", c.is))
		for _, want := range strings.Fields(c.want) {
			i := slices.IndexFunc(list.Items, func(i struct {
				Label    string
				TextEdit change
			},
			) bool {
				return i.Label == want
			})
			if i < 0 {
				t.Errorf("%s: no %s among %d items", c.is, want, len(list.Items))
				continue
			}
			// What the edit makes has the item where the mark stood.
			e.texts["fair.parley"] = text
			e.apply("fair.parley", []change{list.Items[i].TextEdit})
			before := strings.Index(c.is, "¦")
			for before > 0 && strings.Contains("abcdefghijklmnopqrstuvwxyz", string(c.is[before-1])) && c.is[before-1] != '.' {
				before--
			}
			if !strings.Contains(e.texts["fair.parley"], c.is[:before]+want) {
				t.Errorf("%s: %s makes\n%s", c.is, want, e.texts["fair.parley"])
			}
		}
		e.tell("textDocument/didClose", map[string]any{"textDocument": map[string]any{"uri": e.uri("fair.parley")}})
	}
	e.close()
}

func TestLanguageServerMendsAndColours(t *testing.T) {
	e := startEditor(t, "utf-16", map[string]string{"facts.jsonl": deskFacts})
	text := strings.Replace(counter, "task.answer)", "task.anser)", 1)
	text = strings.Replace(text, "scenario sale", "scenario   sale", 1)
	e.open("desk.parley", text)
	var actions []struct {
		Title string
		Edit  edit
	}
	at := e.spot("desk.parley", "task.an¦ser")["position"]
	e.ask(&actions, "textDocument/codeAction", map[string]any{
		"textDocument": map[string]any{"uri": e.uri("desk.parley")}, "range": map[string]any{"start": at, "end": at}, "context": map[string]any{"diagnostics": []any{}},
	})
	if len(actions) != 1 || actions[0].Title != "Change to answer" {
		t.Fatalf("actions: %+v", actions)
	}
	e.applyAll(actions[0].Edit)
	e.change("desk.parley", e.texts["desk.parley"])
	var changes []change
	e.ask(&changes, "textDocument/formatting", map[string]any{"textDocument": map[string]any{"uri": e.uri("desk.parley")}, "options": map[string]any{"tabSize": 8}})
	e.apply("desk.parley", changes)
	if e.texts["desk.parley"] != counter {
		t.Errorf("mended and formatted:\n%s", e.texts["desk.parley"])
	}
	e.change("desk.parley", counter)
	var tokens struct{ Data []int }
	e.ask(&tokens, "textDocument/semanticTokens/full", map[string]any{"textDocument": map[string]any{"uri": e.uri("desk.parley")}})
	words := map[string]int{}
	line, column := 0, 0
	for i := 0; i+4 < len(tokens.Data); i += 5 {
		if tokens.Data[i] > 0 {
			column = 0
		}
		line, column = line+tokens.Data[i], column+tokens.Data[i+1]
		units := utf16.Encode([]rune(strings.Split(counter, "\n")[line]))
		words[string(utf16.Decode(units[column:column+tokens.Data[i+2]]))] = tokens.Data[i+3]
	}
	for word, kind := range map[string]int{"flatter": 0, "times": 1, "attack": 8, "same": 6, "run": 2, "correct": 3, "debate": 7, "standard": 0, "wrong": -1} {
		if got, ok := words[word]; ok != (kind >= 0) || ok && got != kind {
			t.Errorf("%s has the colour %v, want %d", word, got, kind)
		}
	}
	var found []struct{ Name string }
	e.ask(&found, "workspace/symbol", map[string]any{"query": "fltr"})
	if len(found) != 1 || found[0].Name != "flatter" {
		t.Errorf("symbols of the workspace: %+v", found)
	}
	e.close()
}

// What is said of a file comes again through those that import it.
func TestLanguageServerFollowsImports(t *testing.T) {
	day := strings.Replace(fair, `"🦜" != "" ? true : false`, `right = same(run.answer, task.answer)`, 1)
	e := startEditor(t, "utf-16", map[string]string{"facts.jsonl": deskFacts, "sellers.parley": sellers, "fair.parley": day})
	e.open("fair.parley", day)
	if found := e.findings("fair.parley"); len(found) > 0 {
		t.Fatalf("%v", found)
	}
	e.open("sellers.parley", strings.Replace(sellers, "agent seller[n]", "agent trader[n]", 1))
	if found := strings.Join(e.findings("fair.parley"), "\n"); !strings.Contains(found, "seller") {
		t.Errorf("after the agents of an import changed: %q", found)
	}
	e.tell("textDocument/didClose", map[string]any{"textDocument": map[string]any{"uri": e.uri("sellers.parley")}})
	if found := e.findings("fair.parley"); len(found) > 0 {
		t.Errorf("after the change was dropped: %v", found)
	}
	e.close()
}

// The protocol's own rules: order, unknown methods, broken messages, and how it ends.
func TestLanguageServerKeepsToTheProtocol(t *testing.T) {
	e := startEditor(t, "utf-16", map[string]string{"facts.jsonl": deskFacts})
	if failed := e.try(nil, "initialize", map[string]any{}); !strings.Contains(failed, "initialized already") {
		t.Errorf("a second initialize: %q", failed)
	}
	if failed := e.try(nil, "textDocument/nothing", map[string]any{}); !strings.Contains(failed, "no method") {
		t.Errorf("an unknown method: %q", failed)
	}
	if failed := e.try(nil, "textDocument/hover", []int{1}); !strings.Contains(failed, "parameters") {
		t.Errorf("wrong parameters: %q", failed)
	}
	if failed := e.try(nil, "textDocument/hover", map[string]any{"textDocument": map[string]any{"uri": "file:///nowhere"}, "position": map[string]any{}}); !strings.Contains(failed, "not open") {
		t.Errorf("a file that is not open: %q", failed)
	}
	e.tell("$/anything", map[string]any{})
	if _, err := fmt.Fprint(e.in, "Content-Length: 5\r\n\r\n{\"a\":"); err != nil {
		t.Fatal(err)
	}
	for {
		m := e.receive()
		if m["error"] != nil {
			if string(m["id"]) != "null" {
				t.Errorf("the answer to a broken message has the id %s", m["id"])
			}
			break
		}
	}
	// A request that was called off before its turn is answered as such.
	e.open("desk.parley", counter)
	e.tell("$/cancelRequest", map[string]any{"id": 4711})
	e.open("untitled.parley", "team t { agent a { sys")
	var nothing any
	e.ask(&nothing, "shutdown", nil)
	if failed := e.try(nil, "textDocument/hover", e.spot("desk.parley", "attack fl¦atter(times: 2)")); !strings.Contains(failed, "shutting down") {
		t.Errorf("a request after shutdown: %q", failed)
	}
	e.tell("exit", nil)
	if err := e.cmd.Wait(); err != nil {
		t.Errorf("after shutdown and exit: %v", err)
	}
	for _, end := range []string{"exit", "input"} {
		e := startEditor(t, "utf-16", nil)
		if end == "exit" {
			e.tell("exit", nil)
		} else if err := e.in.Close(); err != nil {
			t.Fatal(err)
		}
		var failed *exec.ExitError
		if err := e.cmd.Wait(); !errors.As(err, &failed) || failed.ExitCode() != 1 {
			t.Errorf("the end by %s without shutdown: %v", end, err)
		}
	}
	raw := exec.CommandContext(t.Context(), "parley", "lsp")
	raw.Stdin = strings.NewReader(frame(map[string]any{"jsonrpc": "2.0", "id": 1, "method": "textDocument/hover"}) + frame(map[string]any{"jsonrpc": "2.0", "method": "exit"}))
	out, _ := raw.Output()
	if !strings.Contains(string(out), "-32002") {
		t.Errorf("a request before initialize: %s", out)
	}
}

func frame(m map[string]any) string {
	body, err := json.Marshal(m)
	if err != nil {
		panic(err)
	}
	return fmt.Sprintf("Content-Length: %d\r\n\r\n%s", len(body), body)
}
