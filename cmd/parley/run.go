package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"time"

	"github.com/spf13/pflag"

	"parley/interp"
	"parley/interp/judge"
	"parley/lang/diag"
	"parley/runtime"
	"parley/runtime/model"
	"parley/runtime/queue"
	"parley/runtime/store"
)

// running holds the flags that say how a run is executed.
type running struct {
	dir         string
	connections int
	workers     int
	priced      priceTable // what prices holds
	limits      limits
	flags       *pflag.FlagSet
	json        bool
	full        bool // every table for itself
	quiet       bool
	fresh       bool
	reuse       reusing
	wire        wire
}

// limits bound what a run may spend; zero members do not.
type limits struct {
	Calls  int     `json:"calls,omitempty"`
	Tokens int     `json:"tokens,omitempty"`
	USD    float64 `json:"usd,omitempty"`
	Prices string  `json:"prices,omitempty"` // file of the price table
}

func runFlags(f *pflag.FlagSet) *running {
	r := &running{flags: f}
	dirFlag(f, &r.dir)
	f.IntVar(&r.connections, "max-connections", queue.DefaultConnections, "model calls in flight per endpoint")
	f.IntVar(&r.workers, "workers", 0, "trials at a time (0: as many as fit)")
	f.StringVar(&r.limits.Prices, "prices", "", "JSON file with USD per million tokens: {\"openai/NAME\": {\"input\": 2.5, \"output\": 10}}")
	f.IntVar(&r.limits.Calls, "max-calls", 0, "stop after so many model calls (0: no limit)")
	f.IntVar(&r.limits.Tokens, "max-total-tokens", 0, "stop after so many tokens (0: no limit)")
	f.Float64Var(&r.limits.USD, "max-usd", 0, "stop after so much money (0: no limit)")
	f.BoolVar(&r.json, "json", false, "print the result as JSON")
	f.BoolVar(&r.full, "full", false, fullUsage)
	f.BoolVar(&r.quiet, "quiet", false, "show no progress")
	r.wire.flags(f)
	return r
}

// dirFlag is the flag that every command with stored runs has.
func dirFlag(f *pflag.FlagSet, dir *string) {
	f.StringVar(dir, "runs-dir", "runs", "folder of stored runs")
}

// runCommand runs a scenario or experiment and prints its scores.
func runCommand() command {
	return command{
		name: "run", args: "FILE|FOLDER [TARGET]", summary: "run a scenario or experiment and print its scores",
		examples: []string{
			"parley run scenarios/quickstart.parley",
			"parley run scenarios/quickstart.parley -p f=1 --limit 20 --seed 7",
			"parley run my.parley table4 --model openai/gpt-4o --max-usd 25 --prices prices.json",
			"parley run my.parley --model openai/qwen3:4b --env-file local.env --record answers.run",
			"parley run my.parley --model openai/qwen3:4b --replay answers.run",
		},
		setup: func(f *pflag.FlagSet) action {
			c, r := compileFlags(f), runFlags(f)
			f.BoolVar(&r.fresh, "fresh", false, "begin a new run even where an unfinished one with the same plans is stored")
			reuse := f.String("reuse", "", "take equal trials over from this stored run (a name or a file) and run only the others")
			f.StringVar(&r.wire.replay, "replay", "", "answer every call from this stored run (a name or a file) and call no model")
			return func(ctx context.Context, args []string, h host) int {
				suite, release, code := c.compile("run", args, h)
				if suite == nil {
					return code
				}
				defer release()
				var err error
				if r.priced, err = readPrices(r.limits.Prices); err != nil {
					return usageError(h, "run", err.Error()) // before a run file is made
				}
				if err := errors.Join(r.wire.ready(r.dir, suite, h), r.reuse.find(r.dir, *reuse)); err != nil {
					return failure(h, err)
				}
				run, err := r.begin(c, args, suite, h)
				if err != nil {
					return failure(h, err)
				}
				return r.execute(ctx, suite, run, h)
			}
		},
	}
}

// resumeCommand goes on with a stored run.
func resumeCommand() command {
	return command{
		name: "resume", args: "[RUN]", summary: "go on with a run that was stopped (default: the newest)",
		examples: []string{"parley resume", "parley resume 2026-01-31T12-00-00_quickstart_ab12cd"},
		setup: func(f *pflag.FlagSet) action {
			r := runFlags(f)
			envFileFlag(f)
			return func(ctx context.Context, args []string, h host) int {
				if len(args) > 1 {
					return usageError(h, "resume", "takes one run")
				}
				return r.resume(ctx, args, h)
			}
		},
	}
}

// invocation is what a stored run remembers of the command that began it.
type invocation struct {
	File   string   `json:"file"`
	Target string   `json:"target,omitempty"`
	Params []string `json:"params,omitempty"`
	Models []string `json:"models,omitempty"`
	Limit  string   `json:"limit,omitempty"`
	Runs   int      `json:"runs,omitempty"`
	Seed   string   `json:"seed,omitempty"`
	Pairs  string   `json:"pairs,omitempty"`
	// Approve is how people decide who have to approve.
	Approve string `json:"approve,omitempty"`
	// Limits bound what resuming may spend too, where it sets none of its own.
	Limits limits `json:"limits,omitzero"`
	// Endpoint is where models without base_url were asked.
	Endpoint string `json:"endpoint,omitempty"`
	// Replay is the file of the run that answered, and ReplayOf its id.
	Replay   string `json:"replay,omitempty"`
	ReplayOf string `json:"replay_of,omitempty"`
	// Reuse is the file of the run whose trials are taken over.
	Reuse string `json:"reuse,omitempty"`
}

// begin makes the run file, or goes on with an unfinished run of equal plans.
func (r *running) begin(c *compiling, args []string, suite *interp.Suite, h host) (*store.Run, error) {
	file, err := runnable(args[0], h) // and not the folder, in which another file may be it tomorrow
	if err == nil {
		file, err = filepath.Abs(file)
	}
	if err != nil {
		return nil, err
	}
	begun := r.limits
	if begun.Prices != "" {
		if begun.Prices, err = filepath.Abs(begun.Prices); err != nil {
			return nil, err
		}
	}
	inv := invocation{File: file, Params: c.params, Models: c.models, Limit: c.limit, Runs: c.runs, Seed: c.seed, Pairs: c.pairs, Approve: c.approve, Limits: begun, Reuse: r.reuse.path}
	if len(args) == 2 {
		inv.Target = args[1]
	}
	if err := r.wire.note(&inv, suite, h); err != nil {
		return nil, err
	}
	digest := inv.digest(suite)
	if !r.fresh {
		if path := r.unfinished(digest); path != "" {
			run, err := store.Resume(path)
			if err == nil {
				fmt.Fprintf(h.stderr, "going on with %s, which has the same plans (--fresh begins anew)\n", diag.Safe(run.Name()))
			}
			return run, err
		}
	}
	options, err := json.Marshal(inv)
	if err != nil {
		return nil, err
	}
	plan := suite.Cells[0].Plan
	run, err := store.Create(r.dir, store.Meta{
		Name: suite.Name, Target: suite.File + "#" + suite.Name, File: suite.File, Digest: digest, Seed: plan.Seed,
		Options: options, Started: time.Now(), Engine: runtime.EngineVersion, Version: buildVersion(), Simulated: simulated(suite),
	})
	if err != nil {
		return nil, err
	}
	cells, err := storedCells(suite)
	if err == nil {
		err = run.PutCells(context.Background(), cells)
	}
	if err != nil {
		return nil, errors.Join(err, run.Close())
	}
	return run, nil
}

// unfinished finds the newest run with these plans that has not ended well.
func (r *running) unfinished(digest string) string {
	infos, err := store.List(r.dir)
	if err != nil {
		return "" // Create meets the same folder and says what is wrong with it
	}
	for _, i := range infos {
		if i.Err == nil && i.Meta.Digest == digest && i.Meta.Engine == runtime.EngineVersion {
			if i.State.Status == store.Complete {
				return ""
			}
			return i.Path
		}
	}
	return ""
}

func storedCells(suite *interp.Suite) ([]store.Cell, error) {
	cells := make([]store.Cell, len(suite.Cells))
	for i, c := range suite.Cells {
		labels, err := json.Marshal(c.Labels)
		if err != nil {
			return nil, err
		}
		plan, err := json.Marshal(c.Plan)
		if err != nil {
			return nil, err
		}
		spec, err := json.Marshal(c.Spec)
		if err != nil {
			return nil, err
		}
		cells[i] = store.Cell{Labels: string(labels), Plan: plan, Spec: spec}
	}
	return cells, nil
}

func simulated(suite *interp.Suite) bool {
	return slices.ContainsFunc(modelsOf(suite), func(m model.Spec) bool { return m.Provider == "sim" })
}

// resume recompiles what the run was begun with and goes on.
func (r *running) resume(ctx context.Context, args []string, h host) int {
	path, err := r.find(args)
	if err != nil {
		return failure(h, err)
	}
	run, err := store.Resume(path)
	if err != nil {
		return failure(h, err)
	}
	if inv, err := begunWith(run.Meta()); err == nil {
		r.keepLimits(inv.Limits)
		r.reuse.again(inv.Reuse, h)
	}
	if r.priced, err = readPrices(r.limits.Prices); err != nil {
		return closing(h, run, usageError(h, "resume", err.Error()))
	}
	suite, release, code := recompile(run.Meta(), h)
	if suite == nil {
		return closing(h, run, code)
	}
	defer release()
	if err := r.wire.again(run.Meta(), suite, r.dir, h); err != nil {
		return closing(h, run, failure(h, err))
	}
	if inv, err := begunWith(run.Meta()); err != nil || inv.digest(suite) != run.Meta().Digest {
		fmt.Fprintf(h.stderr, "parley: %s has changed since this run began, so what is stored and what is left would not fit; run it anew, or score what is there with `parley score`\n", diag.Safe(run.Meta().File))
		return closing(h, run, exitUsage)
	}
	return r.execute(ctx, suite, run, h)
}

// keepLimits takes over what the run was begun with, but for what this command
// line sets itself; an explicit 0 lifts a limit.
func (r *running) keepLimits(begun limits) {
	if !r.flags.Changed("max-calls") {
		r.limits.Calls = begun.Calls
	}
	if !r.flags.Changed("max-total-tokens") {
		r.limits.Tokens = begun.Tokens
	}
	if !r.flags.Changed("max-usd") {
		r.limits.USD = begun.USD
	}
	if !r.flags.Changed("prices") {
		r.limits.Prices = begun.Prices
	}
}

// find is the run that an argument names, else the newest.
func (r *running) find(args []string) (string, error) {
	if len(args) == 1 {
		return store.Find(r.dir, args[0])
	}
	info, err := store.Latest(r.dir, "")
	return info.Path, err
}

// recompile compiles a stored run's scenario with the options it began with.
func recompile(m store.Meta, h host) (*interp.Suite, func(), int) {
	inv, err := begunWith(m)
	if err != nil {
		return nil, nil, failure(h, err)
	}
	c := compiling{params: inv.Params, models: inv.Models, limit: inv.Limit, runs: inv.Runs, seed: inv.Seed, pairs: inv.Pairs, approve: inv.Approve}
	o, err := c.options()
	if err != nil {
		return nil, nil, failure(h, err)
	}
	return compileFile(inv.File, inv.Target, o, h)
}

// execute runs what is left, scores everything and prints it.
func (r *running) execute(ctx context.Context, suite *interp.Suite, run *store.Run, h host) int {
	plans := plansOf(suite)
	if err := r.reuse.take(ctx, suite, run, h); err != nil {
		return closing(h, run, failure(h, err))
	}
	show := newProgress(h, r.quiet || r.json && !h.terminal)
	others, err := r.wire.open(ctx, r.connections, show.say, h)
	if err != nil {
		return closing(h, run, failure(h, err))
	}
	defer r.wire.close()
	ctx, drain, stop := interrupts(ctx, h)
	provide := r.wire.providers(plans, others)
	opt := queue.Options{
		Store: run, Providers: provide, Local: r.wire.local(), Retry: r.wire.retry(), Workers: r.workers, MaxConnections: r.connections,
		Budget: runtime.Budget{Calls: r.limits.Calls, Tokens: r.limits.Tokens, USD: r.limits.USD},
		Prices: r.priced.byModel(), Order: plans[0].Seed, Drain: drain, OnProgress: show.update,
	}
	sum, err := queue.Run(ctx, plans, opt)
	var panel *judge.Panel
	var verdicts *queue.Summary
	if err == nil {
		panel, verdicts, err = r.judge(ctx, suite, run, &sum, opt)
	}
	interrupted := stop()
	show.close()
	if err == nil {
		err = run.Flush(context.WithoutCancel(ctx))
	}
	if err != nil {
		return closing(h, run, failure(h, err))
	}
	tables, err := scoreStored(context.WithoutCancel(ctx), suite, run, panel)
	if err != nil {
		return closing(h, run, failure(h, err))
	}
	asked, err := callsOf(context.WithoutCancel(ctx), run)
	if err != nil {
		return closing(h, run, failure(h, err))
	}
	across, err := suite.AcrossTables(tables)
	if err != nil {
		return closing(h, run, failure(h, err))
	}
	res := result{Full: r.full, Across: across, Run: run.Name(), Path: run.Path(), Suite: suite, Tables: tables, Summary: &sum, From: r.wire.name(), Said: show.said(), Asked: asked, Verdicts: verdicts, Reused: r.reuse}
	if err := res.print(h, r.json); err != nil {
		return closing(h, run, failure(h, err))
	}
	return r.wire.keep(closing(h, run, res.exitCode(interrupted)), run.Path(), h)
}

// failure prints an error and gives the exit code for what cannot go on.
func failure(h host, err error) int {
	fmt.Fprintln(h.stderr, "parley: "+diag.Safe(err.Error()))
	if errors.Is(err, store.ErrNoRun) || errors.Is(err, os.ErrNotExist) {
		fmt.Fprintln(h.stderr, "`parley runs` lists the stored runs.")
	}
	if errors.Is(err, store.ErrFull) {
		return exitIncomplete
	}
	return exitUsage
}

// closing closes the run; a failure to do so must not pass for success.
func closing(h host, run *store.Run, code int) int {
	if err := run.Close(); err != nil {
		fmt.Fprintln(h.stderr, "parley: "+diag.Safe(err.Error()))
		if code == exitOK {
			return exitIncomplete
		}
	}
	return code
}
