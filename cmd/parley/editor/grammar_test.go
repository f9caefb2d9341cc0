package editor

import (
	"bytes"
	"encoding/json"
	"flag"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"parley/lang/lex"
)

var update = flag.Bool("update", false, "write the grammar anew")

// The grammar in the folder is the one that the tables give.
func TestGrammarIsCurrent(t *testing.T) {
	want, err := Grammar()
	if err != nil {
		t.Fatal(err)
	}
	path := filepath.Join("syntaxes", "parley.tmLanguage.json")
	if *update {
		if err := os.WriteFile(path, want, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	got, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(got, want) {
		t.Error("the table of words has changed: run go test ./cmd/parley/editor -update")
	}
	for _, w := range operators {
		if w != "not" && !lex.BinaryWord(w) {
			t.Errorf("%s is no operator", w)
		}
	}
}

// No word of the language is forgotten.
func TestGrammarHoldsEveryWord(t *testing.T) {
	grammar, err := Grammar()
	if err != nil {
		t.Fatal(err)
	}
	for _, place := range lex.Places() {
		for _, k := range lex.Keywords(place) {
			if !k.Later && !strings.Contains(string(grammar), "|"+k.Word) && !strings.Contains(string(grammar), k.Word+"|") {
				t.Errorf("%s of %s is not in the grammar", k.Word, place)
			}
		}
	}
}

// What VS Code reads is JSON, and names files that are there.
func TestExtensionIsWhole(t *testing.T) {
	var pkg struct {
		Main        string
		Contributes struct {
			Languages []struct{ Configuration string }
			Grammars  []struct{ Path, ScopeName string }
		}
	}
	read(t, "package.json", &pkg)
	var any map[string]any
	read(t, pkg.Contributes.Languages[0].Configuration, &any)
	read(t, pkg.Contributes.Grammars[0].Path, &any)
	if any["scopeName"] != pkg.Contributes.Grammars[0].ScopeName {
		t.Errorf("the grammar's scope is %v", any["scopeName"])
	}
	if _, err := os.Stat(pkg.Main); err != nil {
		t.Error(err)
	}
}

func read(t *testing.T, path string, to any) {
	t.Helper()
	raw, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if err := json.Unmarshal(raw, to); err != nil {
		t.Fatalf("%s: %v", path, err)
	}
}
