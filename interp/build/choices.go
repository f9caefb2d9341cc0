package build

import (
	"fmt"

	"parley/interp/load"
	"parley/lang/ast"
	"parley/runtime/shape"
)

// Choice is a value that a parameter may have beside its default.
type Choice struct{ Name, Value string }

// Choices lists the other values of the parameters of a scenario of the main file
// that have few of them, at most maxChoices.
func (c *Compiler) Choices(scenario string) []Choice {
	d := c.scenarioNamed(scenario)
	if d == nil {
		return nil
	}
	m := c.prog.Main
	var out []Choice
	for _, p := range d.Params {
		if p.Type == nil || p.Default == nil {
			continue
		}
		s, ok := c.paramShape(m, p)
		usual, known := c.constantAs(scope{m: m}, p.Default, s, "a default")
		if !ok || !known {
			continue
		}
		values := s.Values
		if s.Kind == shape.Bool {
			values = []any{true, false}
		}
		for _, v := range values {
			if v != usual && len(out) < maxChoices {
				out = append(out, Choice{p.Name.Name, fmt.Sprint(v)})
			}
		}
	}
	return out
}

// Alone reports that a scenario of the main file can be compiled without
// arguments: it has a team, tasks, and a default for each parameter.
func (c *Compiler) Alone(scenario string) bool {
	d := c.scenarioNamed(scenario)
	return d != nil && standsAlone(d)
}

func standsAlone(d *ast.Scenario) bool {
	hasTasks, hasTeam := false, false
	for _, x := range d.Members {
		hasTasks = hasTasks || x.Tasks != nil || x.If != nil
		hasTeam = hasTeam || x.Team != nil || x.If != nil
	}
	for _, p := range d.Params {
		if p.Default == nil {
			return false
		}
	}
	return hasTasks && hasTeam
}

func (c *Compiler) scenarioNamed(name string) *ast.Scenario {
	for _, d := range c.prog.Main.File.Decls {
		if d.Scenario != nil && d.Scenario.Name.Name == name {
			return d.Scenario
		}
	}
	return nil
}

// Defaults are the defaults of all parameters, as written, by file, kind of
// declaration, its name and the parameter's.
func (c *Compiler) Defaults() map[string]string {
	out := map[string]string{}
	for _, m := range c.prog.Modules {
		for _, d := range m.File.Decls {
			kind, name := load.Named(d)
			for _, p := range d.Params() {
				if p.Default != nil && name != nil {
					out[fmt.Sprintf("%s %s %s %s", m.Name, kind, name.Name, p.Name.Name)] = p.Default.Text
				}
			}
		}
	}
	return out
}
