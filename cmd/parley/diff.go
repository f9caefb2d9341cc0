package main

import (
	"context"
	"fmt"
	"io"
	"slices"

	"github.com/spf13/pflag"

	"parley/interp/diff"
	"parley/lang/diag"
)

// diffCommand compares what two versions do.
func diffCommand() command {
	return command{
		name: "diff", args: "OLD NEW", summary: "say what two versions do differently (files, folders, git revisions REV or REV:PATH), or what moved between two stored runs",
		examples: []string{
			"parley diff old.parley new.parley",
			"parley diff HEAD~1:scenarios scenarios --format markdown",
			"parley diff main HEAD --fail-on widens,redefines",
			"parley diff 2026-01-31T12-00-00_quickstart_ab12cd 2026-02-01 --fail-on worse",
		},
		setup: func(f *pflag.FlagSet) action {
			format := f.String("format", "text", "text, markdown or json")
			failOn := f.StringSlice("fail-on", nil, "exit with 1 where there is such a change: widens, narrows, redefines, alters, or any; between runs also worse: a score moved significantly the wrong way")
			var dir string
			dirFlag(f, &dir)
			return func(ctx context.Context, args []string, h host) int {
				write, err := diffWriter(*format)
				if err == nil {
					err = checkMarks(*failOn)
				}
				if err == nil && len(args) != 2 {
					err = fmt.Errorf("takes OLD and NEW")
				}
				if err != nil {
					return usageError(h, "diff", err.Error())
				}
				switch paths, runs, err := storedRuns(dir, args); {
				case err != nil:
					return failure(h, err)
				case runs:
					return diffRuns(ctx, paths, args, *format, *failOn, h)
				case slices.Contains(*failOn, worse):
					return usageError(h, "diff", "--fail-on worse is for two stored runs")
				}
				r, code := diffSides(ctx, args[0], args[1], h)
				if r == nil {
					return code
				}
				if err := write(r, h.stdout); err != nil {
					return failure(h, err)
				}
				return diffCode(r, *failOn)
			}
		},
	}
}

func diffWriter(format string) (func(*diff.Report, io.Writer) error, error) {
	switch format {
	case "text":
		return (*diff.Report).Text, nil
	case "markdown":
		return (*diff.Report).Markdown, nil
	case "json":
		return (*diff.Report).JSON, nil
	}
	return nil, fmt.Errorf("--format %s: text, markdown or json", format)
}

func checkMarks(marks []string) error {
	for _, m := range marks {
		if m != "any" && m != worse && !slices.Contains(diff.Marks(), diff.Mark(m)) {
			return fmt.Errorf("--fail-on %s: widens, narrows, redefines, alters, cosmetic or any", m)
		}
	}
	return nil
}

// diffCode is 1 where a change is of a kind that must not pass.
func diffCode(r *diff.Report, failOn []string) int {
	for _, c := range r.Changes {
		if slices.Contains(failOn, "any") && c.Mark != diff.Cosmetic || slices.Contains(failOn, string(c.Mark)) {
			return exitFailed
		}
	}
	return exitOK
}

// diffSides reads and compiles both sides. A side that does not compile is an
// error, never "no changes".
func diffSides(ctx context.Context, before, after string, h host) (*diff.Report, int) {
	var sides [2]*diff.Side
	for i, name := range []string{before, after} {
		tree, err := openTree(ctx, name, h)
		if err != nil {
			fmt.Fprintln(h.stderr, "parley: "+diag.Safe(err.Error()))
			return nil, exitUsage
		}
		side, ok := tree.side(h)
		tree.close()
		if !ok {
			fmt.Fprintf(h.stderr, "parley: %s cannot be compared: it has mistakes\n", diag.Safe(name))
			return nil, exitUsage
		}
		sides[i] = side
	}
	return diff.Compare(sides[0], sides[1]), exitOK
}
