package main

import (
	"context"
	"embed"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"strings"

	"github.com/spf13/pflag"

	"parley/interp"
	"parley/lang/diag"
	"parley/lang/lex"
)

// starters are files to begin with: those of a project, and one for each kind
// of declaration, in which the word `starter` stands for its name.
//
//go:embed starter
var starters embed.FS

const starterName = "starter"

// initCommand begins a project.
func initCommand() command {
	return command{
		name: "init", args: "[FOLDER]", summary: "begin a project with a scenario that runs",
		examples: []string{"parley init", "parley init mine"},
		setup: func(*pflag.FlagSet) action {
			return func(_ context.Context, args []string, h host) int {
				if len(args) > 1 {
					return usageError(h, "init", "name one folder, or none for this one")
				}
				return initProject(append(args, ".")[0], h)
			}
		},
	}
}

// projectFiles are those that a project begins with, and what is in them.
func projectFiles() map[string]string {
	files := map[string]string{
		"parley.project": "// This file marks the folder of a project. Scenarios read nothing outside of it.\n",
	}
	for _, name := range []string{"scenario.parley", "tasks.jsonl"} {
		files[name] = embedded("project/" + name)
	}
	return files
}

// embedded is the text of a starter.
func embedded(name string) string {
	text, err := starters.ReadFile("starter/" + name)
	if err != nil {
		panic(err) // it is compiled in
	}
	return string(text)
}

func initProject(dir string, h host) int {
	files := projectFiles()
	for name := range files {
		if _, err := os.Lstat(filepath.Join(dir, name)); err == nil {
			return usageError(h, "init", fmt.Sprintf("%s is there already, and nothing is overwritten", filepath.Join(dir, name)))
		}
	}
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return usageError(h, "init", fmt.Sprintf("%s: %s", dir, reason(err)))
	}
	for name, text := range files {
		if err := create(filepath.Join(dir, name), text); err != nil {
			return usageError(h, "init", err.Error())
		}
	}
	// Runs are large and can be made again; a list of one's own stays as it is.
	if err := create(filepath.Join(dir, ".gitignore"), "/runs/\n"); err != nil && !errors.Is(err, fs.ErrExist) {
		return usageError(h, "init", err.Error())
	}
	where := diag.Safe(dir)
	if filepath.Clean(dir) == "." {
		where = "this folder"
	}
	fmt.Fprintf(h.stdout, "%s has a project now: scenario.parley and tasks.jsonl. Go on with:\n", where)
	if filepath.Clean(dir) != "." {
		fmt.Fprintf(h.stdout, "  cd %s\n", diag.Safe(dir))
	}
	fmt.Fprint(h.stdout, "  parley run scenario.parley\n  parley test scenario.parley\n  parley new attack mine\n")
	return exitOK
}

// create writes a file that is not there yet.
func create(name, text string) error {
	f, err := os.OpenFile(name, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o644)
	if err != nil {
		if errors.Is(err, fs.ErrExist) {
			return fmt.Errorf("%s is there already, and nothing is overwritten: %w", name, fs.ErrExist)
		}
		return fmt.Errorf("%s cannot be written: %s", name, reason(err))
	}
	_, err = f.WriteString(text)
	if closed := f.Close(); err == nil {
		err = closed
	}
	if err != nil {
		return fmt.Errorf("%s cannot be written: %s", name, reason(err))
	}
	return nil
}

// newCommand begins a file with one declaration.
func newCommand() command {
	return command{
		name: "new", args: strings.Join(kindsOfStarters(), "|") + " NAME", summary: "begin a file: a commented declaration with its test",
		examples: []string{"parley new team panel", "parley new attack whisper"},
		first:    kindsOfStarters,
		setup: func(*pflag.FlagSet) action {
			return func(_ context.Context, args []string, h host) int {
				if len(args) != 2 {
					return usageError(h, "new", "say what and its name: parley new team panel")
				}
				return newFile(args[0], args[1], h)
			}
		},
	}
}

// kindsOfStarters lists what a file can be begun with.
func kindsOfStarters() []string {
	entries, err := starters.ReadDir("starter/kind")
	if err != nil {
		panic(err) // it is compiled in
	}
	var kinds []string
	for _, e := range entries {
		kinds = append(kinds, strings.TrimSuffix(e.Name(), path.Ext(e.Name())))
	}
	return kinds
}

var word = regexp.MustCompile(`^[A-Za-z_][A-Za-z0-9_]*$`)

func newFile(kind, name string, h host) int {
	kinds := kindsOfStarters()
	if _, err := starters.ReadFile("starter/kind/" + kind + ".parley"); err != nil {
		msg := fmt.Sprintf("there is nothing to begin a %q with; there is: %s", diag.Safe(kind), strings.Join(kinds, ", "))
		if near := diag.Nearest(kind, kinds); near != "" {
			msg += fmt.Sprintf("; did you mean %q?", near)
		}
		return usageError(h, "new", msg)
	}
	if !word.MatchString(name) || lex.Reserved(name) {
		return usageError(h, "new", fmt.Sprintf("%q cannot be a name: letters, digits and _ make one, it begins with a letter, and it is no operator", diag.Safe(name)))
	}
	file := name + ".parley"
	if err := create(file, strings.ReplaceAll(embedded("kind/"+kind+".parley"), starterName, name)); err != nil {
		return usageError(h, "new", err.Error())
	}
	if c := checkFile(file, h, interp.NewParsed()); c.err != nil || len(c.found) > 0 {
		_ = os.Remove(file) // it was made a moment ago
		return usageError(h, "new", fmt.Sprintf("%q cannot be the name here: it means something else in the file", name))
	}
	fmt.Fprintf(h.stdout, "%s begins with the kind %s and its test. Go on with:\n  parley test %s\n", file, kind, file)
	if kind == "scenario" {
		fmt.Fprintf(h.stdout, "  parley run %s\n", file)
	}
	return exitOK
}
