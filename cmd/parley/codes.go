package main

import (
	"fmt"
	"io"
	"strings"

	"parley/lang/diag"
	"parley/lang/diag/explain"
)

// explainCode says what a diagnostic's code means, with a wrong and a right example.
func explainCode(code diag.Code, h host) int {
	e, ok := explain.Of(code)
	if !ok {
		fmt.Fprintf(h.stderr, "parley: there is no diagnostic %s\n", diag.Safe(string(code)))
		return exitUsage
	}
	fmt.Fprintf(h.stdout, "%s: %s\n\n%s\n", e.Code, e.Code.Title(), e.Says)
	for _, f := range e.Files {
		example(h.stdout, "Beside it, "+f.Name+":", f.Text)
	}
	wrong, right := "Wrong:", "Right:"
	if e.Target != "" {
		wrong = fmt.Sprintf("Wrong, where the command line asks for %s:", e.Target)
	}
	example(h.stdout, wrong, e.Wrong)
	if strings.Contains(e.Wrong, "«") {
		fmt.Fprintln(h.stdout, "\n«x × 9» stands for nine x, and «C3 A9» for these bytes.")
	}
	example(h.stdout, right, e.Right)
	return exitOK
}

func example(w io.Writer, title, text string) {
	fmt.Fprintf(w, "\n%s\n\n%s\n", title, strings.ReplaceAll(lines(strings.TrimRight(text, "\n"), "    "), "\n    \n", "\n\n"))
}
