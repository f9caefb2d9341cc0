package build_test

import (
	"fmt"
	"strings"
	"testing"

	"parley/interp/build"
	"parley/lang/ast"
	"parley/lang/diag"
)

// mistake is a source with one thing wrong in it, between ⟦ and ⟧, and what has
// to be said about it.
type mistake struct {
	name string
	src  string
	code diag.Code
	say  string // the whole message
	hint string // the whole hint
}

// in puts clauses into a scenario over the library's debate.
func in(clauses string) string {
	return debate + "scenario s() {\n team debate.standard(n: 3)\n workspace world.notes()\n tasks \"facts.jsonl\"\n" + clauses + "\n}"
}

// attacked is a scenario under an attack of one's own.
func attacked(attack, use string) string {
	return attack + in(use+` verify { correct = same(run.answer, task.answer) } score { rate asr = !correct }`)
}

// teamed is a scenario over a team of one's own.
func teamed(body string) string {
	return "team own() {\n" + body + "\n}\nscenario s() { team own() tasks \"facts.jsonl\" verify { silent = run.answer == nil } score { rate r = silent } }"
}

// worlded is a scenario in a workspace of one's own.
func worlded(body string) string {
	return "workspace own() {\n" + body + "\n}\n" + `team solo() { agent a { tools all } turns { t: a { prompt "${task.prompt}" } } answer t.text }
scenario s() { team solo() workspace own() tasks "facts.jsonl" verify { silent = run.answer == nil } score { rate r = silent } }`
}

const scored = ` verify { correct = same(run.answer, task.answer) } score { rate asr = !correct }`

var mistakes = []mistake{
	// Names.
	{"no such team", `scenario s() { team ⟦standrd⟧() tasks "facts.jsonl" } team standard() { agent a { } turns { t: a { prompt "x" } } answer t.text }`, diag.NoSuchDecl, `no team is named "standrd"`, "did you mean standard?"},
	{"no such import", `scenario s() { team ⟦debate⟧.standard() tasks "facts.jsonl" }`, diag.NoSuchDecl, `no import is named "debate"`, `import it first: use "std/debate"`},
	{"attack as a team", debate + `scenario s() { team ⟦lie⟧() tasks "facts.jsonl" }`, diag.WrongKindOfDecl, "lie is declared as an attack, not as a team", ""},
	{"no such model", in("model ⟦pupil⟧" + scored), diag.NoSuchDecl, `no model is named "pupil"`, ""},
	{"no such verify", in("verify ⟦checks⟧()" + scored), diag.NoSuchDecl, `no verify is named "checks"`, ""},

	// Arguments and parameters.
	{"no such parameter and none like it", debate + `scenario s() { team debate.standard(⟦count⟧: 2) tasks "facts.jsonl"` + scored + `}`, diag.NoSuchParam, `team debate.standard has no parameter "count"`, "its parameters are n, rounds, sees and temperature"},
	{"no parameter at all", `team own() { agent a { } turns { t: a { prompt "x" } } answer t.text } scenario s() { team own(⟦n⟧: 2) tasks "facts.jsonl" verify { silent = run.answer == nil } score { rate r = silent } }`, diag.NoSuchParam, `team own has no parameter "n"`, "it has no parameters"},
	{"no such parameter", debate + `scenario s() { team debate.standard(⟦round⟧: 2) tasks "facts.jsonl"` + scored + `}`, diag.NoSuchParam, `team debate.standard has no parameter "round"`, "did you mean rounds?"},
	{"wrong type", debate + `scenario s() { team debate.standard(n: ⟦"five"⟧) tasks "facts.jsonl"` + scored + `}`, diag.ParamType, `the argument "n" of team debate.standard must be a whole number, and it is "five"`, ""},
	{"outside a union", attacked(`attack m(mode: "a" | "b") at L2 { goal mode append agent.system with "x" }`, `attack m(mode: ⟦"c"⟧) on debater[1]`), diag.ParamType, `the argument "mode" of attack m must be "a" or "b", and it is "c"`, ""},
	{"argument missing", attacked(`attack m(word: string) at L2 { goal word append agent.system with "x" }`, `attack ⟦m()⟧ on debater[1]`), diag.ArgumentMissing, `attack m needs the argument "word"`, ""},
	{"default of a wrong type", attacked(`attack m(n: int = ⟦"x"⟧) at L2 { goal "${n}" append agent.system with "x" }`, `attack m() on debater[1]`), diag.WrongValue, `the default of "n" must be a whole number, and it is "x"`, ""},
	{"unused parameter", attacked(`attack m(⟦word⟧: string = "x") at L2 { goal "g" append agent.system with "x" }`, `attack m() on debater[1]`), diag.ParamUnused, `nothing in attack m reads the parameter "word", so changing it would change nothing`, "remove it, or use it"},
	{"not known before a run", debate + `scenario s() { team debate.standard(n: ⟦task⟧.n) tasks "facts.jsonl"` + scored + `}`, diag.NotConstant, `the argument "n" must be known before anything runs, and "task" is not a parameter here`, ""},

	// Teams.
	{"agent twice", teamed(`agent a { } agent ⟦a⟧ { } turns { t: a { prompt "x" } } answer t.text`), diag.DeclaredTwice, `the agent "a" is declared twice`, ""},
	{"unknown speaker", teamed(`agent alice { } turns { t: ⟦alicia⟧ { prompt "x" } } answer t.text`), diag.NoSuchAgent, `the team has no agent or group "alicia"`, "did you mean alice?"},
	{"edge beyond the group", teamed(`agent a[3] { } a[1] -> ⟦a[4]⟧ turns { t: each a { prompt "x" } } answer majority(map(t, .text))`), diag.BadReference, "an edge reaches a[4], and a has 3", "members count from 1"},
	{"member zero", teamed(`agent a[3] { } ⟦a[0]⟧ -> a[1] turns { t: each a { prompt "x" } } answer majority(map(t, .text))`), diag.BadReference, "an edge reaches a[0], and a has 3", "members count from 1"},
	{"label twice", teamed(`agent a { } turns { t: a { prompt "x" } ⟦t⟧: a { prompt "y" } } answer t.text`), diag.LabelTwice, `another step is already labelled "t"`, ""},
	{"label of an agent", teamed(`agent a { } turns { ⟦a⟧: a { prompt "x" } } answer a.text`), diag.NameTaken, `"a" cannot label a step: an agent or a group has that name`, ""},
	{"label of a function", teamed(`agent a { } turns { ⟦find⟧: a { prompt "x" } } answer find.text`), diag.NameTaken, `"find" cannot label a step: it is the name of a function`, ""},
	{"reply field", teamed(`agent a { } turns { t: a { prompt "x" replies { answer: string } } } answer t.reply.⟦answr⟧`), diag.ExprUnknownField, "a reply of step t has no field \"answr\"", "did you mean answer?"},
	{"task field in a prompt", teamed(`agent a { } turns { t: a { prompt "x ${task.⟦promt⟧}" } } answer t.text`), diag.ExprUnknownField, `a task has no field "promt"`, "did you mean prompt?"},
	{"label in a template", teamed(`agent a { } turns { t: a { prompt "x" } u: a { prompt "${⟦tt⟧.text}" } } answer u.text`), diag.ExprUnknownName, `there is no name "tt" here`, ""},
	{"temperature", teamed(`agent a { temperature ⟦3⟧ } turns { t: a { prompt "x" } } answer t.text`), diag.WrongValue, "a temperature is between 0 and 2, and it is 3", ""},
	{"no such tool", teamed(`agent a { tools ⟦serch⟧ } turns { t: a { prompt "x" } } answer t.text`), diag.NoSuchTool, `no tool is named "serch"`, "neither the workspace nor the team declares tools"},
	{"break outside a loop", teamed(`agent a { } turns { t: a { prompt "x" } ⟦break⟧ } answer t.text`), diag.NotHere, "break stands outside repeat and for", ""},
	{"set of nothing", teamed(`agent a { } turns { let n = 1 t: a { prompt "${n}" } set ⟦m⟧ = 2 } answer t.text`), diag.NotHere, `only let names, state and files can be set, and "m" is none of them`, ""},
	{"let of an inner block", teamed(`agent a { } turns { if true { let x = 1 s: a { prompt "${x}" } } t: a { prompt "${⟦x⟧}" } } answer t.text`), diag.ExprUnknownName, `there is no name "x" here`, ""},
	{"heard where nobody speaks", teamed(`agent a { } turns { repeat 2 until any(⟦heard⟧, true) { t: a { prompt "x" } } } answer t.text`), diag.ExprUnknownName, `there is no name "heard" here`, ""},
	{"parameter named like a function", attacked(`attack m(⟦len⟧: int = 1) at L2 { goal "g" append agent.system with "x" }`, `attack m() on debater[1]`), diag.NameTaken, `"len" cannot be the name of a parameter: it is the name of a function`, ""},
	{"state set by turns", teamed(`agent a { } turns { t: a { prompt "x" } set ⟦state.x⟧ = 2 } answer t.text`), diag.NotHere, "the turn program does not change the workspace", "agents act on the world with tools"},
	{"until is no condition", teamed(`agent a { } turns { repeat 3 until ⟦t.text⟧ { t: a { prompt "x" } } } answer t.text`), diag.ExprWanted, "true or false is due here, and this is a text", ""},
	{"each of one", teamed(`agent a { } turns { t: each ⟦a⟧ { prompt "x" } } answer majority(map(t, .text))`), diag.ExprWanted, "who speaks must be a group or a list of agents, and this is an agent", ""},
	{"no turns", "team ⟦own⟧() { agent a { } }\nscenario s() { team own() tasks \"facts.jsonl\" }", diag.ClauseMissing, `the team "own" has no turns`, "say who speaks when: turns { … }"},

	// Worlds and tools.
	{"step in a workspace's tool", worlded(`tool t(x: string) { ⟦s: a { prompt "x" }⟧ return x }`), diag.NotHere, "only the body of a team's own tool knows who is there and may let agents speak", "declare the tool in the team"},
	{"argument that hides an agent", teamed(`agent a { tools t } tool t(⟦a⟧: string) { s: (agents) { prompt a } } turns { u: a { } } answer u.text`), diag.NameTaken, `"a" already means something in the steps of this tool`, ""},
	{"own tools of an agent", teamed(`agent a { tools ⟦own⟧ } turns { u: a { } } answer u.text`), diag.NotHere, "own are the tools that the agent has, and belongs to a step", ""},
	{"order without an answer", teamed(`agent a { tools all then share ⟦"now"⟧ } turns { u: a { } } answer u.text`), diag.NotHere, "only an answer after the last tool round can be ordered", ""},
	{"handoff to no agent", teamed(`agent a { handoff ⟦3⟧ } turns { u: a { } } answer u.text`), diag.ExprWanted, "whom an agent hands over to must be an agent or agents, and this is a whole number", ""},
	{"state field", worlded(`state { n: int = 0 } tool t(x: int) { set state.⟦m⟧ = x return "ok" }`), diag.ExprUnknownField, `a state has no field "m"`, "there is n"},
	{"state of a wrong type", worlded(`state { n: int = ⟦"x"⟧ } tool t(x: int) { set state.n = x return "ok" }`), diag.ExprWanted, "a whole number is due here, and this is a text", ""},
	{"argument of a tool", worlded(`tool t(x: string) { return ⟦y⟧ }`), diag.ExprUnknownName, `there is no name "y" here`, ""},
	{"corpus of nobody", worlded(`corpus ⟦debater⟧ { from task.documents } tool t(q: string) { return lines(map(retrieve(q), .text)) }`), diag.NoSuchAgent, `the team has no agent or group "debater"`, "the team has a"},
	{"file of documents", worlded(`corpus { from ⟦"none.jsonl"⟧ } tool t(q: string) { return lines(map(retrieve(q), .text)) }`), diag.DataUnreadable, `there is no file "none.jsonl"`, ""},
	{"tool twice", worlded(`tool t(x: string) { return x } tool ⟦t⟧(x: string) { return x }`), diag.DeclaredTwice, `a tool named "t" exists already`, ""},

	// Attacks.
	{"level of a debater", attacked(`attack m() at L1 { goal "g" append ⟦agent.system⟧ with "x" }`, `attack m() on debater[1]`), diag.LevelMismatch, `the slot system of debater[1] is L2, and the attack "m" is declared at L1`, "an attack stands at one level; write at L2"},
	{"level of the orchestrator", attacked(`attack m() at L2 { goal "g" append ⟦orchestrator.prompt⟧ with "x" }`, `attack m()`), diag.LevelMismatch, `the slot prompt of orchestrator is L1, and the attack "m" is declared at L2`, "an attack stands at one level; write at L1"},
	{"level of a document", attacked(`attack m() at L2 { goal "g" insert ⟦corpus⟧ { text: "x" } }`, `attack m() on debater[1]`), diag.LevelMismatch, `the slot corpus is L3, and the attack "m" is declared at L2`, "an attack stands at one level; write at L3"},
	{"on nobody", attacked(`attack m() at L2 { goal "g" append agent.system with "x" }`, `attack ⟦m()⟧`), diag.TargetMissing, `the attack "m" does not say on whom: whose system`, "write attack m() on debater[1..3]"},
	{"on for nothing", attacked(`attack m() at L3 { goal "g" append task.prompt with "x" }`, `attack m() on ⟦debater[1]⟧`), diag.TargetUnused, `no patch of the attack "m" is about its targets`, "leave out on"},
	{"on beyond the group", attacked(`attack m() at L2 { goal "g" append agent.system with "x" }`, `attack m() on ⟦debater[1..9]⟧`), diag.BadReference, "on reaches debater[9], and debater has 3", "members count from 1"},
	{"operation", attacked(`attack m() at L2 { goal "g" ⟦insert⟧ agent.system with "x" }`, `attack m() on debater[1]`), diag.OperationSlot, "at the slot system one can append, prepend, replace and rewrite, not insert", ""},
	{"sleeper that never wakes", attacked(`attack m() at L2 { goal "g" append agent.system with "x" when step == ⟦"debat"⟧ }`, `attack m() on debater[1]`), diag.ExprVocabulary, `no step is called "debat"`, "did you mean debate?"},
	{"output field", attacked(`attack m() at L2 { goal "g" replace agent.output.⟦anser⟧ with "x" }`, `attack m() on debater[1]`), diag.NoSuchField, `no reply of debater[1] has a field "anser"`, "did you mean answer?"},
	{"hole", attacked(`attack m() at L3 { goal "g" replace hole(⟦note⟧) with "x" }`, `attack m()`), diag.NoSuchSlot, `the workspace has no hole "note"`, "its holes are none"},
	{"obeyed call", attacked(`attack m() at L2 { goal "g" append agent.system with "x" obeyed { call ⟦create_fil⟧(path: "x") } }`, `attack m() on debater[1]`), diag.NoSuchTool, `no tool is named "create_fil"`, "did you mean create_file?"},
	{"obeyed argument", attacked(`attack m() at L2 { goal "g" append agent.system with "x" obeyed { call create_file(⟦file⟧: "x") } }`, `attack m() on debater[1]`), diag.NoSuchParam, `the tool "create_file" has no argument "file"`, ""},
	{"obeyed reply", attacked(`attack m() at L2 { goal "g" append agent.system with "x" obeyed { reply { ⟦anwser⟧: "x" } } }`, `attack m() on debater[1]`), diag.NoSuchField, `no reply in the team has a field "anwser"`, "did you mean answer?"},
	{"payload field", attacked(`attack m() at L2 { goal "g" append agent.system with "x ${task.⟦wrog⟧}" }`, `attack m() on debater[1]`), diag.ExprUnknownField, `a task has no field "wrog"`, "did you mean wrong?"},

	// Predicates, scores, arms.
	{"behind functions", in(`verify { x = first(filter(turns, true)).reply.⟦answr⟧ == "a" } score { rate r = x }`), diag.ExprUnknownField, `a reply has no field "answr"`, "did you mean answer?"},
	{"circle of predicates", in(`verify { ⟦x⟧ = !y y = !x } score { rate r = x }`), diag.PredicateOrder, `"x" reads itself, through "y"`, ""},
	{"rate of a number", in(`verify { x = run.tokens } score { rate r = ⟦x⟧ }`), diag.ExprWanted, "true or false is due here, and this is a whole number", "a rate counts how often a condition holds; mean, median and sum take numbers"},
	{"placebo without an attack", in(`verify { x = run.refused } score { rate r = x ⟦value v = placebo.r⟧ }`), diag.ArmUnavailable, `the score "v" reads placebo, and the scenario has no attack`, ""},
	{"baseline without a team", in(`verify { x = run.refused } score { rate r = x ⟦value v = r / baseline.r⟧ }`), diag.ArmUnavailable, `the score "v" reads baseline, and the scenario names no baseline team`, "write baseline debate.single()"},
	{"score of another name", in(`verify { x = run.refused } score { rate asr = x value v = ⟦ars⟧ + 1 }`), diag.ExprUnknownName, `there is no name "ars" here`, "did you mean asr?"},
	{"predicate that hides a name", in(`verify { ⟦turns⟧ = run.refused } score { rate a = true }`), diag.NameTaken, `"turns" cannot be the name of a predicate: it already means something`, ""},
	{"threshold", in(scored + ` fail when asr.⟦hgh⟧ > 0.5`), diag.ExprUnknownField, `a score has no field "hgh"`, "did you mean high?"},

	// Scenarios, experiments, data.
	{"no team", `scenario ⟦s⟧() { tasks "facts.jsonl" }`, diag.ClauseMissing, `the scenario "s" has no team`, "write team NAME()"},
	{"no tasks", debate + `scenario ⟦s⟧() { team debate.single() }`, diag.ClauseMissing, `the scenario "s" has no tasks`, `write tasks "file.jsonl"`},
	{"no such file", debate + `scenario s() { team debate.single() tasks ⟦"fact.jsonl"⟧` + scored + `}`, diag.DataUnreadable, `there is no file "fact.jsonl"`, "did you mean facts.jsonl?"},
	{"mapping", debate + `scenario s() { team debate.single() tasks "facts.jsonl" { prompt = row.⟦question⟧ answer = row.answer }` + scored + `}`, diag.ExprUnknownField, `a row has no field "question"`, "there is answer, class, documents, prompt, wrong, wrongs"},
	{"broken data", debate + `scenario s() { team debate.single() tasks ⟦"bad.jsonl"⟧` + scored + `}`, diag.DataMalformed, `"bad.jsonl": record 2 (line 2): the JSON ends too early`, ""},
	{"mapping of a record", debate + `scenario s() { team debate.single() tasks "words.csv" { prompt = row["Best Answer"] answer = ⟦string(int(row.n))⟧ }` + scored + `}`, diag.DataEvaluation, `the task field "answer" cannot be worked out for record 2: "many" is not a whole number`, ""},
	{"document without text", worlded(`corpus { from ⟦"notes.jsonl"⟧ } tool t(q: string) { return lines(map(retrieve(q), .text)) }`), diag.DataField, "document 2 has no text", "a document is a text, or a record { title: …, text: … }"},
	{"too many agents", teamed(`agent a[⟦5000⟧] { } turns { t: each a { prompt "x" } } answer majority(map(t, .text))`), diag.PlanTooLarge, "a team has at most 1000 agents", ""},
	{"no store", `use "std/debate" attack m() at L3 { goal "g" insert ⟦corpus⟧ { text: "x" } } scenario s() { team debate.standard(n: 2) tasks "facts.jsonl" attack m() on debater[1]` + scored + `}`, diag.NothingToAttack, "debater[1] has no corpus", "declare one in the workspace: corpus debater[1] { … }"},
	{"two answers in one run", in("⟦attack poison() on debater[1], lie() on debater[2]⟧" + scored), diag.ClauseTwice, "a run has one attack", "write attack any a(), b() to try them one by one"},
	{"nothing left", debate + `scenario s() { team debate.single() ⟦tasks "facts.jsonl" where row.class == "none"⟧` + scored + `}`, diag.DataEmpty, `no task is left: "facts.jsonl" has 2 records`, ""},
	{"sweep of no parameter", in(scored) + `experiment e { scenario s() sweep ⟦rounds⟧ in [1, 2] }`, diag.SweepUnknown, `no scenario of this experiment has a parameter "rounds"`, "what can be swept here is model"},
	{"probability", `model m { provider sim knows ⟦1.5⟧ }` + in("model m"+scored), diag.WrongValue, "knows is a probability between 0 and 1, and it is 1.5", ""},
	{"simulator's slot", `model m { provider sim obeys { ⟦docs⟧: 0.5 } }` + in("model m"+scored), diag.NoSuchField, `obeys has no part "docs"; it has task, corpus, tool, message and system`, ""},

	{"function in a set nobody uses", `verify x() { y = ⟦lenght⟧(turns) > 1 }`, diag.ExprUnknownFunc, `there is no function "lenght"`, "did you mean len?"},
	{"in a choice not taken", `attack m(mode: "a" | "b") at L2 { goal "g" if mode == "a" { append agent.system with "x" } else { append agent.system with "${task.⟦wrng⟧}" } }` + debate + `scenario s(mode: "a" | "b" = "a") { team debate.standard(n: 3) workspace world.notes() tasks "facts.jsonl" attack m(mode: mode) on debater[1]` + scored + `}`, diag.ExprUnknownField, `a task has no field "wrng"`, "did you mean wrong?"},

	// Tests.
	{"test without expect", in(scored) + "⟦test \"t\" { scenario s() task { prompt: \"P\", answer: \"A\", documents: [] } script orchestrator { reply \"x\" repeat } }⟧", diag.TestIncomplete, `the test "t" expects nothing, so it cannot fail`, "write expect CONDITION"},
	{"script of nobody", in(scored) + `test "t" { scenario s() task { prompt: "P", answer: "A", documents: [] } script ⟦debator⟧[1] { reply "x" } expect correct }`, diag.NoSuchAgent, `the team has no agent or group "debator"`, "did you mean debater?"},
	{"script in an arm that is not", in(scored) + `test "t" { scenario s() task { prompt: "P", answer: "A", documents: [] } script orchestrator in ⟦placebo⟧ { reply "x" } expect correct }`, diag.ArmUnavailable, "the scenario has no placebo run", ""},
	{"task field in a test", in(scored) + `test "t" { scenario s() task { prompt: "P", answer: "A", documents: [] } script orchestrator { reply "x" } expect task.⟦anwer⟧ == "A" }`, diag.ExprUnknownField, `a task has no field "anwer"`, "did you mean answer?"},
}

func TestMistakes(t *testing.T) { checkMistakes(t, mistakes) }

func checkMistakes(t *testing.T, list []mistake) {
	for _, m := range list {
		t.Run(m.name, func(t *testing.T) {
			src, span := unmark(t, m.src)
			c := compiler(t, src)
			c.Check()
			var errors diag.List
			for _, d := range c.Diagnostics() {
				if d.Severity == diag.Error {
					errors = append(errors, d)
				}
			}
			if len(errors) != 1 {
				t.Fatalf("one mistake, and %d are said:\n%v", len(errors), errors)
			}
			d := errors[0]
			if d.Code != m.code || d.Message != m.say || d.Hint != m.hint {
				t.Errorf("\n got %s %s (%s)\nwant %s %s (%s)", d.Code, d.Message, d.Hint, m.code, m.say, m.hint)
			}
			if d.Span != span {
				t.Errorf("said at %s, the mistake is at %s", show(src, d.Span), show(src, span))
			}
			if d.Code.Title() == "" {
				t.Errorf("%s has no title", d.Code)
			}
		})
	}
}

func unmark(t *testing.T, src string) (string, ast.Span) {
	t.Helper()
	before, rest, ok := strings.Cut(src, "⟦")
	inner, after, ok2 := strings.Cut(rest, "⟧")
	if !ok || !ok2 {
		t.Fatal("the source does not say where its mistake is")
	}
	return before + inner + after, ast.Span{Start: len(before), End: len(before) + len(inner)}
}

func show(src string, s ast.Span) string {
	if s.End > len(src) || s.Start > s.End {
		return fmt.Sprintf("%v, outside the file", s)
	}
	return fmt.Sprintf("%v %q", s, src[s.Start:s.End])
}

func TestWarnings(t *testing.T) {
	for name, c := range map[string]struct {
		src  string
		want string
	}{
		"unused import":      {`use "std/world"` + teamed(`agent a { } turns { t: a { prompt "x" } } answer t.text`), "P0601"},
		"silent agent":       {teamed(`agent a { } agent b { } turns { t: a { prompt "x" } } answer t.text`), "P0602"},
		"tool for nobody":    {teamed(`agent a { } tool f(x: string) { return x } turns { t: a { prompt "x" } } answer t.text`), "P0603"},
		"label, no edge":     {teamed(`agent a { } agent b { } turns { t: a { prompt "x" } u: b { prompt "${t.text}" } } answer u.text`), "P0604"},
		"label over an edge": {teamed(`agent a { } agent b { } a -> b turns { t: a { prompt "x" } u: b { prompt "${t.text}" } } answer u.text`), ""},
		"nothing heard":      {teamed(`agent a { } turns { t: a { prompt "${heard}" } } answer t.text`), "P0605"},
		"the user is heard":  {teamed(`agent a { } turns { say user "${task.prompt}" t: a { prompt "${heard}" } } answer t.text`), ""},
		"field of some": {`team own() { agent a { } turns { t: a { prompt "${task.wrong}" } } answer t.text }
scenario s() { team own() tasks "some.jsonl" verify { v = run.refused } score { rate r = v } }`, "P0606"},
		"field of some, not read": {`team own() { agent a { } turns { t: a { prompt "${task.prompt}" } } answer t.text }
scenario s() { team own() tasks "some.jsonl" verify { v = run.refused } score { rate r = v } }`, ""},
		"attack of nothing":  {attacked(`attack m() at L2 { goal "g" }`, `attack m()`), "P0608"},
		"constant predicate": {in(`verify { always = 1 + 1 == 2 } score { rate r = always }`), "P0610"},
		"pairs forced": {in(`baseline debate.single() attack poison() on debater[1] verify { x = run.refused } score { rate r = x value v = r / baseline.r }`) +
			` experiment e { scenario s() pairs shared }`, "P0607"},
		"hole that nothing shows": {`workspace own() { hole note = "n" }
team solo() { agent a { } turns { t: a { prompt "${task.prompt}" } } answer t.text }
attack m() at L3 { goal "g" replace hole(note) with "x" }
scenario s() { team solo() workspace own() tasks "facts.jsonl" attack m() verify { v = run.refused } score { rate r = v } }`, "P0609"},
		"hole that the state shows": {`workspace own() { state { mails: [{ body: string }] = [{ body: "Hello. ${hole.note}" }] } hole note = "n" }
team solo() { agent a { } turns { t: a { prompt "${task.prompt}" } } answer t.text }
attack m() at L3 { goal "g" replace hole(note) with "x" }
scenario s() { team solo() workspace own() tasks "facts.jsonl" attack m() verify { v = run.refused } score { rate r = v } }`, ""},
	} {
		t.Run(name, func(t *testing.T) {
			k := compiler(t, c.src)
			k.Check()
			found := k.Diagnostics()
			if found.HasErrors() || codes(found) != c.want {
				t.Errorf("want %q, got %v", c.want, found)
			}
		})
	}
}

func TestSweepsThatChangeNothing(t *testing.T) {
	src := debate + `
scenario s(word: string = "a", f: int = 1) {
  team debate.standard(n: 3)
  workspace world.notes()
  tasks "facts.jsonl"
  attack lie(word: word) on debater[1..f]
  verify { correct = same(run.answer, task.answer) }
  score { rate asr = !correct }
}
scenario plain(most: int = 1) {
  team debate.standard(n: 3)
  workspace world.notes()
  tasks "facts.jsonl"
  verify { much = run.tokens > most }
  score { rate r = much }
}
scenario both(word: string = "a") {
  team debate.standard(n: 3)
  workspace world.notes()
  tasks "facts.jsonl"
  attack any poison() on debater[1], lie(word: word) on debater[1], lie() on debater[2]
  verify { correct = same(run.answer, task.answer) }
  score { rate asr = !correct }
}
experiment half { scenario both() sweep word in ["a", "b"] }
experiment good { scenario s() sweep word in ["a", "b"] sweep f in [1, 2] }
experiment twice { scenario s() sweep f in [1, 1] }
experiment measured { scenario plain() sweep most in [1, 2] }
`
	for target, want := range map[string]string{"good": "", "half": "", "twice": "P0408", "measured": "P0408"} {
		c := compiler(t, src)
		c.Suite(target, build.Options{})
		if got := codes(c.Diagnostics()); got != want {
			t.Errorf("%s: %q, want %q\n%v", target, got, want, c.Diagnostics())
		}
	}
}

func TestOptionMistakes(t *testing.T) {
	src := in(scored)
	for name, c := range map[string]struct {
		target string
		o      build.Options
		say    string
	}{
		"target":    {"t", build.Options{}, `no scenario or experiment "t"`},
		"parameter": {"", build.Options{Params: map[string]string{"x": "1"}}, `no scenario that runs has a parameter "x"`},
		"limit":     {"", build.Options{Limit: "ten"}, `the limit "ten"`},
		"no task":   {"", build.Options{Limit: "7-9"}, "leaves no task"},
		"pairs":     {"", build.Options{Pairs: "both"}, "independent or shared"},
		"model":     {"", build.Options{Models: map[string]string{"": "gpt"}}, `no model is named "gpt"`},
		"nobody":    {"", build.Options{Models: map[string]string{"judge": "openai/x"}}, `"judge"`},
	} {
		k := compiler(t, src)
		k.Suite(c.target, c.o)
		found := k.Diagnostics()
		if len(found) != 1 || !strings.Contains(found[0].Message, c.say) {
			t.Errorf("%s: %v", name, found)
		}
	}
}
