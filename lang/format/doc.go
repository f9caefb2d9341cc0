package format

import (
	"strings"
	"unicode/utf8"
)

// A doc is text with places where a line may end. A group is written on one
// line if it fits on it, else all of its own lines end; groups within it are
// then asked anew. This is the pretty printer of Wadler and of Oppen, with one
// addition: what must be broken breaks every group around it.
type doc interface{ forced() bool }

type (
	// text is written as it is; it holds no line break.
	text string
	// comment is text that counts for no width.
	comment string
	// line is a space, or nothing if soft, where its group is on one line.
	line struct{ soft bool }
	// hard always ends the line; raw keeps the next one from being indented.
	hard struct{ raw bool }
	// trailing is a comma that only a broken group has.
	trailing struct{}
	// concat is one after the other.
	concat struct {
		docs   []doc
		broken bool
	}
	// indent moves the lines that begin in it one level in.
	indent struct{ doc doc }
	// group is broken or not as a whole.
	group struct{ doc doc }
)

func (text) forced() bool     { return false }
func (comment) forced() bool  { return false }
func (line) forced() bool     { return false }
func (hard) forced() bool     { return true }
func (trailing) forced() bool { return false }
func (c concat) forced() bool { return c.broken }
func (i indent) forced() bool { return i.doc.forced() }
func (g group) forced() bool  { return g.doc.forced() }

// join puts docs one behind the other.
func join(docs ...doc) doc {
	c := concat{docs: docs}
	for _, d := range docs {
		c.broken = c.broken || d.forced()
	}
	return c
}

// broken is a doc that breaks the groups around it.
func broken(d doc) doc { return concat{docs: []doc{d}, broken: true} }

// step is how many blanks one level moves in; width is how long a line gets
// before something in it is broken, if something can be.
const (
	step  = 2
	width = 140
)

// writer lays a doc out.
type writer struct {
	out strings.Builder
	// column is the width of the current line so far, with the indentation
	// that is owed to it and without comments.
	column int
	owed   int
	widest int
	lines  int
}

// task is a doc that waits to be written: how far in, and whether its lines
// end.
type task struct {
	doc    doc
	in     int
	breaks bool
}

// write lays a doc out at an indentation, its outermost lines broken or not.
func (w *writer) write(d doc, in int, breaks bool) {
	todo := []task{{d, in, breaks}}
	for len(todo) > 0 {
		t := todo[len(todo)-1]
		todo = todo[:len(todo)-1]
		switch d := t.doc.(type) {
		case text:
			w.text(string(d))
		case comment:
			w.flush()
			w.out.WriteString(string(d))
		case line:
			if t.breaks {
				w.newline(t.in)
			} else if !d.soft {
				w.text(" ")
			}
		case hard:
			if d.raw {
				w.newline(0)
			} else {
				w.newline(t.in)
			}
		case trailing:
			if t.breaks {
				w.text(",")
			}
		case indent:
			todo = append(todo, task{d.doc, t.in + step, t.breaks})
		case group:
			flat := !d.forced() && w.fits(task{d.doc, t.in, false}, todo)
			todo = append(todo, task{d.doc, t.in, !flat})
		case concat:
			for i := len(d.docs) - 1; i >= 0; i-- {
				todo = append(todo, task{d.docs[i], t.in, t.breaks})
			}
		}
	}
	w.widest = max(w.widest, w.column)
}

// text writes what stands on one line, behind the indentation it is owed.
func (w *writer) text(s string) {
	if s == "" {
		return
	}
	w.flush()
	w.out.WriteString(s)
	w.column += utf8.RuneCountInString(s)
}

func (w *writer) flush() {
	for range w.owed {
		w.out.WriteByte(' ')
	}
	w.owed = 0
}

// newline ends a line. The indentation of the next is owed until something
// stands on it, so that an empty line has none.
func (w *writer) newline(in int) {
	w.widest = max(w.widest, w.column)
	w.lines++
	w.out.WriteByte('\n')
	w.column, w.owed = in, in
}

// fits reports whether a doc fits on the line when none of its lines ends,
// with what follows it up to where a line may end.
func (w *writer) fits(t task, rest []task) bool {
	left := width - w.column
	todo := []task{t}
	for next := len(rest); left >= 0; {
		if len(todo) == 0 {
			if next == 0 {
				return true
			}
			next--
			todo = append(todo, rest[next])
		}
		t := todo[len(todo)-1]
		todo = todo[:len(todo)-1]
		switch d := t.doc.(type) {
		case text:
			left -= utf8.RuneCountInString(string(d))
		case line:
			if t.breaks {
				return true
			}
			if !d.soft {
				left--
			}
		case hard:
			return true
		case trailing:
			if t.breaks {
				left--
			}
		case indent:
			todo = append(todo, task{d.doc, t.in, t.breaks})
		case group:
			todo = append(todo, task{d.doc, t.in, t.breaks || d.forced()})
		case concat:
			for i := len(d.docs) - 1; i >= 0; i-- {
				todo = append(todo, task{d.docs[i], t.in, t.breaks})
			}
		}
	}
	return false
}
