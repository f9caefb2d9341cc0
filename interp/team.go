package interp

import (
	"parley/interp/build"
	"parley/lang/diag"
	"parley/runtime"
)

// Team compiles one team of the file by itself: what can be said of it without a
// scenario. params are its parameters as text. It is nil where the list has errors.
func (m *Module) Team(name string, params map[string]string) (*runtime.Program, diag.List) {
	if m.found.HasErrors() {
		return nil, m.found
	}
	c := build.New(m.prog, m.getenv)
	p := c.Team(name, params)
	found := m.with(c)
	if found.HasErrors() {
		return nil, found
	}
	return p, found
}

// Teams lists the teams that the file declares, in order.
func (m *Module) Teams() []string { return build.New(m.prog, m.getenv).Teams() }
