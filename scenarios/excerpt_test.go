package scenarios

import (
	"io/fs"
	"os"
	"path"
	"regexp"
	"strings"
	"testing"

	"parley/stdlib"
)

// TestReferenceQuotesTheLibrary holds what the reference quotes of the standard library to
// its files. A comment names the team that is quoted; between one … and the next, lines
// stand below one another in the file as in the quotation, whatever their indentation.
func TestReferenceQuotesTheLibrary(t *testing.T) {
	raw, err := os.ReadFile("../lang/SPEC.md")
	if err != nil {
		t.Fatal(err)
	}
	quotes := regexp.MustCompile("(?s)\n```excerpt std/(\\S+)\n(.*?)\n```\n").FindAllStringSubmatch(string(raw), -1)
	if len(quotes) == 0 {
		t.Fatal("nothing is quoted")
	}
	for _, quote := range quotes {
		text, err := fs.ReadFile(stdlib.FS, path.Clean(quote[1])+".parley")
		if err != nil {
			t.Fatal(err)
		}
		for _, team := range strings.Split("\n"+quote[2], "\n// ")[1:] {
			name, body, _ := strings.Cut(team, "\n")
			_, source, found := strings.Cut(string(text), "\nteam "+name+"(")
			if !found {
				t.Fatalf("std/%s has no team %s", quote[1], name)
			}
			source, _, _ = strings.Cut(source, "\n}\n")
			left := unindented(source)
			for _, part := range strings.Split(unindented(body), "…\n") {
				_, after, found := strings.Cut(left, "\n"+strings.TrimPrefix(part, "\n"))
				if !found {
					t.Errorf("team %s of std/%s does not say this there:%s", name, quote[1], part)
					break
				}
				left = "\n" + after
			}
		}
	}
}

// unindented is a text without the blanks before its lines, each line ended.
func unindented(text string) string {
	var b strings.Builder
	for _, line := range strings.Split(text, "\n") {
		b.WriteString(strings.TrimSpace(line) + "\n")
	}
	return "\n" + b.String()
}
