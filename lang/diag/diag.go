// Package diag holds what the front end says about a file: values with a
// stable code, a place and one plain sentence, rendered with the source line.
package diag

import (
	"fmt"
	"sort"
	"strings"

	"parley/lang/ast"
)

// Severity tells errors, which stop a run, from warnings, which do not.
type Severity string

// The two severities.
const (
	Error   Severity = "error"
	Warning Severity = "warning"
)

// Diagnostic is one finding at one place.
type Diagnostic struct {
	Code     Code
	Severity Severity
	File     string // as the user would type it
	Span     ast.Span
	Message  string // one plain sentence, no full stop at its end
	Hint     string // what to do, or the near name: may be empty
}

// Code is a stable identifier such as P0123.
type Code string

// List is a set of diagnostics that is also an error.
type List []Diagnostic

// Error joins the messages, one a line, without source excerpts.
func (l List) Error() string {
	lines := make([]string, len(l))
	for i, d := range l {
		lines[i] = fmt.Sprintf("%s: %s: %s", d.File, d.Code, d.Message)
	}
	return strings.Join(lines, "\n")
}

// HasErrors reports whether any diagnostic is an error.
func (l List) HasErrors() bool {
	for _, d := range l {
		if d.Severity == Error {
			return true
		}
	}
	return false
}

// Sort orders by file, place and code, so that output is stable.
func (l List) Sort() {
	sort.SliceStable(l, func(i, j int) bool {
		a, b := l[i], l[j]
		if a.File != b.File {
			return a.File < b.File
		}
		if a.Span.Start != b.Span.Start {
			return a.Span.Start < b.Span.Start
		}
		return a.Code < b.Code
	})
}
