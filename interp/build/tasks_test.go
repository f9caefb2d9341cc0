package build_test

import (
	"testing"
	"testing/fstest"

	"parley/interp/build"
	"parley/interp/load"
	"parley/lang"
	"parley/runtime"
	"parley/stdlib"
)

// Tasks of another file bring their rules and predicates along, which see the
// names of their own file.
func TestImportedTasks(t *testing.T) {
	root := fstest.MapFS{
		"bank.parley": &fstest.MapFile{Data: []byte(`tasks some "facts.jsonl"
task rent { prompt "Pay." answer "done" allow write "payment:*" verify { done = run.answer == "done" } }`)},
		"facts.jsonl": &fstest.MapFile{Data: []byte(facts)},
		"m.parley": &fstest.MapFile{Data: []byte(`use "bank.parley" as bank
team own() { agent a { } turns { t: a { prompt "${task.prompt}" } } answer t.text }
task here { prompt "Stay." answer "done" verify { done = run.answer != nil } }
scenario s() { team own() tasks bank.rent, here, bank.some verify { done = task.done } score { rate r = done } }`)},
	}
	prog, found := load.Load(load.Files{Root: root, Std: stdlib.FS, Parse: lang.Parse, Cache: library}, "m.parley")
	if found.HasErrors() {
		t.Fatal(found)
	}
	c := build.New(prog, func(string) string { return "" })
	s := c.Suite("s", build.Options{})
	if found := c.Diagnostics(); found.HasErrors() || s == nil {
		t.Fatal(found)
	}
	for _, d := range c.Diagnostics() {
		if d.Code == "P0601" {
			t.Errorf("%s", d.Message)
		}
	}
	cell := s.Cells[0]
	if n := len(cell.Plan.Cases); n < 3 || cell.Plan.Cases[0].Name != "rent" || cell.Plan.Cases[1].Name != "here" {
		t.Fatalf("the cases are %v", cell.Plan.Cases)
	}
	if len(cell.Plan.Cases[0].Allow) != 1 || !cell.Plan.Cases[0].Allow[0].Write {
		t.Error("the rule of the imported task is lost")
	}
	if len(cell.Spec.TaskVerify[cell.Plan.Cases[0].Row]) != 1 || arm(t, cell, runtime.Clean) == nil {
		t.Error("the predicate of the imported task is lost")
	}
}
