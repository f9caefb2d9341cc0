// Package format writes .parley files in their one form: two spaces a level,
// one item a line, nothing aligned, so that editing one thing changes one
// line. What the author broke into lines stays so, and what was on one line
// stays there if it fits. Spaces, line breaks and commas behind last elements
// change and nothing else does; comments stay where they were.
//
// It goes by tokens and by what the parser says of them (parse.Layout), not by
// the kinds of declarations, and it looks at its own result: where that did not
// parse to the same tree with the same comments, there is an error and no result.
package format

import (
	"errors"
	"fmt"

	"parley/lang"
	"parley/lang/ast"
	"parley/lang/diag"
	"parley/lang/parse"
	"parley/lang/source"
)

// ErrUnsure says that a file was left alone, because laying it out would have
// changed what it says. It is a mistake of this package.
var ErrUnsure = errors.New("this file cannot be formatted without changing what it says; please report it with the file")

// rounds is how often a result is laid out again until it stays as it is.
const rounds = 4

// Source lays out one file. name is how the user calls it. A file with errors
// is not laid out: they are returned, and there is no text.
func Source(name string, src []byte) ([]byte, diag.List, error) {
	file, found := lang.Parse(name, src)
	if found.HasErrors() {
		return nil, found, nil
	}
	was := string(src)
	for range rounds {
		is := layOut(name, was)
		again, problems := lang.Parse(name, []byte(is))
		if problems.HasErrors() || !sameFile(file, again) {
			return nil, nil, ErrUnsure
		}
		if is == was {
			return []byte(is), found, nil
		}
		was = is
	}
	return nil, nil, fmt.Errorf("%w (it does not come to rest)", ErrUnsure)
}

func layOut(name, text string) string {
	src := source.New(name, text)
	p := &printer{layout: newLayout(src.Text, parse.Outline(src))}
	return p.file()
}

// sameFile compares what two files say: their trees without places, and their
// comments.
func sameFile(a, b *ast.File) bool {
	if len(a.Comments) != len(b.Comments) {
		return false
	}
	for i := range a.Comments {
		if trimmed(a.Comments[i].Text) != trimmed(b.Comments[i].Text) {
			return false
		}
	}
	return sameTree(a, b)
}
