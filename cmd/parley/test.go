package main

import (
	"context"
	"fmt"
	"io"
	"regexp"
	goruntime "runtime"
	"sync"
	"time"

	"github.com/spf13/pflag"

	"parley/interp"
	"parley/lang/diag"
	"parley/runtime"
	"parley/runtime/model/sim"
)

// testCommand runs the test blocks of files.
func testCommand() command {
	return command{
		name: "test", args: "PATH…", summary: "run the test blocks of scenario files, with scripted agents",
		examples: []string{
			"parley test stdlib scenarios", "parley test my.parley --run 'poison' -v",
			"parley test scenarios --vacuity      (would the tests notice a wrong predicate?)",
		},
		setup: func(f *pflag.FlagSet) action {
			var t testRun
			f.StringVar(&t.match, "run", "", "only tests whose title matches this regular expression")
			f.BoolVarP(&t.verbose, "verbose", "v", false, "name every test, and print the transcript of those that fail")
			f.BoolVar(&t.json, "json", false, "print JSON, one line a test")
			f.StringVar(&t.junit, "junit", "", "write the results as JUnit XML to this file")
			f.BoolVar(&t.coverage, "coverage", false, "say which predicates the tests have seen true and false")
			f.BoolVar(&t.vacuity, "vacuity", false, "fail where a predicate is never true or never false, or where its mutants live: parts negated or dropped, any for all, bounds widened")
			f.Float64Var(&t.killed, "killed", 0.9, "with --vacuity: the share of mutants that tests must notice")
			return func(ctx context.Context, args []string, h host) int { return t.run(ctx, args, h) }
		},
	}
}

// testRun holds the flags of one call.
type testRun struct {
	match    string
	verbose  bool
	json     bool
	junit    string
	coverage bool
	vacuity  bool
	killed   float64
}

// outcome is a test that ran.
type outcome struct {
	File    string   `json:"file"`
	Title   string   `json:"title"`
	Pos     string   `json:"pos"`
	Passed  bool     `json:"passed"`
	Seconds float64  `json:"seconds"`
	Why     []string `json:"why,omitempty"`

	test   *interp.Test
	played interp.Played
	ran    bool // to its end, so that predicates can be looked at
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
	results, predicates, code := t.play(ctx, files, match, h)
	passed, failed := 0, 0
	for _, o := range results {
		if o.Passed {
			passed++
		} else {
			failed++
		}
		t.say(h, o)
	}
	if t.junit != "" {
		if err := toFile(t.junit, func(w io.Writer) error { return junit(w, results) }); err != nil {
			return failure(h, err)
		}
	}
	if !t.json {
		fmt.Fprintf(h.stdout, "%d passed, %d failed\n", passed, failed)
		if code == exitOK && passed+failed == 0 && t.match == "" {
			fmt.Fprintln(h.stdout, "there is no test block in "+count(len(files), "file"))
		}
		if failed > 0 && !t.verbose {
			fmt.Fprintln(h.stdout, "with -v: the transcripts of those that failed")
		}
	}
	if code == exitOK && passed+failed == 0 && t.match != "" {
		fmt.Fprintln(h.stderr, "parley test: no test's title matches")
		return exitUsage
	}
	if code == exitOK && failed > 0 {
		code = exitFailed
	}
	if !t.coverage && !t.vacuity {
		return code
	}
	good, err := t.survey(ctx, results, predicates, h)
	if err != nil {
		return failure(h, err)
	}
	if code == exitOK && !good {
		return exitFailed
	}
	return code
}

// play runs the tests of all files on all cores and gives their outcomes in
// order, with the predicates that the files declare.
func (t *testRun) play(ctx context.Context, files []string, match *regexp.Regexp, h host) (results []outcome, predicates []interp.Declared, code int) {
	for _, file := range files {
		tests, declared, ok := loadTests(file, match, h)
		if !ok {
			code = exitUsage
			continue
		}
		predicates = append(predicates, declared...)
		for _, test := range tests {
			results = append(results, outcome{File: file, Title: test.Title, Pos: test.Pos, test: test})
		}
	}
	next := make(chan int)
	var wg sync.WaitGroup
	for range min(goruntime.GOMAXPROCS(0), len(results)) {
		wg.Go(func() {
			for i := range next {
				results[i].play(ctx)
			}
		})
	}
	for i := range results {
		next <- i
	}
	close(next)
	wg.Wait()
	return results, predicates, code
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
	if !o.Passed && t.verbose && o.played.Base != nil {
		p := &transcript{w: h.stdout, color: h.color, test: true}
		p.print(o.played.Base)
		for _, v := range o.played.Judged {
			p.verdict(v)
		}
	}
}

// loadTests compiles a file's tests; what is wrong with it is said.
func loadTests(file string, match *regexp.Regexp, h host) ([]*interp.Test, []interp.Declared, bool) {
	o, err := openProject(file, h.getenv)
	if err != nil {
		fmt.Fprintln(h.stderr, "parley: "+diag.Safe(err.Error()))
		return nil, nil, false
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
		return nil, nil, false
	}
	var chosen []*interp.Test
	for _, t := range tests {
		if match.MatchString(t.Title) {
			chosen = append(chosen, t)
		}
	}
	return chosen, mod.Predicates(), true
}

// play runs every arm of the test and looks at what must hold.
func (o *outcome) play(ctx context.Context) {
	begun := time.Now()
	defer func() { o.Seconds = time.Since(begun).Seconds() }()
	facts := &sim.Facts{}
	others := asked(knowing(facts, providers([]*runtime.Plan{o.test.Cell.Plan}, nil)))
	played, err := o.test.Play(ctx, taught{others, facts})
	o.played = played
	if err != nil {
		o.Why = []string{err.Error()}
		return
	}
	o.ran = true
	for i, v := range played.Verdicts {
		if v.Holds == "yes" {
			continue
		}
		why := fmt.Sprintf("%s: expect %s is %s", v.At, v.Text, map[string]string{"no": "false", "unknown": "unknown"}[v.Holds])
		if v.Why != "" {
			why += ": " + v.Why
		}
		o.Why = append(o.Why, why+because(ctx, o.test, played, o.test.Expect[i]))
	}
	o.Passed = len(o.Why) == 0
}
