package main

import (
	"bytes"
	"encoding/hex"
	"os"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
	"testing/fstest"

	"parley/interp"
	"parley/lang/diag"
	"parley/lang/diag/explain"
	"parley/lang/format"
	"parley/stdlib"
)

// Every code is explained, in order and once.
func TestEveryCodeIsExplained(t *testing.T) {
	seen := map[diag.Code]bool{}
	last := diag.Code("")
	for _, e := range explain.All() {
		if e.Code.Title() == "" || seen[e.Code] || e.Code < last {
			t.Errorf("%s is explained twice, out of order, or is no code", e.Code)
		}
		seen[e.Code], last = true, e.Code
		if e.Says == "" || e.Wrong == "" || e.Right == "" {
			t.Errorf("%s lacks a sentence or an example", e.Code)
		}
	}
	for _, code := range diag.Codes() {
		if !seen[code] {
			t.Errorf("%s (%s) is not explained", code, code.Title())
		}
	}
}

// Of the wrong example its code is said, of the right one nothing, and that one is
// in its form.
func TestExplanations(t *testing.T) {
	for _, e := range explain.All() {
		t.Run(string(e.Code), func(t *testing.T) {
			found := said(t, e, expand(e.Wrong))
			if found.HasErrors() {
				found = slices.DeleteFunc(found, func(d diag.Diagnostic) bool { return d.Severity != diag.Error })
			}
			if len(found) == 0 || found[0].Code != e.Code {
				t.Errorf("of the wrong example is said\n%v\n%s", found, e.Wrong)
			}
			if found := said(t, e, e.Right); len(found) > 0 {
				t.Errorf("of the right example is said\n%v\n%s", found, e.Right)
			}
			if out, _, err := format.Source("x", []byte(e.Right)); err != nil || string(out) != e.Right {
				t.Errorf("the right example would be laid out as\n%s", out)
			}
		})
	}
}

// said is what checking a text finds, and compiling what the command line asks for.
func said(t *testing.T, e explain.Entry, text string) diag.List {
	t.Helper()
	facts, err := os.ReadFile("../../lang/SPEC.md")
	if err != nil {
		t.Fatal(err)
	}
	_, rest, _ := bytes.Cut(facts, []byte("\n```jsonl\n"))
	records, _, _ := bytes.Cut(rest, []byte("\n```\n"))
	root := fstest.MapFS{
		"example.parley": {Data: []byte(text)},
		"facts.jsonl":    {Data: records},
		"other.parley":   {Data: []byte(`team pair() { agent a {} turns { s: a { prompt "${task.prompt}" } } answer s.text }`)},
	}
	for _, f := range e.Files {
		root[f.Name] = &fstest.MapFile{Data: []byte(expand(f.Text))}
	}
	m, found := interp.Project{Root: root, Std: stdlib.FS, Getenv: os.Getenv}.Load("example.parley")
	if found.HasErrors() {
		return found
	}
	found = m.Check()
	if e.Target != "" && !found.HasErrors() {
		_, found = m.Compile(e.Target, interp.Options{})
	}
	return found
}

var (
	manyTimes = regexp.MustCompile(`«(.+?) × (\d+)»`)
	bytesOf   = regexp.MustCompile(`«([0-9A-F]{2}(?: [0-9A-F]{2})*)»`)
)

// expand writes out what an example only says: «x × 9» is nine x, «C3 A9» are bytes.
func expand(text string) string {
	text = manyTimes.ReplaceAllStringFunc(text, func(s string) string {
		m := manyTimes.FindStringSubmatch(s)
		n, _ := strconv.Atoi(m[2])
		return strings.Repeat(m[1], n)
	})
	return bytesOf.ReplaceAllStringFunc(text, func(s string) string {
		b, _ := hex.DecodeString(strings.ReplaceAll(strings.Trim(s, "«»"), " ", ""))
		return string(b)
	})
}
