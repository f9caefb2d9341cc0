package lang_test

import (
	"os"
	"regexp"
	"strings"
	"testing"

	"parley/lang"
	"parley/lang/diag"
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

// TestSpecListsEveryCode holds the reference's list of diagnostics to the codes
// there are.
func TestSpecListsEveryCode(t *testing.T) {
	page, err := os.ReadFile("SPEC.md")
	if err != nil {
		t.Fatal(err)
	}
	_, list, ok := strings.Cut(string(page), "\n## 16. Diagnostics\n")
	if !ok {
		t.Fatal("the list of diagnostics is gone")
	}
	for _, code := range diag.Codes() {
		if !strings.Contains(list, string(code)+" ") {
			t.Errorf("%s (%s) is not in the list", code, code.Title())
		}
	}
	for _, listed := range regexp.MustCompile(`P0\d{3} `).FindAllString(list, -1) {
		if code := diag.Code(strings.TrimSpace(listed)); code.Title() == "" {
			t.Errorf("%s is in the list, and there is no such code", code)
		}
	}
}
