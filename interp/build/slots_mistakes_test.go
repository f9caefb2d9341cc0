package build_test

import (
	"fmt"
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

// slotted is the small world of slots under an attack of one's own.
func slotted(level, patch, use string) string {
	return slotWorld + `attack m() at ` + level + ` { goal "g" ` + patch + ` }
scenario s() { team pair() workspace desk() tasks "facts.jsonl" ` + use + scored + ` }`
}

var slotMistakes = []mistake{
	{"no such slot", slotted("L2", `append agent.⟦sistem⟧ with "x"`, `attack m() on worker[1]`), diag.NoSuchSlot, `an agent has no slot "sistem"`, "did you mean system?"},
	{"calls without a call", slotted("L1", `insert lead.calls with ⟦"file_it"⟧`, `attack m()`), diag.OperationSlot, "what an agent calls is written with call", "write insert agent.calls call NAME(argument: value)"},
	{"call of an unknown tool", slotted("L1", `insert lead.calls call ⟦fileit⟧(text: "x")`, `attack m()`), diag.NoSuchTool, `no tool is named "fileit"`, "did you mean file_it?"},
	{"call elsewhere", slotted("L2", `replace agent.system call ⟦file_it(text: "x")⟧`, `attack m() on worker[1]`), diag.OperationSlot, "a call can stand at the slot calls, not at system", ""},
	{"call that cannot be", slotted("L1", `drop lead.calls when call.tool == ⟦"fileit"⟧`, `attack m()`), diag.ExprVocabulary, `no tool is called "fileit"`, "did you mean file_it?"},
	{"speaker of a worker", slotted("L1", `drop ⟦agent.speaker⟧ when speaker == worker[2]`, `attack m() on worker[1]`), diag.LevelMismatch, "the slot speaker belongs to one orchestrator, and this is worker[1]", ""},
	{"speaker at L2", slotted("L2", `drop ⟦lead.speaker⟧ when speaker == worker[2]`, `attack m()`), diag.LevelMismatch, `the slot speaker is L1, and the attack "m" is declared at L2`, "an attack stands at one level; write at L1"},
	{"speaker that is no agent", slotted("L1", `replace lead.speaker with ⟦"worker"⟧`, `attack m()`), diag.ExprWanted, "what the attack puts there must be an agent or agents, and this is a text", ""},
	{"twin of the orchestrator", slotted("L2", `add agent twin like ⟦lead⟧ { }`, `attack m()`), diag.LevelMismatch, "a twin joins the agents of L2, and lead is the orchestrator", ""},
	{"twin of two", slotted("L2", `add agent twin like ⟦worker⟧ { }`, `attack m()`), diag.WrongValue, "a twin is like one agent, and this names 2", ""},
	{"twin of a taken name", slotted("L2", `add agent ⟦lead⟧ like worker[1] { }`, `attack m()`), diag.NameTaken, `"lead" is the name of something else already`, ""},
	{"twin at L3", slotted("L3", `add ⟦agent⟧ twin like worker[1] { }`, `attack m()`), diag.LevelMismatch, `the slot agent is L2, and the attack "m" is declared at L3`, "an attack stands at one level; write at L2"},
	{"tool's slot", slotted("L3", `append ⟦tool(look).about⟧ with "x"`, `attack m()`), diag.NoSuchSlot, "a tool's slots are description and result", "write tool(look).description or tool(look).result"},
	{"tool that is not", slotted("L3", `append tool(⟦lok⟧).result with "x"`, `attack m()`), diag.NoSuchTool, `no tool is named "lok"`, "did you mean look?"},
	{"tool at L2", slotted("L2", `append ⟦tool(look).result⟧ with "x"`, `attack m()`), diag.LevelMismatch, `the slot tool.result is L3, and the attack "m" is declared at L2`, "an attack stands at one level; write at L3"},
	{"tool added twice", slotted("L3", `add tool ⟦look⟧(q: string) { return q }`, `attack m()`), diag.DeclaredTwice, `a tool named "look" exists already`, ""},
	{"edge that is not", `team flat() { agent a { } agent b { } a -> b turns { t: a { prompt "x" } u: b { prompt "${heard}" } } answer u.text }
attack m() at L3 { goal "g" drop edge(⟦b -> a⟧).message } scenario s() { team flat() tasks "facts.jsonl" attack m()` + scored + ` }`, diag.NothingToAttack, "no edge of the team leads from b to a", ""},
	{"edge without its message", slotted("L3", `drop ⟦edge(lead -> worker)⟧`, `attack m()`), diag.NoSuchSlot, "of an edge the message is the slot", "write edge(a -> b).message"},
	{"file that is not", slotted("L3", `append resource(⟦"file:b.txt"⟧) with "x"`, `attack m()`), diag.NothingToAttack, `the workspace has no file "b.txt"`, ""},
	{"resource of another kind", slotted("L3", `append resource(⟦"payment:x"⟧) with "x"`, `attack m()`), diag.NothingToAttack, "a resource begins with file:, mail:, page: or state:, and what stands behind it may be put in", ""},
	{"mail that is a text", slotted("L3", `insert resource("mail:inbox/2") with ⟦"x"⟧`, `attack m()`), diag.ExprWanted, "a mail is due here, and this is a text", ""},
	{"state that is not", slotted("L3", `append resource(⟦"state:lig"⟧) with "x"`, `attack m()`), diag.NothingToAttack, `the workspace's state has no "lig"`, "did you mean log?"},
	{"state of another shape", slotted("L3", `⟦append⟧ resource("state:log") with "x"`, `attack m()`), diag.OperationSlot, `in the state one can append to, prepend to, replace and rewrite a text, and insert into a list; "log" is a list`, ""},
	{"model that rewrites", slotted("L2", `rewrite agent.system with ⟦wrter⟧ "x"`, `attack m() on worker[1]`), diag.NoSuchDecl, `no model is named "wrter"`, "did you mean writer?"},
	{"part of a reply dropped", slotted("L2", `⟦drop⟧ agent.output.answer`, `attack m() on worker[1]`), diag.OperationSlot, "a field of a reply cannot be dropped", "write replace, or drop all of the output"},
	{"delay of nothing", slotted("L3", `delay edge(lead -> worker).message by ⟦0⟧ turns`, `attack m()`), diag.WrongValue, "how long a message is delayed must be at least 1, and it is 0", ""},
	{"part of a mail", worlded(`mail "inbox/1" { ⟦form⟧: "ann" } tool t(x: string) { return lines(map(mails, .body)) }`), diag.NoSuchField, `a mail has from, subject and body, and no "form"`, "did you mean from?"},
}

func TestSlotMistakes(t *testing.T) { checkMistakes(t, slotMistakes) }

// TestEveryOtherOperationIsRefused tries each operation at each slot that does not
// have it.
func TestEveryOtherOperationIsRefused(t *testing.T) {
	legal := map[string]bool{}
	for _, pair := range build.Operations() {
		legal[pair] = true
	}
	written := map[string][2]string{
		"system": {"L2", "agent.system"}, "prompt": {"L2", "agent.prompt"}, "output": {"L2", "agent.output"},
		"calls": {"L2", "agent.calls"}, "memory": {"L2", "agent.memory"}, "speaker": {"L1", "lead.speaker"},
		"task.prompt": {"L3", "task.prompt"}, "hole": {"L3", "hole(note)"}, "resource": {"L3", `resource("file:a.txt")`},
		"corpus": {"L3", "corpus"}, "tool.description": {"L3", "tool(look).description"}, "tool.result": {"L3", "tool(look).result"},
		"edge.message": {"L3", "edge(lead -> worker).message"},
	}
	forms := map[string]string{
		"append": "append %s with \"x\"", "prepend": "prepend %s with \"x\"", "replace": "replace %s with \"x\"",
		"rewrite": "rewrite %s with writer \"x\"", "insert": "insert %s with \"x\"", "remove": "remove %s", "drop": "drop %s",
		"delay": "delay %s by 1 turns",
	}
	refused := 0
	for slot, where := range written {
		for op, form := range forms {
			if legal[op+" "+slot] {
				continue
			}
			use := "attack m()"
			if slot == "corpus" || strings.HasPrefix(where[1], "agent.") {
				use += " on worker[1]"
			}
			c := compiler(t, slotted(where[0], fmt.Sprintf(form, where[1]), use))
			c.Check()
			found := c.Diagnostics()
			if len(found) == 0 || found[0].Code != diag.OperationSlot {
				t.Errorf("%s %s: %v", op, slot, found)
			}
			refused++
		}
	}
	if refused < 40 {
		t.Errorf("only %d pairs were tried", refused)
	}
}

// TestPlaceboOfEverySlot: what puts text has a placebo with filler of its length in
// the same place; what does not has none.
func TestPlaceboOfEverySlot(t *testing.T) {
	for _, c := range slotCases {
		op, slot := strings.Fields(c.patch)[0], slotOf(c.patch)
		textless := map[string]bool{"drop": true, "remove": true, "delay": true, "add": true, "rewrite": true}[op] || slot == "calls" || slot == "speaker"
		t.Run(c.patch, func(t *testing.T) {
			on := c.on
			if on != "" {
				on = " on " + on
			}
			src := slotted(c.level, c.patch, `attack m()`+on)
			src = strings.Replace(src, "rate asr = !correct", "rate asr = !correct given clean.correct value noise = asr - placebo.asr", 1)
			plan := suite(t, src, "", build.Options{}).Cells[0].Plan
			has := false
			for _, a := range plan.Arms {
				has = has || a.Name == runtime.Placebo
			}
			if has == textless {
				t.Fatalf("has a placebo: %v", has)
			}
			if !has {
				return
			}
			attacked, placebo := played(t, plan, runtime.Attacked), played(t, plan, runtime.Placebo)
			for _, line := range placebo.facts() {
				if strings.Contains(line, "BAD") {
					t.Errorf("the placebo says %s", line)
				}
			}
			if a, b := inserted(attacked), inserted(placebo); a != b || a == "" {
				t.Errorf("lengths and places differ:\n%s\n%s", a, b)
			}
		})
	}
}

// inserted lists where a run's patches put text, and how long it was.
func inserted(p playing) string {
	var out []string
	for _, e := range p.trial.Events {
		if e.Insert != nil {
			out = append(out, fmt.Sprintf("%s %s %d", e.Insert.Slot, e.Insert.Where, len([]rune(e.Insert.Text))))
		}
	}
	return strings.Join(out, "\n")
}

// TestWhatEntersASingleAgent: M1 to M4 reach a baseline at the same place.
func TestWhatEntersASingleAgent(t *testing.T) {
	for _, c := range []struct {
		attack string
		enters bool
	}{
		{"attacks.m1()", true},
		{`attacks.m2(place: "file:task/readme.txt")`, true},
		{"attacks.m3() on debater[1]", true},
		{"attacks.m4()", true},
		{"attacks.m5() on debater[1]", false},
		{"attacks.m6() on orchestrator", false},
	} {
		src := `use "std/debate" use "std/world" use "std/attacks/madbench" as attacks
scenario s() { team debate.standard(n: 3) workspace world.notes() baseline debate.single() corpus debater[1] tasks "facts.jsonl" limit 1
attack ` + c.attack + ` verify { correct = same(run.answer, task.answer) }
score { rate asr = !correct given clean.correct value af = asr / baseline.asr } }`
		cell := suite(t, src, "", build.Options{}).Cells[0]
		if got := strings.Contains(armNames(cell), "baseline-attacked"); got != c.enters {
			t.Errorf("%s enters a single agent: %v, want %v", c.attack, got, c.enters)
		}
	}
}

// TestCutPatches compiles each patch with a word cut out, doubled or exchanged: it
// is compiled or refused, with a message, and never a panic.
func TestCutPatches(t *testing.T) {
	if testing.Short() {
		t.Skip("long")
	}
	tried := 0
	for _, c := range slotCases {
		use := "attack m()"
		if c.on != "" {
			use += " on " + c.on
		}
		words := strings.Fields(c.patch)
		for i := range words {
			for _, put := range [][]string{{}, {words[i], words[i]}, {"worker"}, {`"x"`}, {"3"}} {
				cut := append(append(append([]string(nil), words[:i]...), put...), words[i+1:]...)
				tried += compiledOrRefused(t, slotted(c.level, strings.Join(cut, " "), use))
			}
		}
	}
	if tried < 300 {
		t.Errorf("only %d patches were compiled", tried)
	}
}

// compiledOrRefused compiles a source and reports whether it was readable.
func compiledOrRefused(t *testing.T, src string) int {
	t.Helper()
	root := fstest.MapFS{"m.parley": {Data: []byte(src)}, "facts.jsonl": {Data: []byte(facts)}}
	prog, found := load.Load(load.Files{Root: root, Std: stdlib.FS, Parse: lang.Parse, Cache: library}, "m.parley")
	if found.HasErrors() {
		return 0
	}
	c := build.New(prog, nil)
	s := c.Suite("", build.Options{})
	for _, d := range c.Diagnostics() {
		if d.Message == "" || d.Code.Title() == "" {
			t.Errorf("%+v", d)
		}
	}
	if s == nil || c.Diagnostics().HasErrors() {
		return 1
	}
	for _, cell := range s.Cells {
		if _, err := runtime.Prepare(cell.Plan); err != nil {
			t.Errorf("compiles and cannot be prepared: %v\n%s", err, src[len(slotWorld):])
		}
	}
	return 1
}
