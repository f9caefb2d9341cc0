package diff

import (
	"fmt"
	"slices"
	"sort"
	"strings"

	"parley/interp"
	"parley/lang/diag"
	"parley/runtime"
)

// Side is one version of what is compared.
type Side struct {
	targets []*target
	// Defaults are the defaults of parameters of every declaration that the files
	// reach, library included: std/debate team standard n → 5.
	defaults map[string]string
	texts    map[string]string // files as they stand
}

// target is a scenario or an experiment, compiled.
type target struct {
	file, name string
	kind       interp.TargetKind
	facts      *Facts
	variants   []variant // other choices of parameters, or rows of an experiment
}

type variant struct {
	where string
	facts *Facts
}

// NewSide makes an empty side.
func NewSide() *Side {
	return &Side{defaults: map[string]string{}, texts: map[string]string{}}
}

// Add compiles every scenario and experiment of a file into the side. With errors
// the list says why, and the side must not be compared: what does not compile has
// no meaning to compare.
func (s *Side) Add(mod *interp.Module, file string, src []byte) diag.List {
	s.texts[file] = string(src)
	found := mod.Check()
	if found.HasErrors() {
		return found
	}
	for name, value := range mod.Defaults() {
		s.defaults[name] = value
	}
	for _, t := range mod.Targets() {
		if t.Kind == interp.TestTarget {
			continue
		}
		made, more := compiled(mod, file, t)
		if more.HasErrors() {
			return more
		}
		if made != nil {
			s.targets = append(s.targets, made)
		}
	}
	return nil
}

// Facts are the facts of all targets, one a line.
func (s *Side) Facts() []string {
	var out []string
	for _, t := range s.targets {
		for _, line := range t.facts.Lines() {
			out = append(out, t.name+" / "+line)
		}
	}
	return out
}

func compiled(mod *interp.Module, file string, t interp.Target) (*target, diag.List) {
	if t.Kind == interp.ScenarioTarget && !mod.Alone(t.Name) {
		return nil, nil // it needs arguments: the experiments that give them show it
	}
	suite, found := mod.Compile(t.Name, interp.Options{})
	if found.HasErrors() || suite == nil {
		return nil, found
	}
	out := &target{file: file, name: t.Name, kind: t.Kind, facts: cellFacts(suite.Cells[0], t.Kind)}
	if t.Kind == interp.ExperimentTarget {
		var rows []string
		for _, c := range suite.Cells {
			rows = append(rows, labels(c))
		}
		out.facts.set("experiment", "rows", always(rows...))
	}
	for _, c := range suite.Cells[1:] {
		out.variants = append(out.variants, variant{labels(c), cellFacts(c, t.Kind)})
	}
	if t.Kind == interp.ScenarioTarget {
		for _, choice := range mod.Choices(t.Name) {
			suite, more := mod.Compile(t.Name, interp.Options{Params: map[string]string{choice.Name: choice.Value}})
			if more.HasErrors() || suite == nil {
				continue // what is wrong under another choice is said where somebody makes it
			}
			for _, c := range suite.Cells {
				where := choice.Name + " = " + choice.Value
				if l := labels(c); l != "" {
					where += ", " + l
				}
				out.variants = append(out.variants, variant{where, cellFacts(c, t.Kind)})
			}
		}
	}
	return out, nil
}

func labels(c *interp.Cell) string {
	var words []string
	for _, l := range c.Labels {
		words = append(words, l.Name+" = "+l.Value)
	}
	return strings.Join(words, ", ")
}

// cellFacts are the facts of one configuration. Experiments say their settings:
// what their scenarios do is said with the scenarios.
func cellFacts(c *interp.Cell, kind interp.TargetKind) *Facts {
	f := &Facts{}
	var base, baseline *runtime.Arm
	for i := range c.Plan.Arms {
		a := &c.Plan.Arms[i]
		switch {
		case a.Name == runtime.Attacked, base == nil && a.Name == runtime.Clean:
			base = a
		case a.Name == runtime.BaselineClean, baseline == nil && a.Name == runtime.BaselineAttacked:
			baseline = a
		}
	}
	f.plan(c.Plan)
	if base != nil {
		f.program("", base.Program)
		f.patches(base.Program.Patches)
		f.aimed(base.Variants)
	}
	if baseline != nil {
		f.program("baseline ", baseline.Program)
	}
	f.spec(c.Spec)
	return f
}

// Report is what differs between two sides.
type Report struct {
	Changes []Change
	Causes  []string // defaults that changed, for whoever looks for the reason
	// TextOnly: the files differ, and nothing that they do.
	TextOnly bool
	Same     bool // not even the files differ
}

// Compare tells what the new side does otherwise.
func Compare(before, after *Side) *Report {
	r := &Report{}
	pairs, gone, came := match(before.targets, after.targets)
	for _, p := range pairs {
		r.Changes = append(r.Changes, p.changes()...)
	}
	for _, t := range gone {
		r.Changes = append(r.Changes, Change{
			ID: string(t.kind) + "-removed", Mark: Narrows, Scenario: t.name, Subject: string(t.kind), Before: t.name,
			Sentence: fmt.Sprintf("the %s `%s` is gone", t.kind, t.name),
		})
	}
	for _, t := range came {
		r.Changes = append(r.Changes, Change{
			ID: string(t.kind) + "-added", Mark: Widens, Scenario: t.name, Subject: string(t.kind), After: t.name,
			Sentence: fmt.Sprintf("the %s `%s` is new", t.kind, t.name),
		})
	}
	for i := range r.Changes {
		r.Changes[i] = r.Changes[i].finish()
	}
	for _, name := range sortedKeys(before.defaults, after.defaults) {
		a, had := before.defaults[name]
		b, has := after.defaults[name]
		if had && has && a != b {
			r.Causes = append(r.Causes, fmt.Sprintf("a default changed: %s %s → %s", name, shown(a), shown(b)))
		}
	}
	sort.SliceStable(r.Changes, func(i, k int) bool {
		a, b := r.Changes[i], r.Changes[k]
		if a.Scenario != b.Scenario {
			return false
		}
		return slices.Index(marks, a.Mark) < slices.Index(marks, b.Mark)
	})
	r.Same = sameTexts(before.texts, after.texts)
	r.TextOnly = !r.Same && len(r.Changes) == 0
	return r
}

func sortedKeys(a, b map[string]string) []string {
	var out []string
	for k := range a {
		out = append(out, k)
	}
	for k := range b {
		if _, has := a[k]; !has {
			out = append(out, k)
		}
	}
	sort.Strings(out)
	return out
}

func sameTexts(a, b map[string]string) bool {
	if len(a) != len(b) {
		return false
	}
	for k, v := range a {
		if w, has := b[k]; !has || v != w {
			return false
		}
	}
	return true
}

// Count counts the changes of a mark.
func (r *Report) Count(m Mark) int {
	n := 0
	for _, c := range r.Changes {
		if c.Mark == m {
			n++
		}
	}
	return n
}
