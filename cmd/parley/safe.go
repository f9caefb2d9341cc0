package main

import (
	"strings"

	"parley/lang/diag"
	"parley/runtime/eval"
)

// Whatever a model, a tool or a file said is hostile: it reaches the terminal
// through one of these only.

// oneLine is safe text for a table cell or a list: white space is folded.
func oneLine(s string) string {
	return diag.Safe(strings.Join(strings.Fields(s), " "))
}

// shorten is oneLine cut to n characters.
func shorten(s string, n int) string {
	return eval.OneLine(oneLine(s), n)
}

// lines is safe text of several lines, each behind a margin.
func lines(s, margin string) string {
	parts := strings.Split(s, "\n")
	for i, p := range parts {
		parts[i] = margin + diag.Safe(p)
	}
	return strings.Join(parts, "\n")
}
