package main

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"

	"github.com/rogpeppe/go-internal/diff"
	"github.com/spf13/pflag"

	"parley/lang/diag"
	"parley/lang/format"
	"parley/lang/source"
)

// fmtCommand lays files out in their one form.
func fmtCommand() command {
	return command{
		name: "fmt", args: "PATH…", summary: "lay scenario files out in their one form",
		examples: []string{"parley fmt my.parley", "parley fmt -w stdlib scenarios", "parley fmt -l .", "parley fmt - < my.parley"},
		setup: func(f *pflag.FlagSet) action {
			var o fmtOptions
			f.BoolVarP(&o.write, "write", "w", false, "write the result back to each file that it changes")
			f.BoolVarP(&o.list, "list", "l", false, "list the files that would change; exit code 1 if there are any")
			f.BoolVarP(&o.diff, "diff", "d", false, "show what would change; exit code 1 if anything would")
			return func(_ context.Context, args []string, h host) int { return o.run(args, h) }
		},
	}
}

// fmtOptions say what is done with files that are not in their form. Without
// any, the result goes to standard output.
type fmtOptions struct{ write, list, diff bool }

// standardInput is the argument that stands for standard input.
const standardInput = "-"

func (o fmtOptions) run(args []string, h host) int {
	if len(args) == 1 && args[0] == standardInput {
		if o.write {
			return usageError(h, "fmt", "standard input cannot be written back to: leave out -w")
		}
		src, err := readInput(h.stdin)
		if err != nil {
			return usageError(h, "fmt", err.Error())
		}
		return o.one("<stdin>", src, h)
	}
	files, err := scenarioFiles(args)
	if err != nil {
		return usageError(h, "fmt", err.Error())
	}
	code := exitOK
	for _, file := range files {
		src, err := os.ReadFile(file)
		if err != nil {
			fmt.Fprintf(h.stderr, "parley: %s: %s\n", diag.Safe(file), reason(err))
			code = exitUsage
			continue
		}
		code = max(code, o.one(file, src, h))
	}
	return code
}

// readInput reads no more than a file may hold, and a byte to tell that it
// holds more.
func readInput(r io.Reader) ([]byte, error) {
	if r == nil {
		return nil, fmt.Errorf("there is no standard input")
	}
	return io.ReadAll(io.LimitReader(r, source.MaxBytes+1))
}

// one lays out one file.
func (o fmtOptions) one(name string, src []byte, h host) int {
	out, found, err := format.Source(name, src)
	if found.HasErrors() {
		p := diag.Printer{Color: h.colorErrors}
		text := source.New(name, string(src))
		if err := p.Print(h.stderr, found, func(string) *source.Source { return text }); err != nil {
			return exitUsage // nobody reads what is wrong
		}
		return exitUsage
	}
	if err != nil {
		fmt.Fprintf(h.stderr, "parley: %s: %s\n", diag.Safe(name), err)
		return exitUsage
	}
	if !o.write && !o.list && !o.diff {
		if _, err := h.stdout.Write(out); err != nil {
			fmt.Fprintln(h.stderr, "parley: "+reason(err))
			return exitUsage
		}
		return exitOK
	}
	if bytes.Equal(src, out) {
		return exitOK
	}
	if o.list {
		fmt.Fprintln(h.stdout, diag.Safe(name))
	}
	if o.diff {
		printDiff(h.stdout, name, src, out)
	}
	if !o.write {
		return exitFailed
	}
	if err := rewrite(name, out); err != nil {
		fmt.Fprintln(h.stderr, "parley: "+diag.Safe(err.Error()))
		return exitUsage
	}
	return exitOK
}

// printDiff shows two texts as a unified diff, in which no character moves
// the cursor of a terminal.
func printDiff(w io.Writer, name string, before, after []byte) {
	text := string(diff.Diff(name, before, name+" (formatted)", after))
	_, text, _ = strings.Cut(text, "\n") // the line that says diff
	for _, line := range strings.SplitAfter(text, "\n") {
		fmt.Fprint(w, strings.ReplaceAll(diag.Safe(strings.ReplaceAll(strings.TrimSuffix(line, "\n"), "\t", "\uE000")), "\uE000", "\t"))
		if strings.HasSuffix(line, "\n") {
			fmt.Fprintln(w)
		}
	}
}

// rewrite exchanges a file's content, whole or not at all, and keeps its mode.
// Behind a symbolic link it is the file that changes.
func rewrite(path string, content []byte) error {
	target, err := filepath.EvalSymlinks(path)
	if err != nil {
		return fmt.Errorf("cannot write %s: %s", path, reason(err))
	}
	info, err := os.Stat(target)
	if err != nil {
		return fmt.Errorf("cannot write %s: %s", path, reason(err))
	}
	if info.Mode().Perm()&0o200 == 0 {
		return fmt.Errorf("cannot write %s: it is read-only", path)
	}
	return toFileOfMode(target, info.Mode().Perm(), func(w io.Writer) error {
		_, err := w.Write(content)
		return err
	})
}
