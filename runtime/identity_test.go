package runtime

import (
	"context"
	"strings"
	"testing"

	"parley/runtime/key"
	"parley/runtime/model"
)

// TestIdentity holds the calls of a trial to their recipes: what enters the keys,
// the seeds and the user, and what does not.
func TestIdentity(t *testing.T) {
	plan := planOf(question, map[ArmName]*Program{Clean: debate(2, 1), Attacked: debate(2, 1)})
	base := identities(t, plan, 0, Trial{Repeat: 1, CaseKey: "c"})
	if len(base) != 6 {
		t.Fatalf("%d calls", len(base))
	}
	table := key.Table{Seed: 7, Stream: "main", Case: "c", Repeat: 1}
	first := base["propose/debater[1]/turn/t0/r0"]
	if first.Request.Seed != table.ProviderSeed("propose/debater[1]/turn/t0/r0") || first.Request.User != table.User("debater[1]") {
		t.Error("the seed or the user is not by its recipe")
	}
	seen := map[string]bool{}
	for _, c := range base {
		if seen[c.Key] {
			t.Error("two calls of a trial have one key")
		}
		seen[c.Key] = true
	}
	differ := func(name string, other map[string]Call, keys, seeds, users bool) {
		t.Helper()
		for position, a := range base {
			b := other[position]
			if (a.Key != b.Key) != keys || (a.Request.Seed != b.Request.Seed) != seeds || (a.Request.User != b.Request.User) != users {
				t.Errorf("%s, %s: key differs %v, seed %v, user %v", name, position, a.Key != b.Key, a.Request.Seed != b.Request.Seed, a.Request.User != b.Request.User)
			}
		}
	}
	differ("the other arm of one stream", identities(t, plan, 1, Trial{Repeat: 1, CaseKey: "c"}), false, false, false)
	differ("another repeat", identities(t, plan, 0, Trial{Repeat: 2, CaseKey: "c"}), true, true, true)
	differ("another case", identities(t, plan, 0, Trial{Repeat: 1, CaseKey: "d"}), true, true, true)
	differ("another revision", identities(t, plan, 0, Trial{Repeat: 1, CaseKey: "c", Revisions: map[string]string{"m": "2"}}), true, false, false)
	differ("another trial key", identities(t, plan, 0, Trial{Repeat: 1, CaseKey: "c", Key: "x"}), false, false, false)
	plan.Arms[1].Stream = "arm/attacked"
	differ("another stream", identities(t, plan, 1, Trial{Repeat: 1, CaseKey: "c"}), true, true, true)
	plan.Seed = 8
	differ("another seed", identities(t, plan, 0, Trial{Repeat: 1, CaseKey: "c"}), true, true, true)
}

func identities(t *testing.T, plan *Plan, arm int, trial Trial) map[string]Call {
	t.Helper()
	e, err := Prepare(plan)
	if err != nil {
		t.Fatal(err)
	}
	a := &answerer{say: talk}
	trial.Plan, trial.Arm, trial.Case = plan, &plan.Arms[arm], &plan.Cases[0]
	if _, err := e.RunTrial(context.Background(), trial, a); err != nil {
		t.Fatal(err)
	}
	out := map[string]Call{}
	for _, c := range a.calls {
		out[c.Position] = c
	}
	return out
}

// TestToolCallIDsAreNobodysBusiness: servers make ids up, so equal conversations
// with other ids are equal calls.
func TestToolCallIDsAreNobodysBusiness(t *testing.T) {
	keyOf := func(id string) string {
		ask := wants("read_file", `{"path":"bills/december.txt"}`)
		ask.ToolCalls[0].ID = id
		_, calls := runOne(t, bank(solo(bankAttrs(ToolUse{}))), inTurn(ask, reply(map[string]any{"answer": "ok"})))
		return calls.calls[1].Key
	}
	if keyOf("call_1") != keyOf("call_other") {
		t.Error("the id enters the call's key")
	}
}

func TestRequestsCarryTheAttributes(t *testing.T) {
	warm, cold := 0.5, 0.0
	p := debate(2, 0)
	p.Models["m"] = model.Spec{Provider: "script", Name: "big", Temperature: &warm, MaxTokens: 100}
	p.Agents[0].Attrs.Temperature = &cold
	p.Turns[0].Attrs.MaxTokens = 50
	_, calls := runOne(t, p, talk)
	for _, c := range calls.calls {
		wantTemperature, wantTokens := warm, 100
		if c.Agent == "orchestrator" {
			wantTemperature = cold
		}
		if strings.HasPrefix(c.Position, "dispatch") {
			wantTokens = 50
		}
		if c.Request.Model != "big" || *c.Request.Temperature != wantTemperature || c.Request.MaxTokens != wantTokens {
			t.Errorf("%s: model %s, temperature %v, tokens %d", c.Position, c.Request.Model, *c.Request.Temperature, c.Request.MaxTokens)
		}
	}
}
