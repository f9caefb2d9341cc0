package main

import (
	"fmt"
	"io"

	"parley/runtime"
	"parley/runtime/eval"
)

// printDefenses shows what guards the team, in the order in which it acts, and why
// nothing is run where nothing would be measured.
func printDefenses(w io.Writer, p *runtime.Program, unmeasured string) {
	for i := range p.Defenses {
		d := &p.Defenses[i]
		fmt.Fprintln(w, "  defense "+oneLine(d.Name)+":")
		for _, a := range d.Agents {
			fmt.Fprintln(w, "    guard "+oneLine(a.Name+", model "+a.Attrs.Model))
		}
		for _, t := range d.Texts {
			line := t.Op + " agent." + string(t.Slot) + ": " + shorten(eval.Written(t.Value.Src), 70)
			if !t.When.Absent() {
				line += " when " + shorten(t.When.Src, 50)
			}
			fmt.Fprintln(w, "    "+oneLine(line))
		}
		for _, h := range d.Hooks {
			line := string(h.Point)
			if !h.When.Absent() {
				line += " when " + shorten(h.When.Src, 70)
			}
			fmt.Fprintln(w, "    "+oneLine(line))
			printStmts(w, h.Body, "      ")
		}
	}
	if unmeasured != "" {
		fmt.Fprintln(w, "  not run: "+oneLine(unmeasured))
	}
}
