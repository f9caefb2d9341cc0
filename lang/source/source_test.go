package source_test

import (
	"strings"
	"testing"
	"unicode/utf8"

	"pgregory.net/rapid"

	"parley/lang/source"
)

func TestPosition(t *testing.T) {
	s := source.New("x", "ab\né😀c\r\n\nend")
	for _, c := range []struct {
		offset       int
		line, column int
		utf16        int
	}{
		{0, 1, 1, 0}, {2, 1, 3, 2}, {3, 2, 1, 0}, {5, 2, 2, 1}, {9, 2, 3, 3}, {12, 3, 1, 0}, {13, 4, 1, 0}, {16, 4, 4, 3}, {99, 4, 4, 3}, {-1, 1, 1, 0},
	} {
		if got := s.Position(c.offset); got != (source.Position{Line: c.line, Column: c.column}) {
			t.Errorf("offset %d is at %v, want %d:%d", c.offset, got, c.line, c.column)
		}
		if line, column := s.UTF16(c.offset); line != c.line-1 || column != c.utf16 {
			t.Errorf("offset %d is at %d:%d in UTF-16, want %d:%d", c.offset, line, column, c.line-1, c.utf16)
		}
	}
	if got := s.Line(2); got != "é😀c" {
		t.Errorf("line 2 is %q", got)
	}
	if got := s.Lines(); got != 4 {
		t.Errorf("%d lines", got)
	}
}

// Places lead back to their offsets.
func TestRoundTrip(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		text := rapid.StringOf(rapid.SampledFrom([]rune{'a', 'é', '😀', '\n', ' '})).Draw(t, "text")
		s := source.New("x", text)
		for i := range text {
			if got := s.Offset(s.Position(i)); got != i {
				t.Fatalf("offset %d comes back as %d", i, got)
			}
			if got := s.OffsetUTF16(s.UTF16(i)); got != i {
				t.Fatalf("offset %d comes back from UTF-16 as %d", i, got)
			}
		}
	})
}

func TestCheck(t *testing.T) {
	for _, c := range []struct {
		text   string
		offset int
		utf16  bool
		right  bool
	}{
		{"plain é", 0, false, true},
		{"\ufeffwith a mark", 0, false, true},
		{"ab\xffc", 2, false, false},
		{"a\ufffd\xc3", 4, false, false},
		{"\xff\xfea\x00", 0, true, false},
	} {
		got := source.Check([]byte(c.text))
		if (got == nil) != c.right || got != nil && (got.Offset != c.offset || got.UTF16 != c.utf16) {
			t.Errorf("%q: %+v", c.text, got)
		}
	}
}

// Places in one huge line are counted from marks along it.
func TestPositionFarAlong(t *testing.T) {
	text := strings.Repeat("aé😀", 5000)
	s := source.New("x", text)
	for at, n := 0, 1; at < len(text); n++ {
		if got := s.Position(at); got != (source.Position{Line: 1, Column: n}) {
			t.Fatalf("offset %d is at %v, want 1:%d", at, got, n)
		}
		_, size := utf8.DecodeRuneInString(text[at:])
		at += size
	}
}
