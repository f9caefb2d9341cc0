package build_test

import (
	"fmt"
	"strings"
	"testing"

	"parley/lang/diag"
)

// TestNumbersThatCannotBe: what a run could only get wrong is said before it, once.
func TestNumbersThatCannotBe(t *testing.T) {
	for _, c := range []struct {
		name, src string
		code      diag.Code
		want      string
	}{
		{"repeat of less than nothing", debate + `scenario s() { team debate.standard(rounds: -1) tasks "facts.jsonl"` + scored + `}`, diag.WrongValue, "how often to repeat must be at least 0, and it is -1"},
		{"the largest number of agents", debate + `scenario s() { team debate.standard(n: 9223372036854775807) tasks "facts.jsonl"` + scored + `}`, diag.PlanTooLarge, "a team has at most 1000 agents"},
		{"less agents than one", debate + `scenario s() { team debate.standard(n: -1) tasks "facts.jsonl"` + scored + `}`, diag.WrongValue, `the number of agents in "debater" must be at least 1, and it is -1`},
		{"agents one by one", teamed(manyAgents(1001) + `turns { t: a1 { prompt "x" } } answer t.text`), diag.PlanTooLarge, "a team has at most 1000 agents"},
		{"an expectation of nothing", scripted(`script a { reply "x" } expect 1 < 2`), diag.TestIncomplete, "this is always true, whatever the run does"},
		{"two scripts of one agent", scripted(`script a { reply "x" } script a { reply "y" } expect run.refused`), diag.ClauseTwice, "a has a script already, and only one would be heard"},
		{"two models of one agent", `model m { provider sim } ` + in("model m for debater model m for debater"+scored), diag.ClauseTwice, "a scenario has one model clause for the same agents"},
		{"a pattern that is none", in(`verify { x = run.answer matches "(" } score { rate r = x }`), diag.WrongValue, "this pattern cannot be read: missing closing ): `(`"},
	} {
		var errors diag.List
		compiled := compiler(t, c.src)
		compiled.Check()
		for _, d := range compiled.Diagnostics() {
			if d.Severity == diag.Error {
				errors = append(errors, d)
			}
		}
		if len(errors) != 1 || errors[0].Code != c.code || errors[0].Message != c.want {
			t.Errorf("%s: %v", c.name, errors)
		}
	}
}

// scripted is a test of a team of one agent.
func scripted(body string) string {
	return teamed(`agent a { } turns { t: a { prompt "x" } } answer t.text`) +
		` test "t" { scenario s() task { prompt: "P", answer: "A" } ` + body + " }"
}

func manyAgents(n int) string {
	var b strings.Builder
	for i := range n {
		fmt.Fprintf(&b, "agent a%d { } ", i)
	}
	return b.String()
}

// TestFieldsThatPredicatesMiss: a field that only predicates or scores read, and
// that some tasks lack, is said as well as one that the team reads.
func TestFieldsThatPredicatesMiss(t *testing.T) {
	const team = `team own() { agent a { } turns { t: a { prompt "${task.prompt}" } } answer t.text }
scenario s() { team own() tasks "some.jsonl" `
	for src, want := range map[string]int{
		`verify { v = same(run.answer, task.wrong) } score { rate r = v }`:                   1,
		`verify { v = run.refused } score { rate r = v given same(run.answer, task.wrong) }`: 1,
		`verify { v = same(run.answer, task.answer) } score { rate r = v }`:                  0,
	} {
		c := compiler(t, team+src+" }")
		c.Check()
		got := 0
		for _, d := range c.Diagnostics() {
			if d.Code == diag.FieldOptional {
				got++
			}
		}
		if got != want {
			t.Errorf("%s: %v", src, c.Diagnostics())
		}
	}
}

// TestSleepersThatNeverWake: an attack that cannot come into force is said.
func TestSleepersThatNeverWake(t *testing.T) {
	for when, want := range map[string]string{
		`step == "dispatch"`:                         `none of the attack's targets speaks in step "dispatch", so the patch changes nothing`,
		`calls_of("search") > 0 && "decide" == step`: `none of the attack's targets speaks in step "decide", so the patch changes nothing`,
		`1 > 2`:                                  "this is never so, so the patch changes nothing",
		`step == "debate"`:                       "",
		`step == "debate" || step == "dispatch"`: "",
		`step != "dispatch"`:                     "",
	} {
		c := compiler(t, attacked(`attack m() at L2 { goal "g" append agent.system with "x" when `+when+` }`, `attack m() on debater[1]`))
		c.Check()
		got := ""
		for _, d := range c.Diagnostics() {
			if d.Severity == diag.Error || d.Code == diag.AttackHasNoPatch {
				got += d.Message
			}
		}
		if got != want {
			t.Errorf("%s: %q, want %q", when, got, want)
		}
	}
}
