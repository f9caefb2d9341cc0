package main

import (
	"context"
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"

	"github.com/spf13/pflag"

	"parley/interp"
	"parley/interp/judge"
	"parley/lang/diag"
	"parley/runtime"
	"parley/runtime/model"
	"parley/runtime/queue"
)

// planCommand shows what a run would do, without doing it.
func planCommand() command {
	return command{
		name: "plan", args: "FILE [TARGET] | FOLDER", summary: "show what a run would do: agents, edges, turns, patches, trials, calls; with --diff what of it is not stored yet",
		examples: []string{
			"parley plan scenarios/quickstart.parley",
			"parley plan scenarios/quickstart.parley -p f=2 --model openai/gpt-4o --prices prices.json",
			"parley plan scenarios/madbench",
			"parley plan scenarios/quickstart.parley --diff",
			"parley plan scenarios/quickstart.parley --diff=2026-01-31T12-00-00_quickstart_ab12cd",
		},
		setup: func(f *pflag.FlagSet) action {
			c := compileFlags(f)
			pricesFile := f.String("prices", "", "JSON file with USD per million tokens: {\"openai/NAME\": {\"input\": 2.5, \"output\": 10}}")
			perCall := f.Int("tokens-per-call", 1500, "tokens to assume for one call when estimating money")
			asJSON := f.Bool("json", false, "print the plan as JSON")
			var dir string
			dirFlag(f, &dir)
			against := f.String("diff", "", "show only what is not stored under an equal key in this run, and why (--diff alone: the newest run of FILE)")
			f.Lookup("diff").NoOptDefVal = newest
			return func(ctx context.Context, args []string, h host) int {
				prices, err := readPrices(*pricesFile)
				if err != nil {
					return usageError(h, "plan", err.Error())
				}
				if *against == newest && len(args) > 1 && args[len(args)-1] != "" {
					args, *against = runBehind(dir, args)
				}
				if len(args) == 1 && isFolder(args[0]) {
					if *against != "" {
						return usageError(h, "plan", "--diff takes one FILE")
					}
					return planFolder(c, args[0], *asJSON, h)
				}
				suite, close, code := c.compile("plan", args, h)
				if suite == nil {
					return code
				}
				defer close()
				sum, err := summarise(suite, h)
				if err != nil {
					fmt.Fprintln(h.stderr, "parley: "+diag.Safe(err.Error()))
					return exitUsage
				}
				if *against != "" {
					return diffPlan(ctx, suite, sum, dir, *against, *asJSON, h)
				}
				if *asJSON {
					return printJSON(h, planJSON(suite, sum))
				}
				printPlan(h.stdout, suite, sum)
				printEndpoints(h.stdout, suite, h)
				printMoney(h.stdout, suite, sum, prices, *perCall)
				return exitOK
			}
		},
	}
}

// planSummary counts what a run would do.
type planSummary struct {
	trials   int // different ones
	naive    int // with each attacked trial beside its own clean pair
	calls    int // at most
	perModel map[string]int
	cells    []cellSummary
}

type cellSummary struct {
	arms   []armSummary
	judges []judgeSummary
}

type armSummary struct {
	name   runtime.ArmName
	trials int
	calls  int // at most, of one trial
}

// summarise expands every cell into its trials, so that equal trials count
// once, as they run once.
func summarise(suite *interp.Suite, h host) (*planSummary, error) {
	sum := &planSummary{perModel: map[string]int{}}
	plans := plansOf(suite)
	links, err := queue.Links(plans, queue.Options{Providers: providers(plans, revisions(h, invocation{}))})
	if err != nil {
		return nil, err
	}
	bounds := make([]map[runtime.ArmName]int, len(plans))
	for i, p := range plans {
		engine, err := runtime.Prepare(p)
		if err != nil {
			return nil, err
		}
		bounds[i] = map[runtime.ArmName]int{}
		var cell cellSummary
		for k := range p.Arms {
			arm := &p.Arms[k]
			bounds[i][arm.Name] = engine.MostCalls(arm.Name)
			cell.arms = append(cell.arms, armSummary{name: arm.Name, trials: len(p.Cases) * max(1, p.Repeats), calls: bounds[i][arm.Name]})
		}
		sum.naive += naiveTrials(p)
		judging, err := judgingOf(suite.Cells[i])
		if err != nil {
			return nil, err
		}
		cell.judges = judging
		sum.cells = append(sum.cells, cell)
	}
	seen := map[string]bool{}
	for _, l := range links {
		if seen[l.Trial] {
			continue
		}
		seen[l.Trial] = true
		calls := bounds[l.Cell][runtime.ArmName(l.Arm)]
		sum.trials++
		sum.calls += calls
		for _, name := range modelNames(armOf(plans[l.Cell], l.Arm).Program) {
			sum.perModel[name] += calls
		}
	}
	sum.addJudges(links)
	return sum, nil
}

func armOf(p *runtime.Plan, name string) *runtime.Arm {
	for i := range p.Arms {
		if string(p.Arms[i].Name) == name {
			return &p.Arms[i]
		}
	}
	return nil
}

// naiveTrials counts what a protocol without sharing runs: each attacked arm
// with a clean pair of its own.
func naiveTrials(p *runtime.Plan) int {
	n := 0
	for _, a := range p.Arms {
		switch a.Name {
		case runtime.Attacked, runtime.BaselineAttacked, runtime.Placebo, runtime.BaselinePlacebo:
			n += 2
		}
	}
	if n == 0 {
		n = len(p.Arms)
	}
	return n * len(p.Cases) * max(1, p.Repeats)
}

// modelNames lists "provider/name" of the models that an arm's agents use.
func modelNames(p *runtime.Program) []string {
	var names []string
	seen := map[string]bool{}
	for _, a := range p.Agents {
		m, ok := p.Models[a.Attrs.Model]
		if !ok {
			continue
		}
		name := modelName(m)
		if !seen[name] {
			seen[name] = true
			names = append(names, name)
		}
	}
	return names
}

// modelName is "provider/name", as the command line takes it.
func modelName(m model.Spec) string {
	if m.Name == "" || m.Name == m.Provider {
		return m.Provider
	}
	return m.Provider + "/" + m.Name
}

func printPlan(w io.Writer, suite *interp.Suite, sum *planSummary) {
	fmt.Fprintf(w, "%s (%s): %s\n", diag.Safe(suite.Name), diag.Safe(suite.File), count(len(suite.Cells), "configuration"))
	for i, c := range suite.Cells {
		fmt.Fprintf(w, "\n[%d] %s\n", i+1, cellTitle(suite, c))
		base := baseArm(c.Plan)
		if i == 0 || !sameTeam(base.Program, baseArm(suite.Cells[i-1].Plan).Program) {
			printTeam(w, base.Program)
		}
		printDefenses(w, base.Program, c.Plan.Unmeasured)
		printPatches(w, base.Program)
		printArms(w, c.Plan, sum.cells[i])
	}
	if len(suite.Notes) > 0 {
		fmt.Fprintln(w, "\nwhere choices came from:")
		for _, n := range suite.Notes {
			fmt.Fprintf(w, "  %s = %s  (%s)\n", oneLine(n.What), shorten(n.Value, 60), oneLine(n.From))
		}
	}
	fmt.Fprintf(w, "\nin all: %s, %s at most", count(sum.trials, "different trial"), count(sum.calls, "model call"))
	if sum.naive > sum.trials {
		fmt.Fprintf(w, " (with a clean run of its own for each attacked one: %d trials)", sum.naive)
	}
	fmt.Fprintln(w)
}

// baseArm is the arm whose program tells most: the attacked one where there is one.
func baseArm(p *runtime.Plan) *runtime.Arm {
	for i := range p.Arms {
		if p.Arms[i].Name == runtime.Attacked {
			return &p.Arms[i]
		}
	}
	return &p.Arms[0]
}

func sameTeam(a, b *runtime.Program) bool {
	return teamText(a) == teamText(b)
}

func teamText(p *runtime.Program) string {
	var b strings.Builder
	printTeam(&b, p)
	return b.String()
}

func printArms(w io.Writer, p *runtime.Plan, sum cellSummary) {
	fmt.Fprintf(w, "  trials: %s × %s, seed %d, pairs %s\n", count(len(p.Cases), "task"), count(max(1, p.Repeats), "repeat"), p.Seed, pairsWord(p))
	for _, a := range sum.arms {
		fmt.Fprintf(w, "    %-18s %s, at most %s each\n", a.name, count(a.trials, "trial"), count(a.calls, "call"))
	}
	for _, j := range sum.judges {
		fmt.Fprintf(w, "    %-18s on each %s trial, at most %d calls each, of %s\n", "judge "+oneLine(j.id), j.arm, judge.Attempts, oneLine(j.model))
	}
}

func pairsWord(p *runtime.Plan) string {
	if p.Shared {
		return "shared"
	}
	return "independent"
}

// printMoney says what the most calls may cost, where prices are known.
func printMoney(w io.Writer, suite *interp.Suite, sum *planSummary, prices priceTable, perCall int) {
	for _, name := range slices.Sorted(maps.Keys(sum.perModel)) {
		if strings.HasPrefix(name, "sim") || strings.HasPrefix(name, "script") {
			fmt.Fprintf(w, "%s: free\n", diag.Safe(name))
			continue
		}
		price, ok := prices[name]
		if !ok {
			fmt.Fprintf(w, "%s: no price known (name it in --prices)\n", diag.Safe(name))
			continue
		}
		tokens := float64(sum.perModel[name]) * float64(perCall)
		fmt.Fprintf(w, "%s: at most %.2f USD at %d tokens a call, nine in ten of them input\n",
			diag.Safe(name), tokens/1e6*(0.9*price.Input+0.1*price.Output), perCall)
	}
}

// planJSON is the plan for a program: labels, arms, counts and the plan itself.
func planJSON(suite *interp.Suite, sum *planSummary) map[string]any {
	cells := make([]map[string]any, len(suite.Cells))
	for i, c := range suite.Cells {
		arms := make([]map[string]any, len(sum.cells[i].arms))
		for j, a := range sum.cells[i].arms {
			arms[j] = map[string]any{"name": a.name, "trials": a.trials, "most_calls": a.calls}
		}
		cells[i] = map[string]any{"labels": c.Labels, "arms": arms, "plan": c.Plan}
	}
	return map[string]any{
		"name": suite.Name, "file": suite.File, "cells": cells, "notes": suite.Notes,
		"trials": sum.trials, "naive_trials": sum.naive, "most_calls": sum.calls,
	}
}
