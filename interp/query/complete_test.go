package query_test

import (
	"slices"
	"strings"
	"testing"

	"parley/interp/query"
	"parley/interp/typing"
)

// complete asks at a mark that is put into the world, in the place of a text.
func complete(t *testing.T, text string) []string {
	t.Helper()
	at := strings.Index(text, cursor)
	if at < 0 {
		t.Fatal("no mark")
	}
	c, err := query.Complete(project(map[string]string{"main.parley": strings.Replace(text, cursor, "", 1)}), "main.parley", at)
	if err != nil {
		t.Fatal(err)
	}
	if c.Span.Start > at || c.Span.End < at-len(cursor)+1 {
		t.Fatalf("the words take the place of %v, at %d", c.Span, at)
	}
	var out []string
	for _, i := range c.Items {
		out = append(out, i.Label)
	}
	return out
}

func TestComplete(t *testing.T) {
	for _, c := range []struct {
		was, is string // what stands in the world, and what in its place
		want    string // labels
		not     string
	}{
		// Words of each body, those said once not again.
		{"model pupil {", "¦\nmodel pupil {", "team attack scenario use model test agents", "turns judge_"},
		{"  about \"🦜 A desk.\"", "  about \"🦜 A desk.\" ¦", "agent tool ring", "about turns answer"},
		{"agent boss {", "agent boss { ¦ ", "system prompt tools replies remembers handoff", "role aside"},
		{"close: boss { ", "close: boss { te¦ ", "temperature tools aside", "role"},
		{"    let best", "    r¦\n    let best", "repeat reset let say", "require"},
		{"goal \"answer\"\n", "goal \"answer\"\n  ¦\n", "append replace if about", "goal verify"},
		{"score { rate", "score { ¦ rate", "rate mean value", ""},
		{"workspace shop()\n", "workspace shop()\n  ¦\n", "baseline budget defense verify", "team workspace attack"},
		{"hole note", "¦ hole note", "file page corpus allow hole state about", "balance"},
		{"script boss { ", "script boss { ¦ ", "reply call", "repeat"},
		{"sweep n in [1, 2]", "sweep n in [1, 2] ¦", "runs seed pairs budget", "experiment"},
		{"provider sim }", "provider sim k¦ }", "knows conforms obeys", "provider"},
		// Levels, and slots by level.
		{"at L2 {", "at ¦ {", "L1 L2 L3", "system"},
		{"append agent.system with", "append ¦ with", "agent.system agent.prompt agent.output clerk", "task.prompt hole agent.calls"},
		{"append agent.system with", "append agent.¦ with", "system prompt output", "calls speaker"},
		{"  append agent.system with", "  drop agent.¦\n  append agent.system with", "output calls", "system memory"},
		{"at L2 {\n  goal \"answer\"\n", "at L3 {\n  goal \"answer\"\n  replace ¦\n", "task.prompt hole resource corpus tool edge", "agent.system clerk"},
		{"at L2 {\n  goal \"answer\"\n", "at L3 {\n  goal \"answer\"\n  replace hole(¦\n", "note", "look"},
		{"at L2 {\n  goal \"answer\"\n", "at L3 {\n  goal \"answer\"\n  replace tool(¦).result with \"\"\n", "look", "note"},
		{"at L2 {\n  goal \"answer\"\n", "at L3 {\n  goal \"answer\"\n  replace tool(look).¦\n", "description result", "system"},
		{"at L2 {\n  goal \"answer\"\n", "at L1 {\n  goal \"answer\"\n  replace boss.¦\n", "system speaker memory", ""},
		{"append agent.system with", "replace agent.output.¦ with", "answer sure", "text"},
		{"append agent.system with \"${times}", "append agent.system ¦ \"${times}", "with when", ""},
		// Agents, labels, replies.
		{"open: clerk[1]", "open: ¦", "clerk boss each", "open"},
		{"clerk -> boss", "clerk -> ¦", "clerk boss", "open"},
		{"until open.reply.sure", "until ¦", "open each_one close best task heard_", "run"},
		{"until open.reply.sure", "until open.¦", "reply text agent handoff", "answer"},
		{"until open.reply.sure", "until open.reply.¦", "answer sure", "text"},
		{"${best.text}", "${best.¦}", "reply text calls", "best"},
		{"${best.text}", "${¦}", "best task clerk boss self", "run"},
		{"where reply.sure", "where reply.¦", "answer sure", ""},
		{"answer close.reply.answer", "answer close.reply.¦", "answer", "sure"},
		{"tools look", "tools ¦", "look read write all none own", "note"},
		{"tools look", "tools look ¦", "limit then", ""},
		{"tools look", "tools look then ¦", "answer share stop", "look"},
		{"${self.name}", "${self.¦}", "name index about group honest", ""},
		// Tasks and the world.
		{"${task.wrong}\"", "${task.¦}\"", "prompt answer wrong", ""},
		{"hole.note}", "hole.¦}", "note", ""},
		{"${state.stock}", "${state.¦}", "stock", ""},
		{"by clerk\n", "by ¦\n", "clerk boss", ""},
		{"call look(thing: \"x\")", "call ¦(thing: \"x\")", "look", "note"},
		{"call look(thing: \"x\")", "call look(¦)", "thing:", ""},
		// Predicates and scores.
		{"correct = same(run.answer,", "correct = ¦(run.answer,", "same any all mentions exposed", "retrieve"},
		{"correct = same(run.answer,", "correct = same(run.¦,", "answer tokens refused ended_by", "step"},
		{"any(calls, .tool ==", "any(calls, .¦ ==", "tool agent args result authorized", "from"},
		{".tool == \"look\"", ".tool == \"¦\"", "look", "open"},
		{".step == \"open\"", ".step == \"o¦\"", "open close each_one", "look"},
		{"asr = !correct", "asr = !¦", "correct looked sure clean task", ""},
		{"given clean.correct }", "given clean.¦ }", "correct looked run open", ""},
		{"asr = !correct given clean.correct", "asr = !correct gi¦", "given lower by", ""},
		{"attack.won", "attack.¦", "won name goal level", ""},
		{"fail when asr.high", "fail when asr.¦", "value low high n unknown", ""},
		{"fail when asr", "fail ¦ asr", "when", ""},
		{"expect looked", "expect ¦", "looked correct sure attack", ""},
		// References and their arguments.
		{"team desk(n: n)", "team ¦(n: n)", "desk debate.standard guests.table", "shop"},
		{"team desk(n: n)", "team debate.¦(n: n)", "standard single vote", "desk"},
		{"team desk(n: n)", "team desk(¦)", "n: loud:", ""},
		{"team desk(n: n)", "team desk(n: n, loud: ¦)", "true false", ""},
		{"team desk(n: n)", "team desk(n: ¦)", "n", "loud"},
		{"team desk(n: n)", "team guests.table(members: ¦)", "guests.family", ""},
		{"attack flatter(times: 2) on clerk[1]", "attack ¦", "flatter", "desk"},
		{"attack flatter(times: 2) on clerk[1]", "attack flatter(times: 2) on ¦", "clerk boss", "open"},
		{"attack flatter(times: 2) on clerk[1]", "attack flatter(times: 2) ¦", "on", ""},
		{"model pupil\n", "model ¦\n", "pupil", "desk"},
		{"scenario sale sweep", "scenario ¦ sweep", "sale", "desk"},
		{"sweep n in", "sweep ¦ in", "n team attack model", "loud"},
		{"tasks \"facts.jsonl\"\n", "tasks \"facts.jsonl\" ¦\n", "where limit sample", ""},
		{"tasks \"facts.jsonl\"\n", "tasks \"fa¦\"\n", "facts.jsonl lib/facts.jsonl", "main"},
		{"use \"std/debate\"", "use \"std/¦\"", "std/debate std/world lib/guests", "main"},
		{"script boss", "script ¦", "clerk boss", "open"},
		// Parameters and types.
		{"loud: bool = false", "loud: ¦", "int bool string agents", "turns"},
		{"replies { answer: string, sure: bool }", "replies { answer: ¦, sure: bool }", "int string bool boss", ""},
		{"${times} ${task", "${¦} ${task", "times task self step clerk", "run"},
	} {
		if strings.Count(world, c.was) == 0 {
			t.Errorf("%q stands nowhere", c.was)
			continue
		}
		got := complete(t, strings.Replace(world, c.was, c.is, 1))
		for i := range got {
			got[i] = strings.TrimSpace(got[i])
		}
		for _, w := range strings.Fields(c.want) {
			if !slices.Contains(got, w) && !strings.HasSuffix(w, "_") {
				t.Errorf("%q: no %s among %v", c.is, w, got)
			}
		}
		for _, w := range strings.Fields(c.not) {
			if slices.Contains(got, w) {
				t.Errorf("%q: %s is among %v", c.is, w, got)
			}
		}
	}
}

// Every function that can be called is explained.
func TestFunctionsAreExplained(t *testing.T) {
	text := strings.Replace(world, "same(run.answer, task.answer)", "¦", 1)
	at := strings.Index(text, cursor)
	c, err := query.Complete(project(map[string]string{"main.parley": strings.Replace(text, cursor, "", 1)}), "main.parley", at)
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range typing.Functions() {
		if name == "render" || name == "uri" || slices.Contains(typing.EngineFunctions, name) {
			continue
		}
		i := slices.IndexFunc(c.Items, func(i query.Item) bool { return i.Label == name && i.Kind == query.FunctionItem })
		if i < 0 || c.Items[i].Doc == "" || !strings.HasPrefix(c.Items[i].Detail, name+"(") {
			t.Errorf("the function %s is not explained", name)
		}
	}
}
