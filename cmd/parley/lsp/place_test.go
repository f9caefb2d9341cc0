package lsp

import (
	"bufio"
	"errors"
	"io"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"parley/lang/source"
)

// Every offset at which a character begins comes back as it was, in both encodings.
func TestPlacesComeBack(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		text := rapid.StringOf(rapid.RuneFrom([]rune("a é🦜\n{\t"))).Draw(t, "text")
		src := source.New("x", text)
		for _, e := range []encoding{utf8Units, utf16Units} {
			for at := range text {
				if got := e.offset(src, e.position(src, at)); got != at {
					t.Fatalf("%s: %d of %q comes back as %d", e, at, text, got)
				}
			}
			if got := e.offset(src, e.position(src, len(text))); got != len(text) {
				t.Fatalf("%s: the end of %q comes back as %d", e, text, got)
			}
		}
	})
}

// A place outside of the text is the nearest one in it, and never within a character.
func TestPlacesOutside(t *testing.T) {
	src := source.New("x", "a🦜b\nc")
	for _, c := range []struct {
		e    encoding
		p    position
		want int
	}{
		{utf8Units, position{0, 99}, 6},
		{utf16Units, position{0, 99}, 6},
		{utf8Units, position{0, 3}, 1},
		{utf16Units, position{0, 3}, 5},
		{utf8Units, position{9, 9}, 8},
		{utf16Units, position{9, 9}, 8},
		{utf8Units, position{-1, -1}, 0},
		{utf16Units, position{-1, -1}, 0},
	} {
		if got := c.e.offset(src, c.p); got != c.want {
			t.Errorf("%s %+v is %d, want %d", c.e, c.p, got, c.want)
		}
	}
}

func TestFiles(t *testing.T) {
	for _, path := range []string{"/a/b c.parley", "/ä/🦜%.parley"} {
		if got := fileOf(uriOf(path)); got != path {
			t.Errorf("%s comes back as %s", path, got)
		}
	}
	for _, uri := range []string{"untitled:Untitled-1", "http://x/y.parley", "%zz", ""} {
		if got := fileOf(uri); got != "" {
			t.Errorf("%s is the file %s", uri, got)
		}
	}
}

// What is no message ends the connection or is passed over, as it should be.
func TestReadRefuses(t *testing.T) {
	for _, c := range []struct{ text, says string }{
		{"", "EOF"},
		{"Content-Length: 5\r\n\r\n{}", "EOF"},
		{"Content-Length: x\r\n\r\n", "no length"},
		{"Content-Length: -1\r\n\r\n", "no length"},
		{"nothing\r\n\r\n", "no colon"},
		{"A: b\r\n\r\n{}", "its length"},
		{"Content-Length: 99999999999\r\n\r\n", "larger than"},
		{"Content-Length: 2\r\n\r\n{]", "no JSON"},
	} {
		_, err := read(bufio.NewReader(strings.NewReader(c.text)))
		if err == nil || !strings.Contains(err.Error(), c.says) && !(c.says == "EOF" && errors.Is(err, io.ErrUnexpectedEOF)) {
			t.Errorf("%q: %v", c.text, err)
		}
	}
}
