package runtime

import (
	"fmt"
	"testing"

	"github.com/google/go-cmp/cmp"

	"parley/runtime/model"
	"parley/runtime/shape"
	"parley/runtime/trace"
)

// librarian is an agent with one search in a store that the task brings.
func librarian(c Corpus) *Program {
	p := solo(Attrs{Prompt: expr("task.prompt"), Tools: &ToolUse{Names: []string{"search"}}, Replies: record("answer")})
	c.Owners = []string{"a"}
	p.World.Corpus = []Corpus{c}
	p.Tools = []Tool{{
		Name: "search", Params: []shape.Field{{Name: "query", Shape: shape.Shape{Kind: shape.String}}}, Class: "read",
		Reads: []Expr{expr(`map(result, "corpus:" + .id)`)},
		Body:  []Stmt{{Kind: ReturnStmt, Expr: expr("retrieve(query)")}},
	}}
	return p
}

func found(t *testing.T, p *Program, fields map[string]any, query string) (texts []string, uris []string) {
	t.Helper()
	calls := &answerer{say: inTurn(wants("search", `{"query":"`+query+`"}`), reply(map[string]any{"answer": "ok"}))}
	trial := runArm(t, planOf(fields, map[ArmName]*Program{Clean: p}), Clean, calls)
	c := trial.CallList()[0].(*trace.Call)
	for _, x := range c.Result.([]any) {
		d := x.(map[string]any)
		texts = append(texts, fmt.Sprintf("%s|%s|%s", d["id"], d["title"], d["text"]))
	}
	for _, r := range c.Reads {
		uris = append(uris, r.URI)
	}
	return texts, uris
}

func TestStores(t *testing.T) {
	fields := map[string]any{"prompt": "?", "documents": []any{
		"The prize of Clauser.",
		map[string]any{"id": "two", "title": "Prize", "text": "The prize: prize, prize."},
		map[string]any{"title": "Rain", "text": "It rained."},
	}}
	file := []Document{{ID: "f", Title: "File", Text: "A prize in a file."}}
	tests := []struct {
		name   string
		corpus Corpus
		want   []string
		uris   []string
	}{
		{
			"all that share a word, best first",
			Corpus{From: expr("task.documents"), Top: 4},
			[]string{"two|Prize|The prize: prize, prize.", "1||The prize of Clauser."},
			[]string{"corpus:two", "corpus:1"},
		},
		{"the best alone", Corpus{From: expr("task.documents"), Top: 1}, []string{"two|Prize|The prize: prize, prize."}, []string{"corpus:two"}},
		{
			"cut to characters",
			Corpus{From: expr("task.documents"), Top: 4, Truncate: 9},
			[]string{"two|Prize|The prize", "1||The prize"},
			[]string{"corpus:two", "corpus:1"},
		},
		{
			"a file's documents count first",
			Corpus{Docs: file, From: expr("task.documents"), Top: 4},
			// of two that say it once, the shorter is better
			[]string{"two|Prize|The prize: prize, prize.", "2||The prize of Clauser.", "f|File|A prize in a file."},
			[]string{"corpus:two", "corpus:2", "corpus:f"},
		},
		{"no documents", Corpus{From: expr("task.none"), Top: 4}, nil, nil},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			texts, uris := found(t, librarian(tt.corpus), fields, "prize")
			if d := cmp.Diff(tt.want, texts); d != "" {
				t.Errorf("texts (-want +got):\n%s", d)
			}
			if d := cmp.Diff(tt.uris, uris); d != "" {
				t.Errorf("resources (-want +got):\n%s", d)
			}
		})
	}
}

func TestInsertedDocumentsLookLikeOthers(t *testing.T) {
	p := attacked(librarian(Corpus{From: expr("task.documents"), Top: 4}), Patch{
		ID: "p/1", Op: "insert", Slot: SlotCorpus, Agents: []string{"a"}, Value: expr(`{title: "Prize", text: "Clarke has the prize."}`),
	})
	texts, _ := found(t, p, map[string]any{"prompt": "?", "documents": []any{"A prize.", "Rain."}}, "Clarke")
	if d := cmp.Diff([]string{"3|Prize|Clarke has the prize."}, texts); d != "" {
		t.Error(d)
	}
}

func TestRoundsCountTheStep(t *testing.T) {
	p := pair(
		Stmt{Kind: RepeatStmt, Expr: expr("2"), Body: []Stmt{eachStep("s", "both", Attrs{})}},
		step("t", "a", Attrs{}),
	)
	trial, _ := runOne(t, p, func(c Call) *model.Response { return text("x") })
	var got []string
	for _, v := range trial.TurnList() {
		u := v.(*trace.Turn)
		got = append(got, fmt.Sprint(u.Step, u.Round, u.Listed))
	}
	if d := cmp.Diff([]string{"s1 true", "s1 true", "s2 true", "s2 true", "t1 false"}, got); d != "" {
		t.Error(d)
	}
	if m := trial.MessageList()[2].(*trace.Message); m.Round != 2 || m.Step != "s" {
		t.Errorf("the third message is of %s, round %d", m.Step, m.Round)
	}
}
