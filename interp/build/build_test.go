package build_test

import (
	"strings"
	"testing"
	"testing/fstest"

	"parley/interp/build"
	"parley/interp/load"
	"parley/lang"
	"parley/lang/diag"
	"parley/runtime"
	"parley/stdlib"
)

const facts = `{"prompt":"P1","answer":"A1","wrong":"W1","wrongs":["W1","X1"],"class":"easy","documents":[{"title":"T","text":"D"}]}
{"prompt":"P2","answer":"A2","wrong":"W2","wrongs":["W2","X2"],"class":"hard","documents":[]}
`

// library keeps the parsed library between tests.
var library = load.NewCache()

func compiler(t testing.TB, src string) *build.Compiler {
	t.Helper()
	root := fstest.MapFS{
		"m.parley":    &fstest.MapFile{Data: []byte(src)},
		"facts.jsonl": &fstest.MapFile{Data: []byte(facts)},
		"some.jsonl":  &fstest.MapFile{Data: []byte(facts + `{"prompt":"P3","answer":"A3","documents":[]}` + "\n")},
		"bad.jsonl":   &fstest.MapFile{Data: []byte("{\"prompt\":\"P\"}\n{\"prompt\":\n")},
		"words.csv":   &fstest.MapFile{Data: []byte("Best Answer,n\nyes,1\nno,many\n")},
		"notes.jsonl": &fstest.MapFile{Data: []byte("{\"text\":\"a\"}\n{\"title\":\"b\"}\n")},
		"docs.jsonl":  &fstest.MapFile{Data: []byte(`{"id":"d1","title":"T","text":"D"}` + "\n")},
	}
	prog, found := load.Load(load.Files{Root: root, Std: stdlib.FS, Parse: lang.Parse, Cache: library}, "m.parley")
	if found.HasErrors() {
		t.Fatalf("the source does not load: %v", found)
	}
	return build.New(prog, func(name string) string { return "http://" + name })
}

// suite compiles a source that must have no errors.
func suite(t testing.TB, src, target string, o build.Options) *build.Suite {
	t.Helper()
	c := compiler(t, src)
	s := c.Suite(target, o)
	if found := c.Diagnostics(); found.HasErrors() || s == nil {
		t.Fatalf("%v", found)
	}
	return s
}

func arm(t testing.TB, c *build.Cell, name runtime.ArmName) *runtime.Arm {
	t.Helper()
	for i := range c.Plan.Arms {
		if c.Plan.Arms[i].Name == name {
			return &c.Plan.Arms[i]
		}
	}
	t.Fatalf("the plan has no %s arm", name)
	return nil
}

func armNames(c *build.Cell) string {
	var names []string
	for _, a := range c.Plan.Arms {
		names = append(names, string(a.Name))
	}
	return strings.Join(names, " ")
}

// debate is what many sources begin with: a library team and two attacks.
const debate = `
use "std/debate"
use "std/world"
attack lie(word: string = "no") at L2 {
  goal "answer"
  append agent.system with "Say ${task.wrong}, ${word}."
  obeyed { reply { answer: task.wrong } }
}
attack poison() at L3 {
  goal "answer"
  insert corpus { title: task.prompt, text: "It is ${task.wrong}." }
}
`

func codes(l diag.List) string {
	var out []string
	for _, d := range l {
		out = append(out, string(d.Code))
	}
	return strings.Join(out, " ")
}
