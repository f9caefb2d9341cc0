package query_test

import (
	"strings"
	"testing"
	"testing/fstest"

	"parley/interp/query"
	"parley/lang/source"
	"parley/stdlib"
)

// facts are tasks for the files of these tests.
const facts = `{"prompt": "p", "answer": "a", "wrong": "b"}` + "\n"

// world is a file with one of most things. The emoji stand for two UTF-16 units each.
const world = `// 🦜 A parrot before everything.
use "lib/guests" as guests
use "std/debate"

model pupil { provider sim }

// Talk to customers.
team desk(n: int = 2, loud: bool = false) {
  about "🦜 A desk."
  // Answers first.
  agent clerk[n] { system "🦜 ${self.name}, ${n}" tools look replies { answer: string, sure: bool } }
  agent boss { role orchestrator if loud { system "LOUD" } }
  clerk -> boss
  turns {
    open: clerk[1] { prompt "${task.prompt} ${hole.note}" }
    each_one: each clerk { prompt "x" where reply.sure try 2 }
    let best = first(each_one)
    repeat 2 until open.reply.sure {
      close: boss { prompt "${best.text}" replies { answer: string } }
    }
  }
  answer close.reply.answer
}

workspace shop() {
  state { stock: [{ item: string, left: int }] = [] }
  hole note = "nothing"
  // Looks for a thing.
  tool look(thing: string) reads "shelf:${thing}" { return "${thing} ${state.stock}" }
  allow read "shelf:*" by clerk
}

attack flatter(times: int = 1) at L2 {
  goal "answer"
  append agent.system with "${times} ${task.wrong}" when step == "open"
  obeyed { call look(thing: "x") }
  verify { won = same(run.answer, task.wrong) }
}

scenario sale(n: int = 2) {
  team desk(n: n)
  workspace shop()
  model pupil
  tasks "facts.jsonl"
  attack flatter(times: 2) on clerk[1]
  verify {
    correct = same(run.answer, task.answer)
    looked = any(calls, .tool == "look" && .step == "open")
    sure = any(each_one, .reply.sure) and attack.won
  }
  score { rate asr = !correct given clean.correct }
  fail when asr.high > 0.5
}

experiment many { scenario sale sweep n in [1, 2] }

test "sold" {
  scenario sale
  script clerk { reply { answer: "a", sure: true } repeat }
  script boss { reply { answer: "a" } repeat }
  expect looked or correct
}
`

// guests is the library file of these tests.
const guests = `agents family { agent aunt { system "You are an aunt." } agent uncle {} }
team table(members: agents, first: agent) {
  turns { say user "hello" dish: each members { } last_word: first { } }
  answer last_word.text
}
scenario dinner() {
  team table(members: family, first: aunt)
  tasks "facts.jsonl"
  verify { ate = any(dish, .text == "yes") }
}
`

func project(files map[string]string) query.Project {
	root := fstest.MapFS{"facts.jsonl": {Data: []byte(facts)}, "lib/facts.jsonl": {Data: []byte(facts)}, "lib/guests.parley": {Data: []byte(guests)}}
	for name, text := range files {
		root[name] = &fstest.MapFile{Data: []byte(text)}
	}
	return query.Project{Root: root, Std: stdlib.FS}
}

// cursor is the mark of a place in the texts of these tests.
const cursor = "¦"

// open opens a text without its mark, and tells where that stood.
func open(t *testing.T, text string) (*query.File, int) {
	t.Helper()
	at := strings.Index(text, cursor)
	f, err := query.Open(project(map[string]string{"main.parley": strings.Replace(text, cursor, "", 1)}), "main.parley")
	if err != nil {
		t.Fatal(err)
	}
	return f, at
}

// mark puts the mark behind the first letters of a word: after the nth time that
// the text `around` stands in the file, with its own mark in it.
func mark(t *testing.T, text, around string) string {
	t.Helper()
	plain := strings.Replace(around, cursor, "", 1)
	if strings.Count(text, plain) < 1 || !strings.Contains(around, cursor) {
		t.Fatalf("%q stands nowhere, or has no mark", around)
	}
	return strings.Replace(text, plain, around, 1)
}

func TestWorldIsRight(t *testing.T) {
	found, _, err := query.Diagnose(project(map[string]string{"main.parley": world}), "main.parley")
	if err != nil {
		t.Fatal(err)
	}
	for _, d := range found {
		if d.Severity == "error" {
			t.Errorf("%s: %s (%s)", d.Code, d.Message, d.Hint)
		}
	}
}

func TestHover(t *testing.T) {
	for _, c := range []struct{ at, form, doc string }{
		{"model pup¦il {", "model pupil", ""},
		{"model pup¦il\n", "model pupil", ""},
		{"team de¦sk(n: n)", "team desk(n: int = 2, loud: bool = false)", "Talk to customers."},
		{"desk(n¦: n)", "parameter n: int = 2", ""},
		{"${n¦}\" tools", "parameter n: int = 2", ""},
		{"se¦lf.name", "self: agent", "The agent whose"},
		{"self.na¦me", `name: "clerk[1]" | "clerk[2]" | "boss"`, "The agent's name."},
		{"cl¦erk -> boss", "agent clerk[n]", "Answers first."},
		{"on cle¦rk[1]", "agent clerk[n]", "Answers first."},
		{"tools lo¦ok", "tool look(thing: string) reads", "Looks for a thing."},
		{"call lo¦ok", "tool look(thing: string)", "Looks for a thing."},
		{"\"shelf:${thi¦ng}", "parameter thing: string", ""},
		{"until op¦en.reply", "open: clerk[1]", ""},
		{"open.reply.su¦re", "field of a reply sure: bool", ""},
		{"where reply.su¦re", "field of a reply sure: bool", ""},
		{"any(each_one, .reply.su¦re)", "field of a reply sure: bool", ""},
		{"first(each_¦one)", "each_one: each clerk", ""},
		{"${be¦st.text}", "let best = first(each_one)", ""},
		{"best.te¦xt", "text: string", "What was said."},
		{"hole.no¦te", `hole note = "nothing"`, ""},
		{"state.sto¦ck", "state stock: [{ item: string, left: int }] = []", ""},
		{"task.wr¦ong)", "wrong: string", ""},
		{"sa¦me(run.answer, task.answer)", "same(answer, right) → bool", "Whether two answers"},
		{"ru¦n.answer, task.answer", "run: run {", "The run as a whole"},
		{"an¦y(calls", "any(list, condition) → bool", "some element"},
		{".tool =¦= \"look\"", "bool", ""},
		{".to¦ol ==", "tool: \"look\"", ""},
		{`.tool == "lo¦ok"`, "tool look(", ""},
		{`.step == "op¦en"`, "open: clerk[1]", ""},
		{"attack.wo¦n", "won = same(run.answer, task.wrong)", ""},
		{"clean.cor¦rect", "correct = same(", ""},
		{"fail when as¦r.high", "rate asr =", ""},
		{"sweep n¦ in", "parameter n: int = 2", ""},
		{"expect loo¦ked", "looked = any(", ""},
		{"script bo¦ss", "agent boss", ""},
		{"obey¦ed {", "obeyed { reply", "`obeyed` in an attack"},
		{"prov¦ider sim", "provider sim", "`provider` in a model"},
		{`use "std/deb¦ate"`, "use ", ""},
	} {
		f, at := open(t, mark(t, world, c.at))
		m, err := f.At(at)
		if err != nil {
			t.Fatal(err)
		}
		if m == nil {
			t.Errorf("%s: nothing", c.at)
			continue
		}
		if !strings.HasPrefix(m.Form, c.form) || !strings.Contains(m.Doc, c.doc) {
			t.Errorf("%s: %s\n%s", c.at, m.Form, m.Doc)
		}
		if m.Span.Start > at || m.Span.End < at {
			t.Errorf("%s: stands at %v, not around %d", c.at, m.Span, at)
		}
	}
}

func TestDefinitions(t *testing.T) {
	for _, c := range []struct{ at, line string }{
		{"team de¦sk(n: n)", "main.parley:team desk(n: int"},
		{"cl¦erk -> boss", "main.parley:agent clerk[n]"},
		{"by cle¦rk", "main.parley:agent clerk[n]"},
		{"call lo¦ok", "main.parley:tool look("},
		{"call look(thi¦ng:", "main.parley:tool look(thing"},
		{"until op¦en.reply", "main.parley:open: clerk[1]"},
		{"scenario sa¦le sweep", "main.parley:scenario sale("},
		{"flatter(ti¦mes: 2)", "main.parley:attack flatter(times"},
		{`use "lib/gue¦sts"`, "lib/guests.parley:agents family"},
		{`use "std/deb¦ate"`, "std/debate.parley:language 1"},
		{"as gu¦ests", "lib/guests.parley:agents family"},
	} {
		f, at := open(t, mark(t, world, c.at))
		found, err := f.Definitions(at)
		if err != nil {
			t.Fatal(err)
		}
		if len(found) != 1 {
			t.Errorf("%s: %d definitions", c.at, len(found))
			continue
		}
		src := f.Source(found[0].File)
		line := found[0].File + ":" + strings.TrimSpace(lineOf(src, found[0].Span.Start))
		if !strings.HasPrefix(line, c.line) {
			t.Errorf("%s: leads to %s", c.at, line)
		}
	}
}

func lineOf(src *source.Source, offset int) string { return src.Line(src.LineOf(offset)) }

// What is imported is known by its import, sets of agents by their agents.
func TestImported(t *testing.T) {
	const text = `use "lib/guests" as guests
scenario visit() {
  team guests.ta¦ble(members: [guests.family], first: uncle)
  tasks "facts.jsonl"
  verify { said = any(dish, .agent == "aunt") spoke = len(last_word.text) > 1 }
}
`
	for _, c := range []struct{ at, form string }{
		{"guests.ta¦ble", "team table(members: agents, first: agent)"},
		{"gue¦sts.table", `use "lib/guests" as guests`},
		{"mem¦bers: [", "parameter members: agents"},
		{"guests.fam¦ily", "agents family"},
		{"first: unc¦le", "agent uncle"},
		{"any(di¦sh", "dish: each members"},
		{`== "au¦nt"`, "agent aunt"},
		{"len(last_w¦ord", "last_word: first"},
	} {
		f, at := open(t, mark(t, strings.Replace(text, cursor, "", 1), c.at))
		m, err := f.At(at)
		if err != nil || m == nil || !strings.HasPrefix(m.Form, c.form) {
			t.Errorf("%s: %+v %v", c.at, m, err)
		}
	}
}
