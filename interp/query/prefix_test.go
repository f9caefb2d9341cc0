package query_test

import (
	"os"
	"path/filepath"
	"strconv"
	"testing"
	"testing/fstest"

	"parley/interp/load"
	"parley/interp/query"
	"parley/stdlib"
)

// Whatever an author has typed so far, every question has an answer: at beginnings
// of files of the project, and at those with their rest behind a gap, nothing makes
// the program stumble.
func TestPrefixes(t *testing.T) {
	step := 211
	if n, err := strconv.Atoi(os.Getenv("PARLEY_PREFIX_STEP")); err == nil {
		step = max(n, 1) // 1 for every beginning there is
	}
	for _, name := range []string{"quickstart.parley", "relay.parley", "strategyqa.parley", "defenses/table.parley", "madbench/banking.parley"} {
		text, err := os.ReadFile(filepath.Join("..", "..", "scenarios", name))
		if err != nil {
			t.Fatal(err)
		}
		every(t, name, string(text), step)
	}
	every(t, "world.parley", world, step)
}

func every(t *testing.T, name, text string, step int) {
	t.Helper()
	root := fstest.MapFS{"facts.jsonl": {Data: []byte(facts)}, "lib/guests.parley": {Data: []byte(guests)}}
	p := query.Project{Root: root, Std: stdlib.FS, Cache: load.NewCache()}
	for at := 0; at <= len(text); at += step {
		for _, now := range []string{text[:at], text[:at] + text[min(at+13, len(text)):]} {
			root["x.parley"] = &fstest.MapFile{Data: []byte(now)}
			ask(t, p, name, at)
		}
	}
}

// ask asks everything at a place.
func ask(t *testing.T, p query.Project, name string, at int) {
	t.Helper()
	fail := func(what string, err error) {
		if err != nil {
			t.Fatalf("%s up to %d: %s: %v", name, at, what, err)
		}
	}
	_, f, err := query.Diagnose(p, "x.parley")
	fail("diagnose", err)
	_, err = f.At(at)
	fail("hover", err)
	_, err = f.Definitions(at)
	fail("definitions", err)
	_, err = f.Outline()
	fail("outline", err)
	_, err = f.Colors()
	fail("colors", err)
	_, err = query.Complete(p, "x.parley", at)
	fail("complete", err)
}
