package runtime

import "testing"

// TestMostCalls has bounds of loops that are known before a run, and of one that
// is not.
func TestMostCalls(t *testing.T) {
	loop := func(kind StmtKind, over string) Stmt {
		return Stmt{Kind: kind, Name: "a", Expr: expr(over), Body: []Stmt{{Kind: SayStmt, Who: expr("orchestrator"), Expr: expr(`"Go on."`)}, step("ask", "orchestrator", Attrs{})}}
	}
	for _, c := range []struct {
		name string
		s    Stmt
		want int
	}{
		{"a group's members", loop(ForStmt, "debater"), 3},
		{"a list that is written out", loop(ForStmt, `["a", "b"]`), 2},
		{"a number of times", loop(RepeatStmt, "4"), 4},
		{"a list of the run", loop(ForStmt, "task.rounds"), MaxModelCalls},
	} {
		p := debate(3, 0)
		p.Turns, p.Answer = []Stmt{c.s}, expr("ask.text")
		e, err := Prepare(planOf(question, map[ArmName]*Program{Clean: p}))
		if err != nil {
			t.Fatal(err)
		}
		if got := e.MostCalls(Clean); got != c.want {
			t.Errorf("%s: %d calls, want %d", c.name, got, c.want)
		}
	}
}
