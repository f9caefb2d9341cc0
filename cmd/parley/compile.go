package main

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/spf13/pflag"

	"parley/interp"
	"parley/lang/diag"
)

// compiling holds the flags that say what is compiled, the same for every
// command that compiles a scenario.
type compiling struct {
	params  []string
	models  []string
	limit   string
	runs    int
	seed    string
	pairs   string
	approve string

	flags *pflag.FlagSet // to tell what was said from what was not
}

// compileFlags declares them.
func compileFlags(f *pflag.FlagSet) *compiling {
	c := &compiling{flags: f}
	f.StringArrayVarP(&c.params, "param", "p", nil, "set a parameter: name=value (may be repeated)")
	f.StringArrayVar(&c.models, "model", nil, "model for all agents, or ROLE=MODEL for one role, agent or group: a declared model, sim, or openai/NAME (may be repeated)")
	f.StringVar(&c.limit, "limit", "", "how many tasks: 10, or 11..20")
	f.IntVar(&c.runs, "runs", 0, "repeats of each trial")
	f.StringVar(&c.seed, "seed", "", "seed of everything that is drawn")
	envFileFlag(f)
	f.StringVar(&c.pairs, "pairs", "", "independent or shared")
	f.StringVar(&c.approve, "approve", "", "who has to approve for a defense: ask at the terminal, always or never (default: nobody is asked, and what hangs on it is n/a)")
	return c
}

// options turns the flags into what the compiler takes.
func (c *compiling) options() (interp.Options, error) {
	o := interp.Options{Params: map[string]string{}, Models: map[string]string{}, Limit: c.limit, Runs: c.runs, Pairs: c.pairs, Approve: c.approve}
	for _, p := range c.params {
		name, value, ok := strings.Cut(p, "=")
		if !ok || name == "" {
			return o, fmt.Errorf("--param %s: write name=value", p)
		}
		if _, twice := o.Params[name]; twice {
			return o, fmt.Errorf("--param %s is given twice", name)
		}
		o.Params[name] = value
	}
	for _, m := range c.models {
		role, name, ok := strings.Cut(m, "=")
		if !ok {
			role, name = "", m
		}
		if name == "" {
			return o, fmt.Errorf("--model %s: name a model", m)
		}
		o.Models[role] = name
	}
	if c.seed != "" {
		n, err := strconv.ParseUint(c.seed, 10, 64)
		if err != nil {
			return o, fmt.Errorf("--seed %s: a whole number from 0 on", c.seed)
		}
		o.Seed = &n
	}
	if c.runs < 1 && c.flags != nil && c.flags.Changed("runs") {
		return o, fmt.Errorf("--runs %d: a whole number from 1 on", c.runs)
	}
	if c.pairs != "" && c.pairs != "independent" && c.pairs != "shared" {
		return o, fmt.Errorf("--pairs %s: independent or shared", c.pairs)
	}
	return o, nil
}

// compile loads FILE and compiles TARGET. A nil suite comes with the exit code;
// what is wrong has been said by then. close releases the project.
func (c *compiling) compile(command string, args []string, h host) (suite *interp.Suite, close func(), code int) {
	o, err := c.options()
	if err == nil && (len(args) < 1 || len(args) > 2) {
		err = fmt.Errorf("takes FILE or FOLDER, and the name of a scenario or experiment where the file has several")
	}
	file := ""
	if err == nil {
		file, err = runnable(args[0], h)
	}
	if err != nil {
		return nil, nil, usageError(h, command, err.Error())
	}
	target := ""
	if len(args) == 2 {
		target = args[1]
	}
	return compileFile(file, target, o, h)
}

func compileFile(file, target string, o interp.Options, h host) (*interp.Suite, func(), int) {
	project, err := openProject(file, h.getenv)
	if err != nil {
		fmt.Fprintln(h.stderr, "parley: "+diag.Safe(err.Error()))
		return nil, nil, exitUsage
	}
	release := func() { _ = project.Close() } // a folder opened for reading: nothing can be lost
	mod, found := project.project.Load(project.path)
	var suite *interp.Suite
	if !found.HasErrors() {
		var more diag.List
		suite, more = mod.Compile(target, o)
		found = append(found, more...)
	}
	found.Sort()
	report(h, found, mod)
	if found.HasErrors() || suite == nil {
		release()
		return nil, nil, exitUsage
	}
	return suite, release, exitOK
}
