package main

import (
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// The extension's own code, run by Node with a stand-in for VS Code's interface,
// speaks with the real command.
func TestExtensionAgainstTheCommand(t *testing.T) {
	node, err := exec.LookPath("node")
	if err != nil {
		t.Skip("there is no node here")
	}
	dir := t.TempDir()
	for name, text := range map[string]string{"facts.jsonl": deskFacts, "desk.parley": counter} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	out, err := exec.CommandContext(t.Context(), node, filepath.Join("editor", "testdata", "smoke.js"), filepath.Join(dir, "desk.parley")).Output()
	if err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	var got struct {
		Diagnostics, Rename, Completion, Symbols                   []string
		Hover                                                      string
		Definition, References, Formatting, Tokens, Actions, Found int
	}
	if err := json.Unmarshal(out, &got); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	if len(got.Diagnostics) != 0 || !strings.Contains(got.Hover, "times: int = 1") || got.Definition != 1 || got.References != 2 ||
		!slices.Equal(got.Rename, []string{"praise", "praise"}) || !slices.Contains(got.Completion, "ended_by") ||
		!slices.Equal(got.Symbols, []string{"pupil", "flatter", "sale"}) || got.Formatting != 0 || got.Tokens != 0 || got.Actions != 0 || got.Found != 1 {
		t.Errorf("%s", out)
	}
}
