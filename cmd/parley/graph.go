package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/pflag"

	"parley/interp"
	"parley/interp/picture"
	"parley/lang/diag"
	"parley/stdlib"
)

// graphCommand draws a team.
func graphCommand() command {
	return command{
		name: "graph", args: "std/FILE.TEAM | FILE [TEAM | SCENARIO | EXPERIMENT]", summary: "draw a team: who hears whom, and who speaks when",
		examples: []string{
			"parley graph std/debate.standard",
			"parley graph std/debate.standard -p n=30 -o debate.svg",
			"parley graph scenarios/quickstart.parley --format mermaid",
		},
		setup: func(f *pflag.FlagSet) action {
			c := compileFlags(f)
			format := f.String("format", "", "text, mermaid or svg (without it, what the name of --output says, else text)")
			output := f.StringP("output", "o", "", "write to this file")
			return func(_ context.Context, args []string, h host) int {
				draw, err := drawing(*format, *output)
				if err == nil && (len(args) < 1 || len(args) > 2) {
					err = errors.New("takes std/FILE.TEAM, or FILE and the name of a team or scenario where the file has several")
				}
				if err != nil {
					return usageError(h, "graph", err.Error())
				}
				pic, code := c.picture(args, h)
				if pic == nil {
					return code
				}
				if *output == "" {
					err = draw(pic, h.stdout)
				} else {
					err = toFile(*output, func(w io.Writer) error { return draw(pic, w) })
				}
				if err != nil {
					return failure(h, err)
				}
				return exitOK
			}
		},
	}
}

// drawing picks how the picture is written.
func drawing(format, output string) (func(*picture.Picture, io.Writer) error, error) {
	if format == "" {
		format = map[string]string{".svg": "svg", ".mmd": "mermaid", ".mermaid": "mermaid"}[filepath.Ext(output)]
	}
	switch format {
	case "", "text":
		return (*picture.Picture).Text, nil
	case "mermaid":
		return (*picture.Picture).Mermaid, nil
	case "svg":
		return (*picture.Picture).SVG, nil
	}
	return nil, fmt.Errorf("--format %s: text, mermaid or svg", format)
}

// picture compiles what the arguments name. A nil picture comes with the exit
// code; what is wrong has been said by then.
func (c *compiling) picture(args []string, h host) (*picture.Picture, int) {
	if rest, std := strings.CutPrefix(args[0], "std/"); std {
		return c.libraryPicture(rest, args[1:], h)
	}
	opened, err := openProject(args[0], h.getenv)
	if err != nil {
		fmt.Fprintln(h.stderr, "parley: "+diag.Safe(err.Error()))
		return nil, exitUsage
	}
	defer func() { _ = opened.Close() }() // a folder opened for reading: nothing can be lost
	mod, found := opened.project.Load(opened.path)
	name := ""
	if len(args) == 2 {
		name = args[1]
	}
	if found.HasErrors() || mod == nil {
		report(h, found, mod)
		return nil, exitUsage
	}
	teams := mod.Teams()
	if name == "" && len(mod.Targets()) == 0 && len(teams) == 1 {
		name = teams[0]
	}
	if !slices.Contains(teams, name) {
		return c.scenarioPicture(mod, name, h)
	}
	return c.teamPicture(mod, name, name, h)
}

// libraryPicture draws a team of the standard library: debate.standard.
func (c *compiling) libraryPicture(path string, more []string, h host) (*picture.Picture, int) {
	file, name, named := strings.Cut(path, ".")
	switch {
	case len(more) > 0 && !named:
		name = more[0]
	case len(more) > 0:
		return nil, usageError(h, "graph", "std/"+path+" names a team already")
	}
	mod, found := interp.Project{Root: stdlib.FS, Std: stdlib.FS, Getenv: h.getenv}.Load(file + ".parley")
	if found.HasErrors() || mod == nil {
		report(h, found, mod)
		return nil, exitUsage
	}
	if teams := mod.Teams(); name == "" && len(teams) == 1 {
		name = teams[0]
	} else if name == "" {
		return nil, usageError(h, "graph", fmt.Sprintf("std/%s has more than one team: name one of them, %s", file, strings.Join(teams, ", ")))
	}
	return c.teamPicture(mod, name, "std/"+file+"."+name, h)
}

func (c *compiling) teamPicture(mod *interp.Module, name, title string, h host) (*picture.Picture, int) {
	o, err := c.options()
	if err != nil {
		return nil, usageError(h, "graph", err.Error())
	}
	p, found := mod.Team(name, o.Params)
	report(h, found, mod)
	if p == nil {
		return nil, exitUsage
	}
	return picture.Of(titled(title, o.Params), p), exitOK
}

// scenarioPicture draws the team of a scenario, and marks whom its attack names.
func (c *compiling) scenarioPicture(mod *interp.Module, name string, h host) (*picture.Picture, int) {
	o, err := c.options()
	if err != nil {
		return nil, usageError(h, "graph", err.Error())
	}
	suite, found := mod.Compile(name, o)
	report(h, found, mod)
	if suite == nil || found.HasErrors() {
		return nil, exitUsage
	}
	plan := suite.Cells[0].Plan
	return picture.Of(titled(suite.Name, o.Params), baseArm(plan).Program), exitOK
}

// titled says with which parameters a team is drawn.
func titled(name string, params map[string]string) string {
	var words []string
	for k, v := range params {
		words = append(words, k+" "+v)
	}
	slices.Sort(words)
	if len(words) == 0 {
		return name
	}
	return name + " with " + strings.Join(words, ", ")
}
