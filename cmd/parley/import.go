package main

import (
	"context"
	"fmt"
	"strings"

	"github.com/spf13/pflag"

	"parley/lang/diag"
	"parley/scenarios/imports"
)

// importCommand turns a task set that the user holds into files that run.
func importCommand() command {
	return command{
		name: "import", args: "SOURCE PATH", summary: "turn a task set that you hold into task files and workspaces",
		examples: []string{
			"parley import strategyqa data/dev.json -o tasks/strategyqa",
			"parley import agentdojo data/agentdojo --runs data/agentdojo-runs -o scenarios/agentdojo",
		},
		setup: func(f *pflag.FlagSet) action {
			out := f.StringP("output", "o", "", "the folder to write; it must not exist yet, or be empty")
			force := f.Bool("force", false, "write an earlier import's folder anew")
			runs := f.String("runs", "", "agentdojo: the folder of its run logs, in which the tasks are worded (default: beside the data)")
			return func(_ context.Context, args []string, h host) int {
				return importSet(args, *out, *force, imports.Options{Runs: *runs}, h)
			}
		},
	}
}

func importSet(args []string, dir string, force bool, o imports.Options, h host) int {
	if len(args) != 2 {
		lines := []string{"name a source and the path of its data. There are:"}
		for _, s := range imports.Sources() {
			lines = append(lines, fmt.Sprintf("  %-15s %s", s.Name, s.About))
		}
		fmt.Fprintln(h.stderr, "parley import: "+strings.Join(lines, "\n"))
		return exitUsage
	}
	if dir == "" {
		return usageError(h, "import", "where to? name a folder with -o")
	}
	set, err := imports.Import(args[0], args[1], o)
	if err == nil {
		err = set.Write(dir, force)
	}
	if err != nil {
		fmt.Fprintln(h.stderr, "parley import: "+diag.Safe(err.Error()))
		return exitUsage
	}
	for _, f := range set.Files {
		what := count(len(f.Data), "byte")
		if f.Records > 0 {
			what = count(f.Records, "record")
		}
		fmt.Fprintf(h.stdout, "%s/%s  %s\n", diag.Safe(dir), f.Name, what)
	}
	return exitOK
}
