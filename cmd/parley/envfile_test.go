package main

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestParseEnv(t *testing.T) {
	got, err := parseEnv("\uFEFF# keys\n\nA=1\r\n export B_2 = two words # why\nC='single $A \\n # kept' # c\nD=\"a\\n\\\"b\\\" \\\\ \\x\"\nE=\nF=a#b\nG=k=v\n")
	want := [][2]string{
		{"A", "1"}, {"B_2", "two words"}, {"C", `single $A \n # kept`}, {"D", "a\n\"b\" \\ \\x"}, {"E", ""}, {"F", "a#b"}, {"G", "k=v"},
	}
	if d := cmp.Diff(want, got); err != nil || d != "" {
		t.Error(err, d)
	}
	for text, says := range map[string]string{
		"A=1\nverysecret": "line 2 is not NAME=value", "1A=verysecret": "line 1 is not", "A B=verysecret": "line 1 is not", "=verysecret": "line 1 is not",
		"A='verysecret": "line 1: a quotation mark", "A=\"verysecret\" more": "line 1: a quotation mark", "\n\nA='a'b": "line 3: a quotation mark",
	} {
		_, err := parseEnv(text)
		if err == nil || !strings.Contains(err.Error(), says) || strings.Contains(err.Error(), "secret") {
			t.Errorf("%q: %v", text, err)
		}
	}
}

func FuzzParseEnv(f *testing.F) {
	f.Add("A=1\nexport B='x' # c\nC=\"\\\\\"")
	f.Fuzz(func(t *testing.T, text string) {
		got, err := parseEnv(text)
		if err != nil {
			return
		}
		for _, v := range got {
			if !isVariable(v[0]) {
				t.Fatalf("%q is no name", v[0])
			}
		}
	})
}

func TestEnvironmentGoesBeforeTheFile(t *testing.T) {
	h := host{
		getenv:  func(name string) string { return map[string]string{"A": "outside"}[name] },
		environ: func() []string { return []string{"A=outside", "B="} },
	}
	h = overlay(h, [][2]string{{"A", "file"}, {"B", "file"}, {"C", "file"}})
	for name, want := range map[string]string{"A": "outside", "B": "file", "C": "file", "D": ""} {
		if got := h.getenv(name); got != want {
			t.Errorf("%s is %q", name, got)
		}
	}
	if d := cmp.Diff(map[string]string{"A": "outside", "B": "file", "C": "file"}, variables(h)); d != "" {
		t.Error(d)
	}
}
