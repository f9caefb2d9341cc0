package runtime

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"parley/runtime/shape"
	"parley/runtime/trace"
)

// run1 runs one tool body once and returns its call and the world afterwards.
func run1(t *testing.T, body []Stmt, args string) (*trace.Call, *trace.World) {
	t.Helper()
	p := bank(solo(Attrs{Prompt: expr("task.prompt"), Tools: &ToolUse{Names: []string{"work"}}, Replies: record("answer")}))
	p.World.State = append(p.World.State, StateField{
		Name: "boxes", Init: expr(`[{name: "a", items: []}, {name: "b", items: []}]`),
		Shape: shape.Shape{Kind: shape.List, Elem: &shape.Shape{Kind: shape.Record, Fields: []shape.Field{
			{Name: "name", Shape: shape.Shape{Kind: shape.String}},
			{Name: "items", Shape: shape.Shape{Kind: shape.List, Elem: &shape.Shape{Kind: shape.Int}}},
		}}},
	})
	p.Tools = append(p.Tools, Tool{
		Name: "work", Class: "write", Body: body,
		Params: []shape.Field{{Name: "n", Shape: shape.Shape{Kind: shape.Int}, HasDefault: true, Default: 3}},
	})
	trial, _ := runOne(t, p, inTurn(wants("work", args), reply(map[string]any{"answer": "ok"})))
	return trial.CallList()[0].(*trace.Call), trial.After
}

func set(value string, target ...string) Stmt {
	s := Stmt{Kind: SetStmt, Expr: expr(value)}
	for _, k := range target {
		s.Target = append(s.Target, expr(k))
	}
	return s
}

func add(value string, target ...string) Stmt {
	s := set(value, target...)
	s.Kind = AppendStmt
	return s
}

func let(name, value string) Stmt { return Stmt{Kind: LetStmt, Name: name, Expr: expr(value)} }

func give(value string) Stmt { return Stmt{Kind: ReturnStmt, Expr: expr(value)} }

func TestToolBodies(t *testing.T) {
	tests := []struct {
		name   string
		body   []Stmt
		args   string
		result any
		failed string
	}{
		{"a default argument", []Stmt{give("n")}, `{}`, 3, ""},
		{"nothing returned", []Stmt{let("x", "n")}, ``, nil, ""},
		{"if", []Stmt{{Kind: IfStmt, Expr: expr("n > 2"), Body: []Stmt{give(`"big"`)}, Elses: []Stmt{give(`"small"`)}}}, `{"n":5}`, "big", ""},
		{"else", []Stmt{{Kind: IfStmt, Expr: expr("n > 2"), Body: []Stmt{give(`"big"`)}, Elses: []Stmt{give(`"small"`)}}}, `{"n":1}`, "small", ""},
		{
			"for and set of a let",
			[]Stmt{let("sum", "0"), {Kind: ForStmt, Name: "x", Expr: expr("1..n"), Body: []Stmt{set("sum + x", "sum")}}, give("sum")},
			`{"n":4}`, 10, "",
		},
		{
			"break", []Stmt{let("last", "0"), {Kind: ForStmt, Name: "x", Expr: expr("1..9"), Body: []Stmt{
				{Kind: IfStmt, Expr: expr("x > n"), Body: []Stmt{{Kind: BreakStmt}}}, set("x", "last"),
			}}, give("last")}, `{"n":4}`, 4, "",
		},
		{
			"return inside for", []Stmt{{Kind: ForStmt, Name: "x", Expr: expr("[5, 7]"), Body: []Stmt{give("x")}}, give("0")}, `{}`, 5, "",
		},
		{
			"a let that is a list of records",
			[]Stmt{let("l", `[{a: 1, b: []}]`), set("2", "l", "0", `"a"`), add("n", "l", "0", `"b"`), add(`{a: 9, b: []}`, "l"), give("l")},
			`{}`,
			[]any{map[string]any{"a": 2, "b": []any{3}}, map[string]any{"a": 9, "b": []any{}}},
			"",
		},
		{"a place that is not there", []Stmt{let("l", "[1]"), set("2", "l", "5")}, `{}`, nil, "l has no element 5"},
		{"for over nothing", []Stmt{{Kind: ForStmt, Name: "x", Expr: expr("task.nothing"), Body: nil}}, `{}`, nil, "for found no list to walk"},
		{"require what is unknown", []Stmt{{Kind: RequireStmt, Expr: expr("task.nothing == 1")}}, `{}`, nil, "a condition of the tool does not hold"},
		{"a value of the wrong kind", []Stmt{set(`"much"`, "state", `"balance"`)}, `{}`, nil, `state.balance: expected a number, got the text "much"`},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			c, _ := run1(t, tt.body, tt.args)
			if d := cmp.Diff(tt.result, c.Result); d != "" {
				t.Errorf("result (-want +got):\n%s", d)
			}
			if c.Error != tt.failed || c.Effected != (tt.failed == "") {
				t.Errorf("error %q, effected %v, want %q", c.Error, c.Effected, tt.failed)
			}
		})
	}
}

func TestStateDeepDown(t *testing.T) {
	_, after := run1(t, []Stmt{
		add("n", "state", `"boxes"`, "1", `"items"`),
		set(`"c"`, "state", `"boxes"`, "0", `"name"`),
		set(`"text of the file"`, "files", `"new.txt"`),
	}, `{"n":7}`)
	want := []any{map[string]any{"name": "c", "items": []any{}}, map[string]any{"name": "b", "items": []any{7}}}
	if d := cmp.Diff(want, after.State["boxes"]); d != "" {
		t.Error(d)
	}
	if got := after.Files["new.txt"]; got != "text of the file" {
		t.Errorf("file %q", got)
	}
}
