package main

import (
	"context"
	"fmt"
	"regexp"
	goruntime "runtime"
	"sync"

	"github.com/spf13/pflag"

	"parley/interp"
	"parley/lang/diag"
	"parley/runtime"
	"parley/runtime/trace"
)

// testCommand runs the test blocks of files.
func testCommand() command {
	return command{
		name: "test", args: "PATH…", summary: "run the test blocks of scenario files, with scripted agents",
		examples: []string{"parley test stdlib scenarios", "parley test my.parley --run 'poison' -v"},
		setup: func(f *pflag.FlagSet) action {
			var t testRun
			f.StringVar(&t.match, "run", "", "only tests whose title matches this regular expression")
			f.BoolVarP(&t.verbose, "verbose", "v", false, "name every test, and print the transcript of those that fail")
			f.BoolVar(&t.json, "json", false, "print JSON, one line a test")
			return func(ctx context.Context, args []string, h host) int { return t.run(ctx, args, h) }
		},
	}
}

// testRun holds the flags of one call.
type testRun struct {
	match   string
	verbose bool
	json    bool
}

// outcome is a test that ran.
type outcome struct {
	File   string   `json:"file"`
	Title  string   `json:"title"`
	Pos    string   `json:"pos"`
	Passed bool     `json:"passed"`
	Why    []string `json:"why,omitempty"`

	trial *trace.Trial
}

func (t *testRun) run(ctx context.Context, args []string, h host) int {
	match, err := regexp.Compile(t.match)
	if err != nil {
		return usageError(h, "test", fmt.Sprintf("--run %s is no regular expression", t.match))
	}
	files, err := scenarioFiles(args)
	if err != nil {
		return usageError(h, "test", err.Error())
	}
	passed, failed, code := 0, 0, exitOK
	for _, file := range files {
		tests, ok := loadTests(file, match, h)
		if !ok {
			code = exitUsage
			continue
		}
		for _, o := range runTests(ctx, file, tests) {
			if o.Passed {
				passed++
			} else {
				failed++
			}
			t.say(h, o)
		}
	}
	if !t.json {
		fmt.Fprintf(h.stdout, "%d passed, %d failed\n", passed, failed)
		if code == exitOK && passed+failed == 0 && t.match == "" {
			fmt.Fprintln(h.stdout, "there is no test block in "+count(len(files), "file"))
		}
	}
	if code == exitOK && passed+failed == 0 && t.match != "" {
		fmt.Fprintln(h.stderr, "parley test: no test's title matches")
		return exitUsage
	}
	if code == exitOK && failed > 0 {
		return exitFailed
	}
	return code
}

func (t *testRun) say(h host, o outcome) {
	if t.json {
		_ = writeJSONLine(h.stdout, o) // a closed pipe ends the program anyway
		return
	}
	if o.Passed && !t.verbose {
		return
	}
	word := "ok  "
	if !o.Passed {
		word = "FAIL"
	}
	fmt.Fprintf(h.stdout, "%s %s: %s\n", word, diag.Safe(o.Pos), oneLine(o.Title))
	for _, why := range o.Why {
		fmt.Fprintln(h.stdout, lines(why, "       "))
	}
	if !o.Passed && t.verbose && o.trial != nil {
		p := &transcript{w: h.stdout, color: h.color, test: true}
		p.print(o.trial)
	}
}

// loadTests compiles a file's tests; what is wrong with it is said.
func loadTests(file string, match *regexp.Regexp, h host) ([]*interp.Test, bool) {
	o, err := openProject(file, h.getenv)
	if err != nil {
		fmt.Fprintln(h.stderr, "parley: "+diag.Safe(err.Error()))
		return nil, false
	}
	defer o.Close()
	mod, found := o.project.Load(o.path)
	var tests []*interp.Test
	if !found.HasErrors() {
		tests, found = mod.Tests()
	}
	if found.HasErrors() {
		found.Sort()
		report(h, found, mod)
		return nil, false
	}
	var chosen []*interp.Test
	for _, t := range tests {
		if match.MatchString(t.Title) {
			chosen = append(chosen, t)
		}
	}
	return chosen, true
}

// runTests runs tests on all cores and gives their outcomes in order.
func runTests(ctx context.Context, file string, tests []*interp.Test) []outcome {
	out := make([]outcome, len(tests))
	next := make(chan int)
	var wg sync.WaitGroup
	for range min(goruntime.GOMAXPROCS(0), len(tests)) {
		wg.Go(func() {
			for i := range next {
				out[i] = runTest(ctx, file, tests[i])
			}
		})
	}
	for i := range tests {
		next <- i
	}
	close(next)
	wg.Wait()
	return out
}

// runTest runs every arm of one test and looks at what must hold.
func runTest(ctx context.Context, file string, t *interp.Test) outcome {
	o := outcome{File: file, Title: t.Title, Pos: t.Pos}
	played, err := t.Play(ctx, asked(providers([]*runtime.Plan{t.Cell.Plan}, nil)))
	o.trial = played.Base
	if err != nil {
		o.Why = []string{err.Error()}
		return o
	}
	for _, v := range played.Verdicts {
		if v.Holds == "yes" {
			continue
		}
		why := fmt.Sprintf("%s: expect %s is %s", v.At, v.Text, map[string]string{"no": "false", "unknown": "unknown"}[v.Holds])
		if v.Why != "" {
			why += ": " + v.Why
		}
		o.Why = append(o.Why, why)
	}
	o.Passed = len(o.Why) == 0
	return o
}
