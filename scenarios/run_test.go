package scenarios

import (
	"context"
	"fmt"
	"io/fs"
	"os"
	"strings"
	"testing"

	"parley/interp"
	"parley/runtime"
	"parley/runtime/model/sim"
	"parley/stdlib"
)

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

// unscripted is the simulator for the agents of a test that have no script, and
// for its judges.
type unscripted struct {
	table *sim.Table
	*sim.Facts
}

func (u unscripted) Call(ctx context.Context, c runtime.Call) (runtime.CallResult, error) {
	if c.Spec.Provider != "sim" {
		return runtime.CallResult{}, fmt.Errorf("nobody wrote a script for %s", c.Agent)
	}
	params, err := sim.ParseParams(c.Spec.Params)
	if err != nil {
		return runtime.CallResult{}, err
	}
	got, err := sim.New(u.table, params).With(u.Facts).Complete(ctx, c.Request)
	return runtime.CallResult{Response: got}, err
}

// broken runs a test's arms and says which expectations do not hold.
func broken(t *testing.T, x *interp.Test) []string {
	t.Helper()
	table, err := runtime.SimTable(x.Cell.Plan)
	if err != nil {
		t.Fatal(err)
	}
	played, err := x.Play(context.Background(), unscripted{table, &sim.Facts{}})
	if err != nil {
		t.Fatal(err)
	}
	var out []string
	for _, v := range played.Verdicts {
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
