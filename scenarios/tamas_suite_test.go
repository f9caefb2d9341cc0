package scenarios

import (
	"os"
	"slices"
	"strings"
	"testing"

	"parley/interp"
	"parley/runtime/trace"
	"parley/stdlib"
)

// tamasModule loads one of the experiments with all of its domains.
func tamasModule(t *testing.T, name string) *interp.Module {
	t.Helper()
	module, found := interp.Project{Root: os.DirFS("."), Std: stdlib.FS}.Load("tamas/" + name + ".parley")
	if found.HasErrors() {
		t.Fatal(found)
	}
	return module
}

// crooked lists the agents that the attack names in a trial.
func crooked(trial *trace.Trial) []string {
	var out []string
	for _, a := range trial.Agents {
		if !a.Honest {
			out = append(out, a.Name)
		}
	}
	slices.Sort(out)
	return out
}

// texts makes strings of a task's field that holds one name or several.
func texts(v any) []string {
	switch v := v.(type) {
	case string:
		return []string{v}
	case []any:
		var out []string
		for _, x := range v {
			s, _ := x.(string)
			out = append(out, s)
		}
		slices.Sort(out)
		return out
	}
	return nil
}

// aimed holds a trial of an attack to what its task says of it.
func aimed(t *testing.T, scenario string, task map[string]any, trial *trace.Trial) {
	t.Helper()
	want := map[string][]string{"byzantine": texts(task["target"]), "colluding": texts(task["colluders"]), "contradicting": texts(task["target"])}[scenario]
	if scenario == "contradicting" {
		want = append(want, "double")
		slices.Sort(want)
	}
	if got := crooked(trial); !slices.Equal(got, want) {
		t.Errorf("%s, %v: the attack is on %v, want %v", scenario, task["id"], got, want)
	}
	slot := map[string]string{"dpi": "task.prompt", "impersonation": "task.prompt", "ipi": "tool.result"}[scenario]
	for i := range trial.Events {
		e := trial.Events[i].Insert
		switch {
		case e == nil:
		case scenario == "benign":
			t.Errorf("%v: something is inserted without an attack: %s", task["id"], e.Text)
		case slot != "" && e.Slot != slot:
			t.Errorf("%s, %v: inserted at %s", scenario, task["id"], e.Slot)
		case slot == "" && e.Slot != "system" && e.Slot != "agent":
			t.Errorf("%s, %v: inserted at %s", scenario, task["id"], e.Slot)
		case scenario == "ipi" && !strings.Contains(e.Where, task["via"].(string)):
			t.Errorf("%v: the order stands in what %s returned, want %s", task["id"], e.Where, task["via"])
		}
	}
}

// TestTamasSuite plays a case of each kind, in every domain and configuration: each attack
// enters where its task says and nowhere else, and no run ends outside of the team.
func TestTamasSuite(t *testing.T) {
	if testing.Short() {
		t.Skip("runs the suite")
	}
	cells := play(t, tamasModule(t, "tamas"), "tamas", interp.Options{Limit: "1"}, inMemory)
	if len(cells) != 7*5*5 {
		t.Fatalf("%d rows", len(cells))
	}
	hits := 0
	for _, p := range cells {
		scenario := p.label("scenario")
		for at, trial := range p.trials {
			aimed(t, scenario, p.Plan.Cases[at.row].Fields, trial)
			if trial.Outcome == trace.Errored {
				t.Errorf("%s %s %s: %s", scenario, p.label("config"), p.label("domain"), trial.EndedBy)
			}
			names := texts(p.Plan.Cases[at.row].Fields["attack_tools"])
			hits += len(slices.DeleteFunc(slices.Clone(trial.Events), func(e trace.Event) bool {
				return e.Call == nil || !e.Call.Effected || scenario == "impersonation" || !slices.Contains(names, e.Call.Tool)
			}))
		}
	}
	if hits < 20 {
		t.Errorf("attacks came off in %d calls: the orders of the cases do not arrive", hits)
	}
}

// TestTamasReferences: each published row of the two versions stands beside the scores
// of one configuration and model, over all domains.
func TestTamasReferences(t *testing.T) {
	if testing.Short() {
		t.Skip("compiles the suite for every published row")
	}
	for name, want := range map[string]int{"workshop": 5, "later": 6} {
		suite, found := tamasModule(t, name).Compile(name, interp.Options{Limit: "1", Params: map[string]string{"config": "roundrobin"}})
		if suite == nil {
			t.Fatal(found)
		}
		rows := 0
		for _, a := range suite.Across {
			if len(a.Published) > 0 {
				rows++
			}
			for _, l := range a.Labels {
				if l.Name == "domain" {
					t.Errorf("%s: a published row stands beside one domain", name)
				}
			}
		}
		if rows != want {
			t.Errorf("%s: %d rows have published values, want %d", name, rows, want)
		}
	}
}
