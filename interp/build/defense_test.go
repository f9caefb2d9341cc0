package build_test

import (
	"strings"
	"testing"

	"parley/interp/build"
	"parley/lang/diag"
)

// defended is a scenario under a defense of one's own.
func defended(defense, use string) string {
	return defense + in(use+scored)
}

var defenseMistakes = []mistake{
	{"no such defense", in("defense ⟦guarded⟧()" + scored), diag.NoSuchDecl, `no defense is named "guarded"`, ""},
	{"what a hook may not do", defended(`defense d() { before tools { ⟦block "x"⟧ } }`, `defense d()`), diag.NotHere, "before tools one can replace and quarantine, not block", ""},
	{"another thing is replaced", defended(`defense d() { after result { replace ⟦prompt⟧ with "x" } }`, `defense d()`), diag.NotHere, `after result one replaces result, and this is "prompt"`, "write replace result with …"},
	{"a word too many in a hook", defended(`defense d() { after round { ⟦say user "x"⟧ } }`, `defense d()`), diag.NotHere, "a hook stops things and changes them, and has no part in the conversation", `write block "why"`},
	{"what a hook does not see", defended(`defense d() { before prompt when ⟦call⟧.tool == "x" { block "x" } }`, `defense d()`), diag.ExprUnknownName, `there is no name "call" here`, "did you mean calls?"},
	{"a step that is none", defended(`defense d() { before prompt when step == ⟦"desbate"⟧ { block "x" } }`, `defense d()`), diag.ExprVocabulary, `no step is called "desbate"`, "did you mean debate?"},
	{"a tool that is none", defended(`defense d() { before call when call.tool == ⟦"create"⟧ { block "x" } }`, `defense d()`), diag.ExprVocabulary, `no tool is called "create"`, "did you mean create_file?"},
	{"where payloads stand", defended(`defense d() { after reply when ⟦exposed⟧(self) { drop } }`, `defense d()`), diag.ExprUnknownFunc, "exposed cannot be asked here", ""},
	{"who is honest", defended(`defense d() { after reply when !self.⟦honest⟧ { drop } }`, `defense d()`), diag.ExprUnknownField, `an agent has no field "honest"`, "there is about, group, index, name, role, turns"},
	{"a guard with the team's name", defended(`defense ⟦d⟧() { agent debater { system "x" } before task { block "x" } }`, `defense d()`), diag.NameTaken, `the agent "debater" of the defense "d" has the name of something in the team`, "give it another name"},
	{"a label of the team's", defended(`defense d() { agent g { system "x" } before task { ⟦decide⟧: g { prompt "x" } } }`, `defense d()`), diag.NameTaken, `"decide" cannot label a step: it is already the name of something in the team`, ""},
	{"a guard with tools", defended(`defense d() { agent g { system "x" ⟦tools read⟧ } before task { block "x" } }`, `defense d()`), diag.NotHere, "an agent of a defense has no tools", ""},
	{"an agent of the team as a guard", defended(`defense d() { before task { s: ⟦orchestrator⟧ { prompt "x" } } }`, `defense d()`), diag.NotHere, `the steps of a defense are its own agents', and "orchestrator" is the team's`, ""},
	{"a slot that defenses lack", defended(`defense d() { append ⟦agent.output⟧ with "x" }`, `defense d()`), diag.NoSuchSlot, "a defense puts texts at agent.system and agent.prompt", "hooks look at everything else"},
	{"two guards of one name", `defense c() { agent g { system "x" } before task { block "x" } }` + defended(`defense d() { agent g { system "x" } before task { block "x" } }`, `defense c(), ⟦d()⟧`), diag.DeclaredTwice, `two of the defenses have an agent or a step named "g"`, ""},
	{"on nobody", defended(`defense d() { before prompt { block "x" } }`, `defense d() on ⟦debatr⟧`), diag.NoSuchAgent, `the team has no agent or group "debatr"`, "did you mean debater?"},
	{"an agent who approves", defended(`defense d() { before call { approve by ⟦"orchestrator"⟧ } }`, `defense d()`), diag.NameTaken, `"orchestrator" cannot be a person who approves: it is the name of an agent, or empty`, ""},
	{"a hook that changes the world", defended(`defense d() { after round { set ⟦state.notes⟧ = [] } }`, `defense d()`), diag.NotHere, "a hook does not change the workspace", "agents act on the world with tools"},
	{"undefended without a defense", in(` verify { correct = same(run.answer, task.answer) } score { ⟦rate lost = !clean.correct given undefended.correct⟧ }`), diag.ArmUnavailable, `the score "lost" reads undefended, and the scenario has no defense clause`, "write defense NAME(), or defense none"},
}

func TestDefenseMistakes(t *testing.T) { checkMistakes(t, defenseMistakes) }

// unmeasured is why the first cell of a scenario is not run.
func unmeasured(t *testing.T, src string, o build.Options) string {
	t.Helper()
	c := compiler(t, debate+src)
	suite := c.Suite("s", o)
	if suite == nil {
		t.Fatal(c.Diagnostics())
	}
	return suite.Cells[0].Plan.Unmeasured
}

// TestWhatTheSimulatorCannotShow: what a defense consists of decides, not its name.
func TestWhatTheSimulatorCannotShow(t *testing.T) {
	const guard = `agent g { system "x" } before message { look: g { prompt "${message.text}" replies { FORM } } if look.reply.bad ?? false { drop } }`
	flags := "model watchful { provider sim flags { payload: 1, clean: 0 } }\n"
	for _, x := range []struct{ name, defense, more, why string }{
		{"words", `append agent.system with "x"`, "", "words alone"},
		{"marks", `after result { replace result with "<${result}>" }`, "", "words alone"},
		{"marks in every word", `after result { replace result with join(split(result, " "), "^") }`, "", "words alone"},
		{"a filter", `after result when len(result) > 9 { replace result with "" }`, "", ""},
		{"a rule", `before call when !call.authorized { block "x" }`, "", ""},
		{"words and a rule", `append agent.system with "x" before call when !call.authorized { block "x" }`, "", ""},
		{"a vote", `before answer { replace answer with majority(map(propose, .reply.answer)) }`, "", ""},
		{"fewer tools", `before tools { replace tools with [] }`, "", ""},
		{"a guard without a confusion", strings.Replace(guard, "FORM", "bad: bool", 1), "", "stated confusion"},
		{"a guard with one", strings.Replace(guard, "FORM", "bad: bool", 1), " model watchful", ""},
		{"a guard asked for more than it can say", `agent g { system "x" } before message { look: g { prompt "x" replies { level: int } } if look.reply.level > 3 { drop } }`, " model watchful", "no way to answer the step look"},
		{"a person", `before call { approve by "ann" }`, "", "--approve"},
	} {
		t.Run(x.name, func(t *testing.T) {
			src := flags + "defense d() { " + x.defense + " }\n" + in("defense d()" + x.more + scored)[len(debate):]
			got := unmeasured(t, src, build.Options{})
			if (got == "") != (x.why == "") || !strings.Contains(got, x.why) {
				t.Errorf("unmeasured %q, want %q", got, x.why)
			}
			real := unmeasured(t, src, build.Options{Models: map[string]string{"": "openai/x"}, Approve: "never"})
			if real != "" {
				t.Errorf("with a real model and an answer it is unmeasured: %q", real)
			}
		})
	}
}

// TestDefensesStandInEveryArm: the attack comes and goes, the defense stays, and
// only undefended is without it.
func TestDefensesStandInEveryArm(t *testing.T) {
	c := compiler(t, debate+`attack m() at L3 { goal "g" append task.prompt with "x" obeyed { reply { answer: task.wrong } } }
defense d() { before call when !call.authorized { block "x" } }
`+in(`baseline debate.single() attack m() defense d() verify { correct = same(run.answer, task.answer) }
 score { rate asr = !correct given clean.correct rate lost = !clean.correct given undefended.correct value noise = placebo.asr value af = asr / baseline.asr }`)[len(debate):])
	suite := c.Suite("s", build.Options{})
	if suite == nil {
		t.Fatal(c.Diagnostics())
	}
	arms := map[string]int{}
	for _, a := range suite.Cells[0].Plan.Arms {
		arms[string(a.Name)] = len(a.Program.Defenses)
	}
	want := map[string]int{"clean": 1, "attacked": 1, "placebo": 1, "baseline-clean": 1, "baseline-attacked": 1, "undefended": 0}
	for name, n := range want {
		if got, ok := arms[name]; !ok || got != n {
			t.Errorf("%s has %d defenses (there: %v), want %d", name, got, ok, n)
		}
	}
}

// TestDefenseWithoutABaseline: a vote over a step that the single agent lacks leaves
// the baseline's scores without runs.
func TestDefenseWithoutABaseline(t *testing.T) {
	c := compiler(t, debate+`attack m() at L3 { goal "g" append task.prompt with "x" obeyed { reply { answer: task.wrong } } }
defense d() { before answer { replace answer with majority(map(propose, .reply.answer)) } }
`+in(`baseline debate.single() attack m() defense d() verify { correct = same(run.answer, task.answer) }
 score { rate asr = !correct given clean.correct value af = asr / baseline.asr }`)[len(debate):])
	suite := c.Suite("s", build.Options{})
	if suite == nil || c.Diagnostics().HasErrors() {
		t.Fatal(c.Diagnostics())
	}
	for _, a := range suite.Cells[0].Plan.Arms {
		if strings.HasPrefix(string(a.Name), "baseline") {
			t.Errorf("there is an arm %s", a.Name)
		}
	}
	for _, n := range suite.Notes {
		if n.What == "score af" && strings.Contains(n.Value+n.From, "cannot stand before a single agent") {
			return
		}
	}
	t.Errorf("nothing says why: %v", suite.Notes)
}
