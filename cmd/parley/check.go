package main

import (
	"context"
	"fmt"
	"io/fs"
	"iter"
	"os"
	"path"
	"path/filepath"
	goruntime "runtime"
	"sort"
	"strings"
	"sync"
	"sync/atomic"

	"github.com/spf13/pflag"

	"parley/interp"
	"parley/lang/diag"
)

// checkCommand reads files and says everything that is wrong with them.
func checkCommand() command {
	return command{
		name: "check", args: "PATH…", summary: "check scenario files without running anything",
		examples: []string{"parley check scenarios/quickstart.parley", "parley check stdlib scenarios", "parley check --json my.parley"},
		setup: func(f *pflag.FlagSet) action {
			asJSON := f.Bool("json", false, "print the findings as JSON, one line each file")
			return func(_ context.Context, args []string, h host) int { return check(args, *asJSON, h) }
		},
	}
}

func check(args []string, asJSON bool, h host) int {
	files, err := scenarioFiles(args)
	if err != nil {
		return usageError(h, "check", err.Error())
	}
	code, errors, warnings := exitOK, 0, 0
	for c := range checkFiles(files, h) {
		if c.err != nil {
			fmt.Fprintln(h.stderr, "parley: "+diag.Safe(c.err.Error()))
			code = exitUsage
			continue
		}
		if c.found.HasErrors() {
			code = exitUsage
		}
		for _, d := range c.found {
			if d.Severity == diag.Error {
				errors++
			} else {
				warnings++
			}
		}
		if asJSON {
			if err := diag.JSON(h.stdout, c.found, c.mod.Source); err != nil {
				fmt.Fprintln(h.stderr, "parley: "+err.Error())
				return exitUsage
			}
			continue
		}
		report(h, c.found, c.mod)
	}
	if !asJSON {
		fmt.Fprintf(h.stdout, "%s checked: %s, %s\n", count(len(files), "file"), count(errors, "error"), count(warnings, "warning"))
	}
	return code
}

// checked is what was found in one file.
type checked struct {
	found diag.List
	mod   *interp.Module
	err   error
}

// checkFiles checks files on all cores and yields what was found, in order.
func checkFiles(files []string, h host) iter.Seq[checked] {
	return func(yield func(checked) bool) {
		parsed := interp.NewParsed() // what several of them import is read once
		results := make([]chan checked, len(files))
		for i := range results {
			results[i] = make(chan checked, 1)
		}
		var next atomic.Int64
		var wg sync.WaitGroup
		for range min(goruntime.GOMAXPROCS(0), len(files)) {
			wg.Go(func() {
				for i := next.Add(1) - 1; int(i) < len(files); i = next.Add(1) - 1 {
					results[i] <- checkFile(files[i], h, parsed)
				}
			})
		}
		defer wg.Wait()
		for _, r := range results {
			if !yield(<-r) {
				next.Store(int64(len(files)))
				return
			}
		}
	}
}

// checkFile loads and checks one file.
func checkFile(file string, h host, parsed *interp.Parsed) checked {
	o, err := openProject(file, h.getenv)
	if err != nil {
		return checked{err: err}
	}
	defer o.Close()
	o.project.Parsed = parsed
	mod, found := o.project.Load(o.path)
	if mod != nil {
		found = mod.Check()
	}
	return checked{found: found, mod: mod}
}

// report prints diagnostics for people, on standard error.
func report(h host, found diag.List, mod *interp.Module) {
	p := diag.Printer{Color: h.colorErrors}
	if err := p.Print(h.stderr, found, mod.Source); err != nil {
		fmt.Fprintln(h.stdout, "parley: the findings could not be written: "+err.Error())
	}
}

// count is "1 file", "2 files".
func count(n int, what string) string {
	if n == 1 {
		return "1 " + what
	}
	return fmt.Sprintf("%d %ss", n, what)
}

// scenarioFiles lists the .parley files that the arguments name; a folder
// stands for all of them below it.
func scenarioFiles(args []string) ([]string, error) {
	if len(args) == 0 {
		return nil, fmt.Errorf("which files? name a .parley file or a folder")
	}
	var files []string
	for _, a := range args {
		info, err := os.Stat(a)
		if err != nil {
			return nil, fmt.Errorf("%s: %s", a, reason(err))
		}
		if !info.IsDir() {
			files = append(files, a)
			continue
		}
		below, err := filesBelow(a)
		if err != nil {
			return nil, err
		}
		if len(below) == 0 {
			return nil, fmt.Errorf("%s: no .parley file in this folder", a)
		}
		files = append(files, below...)
	}
	return files, nil
}

// filesBelow lists the .parley files of a folder of the disk.
func filesBelow(dir string) ([]string, error) {
	files, err := parleyFiles(os.DirFS(dir), ".")
	if err != nil {
		return nil, fmt.Errorf("%s: %w", dir, err)
	}
	for i, name := range files {
		files[i] = filepath.Join(dir, filepath.FromSlash(name))
	}
	return files, nil
}

// parleyFiles lists the .parley files below a folder, sorted. Folders that begin with
// a dot, and testdata, are left out.
func parleyFiles(fsys fs.FS, dir string) ([]string, error) {
	var files []string
	err := fs.WalkDir(fsys, dir, func(name string, d fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return fmt.Errorf("%s: %s", name, reason(err))
		case d.IsDir() && name != dir && (strings.HasPrefix(d.Name(), ".") || d.Name() == "testdata"):
			return fs.SkipDir
		case !d.IsDir() && path.Ext(name) == ".parley":
			files = append(files, name)
		}
		return nil
	})
	sort.Strings(files)
	return files, err
}
