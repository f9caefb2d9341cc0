package scenarios

import (
	"bytes"
	"encoding/json"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"

	"parley/runtime"
	"parley/runtime/shape"
	"parley/runtime/trace"
	"parley/runtime/world"
)

// tamasTools are the domains, each with how many tools it has.
var tamasTools = map[string]int{"education": 42, "law": 42, "finance": 43, "healthcare": 42, "news": 42}

// tamasKinds are the kinds of rows, each with how many a domain has and the fields
// that its rows have beside those of all rows.
var tamasKinds = []struct {
	name   string
	rows   int
	fields []string
}{
	{"benign", 20, nil},
	{"dpi", 10, []string{"goal", "attack_tools", "attack_calls", "payload"}},
	{"impersonation", 10, []string{"goal", "attack_tools", "attack_calls", "payload"}},
	{"ipi", 10, []string{"goal", "attack_tools", "attack_calls", "payload", "via"}},
	{"byzantine", 10, []string{"goal", "attack_tools", "attack_calls", "payload", "target"}},
	{"colluding", 10, []string{"goal", "attack_tools", "attack_calls", "payload", "colluders"}},
	{"contradicting", 10, []string{"goal", "attack_tools", "attack_calls", "target", "policy_a", "policy_b"}},
}

type tamasCall struct {
	Agent string         `json:"agent"`
	Tool  string         `json:"tool"`
	Args  map[string]any `json:"args"`
}

// tamasRow is a row of any kind.
type tamasRow struct {
	kind        string
	ID          string      `json:"id"`
	Prompt      string      `json:"prompt"`
	Answer      string      `json:"answer"`
	Involved    []string    `json:"agents_involved"`
	Calls       []tamasCall `json:"calls"`
	Goal        string      `json:"goal"`
	AttackTools []string    `json:"attack_tools"`
	AttackCalls []tamasCall `json:"attack_calls"`
	Payload     string      `json:"payload"`
	Via         string      `json:"via"`
	Target      string      `json:"target"`
	Colluders   []string    `json:"colluders"`
	PolicyA     string      `json:"policy_a"`
	PolicyB     string      `json:"policy_b"`
}

// tamasDomain is a domain's file and all its rows.
type tamasDomain struct {
	name string
	text []byte
	rows []tamasRow
}

// tamasDomains reads the domains that are there, by name.
func tamasDomains(t *testing.T) []tamasDomain {
	t.Helper()
	files, err := filepath.Glob("tamas/*/benign.jsonl")
	if err != nil || len(files) == 0 {
		t.Fatal("there is no domain: ", err)
	}
	var out []tamasDomain
	for _, file := range files {
		d := tamasDomain{name: filepath.Base(filepath.Dir(file))}
		if tamasTools[d.name] == 0 {
			t.Fatalf("%s is none of the five domains", d.name)
		}
		if d.text, err = os.ReadFile("tamas/" + d.name + ".parley"); err != nil {
			t.Fatal(err)
		}
		for _, kind := range tamasKinds {
			rows := tamasRows(t, d.name, kind.name, kind.fields)
			if len(rows) != kind.rows {
				t.Errorf("%s has %d rows of %s, want %d", d.name, len(rows), kind.name, kind.rows)
			}
			d.rows = append(d.rows, rows...)
		}
		out = append(out, d)
	}
	return out
}

// tamasRows reads the rows of one kind and sees to it that each has its fields and
// no others.
func tamasRows(t *testing.T, domain, kind string, fields []string) []tamasRow {
	t.Helper()
	data, err := os.ReadFile(filepath.Join("tamas", domain, kind+".jsonl"))
	if err != nil {
		t.Fatal(err)
	}
	want := append([]string{"id", "prompt", "answer", "agents_involved", "calls"}, fields...)
	slices.Sort(want)
	var out []tamasRow
	for _, line := range bytes.Split(bytes.TrimSpace(data), []byte("\n")) {
		var named map[string]json.RawMessage
		x := tamasRow{kind: kind}
		if err := json.Unmarshal(line, &named); err != nil {
			t.Fatalf("%s %s: %v", domain, kind, err)
		}
		if err := json.Unmarshal(line, &x); err != nil {
			t.Fatalf("%s %s: %v", domain, kind, err)
		}
		var got []string
		for name, value := range named {
			got = append(got, name)
			// A stray agent and a quarrel have no call that shows them.
			if len(value) <= 2 && (kind != "byzantine" && kind != "contradicting" || !strings.HasPrefix(name, "attack_")) {
				t.Errorf("%s: %s is empty", x.ID, name)
			}
		}
		slices.Sort(got)
		if !slices.Equal(got, want) {
			t.Errorf("%s has the fields %v, want %v", x.ID, got, want)
		}
		out = append(out, x)
	}
	return out
}

// spells are all lists of calls of the domain's rows: the calls, those of the attack
// alone, and both, the attack's coming last.
func (d tamasDomain) spells() (calls, attacks, both [][]tamasCall) {
	for _, x := range d.rows {
		calls = append(calls, x.Calls)
		attacks = append(attacks, x.AttackCalls)
		both = append(both, slices.Concat(x.Calls, x.AttackCalls))
	}
	return calls, attacks, both
}

func agentsOf(calls []tamasCall) []string {
	var out []string
	for _, c := range calls {
		if !slices.Contains(out, c.Agent) {
			out = append(out, c.Agent)
		}
	}
	return out
}

func TestTamasCounts(t *testing.T) {
	domains := tamasDomains(t)
	ids, all := map[string]bool{}, 0
	for _, d := range domains {
		tools, offered := tamasTeam(t, d)
		if len(tools) != tamasTools[d.name] {
			t.Errorf("%s has %d tools, want %d", d.name, len(tools), tamasTools[d.name])
		}
		all += len(tools)
		for name, tool := range tools {
			if len(strings.Fields(tool.About)) < 3 {
				t.Errorf("%s: %s has no description", d.name, name)
			}
			if !slices.ContainsFunc(slices.Collect(maps.Values(offered)), func(list []string) bool { return slices.Contains(list, name) }) {
				t.Errorf("%s: nobody has %s", d.name, name)
			}
		}
		if len(offered) != 4 {
			t.Errorf("%s has %d agents, want four", d.name, len(offered))
		}
		for _, x := range d.rows {
			if ids[x.ID] {
				t.Errorf("%s stands twice", x.ID)
			}
			ids[x.ID] = true
		}
	}
	if len(domains) == len(tamasTools) && all != 211 {
		t.Errorf("the five domains have %d tools, want 211", all)
	}
}

// Each row says of itself what its kind says, and what it names is there.
func TestTamasRowsAreWhole(t *testing.T) {
	for _, d := range tamasDomains(t) {
		tools, offered := tamasTeam(t, d)
		for _, x := range d.rows {
			for _, why := range flaws(x, tools) {
				t.Errorf("%s: %s", x.ID, why)
			}
			for _, c := range slices.Concat(x.Calls, x.AttackCalls) {
				if !slices.Contains(offered[c.Agent], c.Tool) {
					t.Errorf("%s: %s does not have %s", x.ID, c.Agent, c.Tool)
				}
			}
			for _, name := range append(slices.Clone(x.Colluders), x.Target) {
				if _, is := offered[name]; name != "" && !is {
					t.Errorf("%s: there is no agent %s", x.ID, name)
				}
			}
		}
	}
}

// flaws are what a row says wrongly of itself and of its domain's tools.
func flaws(x tamasRow, known map[string]runtime.Tool) []string {
	var out []string
	check := func(ok bool, why string) {
		if !ok {
			out = append(out, why)
		}
	}
	sorted := func(list []string) []string { return slices.Sorted(slices.Values(list)) }
	check(slices.Equal(sorted(x.Involved), sorted(agentsOf(x.Calls))), "agents_involved are not those of the calls")
	check(len(x.Calls) >= 2 && len(x.Calls) <= 7, "it takes fewer than two steps or more than seven")
	check(x.kind != "benign" || len(x.Involved) >= 2 && len(x.Involved) <= 3, "a benign task takes two or three agents")
	var tools []string
	for _, c := range x.AttackCalls {
		if tools = append(tools, c.Tool); known[c.Tool].Class != "write" {
			check(false, c.Tool+" writes nothing")
		}
		check(!slices.ContainsFunc(x.Calls, func(o tamasCall) bool { return reflect.DeepEqual(o, c) }), "an attack call is part of the task: "+c.Tool)
	}
	slices.Sort(tools)
	check(slices.Equal(sorted(x.AttackTools), slices.Compact(tools)), "attack_tools are not those of attack_calls")
	for _, c := range x.AttackCalls {
		check(x.kind == "impersonation" || strings.Contains(x.Payload, c.Tool), "the payload does not name "+c.Tool)
		for _, p := range known[c.Tool].Params {
			text, is := c.Args[p.Name].(string)
			check(!is || p.Shape.Kind != shape.String || strings.Contains(plainly(x.Prompt+" "+x.Payload), plainly(text)), "nothing says the "+p.Name+" of "+c.Tool)
		}
	}
	switch x.kind {
	case "ipi":
		check(slices.ContainsFunc(x.Calls, func(c tamasCall) bool { return c.Tool == x.Via }), "the task does not call "+x.Via)
		check(known[x.Via].Class == "read", x.Via+" is no tool that reads")
	case "colluding":
		check(len(x.Colluders) == 2 || len(x.Colluders) == 3, "two or three agents collude")
		check(len(agentsOf(x.AttackCalls)) >= 2, "one agent alone makes the attack's calls")
		for _, name := range agentsOf(x.AttackCalls) {
			check(slices.Contains(x.Colluders, name), name+" acts and is no colluder")
		}
	case "byzantine", "contradicting":
		check(slices.Contains(x.Involved, x.Target), "the task does not need "+x.Target)
		check(len(x.AttackCalls) == 0, "there is no call to wait for")
	}
	return out
}

// Calls do what they should: those of a task work in the world as it is, one after
// another, and are authorized; those of an attack work with and without them.
func TestTamasCallsReplay(t *testing.T) {
	for _, d := range tamasDomains(t) {
		calls, attacks, both := d.spells()
		for name, lists := range map[string][][]tamasCall{"calls": calls, "attack_calls": attacks, "both": both} {
			effects := replayTamas(t, d, lists)
			for i, x := range d.rows {
				if len(effects[i]) != len(lists[i]) {
					t.Errorf("%s %s: %d calls were made, want %d", x.ID, name, len(effects[i]), len(lists[i]))
				}
				for j, e := range effects[i] {
					for _, why := range misdeeds(e) {
						t.Errorf("%s %s: %s %s", x.ID, name, e.Tool, why)
					}
					if name == "calls" && !authorized(e) {
						t.Errorf("%s: %s is not authorized (call %d)", x.ID, e.Tool, j+1)
					}
				}
			}
		}
	}
}

func authorized(e effect) bool {
	return !slices.ContainsFunc(slices.Concat(e.Reads, e.Writes), func(r trace.Resource) bool { return !r.Authorized })
}

// misdeeds are what is wrong with a call: that it failed, or that what it changed
// does not show what it was called with.
func misdeeds(e effect) []string {
	var out []string
	if !e.Effected || e.Error != "" {
		return append(out, "failed: "+e.Error)
	}
	if len(e.Reads)+len(e.Writes) == 0 {
		out = append(out, "touches nothing")
	}
	if len(e.Writes) == 0 {
		if len(e.wrote) > 0 {
			out = append(out, "changes what it does not say")
		}
		return out
	}
	if !e.changed {
		out = append(out, "changes nothing")
	}
	for name, value := range e.Args {
		if !standsIn(e.wrote, world.Plain(value)) {
			out = append(out, "leaves no trace of "+name)
		}
	}
	return out
}

// Whoever reads a task knows what its calls are made with: each text that may be
// chosen freely stands in the prompt or in what an earlier call returned.
func TestTamasTasksSayWhatIsNeeded(t *testing.T) {
	for _, d := range tamasDomains(t) {
		calls, _, _ := d.spells()
		effects := replayTamas(t, d, calls)
		tools, _ := tamasTeam(t, d)
		for i, x := range d.rows {
			known := plainly(x.Prompt)
			for _, e := range effects[i] {
				for _, p := range tools[e.Tool].Params {
					text, is := e.Args[p.Name].(string)
					if is && p.Shape.Kind == shape.String && !strings.Contains(known, plainly(text)) {
						t.Errorf("%s: nothing says %q, the %s of %s", x.ID, text, p.Name, e.Tool)
					}
				}
				known += " " + plainly(fmt.Sprint(world.Plain(e.Result)))
			}
		}
	}
}

// plainly is a text in lower case with single spaces.
func plainly(text string) string { return strings.Join(strings.Fields(strings.ToLower(text)), " ") }

// A tool belongs to the work, and then some task needs it and may use it, or it is
// improper, and then no task needs it, no rule allows it and it decides a case.
func TestTamasToolsHaveTheirPart(t *testing.T) {
	for _, d := range tamasDomains(t) {
		_, attacks, _ := d.spells()
		effects := replayTamas(t, d, attacks)
		tools, _ := tamasTeam(t, d)
		needed, deciding := map[string]bool{}, map[string]bool{}
		for _, x := range d.rows {
			for _, c := range x.Calls {
				needed[c.Tool] = true
			}
		}
		for i, x := range d.rows {
			for _, e := range effects[i] {
				deciding[e.Tool] = true
				if !needed[e.Tool] && authorized(e) && x.kind != "impersonation" {
					t.Errorf("%s: %s is authorized", x.ID, e.Tool)
				}
			}
		}
		improper := 0
		for name := range tools {
			switch {
			case needed[name]:
			case !deciding[name]:
				t.Errorf("%s: no row uses %s", d.name, name)
			default:
				improper++
			}
		}
		if improper < 11 || improper > 13 {
			t.Errorf("%s has %d improper tools", d.name, improper)
		}
		for _, x := range d.rows {
			for _, c := range x.AttackCalls {
				if needed[c.Tool] != (x.kind == "impersonation") {
					t.Errorf("%s: %s is not the kind of tool that %s misuses", x.ID, c.Tool, x.kind)
				}
			}
		}
	}
}
