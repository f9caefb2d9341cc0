// Package source holds the text of one file and the arithmetic of places in
// it: everything else keeps byte offsets, and lines, columns and UTF-16 units
// are derived here when a person or an editor asks.
package source

import (
	"bytes"
	"sort"
	"strings"
	"unicode/utf16"
	"unicode/utf8"
)

// MaxBytes is the largest file that is read.
const MaxBytes = 4 << 20

// Source is one file: its name as the user would type it, and its text.
type Source struct {
	Name string
	Text string
	// lines holds the byte offset at which each line begins.
	lines []int
	// marks holds the characters before every markEvery-th byte, so that a
	// place far along one huge line is found as fast as any other.
	marks []int
}

const markEvery = 4096

// New makes a source of text; lines end at "\n".
func New(name, text string) *Source {
	lines := []int{0}
	for i := 0; i < len(text); {
		j := strings.IndexByte(text[i:], '\n')
		if j < 0 {
			break
		}
		i += j + 1
		lines = append(lines, i)
	}
	marks := []int{0}
	for at, n := 0, 0; at+markEvery <= len(text); at += markEvery {
		for i := at; i < at+markEvery; i++ {
			if utf8.RuneStart(text[i]) {
				n++
			}
		}
		marks = append(marks, n)
	}
	return &Source{Name: name, Text: text, lines: lines, marks: marks}
}

// characters counts those that begin before a byte offset.
func (s *Source) characters(offset int) int {
	mark := offset / markEvery
	n := s.marks[mark]
	for i := mark * markEvery; i < offset; i++ {
		if utf8.RuneStart(s.Text[i]) {
			n++
		}
	}
	return n
}

// Position is a place for people: both count from 1, columns in characters.
type Position struct{ Line, Column int }

// Position returns the line and column of a byte offset. Offsets outside the
// text are taken as its nearest end.
func (s *Source) Position(offset int) Position {
	offset = min(max(offset, 0), len(s.Text))
	line := s.lineAt(offset)
	return Position{line + 1, s.between(s.lines[line], offset) + 1}
}

// between counts the characters that begin from one byte offset to another.
func (s *Source) between(from, to int) int {
	if to-from > markEvery {
		return s.characters(to) - s.characters(from)
	}
	n := 0
	for i := from; i < to; i++ {
		if utf8.RuneStart(s.Text[i]) {
			n++
		}
	}
	return n
}

// Offset returns the byte offset of a position, the nearest one where the
// line or the column does not exist.
func (s *Source) Offset(p Position) int {
	line := min(max(p.Line, 1), len(s.lines)) - 1
	at := s.lines[line]
	text := s.Line(line + 1)
	for i := range text {
		if p.Column <= 1 {
			return at + i
		}
		p.Column--
	}
	return at + len(text)
}

// UTF16 returns the zero-based line and column in UTF-16 units of a byte
// offset, as language servers count.
func (s *Source) UTF16(offset int) (line, column int) {
	offset = min(max(offset, 0), len(s.Text))
	line = s.lineAt(offset)
	for _, r := range s.Text[s.lines[line]:offset] {
		column += max(utf16.RuneLen(r), 1)
	}
	return line, column
}

// OffsetUTF16 is the inverse of UTF16.
func (s *Source) OffsetUTF16(line, column int) int {
	line = min(max(line, 0), len(s.lines)-1)
	at := s.lines[line]
	text := s.Line(line + 1)
	for i, r := range text {
		if column <= 0 {
			return at + i
		}
		column -= max(utf16.RuneLen(r), 1)
	}
	return at + len(text)
}

// Line returns the text of a line, counted from 1, without its line break.
func (s *Source) Line(n int) string {
	if n < 1 || n > len(s.lines) {
		return ""
	}
	end := len(s.Text)
	if n < len(s.lines) {
		end = s.lines[n] - 1
	}
	return strings.TrimSuffix(s.Text[s.lines[n-1]:end], "\r")
}

// LineOf returns the line of a byte offset, counted from 1.
func (s *Source) LineOf(offset int) int {
	return s.lineAt(min(max(offset, 0), len(s.Text))) + 1
}

// LineStart returns the offset at which the line of a byte offset begins.
func (s *Source) LineStart(offset int) int {
	return s.lines[s.lineAt(min(max(offset, 0), len(s.Text)))]
}

// Lines returns the number of lines.
func (s *Source) Lines() int { return len(s.lines) }

func (s *Source) lineAt(offset int) int {
	return sort.SearchInts(s.lines, offset+1) - 1
}

// Encoding is what Check found wrong with the bytes of a file.
type Encoding struct {
	Offset int
	// UTF16 says that the file begins like one saved as UTF-16.
	UTF16 bool
}

// Check returns nil for valid UTF-8, with or without a byte order mark, and
// else the place of the first byte that cannot be read.
func Check(src []byte) *Encoding {
	if bytes.HasPrefix(src, []byte{0xff, 0xfe}) || bytes.HasPrefix(src, []byte{0xfe, 0xff}) {
		return &Encoding{UTF16: true}
	}
	if utf8.Valid(src) {
		return nil
	}
	for i := 0; i < len(src); {
		r, size := utf8.DecodeRune(src[i:])
		if r == utf8.RuneError && size <= 1 {
			return &Encoding{Offset: i}
		}
		i += size
	}
	return nil
}

// BOM is the UTF-8 byte order mark, which a file may begin with.
const BOM = "\ufeff"
