package interp

import "parley/interp/build"

// Choice is a value that a scenario's parameter may have beside its default.
type Choice = build.Choice

// Alone reports that the scenario needs no arguments.
func (m *Module) Alone(scenario string) bool { return build.New(m.prog, m.getenv).Alone(scenario) }

// Choices lists the other values of a scenario's parameters that are unions or
// booleans, one at a time.
func (m *Module) Choices(scenario string) []Choice {
	return build.New(m.prog, m.getenv).Choices(scenario)
}

// Defaults are the defaults of the parameters of all declarations that the file
// reaches, as written, by where they stand: "std/debate team standard n".
func (m *Module) Defaults() map[string]string { return build.New(m.prog, m.getenv).Defaults() }
