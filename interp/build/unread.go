package build

import (
	"sort"
	"strings"

	"parley/interp/load"
	"parley/lang/ast"
	"parley/lang/diag"
)

// hope is something that a file names and that has to be of use in one of its cells:
// a resource, a way to end, a baseline, a predicate. What is of use in none is a slip,
// and one that makes a team look safe.
type hope struct {
	m    *load.Module
	span ast.Span
	code diag.Code
	say  string
	hint string
	text string   // the word as written,
	near []string // and what there is instead
}

// waits keeps what a cell hopes for, and whether it is of use there.
func (c *Compiler) waits(h hope, useful bool) {
	if h.m != c.prog.Main || c.quiet > 0 {
		return // a library's texts are for many worlds
	}
	if c.hopes == nil {
		c.hopes, c.fulfilled = map[ast.Span]hope{}, map[ast.Span]bool{}
	}
	c.hopes[h.span] = h
	c.fulfilled[h.span] = c.fulfilled[h.span] || useful
}

// unfulfilled warns of what was of use in no compiled cell.
func (c *Compiler) unfulfilled() {
	var spans []ast.Span
	for span := range c.hopes {
		if !c.fulfilled[span] {
			spans = append(spans, span)
		}
	}
	sort.Slice(spans, func(i, j int) bool { return spans[i].Start < spans[j].Start })
	for _, span := range spans {
		h := c.hopes[span]
		hint := h.hint
		if hint == "" {
			hint = load.Suggest(h.text, h.near)
		}
		if hint == "" && len(h.near) > 0 {
			hint = "there is " + list(h.near[:min(len(h.near), 7)])
		}
		c.warn(h.m, h.code, span, hint, "%s", h.say)
	}
}

// unread notes which clauses of the cell's scenario something reads.
func (b *cellBuild) unread(items []*item) {
	refs := append(append([]armRefs(nil), b.failRefs...), itemRefs(b.preds)...)
	refs = append(refs, itemRefs(items)...)
	if t := b.su.test; t != nil {
		refs = append(refs, t.sources...)
	}
	baseline := false
	read := map[string]bool{}
	for _, r := range refs {
		baseline = baseline || r.baseline
		for _, n := range r.names {
			read[n] = true
		}
		for _, names := range r.of {
			for _, n := range names {
				read[n] = true
			}
		}
	}
	if b.su.test != nil {
		for _, s := range b.su.test.scripts {
			baseline = baseline || s.In != nil && s.In.Name == "baseline"
		}
	}
	if b.s.baseline != nil {
		b.c.waits(hope{
			m: b.s.sc.m, span: b.s.baseline.Team.Span, code: diag.NeverRead, say: "nothing reads the baseline, so it never runs",
			hint: "a score reads it: value af = asr / baseline.asr",
		}, baseline)
	}
	if len(items) == 0 && b.su.test == nil {
		return // nothing is counted, so nothing can be left out of it
	}
	for _, v := range b.s.verify {
		for _, p := range v.Preds {
			name := p.Name.Name
			b.c.waits(hope{
				m: b.s.sc.m, span: p.Name.Span, code: diag.NeverRead, say: "nothing reads the predicate \"" + name + "\"",
				hint: "count it, as in rate NAME = " + name + ", or leave it out",
			}, read[name])
		}
	}
}

func itemRefs(items []*item) []armRefs {
	out := make([]armRefs, len(items))
	for i, it := range items {
		out[i] = it.refs
	}
	return out
}

// unreadStores notes whether any tool looks into the stores of the workspace.
func (u *unit) unreadStores() {
	useful := false
	for _, d := range u.decls {
		eachExpr(d.decl, func(e *ast.Expr) { useful = useful || strings.Contains(e.Cooked, "retrieve(") })
	}
	for _, decl := range u.world.corpus {
		u.c.waits(hope{
			m: u.world.sc.m, span: decl.Span, code: diag.NeverRead, say: "no tool looks into this store",
			hint: "a tool reads it with retrieve(query)",
		}, useful)
	}
}

// unasked warns of the file's judges that no expression reads and of its defenses that
// nothing names, where the file runs anything.
func (c *Compiler) unasked(m *load.Module) {
	runs := false
	var read strings.Builder
	for _, d := range m.File.Decls {
		runs = runs || d.Scenario != nil
		eachExpr(d, func(e *ast.Expr) { read.WriteString(e.Cooked + "\n") })
	}
	for _, d := range m.File.Decls {
		if d.Defense != nil && runs && !c.used[d] {
			c.warn(m, diag.NeverRead, d.Defense.Name.Span, "a scenario uses it: defense "+d.Defense.Name.Name+"()", "nothing uses the defense %q", d.Defense.Name.Name)
		}
		if d.Judge != nil && runs && !strings.Contains(read.String(), judgeWord+"."+d.Judge.Name.Name) {
			c.warn(m, diag.NeverRead, d.Judge.Name.Span, "a predicate reads it as judge."+d.Judge.Name.Name+".reply.FIELD", "nothing reads the judge %q, so it is never asked", d.Judge.Name.Name)
		}
	}
}

// silentScript notes whether those whom a script speaks for ever speak.
func (b *cellBuild) silentScript(u *unit, s *ast.Script, names []string) {
	if s.Judge != nil || u != b.unit || b.attack != nil {
		return // an attack may let others speak
	}
	useful := false
	for _, name := range names {
		useful = useful || u.team.roster.byName[name] == nil // a guard, a person, the attacker
		for _, st := range u.team.steps {
			useful = useful || !st.fixed || contains(st.who, name)
		}
	}
	b.c.waits(hope{
		m: b.su.test.sc.m, span: s.Who.Span, code: diag.NeverRead, say: s.Who.Text + " never speaks, so nobody asks for this script",
		hint: "leave the script out, or give the agent a step",
	}, useful)
}
