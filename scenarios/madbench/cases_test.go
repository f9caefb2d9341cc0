package madbench

import (
	"os"
	"strings"
	"testing"

	"parley/interp"
	"parley/runtime"
	"parley/runtime/key"
	"parley/stdlib"
)

// cases compiles every experiment of cases.parley.
func cases(t *testing.T) []*interp.Suite {
	t.Helper()
	project := interp.Project{Root: os.DirFS("."), Std: stdlib.FS, Getenv: func(string) string { return "" }}
	mod, found := project.Load("cases.parley")
	if found.HasErrors() {
		t.Fatal(found)
	}
	var out []*interp.Suite
	for _, target := range mod.Targets() {
		suite, found := mod.Compile(target.Name, interp.Options{})
		if len(found) > 0 || suite == nil {
			t.Fatalf("%s: %v", target.Name, found)
		}
		out = append(out, suite)
	}
	return out
}

// TestCasesAreDistinct: the split that the README states, and no case twice. A
// case is what runs under the attack, and the task.
func TestCasesAreDistinct(t *testing.T) {
	want := map[string]int{
		"facts m3": 400, "facts m4": 400, "facts m5": 300, "facts m5_aimed": 300, "facts m6": 400,
		"reasoning m3": 400, "reasoning m4": 400, "reasoning m5": 300, "reasoning m5_aimed": 300, "reasoning m6": 400,
		"office outsider": 80, "travel outsider": 72, "banking outsider": 72, "harmful insist": 100,
	}
	got := map[string]int{}
	seen := map[key.Key]string{}
	tasks := map[key.Key]bool{}
	total := 0
	for _, suite := range cases(t) {
		for _, c := range suite.Cells {
			attack, _, _ := strings.Cut(c.Spec.Attack, "(")
			family := strings.TrimSuffix(c.Data[0], ".jsonl") + " " + attack
			for i := range c.Plan.Arms {
				arm := &c.Plan.Arms[i]
				if arm.Name != runtime.Attacked {
					continue
				}
				program := key.Arm(arm.Program, arm.Scripts)
				for j := range c.Plan.Cases {
					row := &c.Plan.Cases[j]
					tasks[key.Of(c.Data, row.Fields)] = true
					k := key.Of(program, key.Fields(row.Fields, arm.Fields), row.Allow, key.Case(row.Fields, c.Plan.CaseFields))
					if at, twice := seen[k]; twice {
						t.Errorf("%s: the case of %s stands in %s as well", family, row.Name, at)
					}
					seen[k] = family + " " + row.Name
					got[family]++
					total++
				}
			}
		}
	}
	for name, n := range want {
		if got[name] != n {
			t.Errorf("%s: %d cases, and the README states %d", name, got[name], n)
		}
	}
	if total != 3924 || len(got) != len(want) || len(tasks) != 356 {
		t.Errorf("%d cases of %d kinds over %d tasks, and the README states 3,924 of %d over 356", total, len(got), len(tasks), len(want))
	}
}

// TestTables: each table compiles without a warning, and the published rows that
// are known stand beside it.
func TestTables(t *testing.T) {
	project := interp.Project{Root: os.DirFS("."), Std: stdlib.FS, Getenv: func(string) string { return "" }}
	for file, values := range map[string]int{"table2": 12, "table4a": 21, "table4b": 9, "table4c": 9, "table10": 4, "table11": 3} {
		mod, found := project.Load(file + ".parley")
		if found.HasErrors() {
			t.Fatal(found)
		}
		suite, found := mod.Compile("", interp.Options{})
		if len(found) > 0 || suite == nil {
			t.Fatalf("%s: %v", file, found)
		}
		n := 0
		for _, c := range suite.Cells {
			n += len(c.Spec.Published)
			if c.Plan.Shared {
				t.Errorf("%s: published values come from runs that draw afresh", file)
			}
		}
		if n != values {
			t.Errorf("%s: %d published values, want %d", file, n, values)
		}
	}
}
