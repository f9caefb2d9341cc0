package runtime

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"parley/runtime/model"
	"parley/runtime/trace"
)

// pair is two agents that hear each other and speak by the given program.
func pair(turns ...Stmt) *Program {
	return &Program{
		Agents: []Agent{
			{Name: "a", Index: 1, Attrs: Attrs{Model: "m", Prompt: expr(`"go on"`)}},
			{Name: "b", Index: 1, Attrs: Attrs{Model: "m", Prompt: expr(`"go on"`)}},
		},
		Groups: []Group{{Name: "both", Members: []string{"a", "b"}}},
		Edges:  []Edge{{"a", "b"}, {"b", "a"}},
		Models: map[string]model.Spec{"m": {Provider: "script", Name: "m"}},
		Turns:  turns,
	}
}

func counting(c Call) *model.Response { return text("said at " + c.Position) }

func paths(trial *trace.Trial) []string {
	var out []string
	for _, v := range trial.TurnList() {
		out = append(out, v.(*trace.Turn).Path)
	}
	return out
}

func TestTurnPrograms(t *testing.T) {
	ask := func(label, who string) Stmt { return step(label, who, Attrs{}) }
	group := ask("g", "both")
	group.Many = true
	say := func(who, what string) Stmt { return Stmt{Kind: SayStmt, Who: expr(who), Expr: expr(what)} }
	var endless []string
	for i := range MaxTurns {
		endless = append(endless, fmt.Sprintf("s#%d/a", i+1))
	}
	tests := []struct {
		name  string
		turns []Stmt
		limit int
		want  []string
		ended string
	}{
		{"group members one after another", []Stmt{group}, 0, []string{"g/a", "g/b"}, "answered "},
		{"repeat n", []Stmt{{Kind: RepeatStmt, Expr: expr("2"), Body: []Stmt{ask("s", "a")}}}, 0, []string{"s#1/a", "s#2/a"}, "answered "},
		{
			"until is looked at before the first pass",
			[]Stmt{{Kind: RepeatStmt, Until: expr("len(turns) >= 0"), Body: []Stmt{ask("s", "a")}}},
			0, nil, "answered ",
		},
		{
			"until is looked at after every turn",
			[]Stmt{{Kind: RepeatStmt, Until: expr("len(turns) >= 3"), Body: []Stmt{ask("s", "a"), ask("t", "b")}}, ask("u", "b")},
			0,
			[]string{"s#1/a", "t#1/b", "s#2/a", "u/b"},
			"answered ",
		},
		{
			"until in the middle of a group",
			[]Stmt{{Kind: RepeatStmt, Until: expr("len(turns) >= 1"), Body: []Stmt{group}}},
			0,
			[]string{"g#1/a"},
			"answered ",
		},
		{"for", []Stmt{{Kind: ForStmt, Name: "x", Expr: expr(`["b", "a"]`), Body: []Stmt{ask("s", "(x)")}}}, 0, []string{"s#1/b", "s#2/a"}, "answered "},
		{
			"if and let", []Stmt{
				{Kind: LetStmt, Name: "n", Expr: expr("2")},
				{Kind: IfStmt, Expr: expr("n > 1"), Body: []Stmt{ask("s", "a")}, Elses: []Stmt{ask("t", "a")}},
			}, 0, []string{"s/a"}, "answered ",
		},
		{
			"set a let", []Stmt{
				{Kind: LetStmt, Name: "who", Expr: expr("a")},
				ask("s", "who"),
				{Kind: SetStmt, Target: []Expr{expr("who")}, Expr: expr("b")},
				ask("t", "who"),
			}, 0, []string{"s/a", "t/b"}, "answered ",
		},
		{"break", []Stmt{{Kind: RepeatStmt, Expr: expr("5"), Body: []Stmt{ask("s", "a"), {Kind: BreakStmt}}}, ask("t", "b")}, 0, []string{"s#1/a", "t/b"}, "answered "},
		{"stop", []Stmt{ask("s", "a"), {Kind: StopStmt, Expr: expr(`"done"`)}, ask("t", "b")}, 0, []string{"s/a"}, "answered done"},
		{
			"a limit of turns",
			[]Stmt{{Kind: RepeatStmt, Body: []Stmt{ask("s", "a")}}},
			3,
			[]string{"s#1/a", "s#2/a", "s#3/a"},
			"limit turns 3",
		},
		{"a limit that is just met", []Stmt{ask("s", "a"), ask("t", "b")}, 2, []string{"s/a", "t/b"}, "answered "},
		{"nested loops", []Stmt{{Kind: RepeatStmt, Expr: expr("2"), Body: []Stmt{{Kind: RepeatStmt, Expr: expr("2"), Body: []Stmt{ask("s", "a")}}}}}, 0, []string{"s#1.1/a", "s#1.2/a", "s#2.1/a", "s#2.2/a"}, "answered "},
		{"one label twice", []Stmt{ask("s", "a"), ask("s", "a")}, 0, []string{"s/a", "s~2/a"}, "answered "},
		{"nobody to speak", []Stmt{ask("s", `"nobody"`), ask("t", "a")}, 0, []string{"t/a"}, "answered "},
		{
			"an endless loop of turns",
			[]Stmt{{Kind: RepeatStmt, Body: []Stmt{step("s", "a", Attrs{Remembers: &Remember{}})}}},
			0, endless, fmt.Sprintf("limit more than %d turns", MaxTurns),
		},
		{"an endless loop without turns", []Stmt{{Kind: RepeatStmt, Body: []Stmt{say("a", `""`)}}}, 0, nil, fmt.Sprintf("limit more than %d statements", MaxPasses)},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			p := pair(tt.turns...)
			p.TurnLimit = tt.limit
			trial, _ := runOne(t, p, counting)
			if d := cmp.Diff(tt.want, paths(trial)); d != "" {
				t.Errorf("turns (-want +got):\n%s", d)
			}
			if got := string(trial.Outcome) + " " + trial.EndedBy; got != tt.ended {
				t.Errorf("ended %q, want %q", got, tt.ended)
			}
		})
	}
}

// A loop over agents asks a twin where it asks its model, and not a second time; by
// itself it has a pass of its own.
func TestLoopsAskTwinsOnce(t *testing.T) {
	ask := Stmt{Kind: StepStmt, Name: "s", Who: expr("x")}
	loop := func(list string) Stmt { return Stmt{Kind: ForStmt, Name: "x", Expr: expr(list), Body: []Stmt{ask}} }
	p := pair(loop(`["a", "twin", "b"]`), loop(`["b", "twin"]`))
	p.Agents = append(p.Agents, Agent{Name: "twin", Like: "a", Attrs: p.Agents[0].Attrs})
	trial, _ := runOne(t, p, counting)
	want := []string{"s#1/a", "s#1/twin", "s#2/b", "s#1~2/b", "s#2~2/twin"}
	if d := cmp.Diff(want, paths(trial)); d != "" {
		t.Errorf("turns (-want +got):\n%s", d)
	}
}

func TestSay(t *testing.T) {
	trial, calls := runOne(t, pair(
		Stmt{Kind: SayStmt, Who: expr("user"), Expr: expr("task.prompt")},
		Stmt{Kind: SayStmt, Who: expr("a"), Expr: expr(`"I go first."`)},
		step("s", "b", Attrs{}),
	), counting)
	want := []string{"user -> a: Who shared the prize?", "user -> b: Who shared the prize?", "a -> b: I go first.", "b -> a: said at s/b/turn/t0/r0"}
	got := []string{}
	for _, e := range trial.Events {
		if m := e.Message; m != nil {
			got = append(got, m.From+" -> "+m.To+": "+m.Text.String())
		}
	}
	if d := cmp.Diff(want, got); d != "" {
		t.Error(d)
	}
	want = []string{"user user: Who shared the prize?", "user a: I go first.", "user : go on"}
	got = nil
	for _, m := range calls.calls[0].Request.Messages {
		got = append(got, m.Role+" "+m.Name+": "+m.Content)
	}
	if d := cmp.Diff(want, got); d != "" {
		t.Error(d)
	}
}

func TestMemory(t *testing.T) {
	for _, tt := range []struct {
		name string
		how  *Remember
		want []string // user texts of the third turn
	}{
		{"all by default", nil, []string{"first", "second", "third"}},
		{"all", &Remember{All: true}, []string{"first", "second", "third"}},
		{"last 1", &Remember{Last: 1}, []string{"second", "third"}},
		{"nothing", &Remember{}, []string{"third"}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			ask := func(what string) Stmt {
				return step(what, "a", Attrs{Prompt: expr(`"` + what + `"`), Remembers: tt.how})
			}
			_, calls := runOne(t, pair(ask("first"), ask("second"), ask("third")), counting)
			var got []string
			for _, m := range calls.calls[2].Request.Messages {
				if m.Role == "user" {
					got = append(got, m.Content)
				}
			}
			if d := cmp.Diff(tt.want, got); d != "" {
				t.Error(d)
			}
		})
	}
}

func TestAsideLeavesNoTrace(t *testing.T) {
	trial, calls := runOne(t, pair(
		step("s", "a", Attrs{}),
		step("secret", "b", Attrs{Aside: true, Prompt: expr(`"what do you think?"`)}),
		step("t", "b", Attrs{}), step("u", "a", Attrs{}),
	), counting)
	for _, c := range calls.calls[2:] {
		if strings.Contains(fullText(c), "secret") || strings.Contains(fullText(c), "what do you think") {
			t.Errorf("the aside shows in\n%s", fullText(c))
		}
	}
	if !strings.Contains(fullText(calls.calls[2]), "said at s/a") {
		t.Error("what was heard before the aside is gone")
	}
	if n := len(trial.TurnList()); n != 4 {
		t.Errorf("%d turns are recorded, want 4", n)
	}
}

func TestLockstep(t *testing.T) {
	p := pair(eachStep("s", "both", Attrs{}), eachStep("t", "both", Attrs{}))
	for _, together := range []int{1, 4} {
		a := &answerer{say: counting}
		runArm(t, planOf(question, map[ArmName]*Program{Clean: p}), Clean, a, WithTogether(together))
		for _, c := range a.calls {
			heard := strings.Contains(fullText(c), "said at s/"+map[string]string{"a": "b", "b": "a"}[c.Agent])
			if heard != strings.HasPrefix(c.Position, "t/") {
				t.Errorf("together %d: %s heard the other: %v", together, c.Position, heard)
			}
		}
	}
}
