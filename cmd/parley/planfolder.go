package main

import (
	"fmt"
	"maps"
	"os"
	"path"
	"path/filepath"
	"slices"
	"sort"
	"strings"

	"github.com/jedib0t/go-pretty/v6/table"

	"parley/interp"
	"parley/lang/diag"
	"parley/runtime"
	"parley/runtime/key"
)

// folderPlan sums up everything that a folder can run.
type folderPlan struct {
	Targets []targetPlan `json:"targets"`
	Split   []splitPlan  `json:"cases"`
	// Tasks are different records of task files; Cases are tasks under an attack,
	// each once, whatever the repeats and seeds.
	Tasks  int `json:"different_tasks"`
	Cases  int `json:"different_cases"`
	Trials int `json:"trials"`
	Calls  int `json:"most_calls"`
}

type targetPlan struct {
	File   string `json:"file"`
	Name   string `json:"name"`
	Cells  int    `json:"configurations"`
	Cases  int    `json:"cases"`
	Trials int    `json:"trials"`
	Calls  int    `json:"most_calls"`
}

// splitPlan is the cases of one task file under one attack.
type splitPlan struct {
	Family string `json:"family"`
	Attack string `json:"attack"`
	Goal   string `json:"goal"`
	Cases  int    `json:"cases"`
}

func isFolder(p string) bool {
	info, err := os.Stat(p)
	return err == nil && info.IsDir()
}

// planFolder compiles what the folder's files run: their experiments, and the
// scenarios of files that have none and that no other file imports.
func planFolder(c *compiling, dir string, asJSON bool, h host) int {
	o, err := c.options()
	if err != nil {
		return usageError(h, "plan", err.Error())
	}
	targets, err := folderTargets(dir, h)
	if err != nil {
		fmt.Fprintln(h.stderr, "parley: "+diag.Safe(err.Error()))
		return exitUsage
	}
	sum := newFolderSum()
	for _, t := range targets {
		suite, release, code := compileFile(t.file, t.name, o, h)
		if suite == nil {
			return code
		}
		err := sum.add(t.file, suite, h)
		release()
		if err != nil {
			fmt.Fprintln(h.stderr, "parley: "+diag.Safe(err.Error()))
			return exitUsage
		}
	}
	plan := sum.plan()
	if asJSON {
		return printJSON(h, plan)
	}
	printFolder(h, dir, plan)
	return exitOK
}

type folderTarget struct{ file, name string }

// folderTargets lists what can be run in a folder.
func folderTargets(dir string, h host) ([]folderTarget, error) {
	files, err := filesBelow(dir)
	if err != nil {
		return nil, err
	}
	var experiments []folderTarget
	scenarios := map[string][]folderTarget{} // by the file's name in the project
	imported := map[string]bool{}
	for _, f := range files {
		p, err := openProject(f, h.getenv)
		if err != nil {
			return nil, err
		}
		mod, found := p.project.Load(p.path)
		if err := p.Close(); err != nil {
			return nil, err
		}
		if found.HasErrors() {
			return nil, fmt.Errorf("%s has mistakes; `parley check %s` shows them", f, f)
		}
		var own, parts, tests []folderTarget
		for _, t := range mod.Targets() {
			switch t.Kind {
			case interp.ExperimentTarget:
				own = append(own, folderTarget{f, t.Name})
			case interp.ScenarioTarget:
				parts = append(parts, folderTarget{f, t.Name})
			case interp.TestTarget:
				tests = append(tests, folderTarget{f, t.Name})
			}
		}
		// A file of tests alone makes nothing a part of itself.
		if len(own)+len(parts) > 0 || len(tests) == 0 {
			for _, name := range mod.Files() {
				if name != p.path {
					imported[name] = true
				}
			}
		}
		if len(own) > 0 {
			experiments = append(experiments, own...)
		} else {
			scenarios[p.path] = parts
		}
	}
	for _, name := range slices.Sorted(maps.Keys(scenarios)) {
		if !imported[name] {
			experiments = append(experiments, scenarios[name]...)
		}
	}
	if len(experiments) == 0 {
		return nil, fmt.Errorf("%s: no experiment or scenario in this folder", dir)
	}
	return experiments, nil
}

// folderSum gathers targets.
type folderSum struct {
	folderPlan
	tasks map[key.Key]bool
	cases map[key.Key]bool
	split map[splitPlan]int // with no count
}

func newFolderSum() *folderSum {
	return &folderSum{tasks: map[key.Key]bool{}, cases: map[key.Key]bool{}, split: map[splitPlan]int{}}
}

func (s *folderSum) add(file string, suite *interp.Suite, h host) error {
	sum, err := summarise(suite, h)
	if err != nil {
		return err
	}
	t := targetPlan{File: filepath.ToSlash(file), Name: suite.Name, Cells: len(suite.Cells), Trials: sum.trials, Calls: sum.calls}
	for _, c := range suite.Cells {
		for i := range c.Plan.Cases {
			s.tasks[key.Of("task", c.Data, c.Plan.Cases[i].Fields)] = true
		}
		attacked := armOf(c.Plan, string(runtime.Attacked))
		if attacked == nil {
			continue
		}
		t.Cases += len(c.Plan.Cases)
		at := splitPlan{Family: family(c), Attack: attackName(c.Spec.Attack), Goal: c.Spec.Goal}
		for _, k := range caseKeys(c.Plan, attacked) {
			if !s.cases[k] {
				s.cases[k] = true
				s.split[at]++
			}
		}
	}
	s.Targets = append(s.Targets, t)
	s.Trials += sum.trials
	s.Calls += sum.calls
	return nil
}

// caseKeys are the identities of a configuration's cases: what runs under the
// attack, and the task. Repeats and seeds are no part of them.
func caseKeys(p *runtime.Plan, attacked *runtime.Arm) []key.Key {
	arm := key.Arm(attacked.Program, attacked.Scripts)
	out := make([]key.Key, len(p.Cases))
	for i := range p.Cases {
		c := &p.Cases[i]
		out[i] = key.Of("case under attack", arm, key.Fields(c.Fields, attacked.Fields), c.Allow, key.Case(c.Fields, p.CaseFields))
	}
	return out
}

// family names a configuration's tasks: by their file, else by the scenario.
func family(c *interp.Cell) string {
	if len(c.Data) == 0 {
		return c.Plan.Scenario
	}
	var names []string
	for _, f := range c.Data {
		base := path.Base(f)
		names = append(names, strings.TrimSuffix(base, path.Ext(base)))
	}
	return strings.Join(names, "+")
}

// attackName is an attack without its arguments.
func attackName(display string) string {
	name, _, _ := strings.Cut(display, "(")
	return name
}

func (s *folderSum) plan() *folderPlan {
	p := s.folderPlan
	p.Tasks, p.Cases = len(s.tasks), len(s.cases)
	for at, n := range s.split {
		at.Cases = n
		p.Split = append(p.Split, at)
	}
	sort.Slice(p.Split, func(i, j int) bool {
		a, b := p.Split[i], p.Split[j]
		return a.Family+"\x00"+a.Attack+"\x00"+a.Goal < b.Family+"\x00"+b.Attack+"\x00"+b.Goal
	})
	return &p
}

func printFolder(h host, dir string, p *folderPlan) {
	fmt.Fprintf(h.stdout, "%s: %s\n\n", diag.Safe(dir), count(len(p.Targets), "target"))
	tw := plainTable("file", "target", "configurations", "cases", "trials", "most calls")
	for _, t := range p.Targets {
		tw.AppendRow(table.Row{oneLine(t.File), oneLine(t.Name), t.Cells, t.Cases, t.Trials, t.Calls})
	}
	fmt.Fprintln(h.stdout, tw.Render())
	fmt.Fprintln(h.stdout)
	tw = plainTable("tasks", "attack", "goal", "different cases")
	for _, s := range p.Split {
		tw.AppendRow(table.Row{oneLine(s.Family), oneLine(s.Attack), oneLine(s.Goal), s.Cases})
	}
	fmt.Fprintln(h.stdout, tw.Render())
	fmt.Fprintf(h.stdout, "\nin all: %s, %s (a task under an attack in one configuration, whatever the repeats), %s, %s at most\n",
		count(p.Tasks, "different task"), count(p.Cases, "different case"), count(p.Trials, "trial"), count(p.Calls, "model call"))
}
