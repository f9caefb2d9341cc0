package typing

import (
	"sort"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"parley/lang"
	"parley/lang/ast"
	"parley/lang/diag"
	"parley/runtime/eval"
	"parley/runtime/shape"
)

// expression reads an expression out of a whole file, so that places are real.
func expression(t testing.TB, src string) (string, *ast.Expr) {
	t.Helper()
	file := "// ü ☕\nverify v() {\n  p = " + src + "\n}\n"
	f, diags := lang.Parse("t.parley", []byte(file))
	if len(diags) > 0 || len(f.Decls) != 1 || len(f.Decls[0].Verify.Preds) != 1 {
		t.Fatalf("%s: %v", src, diags)
	}
	return file, f.Decls[0].Verify.Preds[0].Value
}

func testEnv() *Env {
	steps := Vocabulary("step", []string{"propose", "debate", "decide"})
	answer := FromShape(shape.Shape{Kind: shape.Record, Optional: true, Fields: []shape.Field{{Name: "answer", Shape: shape.Shape{Kind: shape.String}}}})
	vote := RecordOf("", map[string]Type{"answer": StringType, "vote": IntType, "mood": Union([]any{"calm", "cross"})})
	call := RecordOf("call", map[string]Type{
		"tool": Vocabulary("tool", []string{"search", "send_money"}), "agent": AgentType, "effected": BoolType, "args": RecordOf("", map[string]Type{"amount": NumberType}),
		"result": Lost("what a tool returns has no declared type"),
	})
	turn := func(reply Type) Type {
		return RecordOf("turn", map[string]Type{"step": steps, "agent": AgentType, "text": StringType, "reply": reply, "round": IntType, "tokens": IntType, "calls": ListOf(call)})
	}
	mixed := Either(answer.sure(), RecordOf("", map[string]Type{"answer": StringType, "class": IntType})).Maybe()
	message := RecordOf("message", map[string]Type{"from": AgentType, "to": AgentType, "text": StringType, "round": IntType})
	run := RecordOf("run", map[string]Type{"answer": StringType.Maybe(), "tokens": IntType, "refused": BoolType})
	return &Env{
		Names: map[string]Type{
			"task":    RecordOf("task", map[string]Type{"answer": StringType, "wrongs": ListOf(StringType), "prompt": StringType, "odd": Lost("its rows disagree"), "level": Union([]any{1, 2, 3})}),
			"turns":   ListOf(turn(mixed)),
			"heard":   ListOf(message),
			"calls":   ListOf(call),
			"debater": GroupOf("debater", 5), "orchestrator": AgentType,
			"decide": turn(answer), "debate": ListOf(turn(vote.Maybe())), "dispatch": turn(RecordOf("reply of dispatch", nil).Maybe()),
			"self": AgentType, "run": run, "clean": RecordOf("run", map[string]Type{"run": run, "correct": BoolType}), "correct": BoolType,
			"step": steps, "files": TableOf(StringType), "state": RecordOf("state", map[string]Type{"balance": NumberType}),
			"f": IntType, "mode": Union([]any{"colluding", "independent"}), "anything": OpenType, "agents": ListOf(AgentType),
		},
		Agent:  map[string]Type{"name": StringType, "index": IntType, "turns": ListOf(turn(vote.Maybe())), "honest": BoolType},
		Agents: []string{"orchestrator", "debater[1]"},
		Tools:  []string{"search", "send_money"},
		Values: map[string]any{"f": 3, "mode": "colluding"},
	}
}

func TestTypes(t *testing.T) {
	for src, want := range map[string]Kind{
		`task.answer`: String, `first(filter(turns, true)).reply.answer`: String, `last(self.turns).reply.vote`: Int, `decide.reply.answer`: String,
		`debate[0].reply.mood`: String, `debater[1..f]`: List, `debater[f].index`: Int, `last(debater[2..3]).name`: String, `len(debater)`: Int,
		`map(debate, .reply.vote)`: List, `sum(map(debate, .reply.vote))`: Int, `mean(map(debate, .reply.vote))`: Number, `reverse(debate)[0].reply.vote`: Int,
		`take(debate, 2)[0].tokens`: Int, `concat(debate, turns)[0].text`: String, `flatten([[1], [2]])[0]`: Int, `uniq(agents)[0].honest`: Bool,
		`reduce(calls, #acc + .args.amount, 0.0)`: Number, `sortBy(turns, .tokens)[0].step`: String, `any(turns, .agent == debater[1])`: Bool,
		`1 + 2`: Int, `1 / 2`: Number, `7 % 2`: Int, `"a" + orchestrator`: String, `run.answer ?? "x"`: String, `correct ? 1 : 2.5`: Number,
		`same(calls[0].result, 1)`: Bool, `string(task.odd)`: String, `files["a.txt"] ?? ""`: String, `anything.a.b[0] + 1`: Open, `calls_of("search") >= 2`: Bool,
		`step == "debate"`: Bool, `step in ["debate", "decide"]`: Bool, `self.name == "x"`: Bool, `clean.correct && clean.run.tokens > 1`: Bool,
		`majority(map(debate, .reply.answer))`: String, `latest(heard)[0].from.name`: String, `let x = debate; x[0].reply.vote`: Int, `{a: 1}.a`: Int,
		`orchestrator in debater[1..2]`: Bool, `mode == "colluding" ? task.wrongs[0] : nil`: String, `"${task.answer} ${heard}"`: String, `task.answer[1:]`: String,
		`calls[0].result == nil`: Bool, `find(turns, .tokens > 1)?.text`: String, `[debater[1]] == []`: Bool, `filter(heard, .from != orchestrator)[0].text`: String,
		`turns[0].reply.class`: Int, `max(map(turns, .tokens))`: Int, `run.answer in task.wrongs`: Bool, `state.balance - 1`: Number, `task.level == 2`: Bool,
	} {
		if strings.HasPrefix(src, "let") {
			src = "(" + src + ")"
		}
		_, e := expression(t, src)
		got, problems := Check(e, testEnv(), OpenType)
		if len(problems) > 0 || got.Type.Kind != want {
			t.Errorf("%s is %v, want %v: %v", src, got.Type.Kind, want, problems)
		}
	}
}

func TestProblems(t *testing.T) {
	for _, c := range []struct{ src, at, code, says string }{
		{`first(filter(turns, true)).reply.answr`, "answr", "P0302", "did you mean answer?"},
		{`any(turns, .reply.anser == "x")`, "anser", "P0302", "answer"},
		{`last(self.turns).reply.votee > 1`, "votee", "P0302", "did you mean vote?"},
		{`tsk.answer == "x"`, "tsk", "P0301", "did you mean task?"},
		{`task.anwser == "x"`, "anwser", "P0302", "a task has no field"},
		{`step == "debat"`, `"debat"`, "P0309", "no step is called \"debat\""},
		{`step in ["debate", "dcide"]`, `"dcide"`, "P0309", "did you mean decide?"},
		{`any(calls, .tool == "send_mony")`, `"send_mony"`, "P0309", "did you mean send_money?"},
		{`any(turns, .agent == "orchestrater")`, `"orchestrater"`, "P0309", "no agent is called"},
		{`any(turns, .agent in ["debater[9]"])`, `"debater[9]"`, "P0309", "no agent is called"},
		{`mode == "colludin"`, `"colludin"`, "P0309", "did you mean colluding?"},
		{`any(debate, .reply.mood == "angry")`, `"angry"`, "P0309", "calm"},
		{`task.level == 4`, "4", "P0309", "none of the values"},
		{`calls_of("serch") > 1`, `"serch"`, "P0309", "no tool is called"},
		{`debater[6].name`, "6", "P0383", "members 1 to 5"},
		{`debater[0].name`, "0", "P0383", "1 to 5"},
		{`debater[-1].name`, "-1", "P0383", "none of them"},
		{`debater[f + 3].name`, "f + 3", "P0383", "6 is none"},
		{`len(debater[f..7]) > 1`, "f..7", "P0383", "1 to 5"},
		{`debater.name == "x"`, "name", "P0302", "pick a member"},
		{`debate.reply.vote > 1`, "reply", "P0302", "pick an element"},
		{`dispatch.reply.answer == "x"`, "answer", "P0302", "no fields"},
		{`debater[1:2] == []`, "debater[1:2]", "P0311", "write a range"},
		{`(correct ? debater : agents)[1].name`, "1", "P0311", "from 1"},
		{`turns[1..2] == []`, "1..2", "P0311", "from:to"},
		{`run.answer == 3`, "run.answer == 3", "P0305", "a text with a whole number"},
		{`run.tokens > "a"`, `run.tokens > "a"`, "P0305", "in order"},
		{`run.tokens && correct`, "run.tokens", "P0304", "true or false is due beside &&"},
		{`!run.tokens`, "run.tokens", "P0304", "after !"},
		{`run.tokens + "x" == "y"`, `run.tokens + "x"`, "P0304", "adds numbers or joins"},
		{`calls[0].result == "x"`, "calls[0].result", "P0310", "what a tool returns"},
		{`calls[0].result.id == "x"`, "id", "P0310", "no known type"},
		{`(correct ? 1 : "a") == 1`, `correct ? 1 : "a"`, "P0310", "in one case"},
		{`len(map(turns, .tokens)) && correct`, "len(map(turns, .tokens))", "P0304", "whole number"},
		{`correct && {a: ")"}`, `{a: ")"}`, "P0304", "a record"},
		{`any(run, true)`, "run", "P0306", "looks at a list"},
		{`any(turns, .tokens)`, ".tokens", "P0304", "for each element"},
		{`len(3) > 1`, "3", "P0306", "a list or a text"},
		{`len() > 1`, "len", "P0307", "1 argument, not 0"},
		{`upper("a", "b") == "A"`, "upper", "P0307", "1 argument, not 2"},
		{`lenn(turns) > 1`, "lenn", "P0303", "did you mean len?"},
		{`now() == nil`, "now", "P0303", "clock"},
		{`groupBy(turns, .step) == nil`, "groupBy", "P0303", "use filter"},
		{`turns.size() > 1`, "size", "P0303", "size(…)"},
		{`(let task = 1; task) == 1`, "task", "P0312", "already means something"},
		{`(let len = 1; len) == 1`, "len", "P0312", "function"},
		{`latest(turns[0].calls) == []`, "turns[0].calls", "P0306", "takes messages"},
		{`names([1]) == "1"`, "[1]", "P0306", "takes agents"},
		{`mentions([1], "x")`, "[1]", "P0306", "looks into texts"},
		{`exposed("debator[1]")`, `"debator[1]"`, "P0309", "no agent"},
		{`"a" in 3`, "3", "P0304", "looks into a list"},
		{`3 in task.wrongs`, "3 in task.wrongs", "P0305", "a whole number among"},
		{`self.nam == "x"`, "nam", "P0302", "did you mean name?"},
		{`sortBy(turns, .agent) == []`, ".agent", "P0306", "goes by numbers"},
		{`sortBy(turns, .tokens, "up") == []`, `"up"`, "P0309", "asc"},
		{`"x" matches "("`, `"("`, "P0382", "this pattern cannot be read: missing closing )"},
		// true places inside templates, behind characters of several bytes
		{"\"\"\"\n    Ü☕ is ${task.answer} – naïve ${task.answr}\n      deeper\n  \"\"\" == \"x\"", "answr", "P0302", "did you mean answer?"},
		{"\"☕ ${\"inner ${self.nme}\"}\" == \"x\"", "nme", "P0302", "did you mean name?"},
	} {
		file, e := expression(t, c.src)
		_, problems := Check(e, testEnv(), OpenType)
		if len(problems) != 1 {
			t.Errorf("%s: %d problems: %v", c.src, len(problems), problems)
			continue
		}
		p := problems[0]
		if at := file[p.Span.Start:p.Span.End]; at != c.at || p.Code != diag.Code(c.code) || !strings.Contains(p.Message+" · "+p.Hint, c.says) {
			t.Errorf("%s: %s at %q: %s · %s", c.src, p.Code, at, p.Message, p.Hint)
		}
		if p.Code.Title() == "" {
			t.Errorf("%s has no title", p.Code)
		}
	}
}

func TestSeveralProblems(t *testing.T) {
	_, e := expression(t, `task.a == "x" && tokens > 3 || step == "nope"`)
	_, problems := Check(e, testEnv(), BoolType)
	var codes []string
	for _, p := range problems {
		codes = append(codes, string(p.Code))
	}
	if diff := cmp.Diff([]string{"P0302", "P0301", "P0309"}, codes); diff != "" {
		t.Error(diff, problems)
	}
}

func TestWanted(t *testing.T) {
	for _, c := range []struct {
		src  string
		want Type
		ok   bool
	}{
		{"correct", BoolType, true},
		{"run.tokens", BoolType, false},
		{"run.answer", StringType, true},
		{"3", NumberType, true},
		{"2.5", IntType, false},
		{"debater", ListOf(AgentType), true},
		{"debater[1]", AgentType, true},
		{"task.wrongs", ListOf(AgentType), false},
		{"nil", StringType, false},
		{"nil", StringType.Maybe(), true},
		{`"cal"`, Union([]any{"calm", "cross"}), false},
		{`"calm"`, Union([]any{"calm"}), true},
		{`{a: 1}`, RecordOf("", map[string]Type{"a": IntType}), true},
		{`{b: 1}`, RecordOf("", map[string]Type{"a": IntType}), false},
		{`{}`, RecordOf("", map[string]Type{"a": IntType.Maybe()}), true},
		{"[]", ListOf(StringType), true},
		{"task.odd", StringType, false},
		{"task.odd", OpenType, true},
		{"anything", BoolType, true},
		{`{m: "cal"}`, RecordOf("", map[string]Type{"m": Union([]any{"calm"})}), false},
	} {
		_, e := expression(t, c.src)
		if _, problems := Check(e, testEnv(), c.want); (len(problems) == 0) != c.ok {
			t.Errorf("%s where %v is due: %v", c.src, c.want, problems)
		}
	}
}

func TestWantedParts(t *testing.T) {
	want := ListOf(RecordOf("payment", map[string]Type{"to": StringType, "amount": NumberType, "note": StringType.Maybe(), "kind": Union([]any{"in", "out"})}))
	for _, c := range []struct{ src, at, says string }{
		{`[{to: "x", amont: 1, amount: 2, kind: "in"}]`, "amont", "a payment has no field"},
		{`[{to: "x", kind: "in"}]`, `{to: "x", kind: "in"}`, "lacks amount"},
		{`[{to: 3, amount: 2, kind: "in"}]`, "3", "a text is due"},
		{`[{to: "x", amount: 2, kind: correct ? "in" : "off"}]`, `"off"`, "none of the values"},
		{`[{to: "x", amount: 2, kind: correct ? "in" : 7}]`, "7", "a text is due here, and this is a whole number"},
		{`task.wrongs`, "task.wrongs", "a list of records is due here, and this is a list of texts"},
	} {
		file, e := expression(t, c.src)
		_, problems := Check(e, testEnv(), want)
		if len(problems) != 1 {
			t.Errorf("%s: %v", c.src, problems)
			continue
		}
		if p := problems[0]; file[p.Span.Start:p.Span.End] != c.at || !strings.Contains(p.Message, c.says) {
			t.Errorf("%s: at %q: %s", c.src, file[p.Span.Start:p.Span.End], p.Message)
		}
	}
}

func TestReads(t *testing.T) {
	_, e := expression(t, `task.answer == clean.run.answer && clean.correct && any(debater[1].turns, .reply.vote > 1) && calls_of("search") > 1 && len(string(task)) > f && (let q = 1; q == 1)`)
	got, problems := Check(e, testEnv(), BoolType)
	if len(problems) > 0 {
		t.Fatal(problems)
	}
	want := map[string][]string{"task": {Whole, "answer"}, "clean": {"correct", "run"}, "debater": {Whole}, "f": {Whole}}
	if diff := cmp.Diff(want, got.Reads); diff != "" {
		t.Error(diff)
	}
	if diff := cmp.Diff([]string{"any", "calls_of", "len", "string"}, got.Calls); diff != "" {
		t.Error(diff)
	}
	if diff := cmp.Diff([]string{"search"}, got.CallsOf); diff != "" {
		t.Error(diff)
	}
}

// Typing and evaluation know the same functions with the same numbers of arguments.
func TestFunctionsAreThoseOfEval(t *testing.T) {
	want := append(eval.Functions(), EngineFunctions...)
	sort.Strings(want)
	if diff := cmp.Diff(want, Functions()); diff != "" {
		t.Error(diff)
	}
	for name, sig := range signatures {
		least, most, ok := eval.Arity(name)
		if !ok {
			continue
		}
		if least != len(sig.args)-sig.opt || (most < 0) != sig.rest || most >= 0 && most != len(sig.args) {
			t.Errorf("%s: evaluation takes %d to %d arguments, typing %d to %d", name, least, most, len(sig.args)-sig.opt, len(sig.args))
		}
	}
}

func TestClosedFunctions(t *testing.T) {
	env := testEnv()
	env.Functions = map[string]bool{"exposed": true}
	for src, n := range map[string]int{"exposed(self)": 0, "chance(0.5)": 1, "same(1, 2)": 0} {
		_, e := expression(t, src)
		if _, problems := Check(e, env, BoolType); len(problems) != n {
			t.Errorf("%s: %v", src, problems)
		}
	}
}
