package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"strings"
	"testing/fstest"

	"github.com/spf13/pflag"

	"parley/interp"
	"parley/interp/diff"
	"parley/lang/diag"
	"parley/stdlib"
)

// factsCommand prints what a file says, one fact a line, for git's textconv.
func factsCommand() command {
	return command{
		name: "facts", args: "FILE", summary: "print what a file's scenarios do, one fact a line (for git's textconv)",
		examples: []string{
			"parley facts scenarios/quickstart.parley",
			"git config diff.parley.textconv 'parley facts'",
		},
		setup: func(*pflag.FlagSet) action {
			return func(ctx context.Context, args []string, h host) int {
				if len(args) != 1 {
					return usageError(h, "facts", "takes FILE")
				}
				src, err := os.ReadFile(args[0])
				if err != nil {
					fmt.Fprintf(h.stderr, "parley: %s: %s\n", diag.Safe(args[0]), reason(err))
					return exitUsage
				}
				lines, ok := factsOf(ctx, args[0], src, h)
				if !ok { // git hands over a copy apart from what it imports: its text is all there is
					if _, err := h.stdout.Write(src); err != nil {
						return failure(h, err)
					}
					return exitOK
				}
				for _, l := range lines {
					fmt.Fprintln(h.stdout, diag.Safe(l))
				}
				return exitOK
			}
		},
	}
}

// factsOf compiles a file; false where it cannot stand alone or says nothing that
// is run.
func factsOf(ctx context.Context, file string, src []byte, h host) ([]string, bool) {
	side := diff.NewSide()
	if err := addVersion(side, placeOf(ctx, file), src, h); err != nil {
		return nil, false
	}
	lines := side.Facts()
	return lines, len(lines) > 0
}

// placeOf is where a file belongs. Git shows an older version as a copy outside
// of the repository, under the same last name: its place is that of the only file
// of that name.
func placeOf(ctx context.Context, file string) string {
	here, err := filepath.Rel(absolute("."), absolute(file))
	if err != nil || filepath.IsLocal(here) {
		return file
	}
	base := filepath.Base(file)
	names := []string{base}
	if _, rest, ok := strings.Cut(base, "_"); ok { // older versions of git put a mark before the name
		names = append(names, rest)
	}
	for _, name := range names {
		found, err := git(ctx, "ls-files", "--", name, "*/"+name)
		if places := strings.Fields(string(found)); err == nil && len(places) == 1 {
			return places[0]
		}
	}
	return file
}

// gitDiffCommand is what git calls for each changed file, with seven arguments.
func gitDiffCommand() command {
	return command{
		name: "git-diff", args: "PATH OLD-FILE OLD-HEX OLD-MODE NEW-FILE NEW-HEX NEW-MODE", summary: "the semantic diff as git's external diff program",
		examples: []string{
			"git config diff.parley.command 'parley git-diff'",
			"GIT_EXTERNAL_DIFF='parley git-diff' git diff",
			"git difftool --extcmd 'parley diff' --no-prompt HEAD~1",
		},
		setup: func(*pflag.FlagSet) action {
			return func(_ context.Context, args []string, h host) int {
				if len(args) < 7 {
					return usageError(h, "git-diff", "takes the seven arguments that git gives to an external diff program")
				}
				fmt.Fprintf(h.stdout, "parley diff %s\n", diag.Safe(args[0]))
				if err := gitDiff(args[0], args[1], args[4], h); err != nil { // another exit code would end git's whole diff
					fmt.Fprintf(h.stdout, "  cannot be compared: %s\n", diag.Safe(err.Error()))
				}
				return exitOK
			}
		},
	}
}

// gitDiff compares two versions of the file at a path of the repository. What
// the file imports is read from the working folder, for both.
func gitDiff(name, before, after string, h host) error {
	var sides [2]*diff.Side
	for i, file := range []string{before, after} {
		side := diff.NewSide()
		sides[i] = side
		if file == os.DevNull {
			continue // the file did not exist, or does not any more
		}
		src, err := os.ReadFile(file)
		if err != nil {
			return fmt.Errorf("%s: %s", file, reason(err))
		}
		if err := addVersion(side, name, src, h); err != nil {
			return fmt.Errorf("the %s version: %w", []string{"old", "new"}[i], err)
		}
	}
	return diff.Compare(sides[0], sides[1]).Text(indented{h.stdout})
}

// addVersion compiles a text as the file at a path of the working folder.
func addVersion(side *diff.Side, name string, src []byte, h host) error {
	abs := absolute(name)
	dir := projectRoot(filepath.Dir(abs))
	root, err := os.OpenRoot(dir)
	if err != nil {
		return fmt.Errorf("%s: %s", dir, reason(err))
	}
	defer func() { _ = root.Close() }() // a folder opened for reading: nothing can be lost
	rel, err := filepath.Rel(dir, abs)
	if err != nil {
		return fmt.Errorf("%s: %w", name, err)
	}
	at := filepath.ToSlash(rel)
	mod, found := interp.Project{Root: replaced{root.FS(), at, src}, Std: stdlib.FS, Getenv: h.getenv}.Load(at)
	if mod != nil && !found.HasErrors() {
		found = side.Add(mod, "", src)
	}
	for _, d := range found {
		if d.Severity == diag.Error {
			return errors.New(d.Message)
		}
	}
	return nil
}

// replaced is a folder in which one file has another text.
type replaced struct {
	fs.FS
	name string
	src  []byte
}

// Open opens a file of the folder.
func (o replaced) Open(name string) (fs.File, error) {
	if path.Clean(name) == o.name {
		return fstest.MapFS{o.name: &fstest.MapFile{Data: o.src, Mode: 0o444}}.Open(o.name)
	}
	return o.FS.Open(name)
}

// indented sets every line off, as git sets off what belongs to a file.
type indented struct{ w io.Writer }

// Write writes whole lines.
func (i indented) Write(p []byte) (int, error) {
	var out []byte
	start := true
	for _, c := range p {
		if start && c != '\n' {
			out = append(out, "  "...)
		}
		out, start = append(out, c), c == '\n'
	}
	if _, err := i.w.Write(out); err != nil {
		return 0, err
	}
	return len(p), nil
}
