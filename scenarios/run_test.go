package scenarios

import (
	"context"
	"fmt"
	"io/fs"
	"os"
	"strings"
	"testing"

	"parley/interp"
	"parley/interp/score"
	"parley/runtime"
	"parley/runtime/trace"
	"parley/stdlib"
)

// script answers every call by the test's scripts; an agent without one is an
// error, since no test here wants a model.
type script struct{ lines *runtime.Scripted }

func (s script) Call(ctx context.Context, c runtime.Call) (runtime.CallResult, error) {
	got, ok, err := s.lines.Answer(ctx, c)
	if err == nil && !ok {
		err = fmt.Errorf("nobody wrote a script for %s", c.Agent)
	}
	return runtime.CallResult{Response: got}, err
}

// testsOf compiles the tests of a file.
func testsOf(t *testing.T, root fs.FS, name string) []*interp.Test {
	t.Helper()
	module, found := interp.Project{Root: root, Std: stdlib.FS, Getenv: os.Getenv}.Load(name)
	if module == nil {
		t.Fatal(found)
	}
	tests, found := module.Tests()
	if found.HasErrors() {
		t.Fatal(found)
	}
	return tests
}

// broken runs a test's arms and says which expectations do not hold.
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
		got, err := engine.RunTrial(ctx, trial, script{lines})
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
			out = append(out, fmt.Sprintf("%s: %s is %s: %s", v.At, v.Text, v.Holds, v.Why))
		}
	}
	return out
}

// disarm takes the payloads out of every arm and leaves all else as it is.
func disarm(plan *runtime.Plan) (patches int) {
	for i := range plan.Arms {
		p := *plan.Arms[i].Program
		patches += len(p.Patches)
		p.Patches = nil
		plan.Arms[i].Program = &p
	}
	return patches
}

func TestLibraryTestsHold(t *testing.T) {
	err := fs.WalkDir(stdlib.FS, ".", func(name string, _ fs.DirEntry, err error) error {
		if err != nil || !strings.HasSuffix(name, ".parley") {
			return err
		}
		for _, x := range testsOf(t, stdlib.FS, name) {
			t.Run(name+"/"+x.Title, func(t *testing.T) {
				for _, why := range broken(t, x) {
					t.Error(why)
				}
			})
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
}

func TestScenarioTestsHold(t *testing.T) {
	for _, name := range []string{"relay.parley"} {
		for _, x := range testsOf(t, os.DirFS("."), name) {
			t.Run(name+"/"+x.Title, func(t *testing.T) {
				for _, why := range broken(t, x) {
					t.Error(why)
				}
			})
		}
	}
}

// TestAttackTestsNeedTheirPayload takes the payload out of every test of an
// attack: one that still holds would hold whatever the attack does.
func TestAttackTestsNeedTheirPayload(t *testing.T) {
	tests := testsOf(t, stdlib.FS, "attacks/madbench.parley")
	if len(tests) < 7 {
		t.Fatalf("%d tests, want at least 7", len(tests))
	}
	for _, x := range tests {
		t.Run(x.Title, func(t *testing.T) {
			if disarm(x.Cell.Plan) == 0 {
				t.Fatal("there is no payload to take out")
			}
			if len(broken(t, x)) == 0 {
				t.Error("every expectation holds without the payload")
			}
		})
	}
}
