package picture

import (
	"slices"
	"strings"

	"parley/runtime"
	"parley/runtime/eval"
)

// Row is one line of the turn order.
type Row struct {
	Depth int
	Kind  RowKind
	Label string // of a step
	Text  string // who speaks, or what the loop or choice says
	Note  string // what else a reader needs: at the same time, tools, aside
}

// RowKind says what a row is.
type RowKind string

// The kinds of rows.
const (
	Step   RowKind = "step"
	Loop   RowKind = "loop"
	Choice RowKind = "choice" // if, else
	Called RowKind = "called" // a tool in whose body others speak
	Plain  RowKind = "plain"  // say, stop, let, …
)

// holds reports whether the rows below it with more depth are its own.
func (r Row) holds() bool { return r.Kind == Loop || r.Kind == Choice || r.Kind == Called }

// shown is how much of an expression a row shows.
const shown = 56

// rows lists the statements of a turn program in reading order. What only keeps
// count (let, set, append) or says what a tool answers (require, return) is left out,
// and so is a loop or choice around nothing else.
func rows(list []runtime.Stmt, depth int) []Row {
	var out []Row
	for _, s := range list {
		switch s.Kind {
		case runtime.StepStmt:
			out = append(out, Row{depth, Step, s.Name, who(s), notes(s)})
		case runtime.RepeatStmt:
			text := "repeat"
			if !s.Expr.Absent() {
				text += " " + shorten(s.Expr.Src)
			}
			if !s.Until.Absent() {
				text += " until " + shorten(s.Until.Src)
			}
			out = append(out, around(Loop, text, s.Body, depth)...)
		case runtime.ForStmt:
			out = append(out, around(Loop, "for "+s.Name+" in "+shorten(s.Expr.Src), s.Body, depth)...)
		case runtime.IfStmt:
			out = append(out, choice(s, depth)...)
		case runtime.LetStmt, runtime.SetStmt, runtime.AppendStmt, runtime.RequireStmt, runtime.ReturnStmt:
		default:
			out = append(out, Row{Depth: depth, Kind: Plain, Text: plain(s)})
		}
	}
	return out
}

// called lists the tools in whose bodies agents have turns, each with those turns.
func called(tools []runtime.Tool) []Row {
	var out []Row
	for _, t := range tools {
		within := around(Called, "when "+t.Name+" is called", t.Body, 0)
		if slices.ContainsFunc(within, func(r Row) bool { return r.Kind == Step }) {
			out = append(out, within...)
		}
	}
	return out
}

// around is a loop, a choice or a tool with what it holds; nothing where that is nothing.
func around(kind RowKind, text string, body []runtime.Stmt, depth int) []Row {
	within := rows(body, depth+1)
	if len(within) == 0 {
		return nil
	}
	return append([]Row{{Depth: depth, Kind: kind, Text: text}}, within...)
}

// choice shows both branches, or the only one that can be taken.
func choice(s runtime.Stmt, depth int) []Row {
	switch s.Expr.Src {
	case "true":
		return rows(s.Body, depth)
	case "false":
		return rows(s.Elses, depth)
	}
	then := around(Choice, "if "+shorten(s.Expr.Src), s.Body, depth)
	if len(then) == 0 {
		return around(Choice, "unless "+shorten(s.Expr.Src), s.Elses, depth)
	}
	return append(then, around(Choice, "else", s.Elses, depth)...)
}

func who(s runtime.Stmt) string {
	name := shorten(s.Who.Src)
	if s.Each {
		return "each " + name
	}
	return name
}

// notes say what a turn of the step is like beside its prompt.
func notes(s runtime.Stmt) string {
	var words []string
	switch {
	case s.Each:
		words = append(words, "at the same time")
	case s.Many:
		words = append(words, "one after another")
	}
	if t := s.Attrs.Tools; t != nil && len(t.Names) > 0 {
		words = append(words, "with tools")
	}
	if s.Attrs.Aside {
		words = append(words, "aside")
	}
	if !s.Attrs.Where.Absent() {
		words = append(words, "until it fits")
	}
	return strings.Join(words, ", ")
}

// plain is a statement of one line.
func plain(s runtime.Stmt) string {
	words := []string{string(s.Kind)}
	if !s.Who.Absent() {
		words = append(words, s.Who.Src)
	}
	if !s.Expr.Absent() {
		words = append(words, `"`+eval.Written(s.Expr.Src)+`"`)
	}
	return shorten(strings.Join(words, " "))
}

// shorten puts an expression on one line of bounded length.
func shorten(text string) string { return eval.OneLine(text, shown) }
