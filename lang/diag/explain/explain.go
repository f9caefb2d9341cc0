// Package explain says of every diagnostic's code what it means, with a file in
// which it is said and the same file put right.
package explain

import (
	"embed"
	"strings"

	"parley/lang/diag"
)

//go:embed *.txt
var texts embed.FS

// Entry is what is to say of one code. Where a file needs others beside it, they
// are in Files; facts.jsonl of the reference is there in any case. Target is what the
// command line asks for, where the mistake is there.
type Entry struct {
	Code         diag.Code
	Says         string
	Wrong, Right string
	Files        []File
	Target       string
}

// File is a file beside an example.
type File struct{ Name, Text string }

// Of finds what is to say of a code.
func Of(code diag.Code) (Entry, bool) {
	for _, e := range All() {
		if e.Code == code {
			return e, true
		}
	}
	return Entry{}, false
}

// All lists what is said, by code.
func All() []Entry {
	files, err := texts.ReadDir(".")
	if err != nil {
		panic(err) // it is compiled in
	}
	var all []Entry
	for _, f := range files {
		text, err := texts.ReadFile(f.Name())
		if err != nil {
			panic(err) // it is compiled in
		}
		for _, part := range strings.Split("\n"+string(text), "\n== ")[1:] {
			all = append(all, read(part))
		}
	}
	return all
}

// read takes an entry apart: its code, a sentence, and parts that begin with a
// line `-- wrong`, `-- right`, `-- file NAME` or `-- target NAME`.
func read(text string) Entry {
	parts := strings.Split(text, "\n-- ")
	code, says, _ := strings.Cut(parts[0], "\n")
	e := Entry{Code: diag.Code(code), Says: strings.TrimSpace(says)}
	for _, p := range parts[1:] {
		head, body, _ := strings.Cut(p, "\n")
		body = strings.TrimRight(body, "\n") + "\n"
		switch kind, name, _ := strings.Cut(head, " "); kind {
		case "wrong":
			e.Wrong = body
		case "right":
			e.Right = body
		case "target":
			e.Target = name
		case "file":
			e.Files = append(e.Files, File{name, body})
		}
	}
	return e
}
