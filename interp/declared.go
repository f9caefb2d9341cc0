package interp

import (
	"strings"

	"parley/lang/ast"
)

// Declared is a predicate as its file declares it.
type Declared struct {
	At, Name, Text string
	// Owner is the word of the declaration that it stands in where predicates are read
	// through that: attack or task.
	Owner string
	// Survives are the author's reasons to let a mutant of the predicate live, by
	// the mutant's name: comments of the form // survives "MUTANT": REASON above it.
	Survives map[string]string
}

// Predicates lists the predicates that the file itself declares: in sets, in
// scenarios, in attacks and in tasks, but not those of a task in a test, which is
// made for that test alone.
func (m *Module) Predicates() []Declared {
	main := m.prog.Main
	var out []Declared
	add := func(owner string, v *ast.Verify) {
		if v == nil {
			return
		}
		for _, p := range v.Preds {
			if p.Value != nil && p.Name != nil {
				out = append(out, Declared{At: main.At(p.Value.Start), Name: p.Name.Name, Text: p.Value.Text, Owner: owner, Survives: m.survives(p)})
			}
		}
	}
	var members func(list []*ast.ScenarioMember)
	members = func(list []*ast.ScenarioMember) {
		for _, x := range list {
			add("", x.Verify)
			if x.If != nil {
				members(x.If.Then)
				members(x.If.Else)
			}
		}
	}
	var parts func(list []*ast.AttackMember)
	parts = func(list []*ast.AttackMember) {
		for _, x := range list {
			add("attack", x.Verify)
			if x.If != nil {
				parts(x.If.Then)
				parts(x.If.Else)
			}
		}
	}
	for _, d := range main.File.Decls {
		switch {
		case d.Verify != nil:
			add("", d.Verify)
		case d.Scenario != nil:
			members(d.Scenario.Members)
		case d.Attack != nil:
			parts(d.Attack.Members)
		case d.Task != nil:
			add("task", d.Task.Verify)
		}
	}
	return out
}

// survives reads the comments on the lines directly above a predicate.
func (m *Module) survives(p *ast.Let) map[string]string {
	main := m.prog.Main
	line := func(offset int) int { return main.Source.LineOf(offset) }
	var out map[string]string
	want := line(p.Start) - 1
	comments := main.File.Comments
	for i := len(comments) - 1; i >= 0; i-- {
		c := comments[i]
		switch at := line(c.Start); {
		case at > want:
			continue
		case at < want:
			return out
		}
		want--
		rest, ok := strings.CutPrefix(strings.TrimSpace(c.Text), `survives "`)
		mutant, reason, closed := strings.Cut(rest, `":`)
		if ok && closed {
			if out == nil {
				out = map[string]string{}
			}
			out[mutant] = strings.TrimSpace(reason)
		}
	}
	return out
}
