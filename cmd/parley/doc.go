package main

import (
	"context"
	"fmt"
	"io"
	"io/fs"
	"os"
	"slices"
	"sort"
	"strings"

	"github.com/spf13/pflag"

	docs "parley/interp/report"
	"parley/lang"
	"parley/lang/diag"
	"parley/lang/source"
	"parley/stdlib"
)

// docCommand prints what files say of themselves.
func docCommand() command {
	return command{
		name: "doc", args: "[FILE [NAME]]", summary: "print a file's declarations with their comments, parameters and defaults",
		examples: []string{
			"parley doc      (the library's files)", "parley doc std/debate", "parley doc std/debate standard", "parley doc my.parley --format markdown",
		},
		first: libraryFiles,
		setup: func(f *pflag.FlagSet) action {
			format := f.String("format", "text", "text or markdown")
			return func(_ context.Context, args []string, h host) int {
				write := map[string]docWriter{"text": docs.WriteText, "markdown": docs.WriteMarkdown}[*format]
				switch {
				case write == nil:
					return usageError(h, "doc", fmt.Sprintf("--format is text or markdown, not %q", *format))
				case len(args) > 2:
					return usageError(h, "doc", "name a file, and perhaps one of its declarations")
				case len(args) == 0:
					return printLibrary(write, h)
				}
				return printDoc(args[0], slices.Concat(args[1:], []string{""})[0], write, h)
			}
		},
	}
}

type docWriter = func(w io.Writer, d *docs.Document) error

// libraryFiles lists the library as files import it: std/debate.
func libraryFiles() []string {
	var names []string
	err := fs.WalkDir(stdlib.FS, ".", func(name string, d fs.DirEntry, err error) error {
		if inside, ok := strings.CutSuffix(name, ".parley"); ok && err == nil && !d.IsDir() {
			names = append(names, "std/"+inside)
		}
		return err
	})
	if err != nil {
		panic(err) // it is compiled in
	}
	sort.Strings(names)
	return names
}

// printLibrary lists the library's files with what each says first.
func printLibrary(write docWriter, h host) int {
	d := &docs.Document{Blocks: []docs.Block{{Heading: "The standard library"}}}
	t := &docs.Table{Head: []string{"file", "what it holds"}}
	for _, name := range libraryFiles() {
		file, code := readDoc(name, h)
		if code != exitOK {
			return code
		}
		intro, _, _ := strings.Cut(oneParagraph(file.intro), ". ")
		t.Rows = append(t.Rows, []string{name, strings.TrimSuffix(intro, ".")})
	}
	d.Blocks = append(d.Blocks, docs.Block{Table: t})
	return writeDoc(write, d, h)
}

func writeDoc(write docWriter, d *docs.Document, h host) int {
	if err := write(h.stdout, d); err != nil {
		fmt.Fprintln(h.stderr, "parley: "+diag.Safe(err.Error()))
		return exitUsage
	}
	return exitOK
}

// readDoc reads a file of the library or of the user. A file with mistakes in
// its syntax says them instead.
func readDoc(name string, h host) (docFile, int) {
	text, err := []byte(nil), error(nil)
	if inside, ok := strings.CutPrefix(name, "std/"); ok {
		text, err = fs.ReadFile(stdlib.FS, strings.TrimSuffix(inside, ".parley")+".parley")
	} else {
		text, err = os.ReadFile(name)
	}
	if err != nil {
		msg := fmt.Sprintf("%s: %s", name, reason(err))
		if near := diag.Nearest(name, libraryFiles()); near != "" {
			msg += fmt.Sprintf("; did you mean %s?", near)
		}
		return docFile{}, usageError(h, "doc", msg)
	}
	file, found := lang.Parse(name, text)
	src := source.New(name, string(text))
	if found.HasErrors() {
		p := diag.Printer{Color: h.colorErrors}
		if err := p.Print(h.stderr, found, func(string) *source.Source { return src }); err != nil {
			return docFile{}, exitUsage // nobody reads what is wrong
		}
		return docFile{}, exitUsage
	}
	return document(name, src, file), exitOK
}

// printDoc prints a file's declarations, or one of them.
func printDoc(name, only string, write docWriter, h host) int {
	file, code := readDoc(name, h)
	if code != exitOK {
		return code
	}
	d := &docs.Document{Blocks: []docs.Block{{Heading: file.name}}}
	if only == "" {
		d.Blocks = append(d.Blocks, paragraphs(file.intro)...)
	}
	var names []string
	found := only == ""
	for _, decl := range file.decls {
		names = append(names, decl.name)
		if only == "" || only == decl.name {
			d.Blocks = append(d.Blocks, decl.blocks()...)
			found = true
		}
	}
	if !found {
		msg := fmt.Sprintf("%s declares no %q", name, only)
		if near := diag.Nearest(only, names); near != "" {
			msg += fmt.Sprintf("; did you mean %q?", near)
		}
		return usageError(h, "doc", msg)
	}
	if only == "" && len(file.tests) > 0 {
		d.Blocks = append(d.Blocks, docs.Block{Heading: "tests"}, docs.Block{List: file.tests})
	}
	return writeDoc(write, d, h)
}

// paragraphs divides a comment at its empty lines.
func paragraphs(comment string) (blocks []docs.Block) {
	for _, p := range strings.Split(comment, "\n\n") {
		if p = oneParagraph(p); p != "" {
			blocks = append(blocks, docs.Block{Paragraph: p})
		}
	}
	return blocks
}

// blocks are the parts of one declaration.
func (o *docDecl) blocks() []docs.Block {
	out := append([]docs.Block{{Heading: o.head}}, paragraphs(o.doc)...)
	if o.about != "" && o.about != oneParagraph(o.doc) {
		out = append(out, docs.Block{Paragraph: o.about})
	}
	for _, l := range o.lists {
		t := &docs.Table{Head: []string{l.title}}
		if slices.ContainsFunc(l.rows, func(r [2]string) bool { return r[1] != "" }) {
			t.Head = append(t.Head, "")
		}
		for i, r := range l.rows {
			if !slices.Contains(l.rows[:i], r) { // both sides of an `if` may say it
				t.Rows = append(t.Rows, r[:len(t.Head)])
			}
		}
		out = append(out, docs.Block{Table: t})
	}
	return out
}
