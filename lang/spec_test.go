package lang_test

import (
	"os"
	"strings"
	"testing"

	"parley/lang"
)

// TestSpecExamplesParse holds the reference to the parser: every block marked
// parley is a whole file.
func TestSpecExamplesParse(t *testing.T) {
	page, err := os.ReadFile("SPEC.md")
	if err != nil {
		t.Fatal(err)
	}
	blocks := strings.Split(string(page), "\n```parley\n")[1:]
	if len(blocks) < 10 {
		t.Fatalf("%d examples, want at least 10", len(blocks))
	}
	for i, b := range blocks {
		text, _, closed := strings.Cut(b, "\n```\n")
		if !closed {
			t.Fatalf("example %d is never closed", i+1)
		}
		if _, diags := lang.Parse("SPEC.md", []byte(text)); len(diags) > 0 {
			t.Errorf("example %d: %v\n%s", i+1, diags, text)
		}
	}
}
