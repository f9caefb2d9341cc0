package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"strings"

	"github.com/spf13/pflag"

	"parley/lang/diag"
)

// command is one verb: its help and how to run it.
type command struct {
	name     string
	args     string // shown behind the name in the usage line
	summary  string
	examples []string
	// first lists what the first argument may be, for shells to complete; nil
	// where it is a file.
	first func() []string
	// setup declares flags and returns what runs once they are parsed.
	setup func(f *pflag.FlagSet) action
}

// action runs a command with its positional arguments and gives the exit code.
type action func(ctx context.Context, args []string, h host) int

// commands lists the verbs in the order that help shows them.
func commands() []command {
	return []command{
		initCommand(), newCommand(), docCommand(), completionCommand(),
		checkCommand(), fmtCommand(), planCommand(), graphCommand(), diffCommand(), factsCommand(), gitDiffCommand(),
		runCommand(), resumeCommand(), runsCommand(), showCommand(), explainCommand(), scoreCommand(), judgeCommand(), reportCommand(),
		testCommand(), importCommand(), serveCommand(), lspCommand(), benchCommand(), versionCommand(),
	}
}

// invoke parses flags, applies their environment twins and runs the command.
func (c command) invoke(ctx context.Context, args []string, h host) int {
	f := pflag.NewFlagSet(c.name, pflag.ContinueOnError)
	f.SetOutput(io.Discard)
	f.Usage = func() {}
	do := c.setup(f)
	if err := f.Parse(args); err != nil {
		if errors.Is(err, pflag.ErrHelp) {
			c.printHelp(h.stdout, f)
			return exitOK
		}
		return usageError(h, c.name, err.Error())
	}
	if err := applyEnv(f, h.getenv); err != nil {
		return usageError(h, c.name, err.Error())
	}
	h, err := withEnvFile(f, h)
	if err != nil {
		return usageError(h, c.name, err.Error())
	}
	return do(ctx, f.Args(), h)
}

// applyEnv gives each flag that was not set the value of PARLEY_<FLAG>.
func applyEnv(f *pflag.FlagSet, getenv func(string) string) error {
	var failed error
	f.VisitAll(func(fl *pflag.Flag) {
		name := envTwin(fl.Name)
		v := getenv(name)
		if fl.Changed || v == "" || failed != nil {
			return
		}
		if err := f.Set(fl.Name, v); err != nil {
			failed = fmt.Errorf("%s: %w", name, err)
		}
	})
	return failed
}

// envTwin is the environment variable that stands for a flag.
func envTwin(flag string) string {
	return "PARLEY_" + strings.ToUpper(strings.ReplaceAll(flag, "-", "_"))
}

func (c command) printHelp(w io.Writer, f *pflag.FlagSet) {
	fmt.Fprintf(w, "parley %s: %s\n\nUsage:\n  parley %s\n", c.name, c.summary, strings.TrimSpace(c.name+" [flags] "+c.args))
	if len(c.examples) > 0 {
		fmt.Fprintln(w, "\nExamples:")
		for _, e := range c.examples {
			fmt.Fprintln(w, "  "+e)
		}
	}
	if usages := f.FlagUsages(); usages != "" {
		fmt.Fprintf(w, "\nFlags (each also as an environment variable, --runs-dir as PARLEY_RUNS_DIR):\n%s", usages)
	}
}

func printUsage(w io.Writer) {
	fmt.Fprint(w, "parley shows what happens when a team of LLM agents is attacked.\n\nUsage:\n  parley COMMAND [flags] [arguments]\n\nCommands:\n")
	for _, c := range commands() {
		fmt.Fprintf(w, "  %-8s %s\n", c.name, c.summary)
	}
	fmt.Fprint(w, "\nStart with:\n  parley run scenarios/quickstart.parley\n\n`parley COMMAND --help` shows flags and examples.\n")
}

// help prints the overview, or one command's help.
func help(args []string, h host) int {
	if len(args) == 0 {
		printUsage(h.stdout)
		return exitOK
	}
	for _, c := range commands() {
		if c.name == args[0] {
			f := pflag.NewFlagSet(c.name, pflag.ContinueOnError)
			c.setup(f)
			c.printHelp(h.stdout, f)
			return exitOK
		}
	}
	return unknownCommand(args[0], h)
}

func unknownCommand(name string, h host) int {
	var names []string
	for _, c := range commands() {
		names = append(names, c.name)
	}
	msg := fmt.Sprintf("parley: there is no command %q", diag.Safe(name))
	if near := diag.Nearest(name, names); near != "" {
		msg += fmt.Sprintf("; did you mean %q?", near)
	}
	fmt.Fprintln(h.stderr, msg)
	fmt.Fprintln(h.stderr, "`parley help` lists the commands.")
	return exitUsage
}

// usageError says what is wrong with a command line and where help is.
func usageError(h host, name, msg string) int {
	fmt.Fprintf(h.stderr, "parley %s: %s\n`parley %s --help` shows how it is used.\n", name, diag.Safe(msg), name)
	return exitUsage
}
