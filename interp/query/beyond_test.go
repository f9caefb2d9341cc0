package query_test

import (
	"strings"
	"testing"
	"testing/fstest"

	"parley/interp/query"
	"parley/stdlib"
)

// TestMistakesOfFiveKinds: whatever is wrong elsewhere in a file, each mistake is said.
func TestMistakesOfFiveKinds(t *testing.T) {
	const src = `use "std/debate"

model pupil {
  provder sim
}

team pair() {
  agent left { temperature 9 }
  turns { t: left { prompt "${task.prompt}" } }
  answer t.text
}

attack lie() at L2 {
  goal "answer"
  append agent.system with "Say ${task.wrng}."
}

scenario alone() {
  team pair()
  tasks "facts.jsonl"
  verify { right = same(run.answer, task.answer) && run.tokens }
  score { rate accuracy = right }
}

scenario together() {
  team debate.standard(size: 3)
  tasks "facts.jsonl"
  model pupil
}

scenario lied_to() {
  team debate.standard(n: 3)
  tasks "facts.jsonl"
  attack lie() on debater[1]
  verify { right = same(run.answer, task.answer) }
  score { rate asr = !right }
}

verify spare() { many = lenght(turns) > 3 }
`
	found, _, err := query.Diagnose(brokenProject(src), "m.parley")
	if err != nil {
		t.Fatal(err)
	}
	var said []string
	for _, d := range found {
		said = append(said, string(d.Code)+" "+src[d.Span.Start:d.Span.End])
	}
	// The scenario that chooses the broken model is silent, its own mistake with it.
	want := "P0121 provder, P0382 9, P0302 wrng, P0304 run.tokens, P0303 lenght"
	if got := strings.Join(said, ", "); got != want {
		t.Errorf("said: %s\nwant: %s", got, want)
	}
}

// TestWhatHangsOnTheBroken: a name that something unreadable may declare is not
// reported, one that nothing can declare is.
func TestWhatHangsOnTheBroken(t *testing.T) {
	for name, c := range map[string]struct{ src, want string }{
		"a team without its name":       {"team (n: int) {\n  agent a { }\n}\nscenario s() {\n  team debate()\n  tasks \"facts.jsonl\"\n}\n", "P0122 P0201"},
		"a team whose head is odd":      {"team debate[3] {\n  agent a { }\n}\nscenario s() {\n  team debate()\n  tasks \"facts.jsonl\"\n}\n", "P0124"},
		"an import that is not there":   {"use \"std/nothing\"\nscenario s() {\n  team nothing.x()\n  tasks \"facts.jsonl\"\n}\n", "P0203"},
		"a broken import, another name": {"use \"std/nothing\"\nscenario s() {\n  team something.x()\n  tasks \"facts.jsonl\"\n}\n", "P0203 P0201"},
		"a judge that cannot be read":   {"jugde strict { prompt \"x\" }\nverify v() { x = judge.strict.reply.class == 1 }\n", "P0120"},
	} {
		found, _, err := query.Diagnose(brokenProject(c.src), "m.parley")
		if err != nil {
			t.Fatal(err)
		}
		var codes []string
		for _, d := range found {
			codes = append(codes, string(d.Code))
		}
		if got := strings.Join(codes, " "); got != c.want {
			t.Errorf("%s: %s, want %s\n%v", name, got, c.want, found)
		}
	}
}

func brokenProject(src string) query.Project {
	return query.Project{Std: stdlib.FS, Root: fstest.MapFS{
		"m.parley":    {Data: []byte(src)},
		"facts.jsonl": {Data: []byte(`{"prompt":"P","answer":"A","wrong":"W","documents":[]}` + "\n")},
	}}
}
