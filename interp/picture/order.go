package picture

import (
	"strings"

	"parley/runtime"
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
	Loop   RowKind = "loop"   // rows below it with more depth are its body
	Choice RowKind = "choice" // if, else
	Plain  RowKind = "plain"  // say, stop, let, …
)

// shown is how much of an expression a row shows.
const shown = 56

// rows lists the statements of a turn program in reading order.
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
			out = append(append(out, Row{Depth: depth, Kind: Loop, Text: text}), rows(s.Body, depth+1)...)
		case runtime.ForStmt:
			head := Row{Depth: depth, Kind: Loop, Text: "for " + s.Name + " in " + shorten(s.Expr.Src)}
			out = append(append(out, head), rows(s.Body, depth+1)...)
		case runtime.IfStmt:
			out = append(append(out, Row{Depth: depth, Kind: Choice, Text: "if " + shorten(s.Expr.Src)}), rows(s.Body, depth+1)...)
			if len(s.Elses) > 0 {
				out = append(append(out, Row{Depth: depth, Kind: Choice, Text: "else"}), rows(s.Elses, depth+1)...)
			}
		default:
			out = append(out, Row{Depth: depth, Kind: Plain, Text: plain(s)})
		}
	}
	return out
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
	if s.Name != "" {
		words = append(words, s.Name)
	}
	for _, e := range s.Target {
		words = append(words, e.Src)
	}
	if !s.Who.Absent() {
		words = append(words, s.Who.Src)
	}
	if !s.Expr.Absent() {
		if s.Name != "" || len(s.Target) > 0 {
			words = append(words, "=")
		}
		words = append(words, s.Expr.Src)
	}
	return shorten(strings.Join(words, " "))
}

// shorten puts an expression on one line of bounded length.
func shorten(text string) string {
	runes := []rune(strings.Join(strings.Fields(text), " "))
	if len(runes) > shown {
		return string(runes[:shown-1]) + "…"
	}
	return string(runes)
}
