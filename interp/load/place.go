package load

import (
	"fmt"
	"sort"
	"unicode/utf8"
)

// Line is the line, from 1, that a byte offset stands in.
func (m *Module) Line(offset int) int {
	m.index()
	return sort.SearchInts(m.lines, offset+1)
}

// At renders an offset as file:line:column, columns counting characters from 1.
func (m *Module) At(offset int) string {
	line := m.Line(offset)
	start := m.lines[line-1]
	if offset > len(m.Src) {
		offset = len(m.Src)
	}
	return fmt.Sprintf("%s:%d:%d", m.Name, line, utf8.RuneCount(m.Src[start:offset])+1)
}

func (m *Module) index() {
	if m.lines != nil {
		return
	}
	m.lines = []int{0}
	for i, b := range m.Src {
		if b == '\n' {
			m.lines = append(m.lines, i+1)
		}
	}
}
