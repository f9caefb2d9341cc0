package madbench

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"testing"
	"testing/fstest"

	"parley/interp"
	"parley/interp/score"
	"parley/runtime"
	"parley/runtime/trace"
	"parley/stdlib"
)

// folder is this folder with one more file in it.
func folder(t *testing.T, name, text string) fstest.MapFS {
	t.Helper()
	root := fstest.MapFS{name: {Data: []byte(text)}}
	for _, pattern := range []string{"*.parley", "*.jsonl", "*.csv"} {
		found, err := filepath.Glob(pattern)
		if err != nil {
			t.Fatal(err)
		}
		for _, f := range found {
			data, err := os.ReadFile(f)
			if err != nil {
				t.Fatal(err)
			}
			root[f] = &fstest.MapFile{Data: data}
		}
	}
	return root
}

func loaded(t *testing.T, root fstest.MapFS, name string) *interp.Module {
	t.Helper()
	module, found := interp.Project{Root: root, Std: stdlib.FS, Getenv: os.Getenv}.Load(name)
	if module == nil {
		t.Fatal(found)
	}
	return module
}

// compiled loads a file of a folder, and stops at whatever is said about it.
func compiled(t *testing.T, root fstest.MapFS, name string) *interp.Module {
	t.Helper()
	module := loaded(t, root, name)
	if found := module.Check(); len(found) > 0 {
		t.Fatal(found)
	}
	return module
}

// actor answers every call by the test's scripts.
type actor struct{ lines *runtime.Scripted }

func (a actor) Call(ctx context.Context, c runtime.Call) (runtime.CallResult, error) {
	got, ok, err := a.lines.Answer(ctx, c)
	if err == nil && !ok {
		err = fmt.Errorf("nobody wrote a script for %s", c.Agent)
	}
	return runtime.CallResult{Response: got}, err
}

// broken runs a test and says which expectations do not hold.
func broken(t *testing.T, x *interp.Test) []string {
	t.Helper()
	ctx, plan := context.Background(), x.Cell.Plan
	engine, err := runtime.Prepare(plan)
	if err != nil {
		t.Fatal(err)
	}
	group := score.Group{Row: plan.Cases[0].Row, Repeat: 1, Trials: map[runtime.ArmName]*trace.Trial{}}
	base := runtime.Clean
	for i := range plan.Arms {
		arm := &plan.Arms[i]
		if arm.Name == runtime.Attacked {
			base = arm.Name
		}
		trial := runtime.Trial{Plan: plan, Arm: arm, Case: &plan.Cases[0], Repeat: 1, Key: string(arm.Name), CaseKey: "test"}
		lines, err := runtime.NewScripted(ctx, trial)
		if err != nil {
			t.Fatal(err)
		}
		got, err := engine.RunTrial(ctx, trial, actor{lines})
		if err != nil || got.Outcome == trace.Errored {
			t.Fatalf("the %s run did not end: %v %s", arm.Name, err, got.EndedBy)
		}
		group.Trials[arm.Name] = got
	}
	scorer, err := score.New(x.Cell.Spec, plan)
	if err != nil {
		t.Fatal(err)
	}
	verdicts, err := scorer.Check(ctx, group, base, x.Expect)
	if err != nil {
		t.Fatal(err)
	}
	var out []string
	for _, v := range verdicts {
		if v.Holds != "yes" {
			out = append(out, fmt.Sprintf("%s is %s: %s", v.Text, v.Holds, v.Why))
		}
	}
	return out
}
