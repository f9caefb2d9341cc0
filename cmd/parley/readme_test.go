package main

import (
	"bytes"
	"os"
	"regexp"
	"strings"
	"testing"
)

// runName is what differs between two runs of one command: the run's file.
var runName = regexp.MustCompile(`\d{4}-\d\d-\d\dT\d\d-\d\d-\d\d_\w+_[0-9a-z]{6}`)

// TestReadme runs every command of the README's console blocks and compares
// what it prints. With UPDATE_README set the page is rewritten.
func TestReadme(t *testing.T) {
	t.Chdir("../..")
	t.Setenv("PARLEY_RUNS_DIR", t.TempDir())
	t.Setenv("PARLEY_QUIET", "true") // how often a slow machine says where it is
	page, err := os.ReadFile("README.md")
	if err != nil {
		t.Fatal(err)
	}
	var out strings.Builder
	rest := string(page)
	blocks := 0
	for {
		before, after, found := strings.Cut(rest, "```console\n")
		out.WriteString(before)
		if !found {
			break
		}
		body, tail, found := strings.Cut(after, "```\n")
		if !found {
			t.Fatal("a console block is not closed")
		}
		blocks++
		played := play(t, body)
		if got, want := runName.ReplaceAllString(played, "RUN"), runName.ReplaceAllString(body, "RUN"); got != want && os.Getenv("UPDATE_README") == "" {
			t.Errorf("the README shows\n%s\nand the commands print\n%s", want, got)
		}
		out.WriteString("```console\n" + played + "```\n")
		rest = tail
	}
	if blocks == 0 {
		t.Fatal("the README has no console block")
	}
	if os.Getenv("UPDATE_README") != "" {
		if err := os.WriteFile("README.md", []byte(out.String()), 0o644); err != nil { //nolint:gosec // a page of the project
			t.Fatal(err)
		}
	}
}

// play runs the commands of a block, lines that begin with "$ ", and gives the
// block as it would look now.
func play(t *testing.T, block string) string {
	t.Helper()
	var b strings.Builder
	for _, line := range strings.Split(block, "\n") {
		command, ok := strings.CutPrefix(line, "$ ")
		if !ok {
			continue
		}
		b.WriteString(line + "\n")
		words := strings.Fields(strings.TrimPrefix(command, "go run ./cmd/"))
		if len(words) == 0 || words[0] != "parley" {
			t.Fatalf("the README runs %q, and only parley is checked here", command)
		}
		args := shellWords(strings.Join(words[1:], " "))
		var stdout, stderr bytes.Buffer
		h := host{stdout: &stdout, stderr: &stderr, getenv: os.Getenv}
		run(args, h)
		b.WriteString(stderr.String() + stdout.String())
	}
	return b.String()
}

// shellWords splits a command line at blanks outside of single quotes.
func shellWords(s string) []string {
	var words []string
	for i, part := range strings.Split(s, "'") {
		if i%2 == 1 {
			words = append(words, part)
			continue
		}
		words = append(words, strings.Fields(part)...)
	}
	return words
}
