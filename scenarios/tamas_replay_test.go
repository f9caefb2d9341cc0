package scenarios

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"os"
	"reflect"
	"regexp"
	"slices"
	"strings"
	"testing"
	"testing/fstest"

	"parley/interp"
	"parley/runtime"
	"parley/runtime/model"
	"parley/runtime/trace"
	"parley/runtime/world"
	"parley/stdlib"
)

// tamasStage lets the agents of a domain speak in the order that a task names.
const tamasStage = `
use "DOMAIN.parley" as domain

team stage(members: agents) {
  turns { for who in task.speakers { act: (find(members, .name == who)) { prompt "${task.prompt}" } } }
  answer act.text
}

scenario replay() {
  team stage(members: domain.DOMAIN)
  workspace domain.DOMAIN()
  tasks "rows.jsonl"
  verify { ended = run.answer != nil }
  score { rate done = ended }
}
`

// tamasReplayer makes the calls that it is given, one in each turn.
type tamasReplayer struct {
	calls []tamasCall
}

func (r *tamasReplayer) Call(_ context.Context, c runtime.Call) (runtime.CallResult, error) {
	said := c.Request.Messages[len(c.Request.Messages)-1]
	if said.Role == "tool" {
		return runtime.CallResult{Response: &model.Response{Content: "Done.", Finish: "stop"}}, nil
	}
	if len(r.calls) == 0 || r.calls[0].Agent != c.Agent {
		return runtime.CallResult{}, fmt.Errorf("%s speaks out of turn", c.Agent)
	}
	args, err := json.Marshal(r.calls[0].Args)
	call := model.ToolCall{ID: "c", Name: r.calls[0].Tool, Args: string(args)}
	r.calls = r.calls[1:]
	return runtime.CallResult{Response: &model.Response{ToolCalls: []model.ToolCall{call}, Finish: "tool_calls"}}, err
}

// tamasPlan compiles a domain for the replay of these lists of calls.
func tamasPlan(t *testing.T, d tamasDomain, lists [][]tamasCall) *runtime.Plan {
	t.Helper()
	var rows bytes.Buffer
	enc := json.NewEncoder(&rows)
	for i, calls := range lists {
		speakers := []string{}
		for _, c := range calls {
			speakers = append(speakers, c.Agent)
		}
		if err := enc.Encode(map[string]any{"prompt": fmt.Sprint("Go on with ", i), "answer": "Done.", "speakers": speakers}); err != nil {
			t.Fatal(err)
		}
	}
	root := fstest.MapFS{
		d.name + ".parley": {Data: d.text},
		"stage.parley":     {Data: []byte(strings.ReplaceAll(tamasStage, "DOMAIN", d.name))},
		"rows.jsonl":       {Data: rows.Bytes()},
	}
	module, found := interp.Project{Root: root, Std: stdlib.FS, Getenv: os.Getenv}.Load("stage.parley")
	if module == nil || found.HasErrors() {
		t.Fatal(found)
	}
	suite, found := module.Compile("replay", interp.Options{})
	if found.HasErrors() {
		t.Fatal(found)
	}
	return suite.Cells[0].Plan
}

// effect is a call as it was carried out, with what it wrote into the state.
type effect struct {
	*trace.Call
	wrote   []any
	changed bool
}

var stateTarget = regexp.MustCompile(`^state\.(\w+)(\[.*\])?$`)

// effectsOf lists a run's calls with what each one changed.
func effectsOf(t *testing.T, got *trace.Trial) []effect {
	t.Helper()
	now := map[string]any{}
	for name, v := range got.Before.State {
		now[name] = world.Plain(v)
	}
	byCall := map[int]*effect{}
	var calls []*trace.Call
	for _, e := range got.Events {
		switch e.Kind {
		case trace.KindCall:
			calls = append(calls, e.Call)
		case trace.KindState:
			m := stateTarget.FindStringSubmatch(e.State.Target)
			if m == nil {
				t.Fatalf("a call changes %s", e.State.Target)
			}
			x := byCall[e.State.Call]
			if x == nil {
				x = &effect{}
				byCall[e.State.Call] = x
			}
			value := world.Plain(e.State.Value)
			x.wrote = append(x.wrote, value)
			if m[2] != "" {
				value = append(slices.Clone(now[m[1]].([]any)), value)
			}
			x.changed = x.changed || !reflect.DeepEqual(now[m[1]], value)
			now[m[1]] = value
		}
	}
	var out []effect
	for _, c := range calls {
		x := effect{Call: c}
		if made := byCall[c.Index]; made != nil {
			x.wrote, x.changed = made.wrote, made.changed
		}
		out = append(out, x)
	}
	return out
}

// standsIn reports whether a value stands somewhere in another one.
func standsIn(in, value any) bool {
	switch in := in.(type) {
	case []any:
		return slices.ContainsFunc(in, func(v any) bool { return standsIn(v, value) })
	case map[string]any:
		for _, v := range in {
			if standsIn(v, value) {
				return true
			}
		}
		return false
	}
	return fmt.Sprint(in) == fmt.Sprint(value)
}

// replayTamas makes lists of calls, each in a world of its own, and returns what
// came of them.
func replayTamas(t *testing.T, d tamasDomain, lists [][]tamasCall) [][]effect {
	t.Helper()
	plan := tamasPlan(t, d, lists)
	engine, err := runtime.Prepare(plan)
	if err != nil {
		t.Fatal(err)
	}
	out := make([][]effect, len(lists))
	for i := range plan.Cases {
		if len(lists[i]) == 0 {
			continue
		}
		r := &tamasReplayer{lists[i]}
		trial := runtime.Trial{Plan: plan, Arm: &plan.Arms[0], Case: &plan.Cases[i], Repeat: 1, Key: "k", CaseKey: "c"}
		got, err := engine.RunTrial(context.Background(), trial, r)
		if err != nil || got.Outcome != trace.Answered || len(r.calls) > 0 {
			t.Fatalf("%s: replay %d did not end: %v %s", d.name, i, err, got.EndedBy)
		}
		out[i] = effectsOf(t, got)
	}
	return out
}

// tamasTeam are a domain's tools by name, and the agents with what each is offered.
func tamasTeam(t *testing.T, d tamasDomain) (tools map[string]runtime.Tool, offered map[string][]string) {
	t.Helper()
	program := tamasPlan(t, d, [][]tamasCall{d.rows[0].Calls}).Arms[0].Program
	tools, offered = map[string]runtime.Tool{}, map[string][]string{}
	for _, tool := range program.Tools {
		tools[tool.Name] = tool
	}
	for _, a := range program.Agents {
		offered[a.Name] = a.Attrs.Tools.Names
	}
	return tools, offered
}
