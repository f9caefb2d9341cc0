package build_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"testing/fstest"

	"parley/interp/build"
	"parley/interp/load"
	"parley/lang"
	"parley/runtime"
	"parley/stdlib"
)

const mails = `{"prompt": "one", "answer": "1", "thread": "a"}
{"prompt": "two", "answer": "2", "thread": "b"}
{"prompt": "three", "answer": "3", "thread": "a", "kind": "x"}
{"prompt": "alone", "answer": "4"}
{"prompt": "lonely", "answer": "5"}
{"prompt": "four", "answer": "6", "thread": "b"}
`

func sessions(clause, more string) (*build.Suite, *build.Compiler) {
	root := fstest.MapFS{
		"mails.jsonl": &fstest.MapFile{Data: []byte(mails)},
		"m.parley": &fstest.MapFile{Data: []byte(`team t() { agent a { } turns { w: a { prompt "${task.prompt}" } } answer w.text }
scenario s() { team t() tasks "mails.jsonl" ` + clause + ` verify { ok = ` + more + ` } score { rate r = ok } }`)},
	}
	prog, found := load.Load(load.Files{Root: root, Std: stdlib.FS, Parse: lang.Parse, Cache: library}, "m.parley")
	c := build.New(prog, func(string) string { return "" })
	if found.HasErrors() {
		return nil, c
	}
	return c.Suite("s", build.Options{}), c
}

// Tasks of one value are one case, in the order of the file; what has no value
// stands alone; limits count sessions.
func TestSessions(t *testing.T) {
	for _, c := range []struct {
		clause string
		want   string
	}{
		{`session row.thread`, "one three | two four | alone | lonely"},
		{`where row.thread == "b" session row.thread`, "two four"},
		{`session row.thread limit 2..3`, "two four | alone"},
		{`{ prompt = row.prompt + "!" answer = row.answer } session row.thread limit 1`, "one! three!"},
	} {
		s, compiler := sessions(c.clause, `all(run.parts, same(.answer, .task.answer) && len(.turns) > 0) && len(task.session) > 0`)
		if s == nil || compiler.Diagnostics().HasErrors() {
			t.Fatalf("%s: %v", c.clause, compiler.Diagnostics())
		}
		plan := s.Cells[0].Plan
		var got []string
		for i := range plan.Cases {
			var prompts []string
			for _, part := range plan.Cases[i].Parts() {
				prompts = append(prompts, fmt.Sprint(part.Fields["prompt"]))
			}
			got = append(got, strings.Join(prompts, " "))
			if last := plan.Cases[i].Fields["prompt"]; last != prompts[len(prompts)-1] {
				t.Errorf("%s: the task of the session is %v", c.clause, last)
			}
		}
		if strings.Join(got, " | ") != c.want {
			t.Errorf("%s: the sessions are %v", c.clause, got)
		}
		// What the earlier tasks are decides what happens, so it is part of the keys.
		if !slices.Contains(plan.CaseFields, runtime.SessionField) || !slices.Contains(plan.Arms[0].Fields, runtime.SessionField) {
			t.Errorf("%s: the keys are made of %v and %v", c.clause, plan.CaseFields, plan.Arms[0].Fields)
		}
	}
}

func TestSessionsThatCannotBe(t *testing.T) {
	for _, c := range []struct{ clause, more, want string }{
		{`session row.thred`, "true", "thred"},
		{`{ session = row.thread prompt = row.prompt } session row.thread`, "run.answer != nil", `cannot have a field "session"`},
		{``, "len(run.parts) > 0", "parts"},
		{`session row.thread`, `any(run.parts, .task.promt == "x")`, "promt"},
	} {
		_, compiler := sessions(c.clause, c.more)
		found := compiler.Diagnostics()
		if !found.HasErrors() || !strings.Contains(found[0].Message, c.want) {
			t.Errorf("%q with %q: %v, want something about %s", c.clause, c.more, found, c.want)
		}
	}
}
