package load

import "strconv"

// Line is the line, from 1, that a byte offset stands in.
func (m *Module) Line(offset int) int { return m.Source.Position(offset).Line }

// At renders an offset as file:line:column, columns counting characters from 1.
func (m *Module) At(offset int) string {
	p := m.Source.Position(offset)
	return m.Name + ":" + strconv.Itoa(p.Line) + ":" + strconv.Itoa(p.Column)
}
