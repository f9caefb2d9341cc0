package query_test

import (
	"slices"
	"strings"
	"testing"

	"parley/interp/query"
)

// guarded is a file with a judge and a defense.
const guarded = `use "std/debate"

model strict { provider sim }

// Whether they agree.
judge united(most: int = 2) {
  about "🦜 agreement"
  model strict
  prompt "${most} count. ${transcript}"
  replies { class: 1 | 2, why: string }
  when !run.refused
}

// Looks at what is said.
defense careful(strength: int = 1) {
  agent guard { system "You guard. ${strength}" }
  before message when message.text contains "secret" { drop }
}

scenario debated() {
  team debate.standard(n: 3)
  tasks "facts.jsonl"
  judge united(most: 1)
  defense careful(strength: 2) on debater
  verify { agreed = judge.united.reply.class == 1 }
  score { rate agreement = agreed }
}
`

func TestJudgesAndDefenses(t *testing.T) {
	for _, c := range []struct{ at, form string }{
		{"judge uni¦ted(most: 1)", "judge united(most: int = 2)"},
		{"judge.uni¦ted.reply", "judge united(most: int = 2)"},
		{"reply.cla¦ss == 1", "field of a reply class: 1 | 2"},
		{"united(mo¦st: 1)", "parameter most: int = 2"},
		{"${mo¦st} count", "parameter most: int = 2"},
		{"model str¦ict\n", "model strict"},
		{"defense care¦ful(strength: 2)", "defense careful(strength: int = 1)"},
		{"careful(stre¦ngth: 2)", "parameter strength: int = 1"},
		{"on deba¦ter", "agent debater[n]"},
		{"message.te¦xt", "text: string"},
	} {
		f, at := open(t, mark(t, guarded, c.at))
		m, err := f.At(at)
		if err != nil || m == nil || !strings.HasPrefix(m.Form, c.form) {
			t.Errorf("%s: %+v %v", c.at, m, err)
		}
	}
	for _, c := range []struct{ was, is, want string }{
		{"judge.united.reply.class", "judge.¦", "united"},
		{"judge.united.reply.class", "judge.united.reply.¦", "class why"},
		{"judge united(most: 1)", "judge ¦", "united"},
		{"defense careful(strength: 2) on debater", "defense ¦", "careful none"},
		{"before message when", "before ¦ when", "message call task answer"},
		{"{ drop }", "{ ¦ }", "drop block replace quarantine approve"},
		{"agent guard {", "¦ agent guard {", "before after agent"},
		{"when !run.refused", "¦ when !run.refused", "actually temperature"},
	} {
		got := complete(t, strings.Replace(guarded, c.was, c.is, 1))
		for _, w := range strings.Fields(c.want) {
			if !slices.Contains(got, w) {
				t.Errorf("%q: no %s among %v", c.is, w, got)
			}
		}
	}
	w, err := query.OpenWorkspace(project(map[string]string{"main.parley": guarded}))
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct{ at, name, want string }{
		{"judge uni¦ted(most: int", "agreeing", "agreed = judge.agreeing.reply.class"},
		{"defense care¦ful(strength: int", "wary", "defense wary(strength: 2)"},
	} {
		edits, err := w.Rename("main.parley", strings.Index(mark(t, guarded, c.at), cursor), c.name)
		if err != nil {
			t.Errorf("%s: %v", c.at, err)
			continue
		}
		texts, err := w.Apply(edits)
		if err != nil || !strings.Contains(texts["main.parley"], c.want) {
			t.Errorf("%s: %v\n%s", c.at, err, texts["main.parley"])
		}
	}
}
