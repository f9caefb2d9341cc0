// Command parley checks, runs and scores scenarios in which a team of LLM
// agents works on tasks while an adversary interferes.
package main

import (
	"context"
	"io"
	"os"
	"os/signal"
	"runtime/debug"
	"syscall"
)

func main() {
	collectSeldom()
	os.Exit(run(os.Args[1:], system()))
}

// collectSeldom lets the heap grow to five times what is in use before it is
// collected, up to a limit: a run uses a few megabytes and makes garbage fast, and
// a third of its time would go into collecting it. GOGC and GOMEMLIMIT override.
func collectSeldom() {
	const percent, limit = 400, 768 << 20
	if os.Getenv("GOGC") == "" {
		debug.SetGCPercent(percent)
	}
	if os.Getenv("GOMEMLIMIT") == "" {
		debug.SetMemoryLimit(limit)
	}
}

// host is everything the command takes from outside, so that tests can stand in.
type host struct {
	stdout, stderr io.Writer
	stdin          io.Reader // where people answer; nil: nobody does
	getenv         func(string) string
	environ        func() []string // NAME=value; nil: none
	terminal       bool            // stderr is a terminal that takes cursor moves
	color          bool            // stdout takes colours
	colorErrors    bool            // stderr does
	// interrupts delivers Ctrl-C; the first drains, the second stops.
	interrupts <-chan os.Signal
}

// system is the real host.
func system() host {
	signals := make(chan os.Signal, 2)
	signal.Notify(signals, os.Interrupt, syscall.SIGTERM)
	tty := isTerminal(os.Stderr) && os.Getenv("TERM") != "dumb" && os.Getenv("CI") == ""
	colors := os.Getenv("NO_COLOR") == "" && os.Getenv("TERM") != "dumb"
	return host{
		stdout: os.Stdout, stderr: os.Stderr, stdin: os.Stdin, getenv: os.Getenv, environ: os.Environ,
		terminal:    tty,
		color:       isTerminal(os.Stdout) && colors,
		colorErrors: isTerminal(os.Stderr) && colors,
		interrupts:  signals,
	}
}

// isTerminal reports whether f is a character device, and not the one that
// swallows everything.
func isTerminal(f *os.File) bool {
	info, err := f.Stat()
	if err != nil || info.Mode()&os.ModeCharDevice == 0 {
		return false
	}
	null, err := os.Stat(os.DevNull)
	return err != nil || !os.SameFile(info, null)
}

// Exit codes; the README documents them.
const (
	exitOK          = 0
	exitFailed      = 1 // a `fail when` holds, or a test does not
	exitUsage       = 2 // a mistake in a file or on the command line
	exitIncomplete  = 3 // trials are missing or ended in an error
	exitInterrupted = 130
)

// run dispatches to a command and returns the exit code.
func run(args []string, h host) int {
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	if len(args) == 0 {
		printUsage(h.stderr)
		return exitUsage
	}
	name := args[0]
	switch name {
	case "help", "--help", "-h":
		return help(args[1:], h)
	case "--version":
		name = "version"
	}
	for _, c := range commands() {
		if c.name == name {
			return c.invoke(ctx, args[1:], h)
		}
	}
	return unknownCommand(name, h)
}
