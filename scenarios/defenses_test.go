package scenarios

import (
	"math"
	"slices"
	"strings"
	"testing"

	"parley/interp"
	"parley/runtime"
	"parley/runtime/trace"
)

// TestGate: with an order that is obeyed with o, a guard that sees it with p and
// cries wolf with c, everything that the scores show is known.
func TestGate(t *testing.T) {
	const o, p, c = 0.6, 0.8, 0.1
	truth := map[string]float64{
		// The attempt does not hang on the guard; what comes off does.
		"attempts none": o, "attempts guard.calls()": o, "attempts enforced": o,
		"irw none": o, "irw guard.calls()": o * (1 - p), "irw guard.calls(every: true)": o * (1 - p), "irw results": o, "irw enforced": 0,
		"caught none": 0, "caught guard.calls()": o * p, "caught enforced": o,
		// A turn reads twice; each call and each result is looked at.
		"caught guard.calls(every: true)":       1 - (1-p)*(1-p)*(1-o*p),
		"false_alarms none":                     0,
		"false_alarms guard.calls()":            0,
		"false_alarms guard.calls(every: true)": 1 - (1-c)*(1-c),
		"false_alarms results":                  1 - (1-c)*(1-c),
		"false_alarms enforced":                 0,
	}
	if testing.Short() {
		delete(truth, "caught guard.calls(every: true)") // too rarely missed to be seen in few runs
	}
	got := overSeeds(t, open(t, "defenses/gate.parley"), "gates", interp.Options{Limit: "1-10"}, func(cells []*played) map[string]float64 {
		out := map[string]float64{}
		for _, p := range cells {
			for _, name := range []string{"attempts", "irw", "caught", "false_alarms"} {
				out[name+" "+p.label("defense")] = float64(p.estimate(t, name).Value)
			}
			for at, trial := range p.trials {
				if p.label("defense") == "enforced" {
					nothingUnauthorized(t, at, trial)
				}
			}
		}
		return out
	})
	holds(t, got, truth)
}

// nothingUnauthorized: what nobody authorized is tried, and never comes off.
func nothingUnauthorized(t *testing.T, at spot, trial *trace.Trial) {
	t.Helper()
	if at.arm == runtime.Undefended {
		return
	}
	for i := range trial.Events {
		if call := trial.Events[i].Call; call != nil && call.Effected && !call.Authorized() {
			t.Errorf("row %d, %s: %s came off without authority", at.row, at.arm, call.Tool)
		}
	}
}

// TestDefenseTable plays the whole table on few tasks.
func TestDefenseTable(t *testing.T) {
	cells := play(t, open(t, "defenses/table.parley"), "table", interp.Options{Limit: "1-6"}, inMemory)
	mute := map[string]string{
		"spotlighting": "words alone", "sandwich": "words alone", "filter": "the step choose", "approval": "--approve",
	}
	rows := 0
	for _, p := range cells {
		name := p.label("defense")
		why := mute[name]
		if got := p.Plan.Unmeasured; (why == "") != (got == "") || !strings.Contains(got, why) {
			t.Errorf("%s: unmeasured %q, want a reason with %q", name, got, why)
		}
		for _, s := range p.table.Scores {
			for _, e := range s.Estimates {
				if defined := e.Value.Defined(); defined && why != "" {
					t.Errorf("%s: %s has the number %v", name, s.Name, e.Value)
				}
			}
		}
		rows++
		for at, trial := range p.trials {
			if name == "quarantine" && at.arm != runtime.Undefended {
				shutOff(t, trial)
			}
			if name == "enforced" {
				nothingUnauthorized(t, at, trial)
			}
			guardsApart(t, trial)
		}
	}
	if rows != 44 {
		t.Errorf("%d rows, want 3 attacks and none, under 11 defenses", rows)
	}
}

// shutOff: once an agent is in quarantine, no message of it is delivered.
func shutOff(t *testing.T, trial *trace.Trial) {
	t.Helper()
	var shut []string
	for i := range trial.Events {
		switch e := &trial.Events[i]; {
		case e.Defense != nil && e.Defense.Action == trace.Quarantined:
			shut = append(shut, e.Defense.Agent)
		case e.Message != nil && slices.Contains(shut, e.Message.From):
			t.Errorf("%s is heard in quarantine", e.Message.From)
		}
	}
}

// guardsApart: what guards take is counted apart from what the team takes, and
// together they are all that was asked.
func guardsApart(t *testing.T, trial *trace.Trial) {
	t.Helper()
	var team, guards trace.Usage
	for i := range trial.Events {
		m := trial.Events[i].Model
		if m == nil {
			continue
		}
		u := &team
		if m.Role == runtime.GuardRole {
			u = &guards
		}
		u.Calls++
		u.Input += m.Input
		u.Output += m.Output
	}
	counted := trace.Usage{}
	if trial.Guards != nil {
		counted = *trial.Guards
	}
	if team.Calls != trial.Usage.Calls || team.Tokens() != trial.Usage.Tokens() || guards.Calls != counted.Calls || guards.Tokens() != counted.Tokens() {
		t.Errorf("the team took %v and the guards %v, and %v and %v are counted", team, guards, trial.Usage, counted)
	}
}

// TestWolf: a guard on every edge cries wolf in 1 − (1 − c)^m of the runs in which
// nobody attacks, where m is how many messages are sent.
func TestWolf(t *testing.T) {
	const c, n = 0.02, 5
	const messages = n + n*n + n*n + n // handed out, two rounds to the others and the orchestrator, the decision
	edits := []edit{{"scenario attacked(), benign()", "scenario benign()"}}
	for _, other := range []string{
		"none", "words.spotlighting()", "words.sandwich()", "tools.filter()", "guard.calls()", "guard.quarantine()", "authority.enforced()",
		"authority.approval()", "vote.majority_vote()",
	} {
		edits = append(edits, edit{"    " + other + ",\n", ""})
	}
	module := open(t, "defenses/table.parley", edits...)
	got := overSeeds(t, module, "table", interp.Options{Limit: "1-3"}, func(cells []*played) map[string]float64 {
		out := map[string]float64{}
		for _, p := range cells {
			out[p.label("defense")] = float64(p.estimate(t, "false_alarms").Value)
		}
		return out
	})
	holds(t, got, map[string]float64{"messages": 1 - math.Pow(1-c, messages)})
}
