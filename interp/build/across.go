package build

import (
	"slices"
	"strings"

	exprast "github.com/expr-lang/expr/ast"

	"parley/interp/load"
	"parley/interp/score"
	"parley/interp/typing"
	"parley/lang/ast"
	"parley/lang/diag"
)

// Across is an experiment's scores over its scenarios' scores, for one combination of
// labels.
type Across struct {
	Labels []Label
	*score.Across
}

// acrossBuild is one block of such scores while it is compiled.
type acrossBuild struct {
	c     *Compiler
	m     *load.Module
	decl  *ast.Across
	cells []*Cell
	names []string // scenarios, in the order of the rows
	items []score.Item
	used  map[string]bool // scenarios that the scores read
	swept []string        // what the file sweeps, though the command line may have decided it
}

// across compiles the experiment's own scores, one set for each combination of the
// labels that are not pooled.
func (c *Compiler) across(m *load.Module, e *experiment, cells []*Cell) []*Across {
	var out []*Across
	if len(cells) == 0 || c.hasErrors() {
		return nil
	}
	seen := map[string]bool{}
	for _, decl := range e.across {
		b := &acrossBuild{c: c, m: m, decl: decl, cells: cells, used: map[string]bool{}, swept: e.swept()}
		for _, cell := range cells {
			if !contains(b.names, cell.scenario) {
				b.names = append(b.names, cell.scenario)
			}
		}
		if b.compile() && b.poolable() && b.apart() {
			out = append(out, b.combinations()...)
		}
		for _, s := range decl.Scores {
			if seen[s.Name.Name] && len(decl.Over) == 0 {
				c.fail(m, diag.DeclaredTwice, s.Name.Span, "", "a score named %q exists already", s.Name.Name)
			}
			seen[s.Name.Name] = seen[s.Name.Name] || len(decl.Over) == 0
		}
	}
	if c.hasErrors() {
		return nil
	}
	return out
}

// compile types the scores: they see each scenario's as SCENARIO.SCORE, and one
// another.
func (b *acrossBuild) compile() bool {
	c := b.c
	sc := scope{m: b.m, params: map[string]param{}}
	scenarios := map[string]typ{}
	for _, name := range b.names {
		fields := map[string]typ{}
		for _, cell := range b.cells {
			if cell.scenario != name {
				continue
			}
			for _, s := range cell.Spec.Scores {
				if s.By.Absent() {
					fields[s.Name] = numberType
				}
			}
		}
		scenarios[name] = recordOf("set of scores of "+name, fields)
	}
	items := c.itemsOf(sc, []*ast.ScoreSet{{Span: b.decl.Span, Scores: b.decl.Scores}}, nil, nil)
	vars := copyVars(scenarios, nil)
	for _, it := range items {
		if _, clash := scenarios[it.decl.Name.Name]; clash {
			c.fail(b.m, diag.NameTaken, it.decl.Name.Span, "", "a scenario is already named %q", it.decl.Name.Name)
			return false
		}
		if it.decl.Kind.Name != "value" {
			c.fail(b.m, diag.NotHere, it.decl.Kind.Span, "write value", "a score of an experiment is made of its scenarios' scores, so it is a value, not a %s", it.decl.Kind.Name)
			return false
		}
		vars[it.decl.Name.Name] = numberType
	}
	if len(items) != len(b.decl.Scores) {
		return false
	}
	b.items = c.compileItems(nil, scorePlaces{trial: vars, values: vars}, items)
	for _, it := range b.items {
		if it.Expr.Absent() {
			return false
		}
		b.read(it.Expr.Src)
	}
	return true
}

// read notes which scenarios an expression is about.
func (b *acrossBuild) read(src string) {
	tree, err := b.c.memo.Parse(src)
	if err != nil {
		return
	}
	for _, n := range freeNames(tree) {
		if contains(b.names, n) {
			b.used[n] = true
		}
	}
	node := tree
	exprast.Walk(&node, &acrossVisitor{b})
}

// acrossVisitor looks for scores of scenarios that are read in other ways than by
// their names.
type acrossVisitor struct{ b *acrossBuild }

func (v *acrossVisitor) Visit(node *exprast.Node) {
	at, ok := (*node).(*exprast.MemberNode)
	if !ok {
		return
	}
	if id, ok := at.Node.(*exprast.IdentifierNode); ok {
		v.b.used[id.Value] = v.b.used[id.Value] || contains(v.b.names, id.Value)
	}
}

// swept are the names that an experiment sweeps.
func (e *experiment) swept() []string {
	var out []string
	for _, s := range e.sweeps {
		for _, n := range s.Names {
			out = append(out, nameOfSwept(s, n))
		}
	}
	return out
}

// poolable reports labels that no row has. One that the command line has decided
// leaves nothing to pool.
func (b *acrossBuild) poolable() bool {
	for _, over := range b.decl.Over {
		known := b.labelNames(nil)
		if contains(known, over.Name) || contains(b.swept, over.Name) {
			continue
		}
		hint := load.Suggest(over.Name, known)
		if hint == "" && len(known) > 0 {
			hint = "the rows are told apart by " + list(known)
		}
		b.c.fail(b.m, diag.SweepUnknown, over.Span, hint, "no row of this experiment has a label %q", over.Name)
		return false
	}
	return true
}

// labelNames are the labels of the rows that the scores read, without some, in
// order.
func (b *acrossBuild) labelNames(without []string) []string {
	var out []string
	for _, cell := range b.cells {
		for _, l := range cell.Labels {
			if b.used[cell.scenario] && l.Name != "scenario" && !contains(without, l.Name) && !contains(out, l.Name) {
				out = append(out, l.Name)
			}
		}
	}
	return out
}

// apart reports scenarios that stand in the experiment twice: which one is meant
// cannot be told.
func (b *acrossBuild) apart() bool {
	seen := map[string]bool{}
	for _, cell := range b.cells {
		id := cell.scenario + "\x00" + othersOf(cell.Labels, nil)
		if seen[id] && b.used[cell.scenario] {
			b.c.fail(b.m, diag.DeclaredTwice, b.decl.Span, "sweep the parameter in which they differ", "the experiment has two scenarios named %q, and a score cannot tell them apart", cell.scenario)
			return false
		}
		seen[id] = true
	}
	return true
}

// combinations are the scores for each combination of the labels that are not
// pooled. A scenario that lacks a label stands in each combination of it.
func (b *acrossBuild) combinations() []*Across {
	var over []string
	for _, o := range b.decl.Over {
		over = append(over, o.Name)
	}
	names := b.labelNames(over)
	combos := []map[string]string{{}}
	for _, scenario := range b.names {
		if b.used[scenario] {
			combos = b.join(combos, scenario, names)
		}
	}
	var out []*Across
	for _, combo := range combos {
		a := &Across{Across: &score.Across{Items: b.items, Rows: map[string][]int{}}}
		for _, n := range names {
			if v, ok := combo[n]; ok {
				a.Labels = append(a.Labels, Label{n, v})
			}
		}
		for _, scenario := range b.names {
			if b.used[scenario] {
				a.Rows[scenario] = nil
			}
		}
		for i, cell := range b.cells {
			if b.used[cell.scenario] && agrees(cell.Labels, combo) {
				a.Rows[cell.scenario] = append(a.Rows[cell.scenario], i)
			}
		}
		out = append(out, a)
	}
	return out
}

// join adds to combinations what a scenario's rows know beyond them.
func (b *acrossBuild) join(combos []map[string]string, scenario string, names []string) []map[string]string {
	points := b.points(scenario, names)
	var out []map[string]string
	for _, combo := range combos {
		fits := false
		for _, point := range points {
			if !agrees(point, combo) {
				continue
			}
			fits = true
			joint := map[string]string{}
			for n, v := range combo {
				joint[n] = v
			}
			for _, l := range point {
				joint[l.Name] = l.Value
			}
			out = append(out, joint)
		}
		if !fits {
			out = append(out, combo)
		}
	}
	for _, point := range points {
		if !slices.ContainsFunc(combos, func(combo map[string]string) bool { return agrees(point, combo) }) {
			own := map[string]string{}
			for _, l := range point {
				own[l.Name] = l.Value
			}
			out = append(out, own)
		}
	}
	return out
}

// points are the different labels of a scenario's rows, without those that are
// pooled.
func (b *acrossBuild) points(scenario string, names []string) [][]Label {
	var out [][]Label
	seen := map[string]bool{}
	for _, cell := range b.cells {
		if cell.scenario != scenario {
			continue
		}
		var point []Label
		var id strings.Builder
		for _, l := range cell.Labels {
			if contains(names, l.Name) {
				point = append(point, l)
				id.WriteString(l.Name + "\x00" + l.Value + "\x00")
			}
		}
		if !seen[id.String()] {
			seen[id.String()] = true
			out = append(out, point)
		}
	}
	return out
}

// agrees reports that labels and a combination differ in nothing that both have.
func agrees(labels []Label, combo map[string]string) bool {
	for _, l := range labels {
		if v, ok := combo[l.Name]; ok && v != l.Value {
			return false
		}
	}
	return true
}

// acrossFails takes those thresholds that read an experiment's own scores: they are
// held against these, and the others against each row.
func (c *Compiler) acrossFails(e *experiment, su *setup) []failUse {
	own := map[string]bool{}
	for _, decl := range e.across {
		for _, s := range decl.Scores {
			own[s.Name.Name] = true
		}
	}
	var ours, rows []failUse
	for _, f := range su.fails {
		if slices.ContainsFunc(c.namesIn(f.e), func(n string) bool { return own[n] }) {
			ours = append(ours, f)
		} else {
			rows = append(rows, f)
		}
	}
	su.fails = rows
	return ours
}

// holdAcross types thresholds over an experiment's own scores.
func (c *Compiler) holdAcross(all []*Across, fails []failUse) {
	fields := map[string]typ{}
	for _, n := range []string{"value", "low", "high", "n", "num", "den", "errors", "unknown", "no_answer"} {
		fields[n] = numberType
	}
	for _, f := range fails {
		for _, a := range all {
			vars := map[string]typ{}
			for _, it := range a.Items {
				vars[it.Name] = typing.RecordOf("score", fields)
			}
			if !slices.ContainsFunc(c.namesIn(f.e), func(n string) bool { _, ok := vars[n]; return ok }) {
				continue
			}
			if x, _, ok := c.expr(c.place(nil, f.sc, noFunctions, vars), f.e, wantBool, "fail when"); ok {
				a.Fail = append(a.Fail, score.Pred{Name: "fail", Expr: x, Text: f.e.Text})
			}
		}
	}
}
