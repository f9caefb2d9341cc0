package build

import (
	"parley/interp/load"
	"parley/lang/ast"
	"parley/lang/diag"
	"parley/runtime"
)

// Team compiles a team of the main file by itself, in an empty world and on tasks
// of any shape: what can be said of a team without a scenario. Parameters come as
// text. It is nil where the team or its parameters are wrong; what only a workspace
// could settle, such as tools, is not looked at.
func (c *Compiler) Team(name string, params map[string]string) *runtime.Program {
	m := c.prog.Main
	d := c.teamNamed(name)
	if d == nil {
		return nil
	}
	given := map[string]argument{}
	for param, text := range params {
		given[param] = argument{text: &text, span: d.Name.Span, name: d.Name.Span}
	}
	given = c.standIns(d.Params, given)
	sc, ok := c.bindValues(m, "team "+d.Name.Name, d.Params, m, d.Name.Span, given)
	if !ok {
		return nil
	}
	t := c.expandTeam(sc, d, m, &ast.Ref{Span: d.Name.Span})
	if t == nil {
		return nil
	}
	world := &workspace{sc: scope{m: m, params: map[string]param{}}}
	var prog *runtime.Program
	c.attempt(func() {
		prog, _ = c.program(t, world, &taskSet{open: true, m: m, at: d.Name.Span}, &modelChoice{}, nil)
	})
	return prog
}

// Teams lists the teams that the main file declares.
func (c *Compiler) Teams() []string {
	var names []string
	for _, d := range c.prog.Main.File.Decls {
		if d.Team != nil {
			names = append(names, d.Team.Name.Name)
		}
	}
	return names
}

// teamNamed finds a team of the main file.
func (c *Compiler) teamNamed(name string) *ast.Team {
	names := c.Teams()
	for _, d := range c.prog.Main.File.Decls {
		if d.Team != nil && d.Team.Name.Name == name {
			return d.Team
		}
	}
	hint := load.Suggest(name, names)
	if hint == "" && len(names) > 0 {
		hint = "there are " + list(names)
	}
	c.option(diag.NoSuchTarget, hint, "the file has no team %q", name)
	return nil
}
