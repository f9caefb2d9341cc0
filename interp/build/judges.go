package build

import (
	"fmt"
	"slices"
	"strings"

	"parley/interp/load"
	"parley/interp/score"
	"parley/interp/typing"
	"parley/lang/ast"
	"parley/lang/diag"
	"parley/runtime/model"
	"parley/runtime/shape"
)

// judging is the judges that one cell's predicates and scores can name. A judge is
// looked for in the file where the predicate stands, and only those that something
// reads become the cell's.
type judging struct {
	b       *cellBuild
	clauses []*judgeClause
	known   map[*ast.Decl]*judge
	types   map[*load.Module]typ
	read    []*judge // in the order in which they were first read
}

// judge is a declared judge, its parameters bound for the cell.
type judge struct {
	id      string // unique in the cell; empty: nothing reads it
	m       *load.Module
	decl    *ast.Decl
	sc      scope
	attrs   map[string]*ast.Attr
	replies shape.Shape
	bound   bool
}

// judgeClause is `judge NAME(arguments)` of the scenario.
type judgeClause struct {
	ref  *ast.Ref
	decl *ast.Decl
	used bool
}

const judgeWord = "judge"

// noJudges is what judge holds where a file knows of none.
var noJudges = recordOf("set of judges", nil)

func (b *cellBuild) judging() *judging {
	j := &judging{b: b, known: map[*ast.Decl]*judge{}, types: map[*load.Module]typ{}}
	for _, ref := range b.s.judges {
		if _, decl := b.c.find(b.s.sc.m, load.Judge, ref.Path); decl != nil {
			if slices.ContainsFunc(j.clauses, func(c *judgeClause) bool { return c.decl == decl }) {
				b.c.fail(b.s.sc.m, diag.ClauseTwice, ref.Span, "", "the judge %q is given its arguments twice", refName(ref))
				continue
			}
			j.clauses = append(j.clauses, &judgeClause{ref: ref, decl: decl})
		}
	}
	return j
}

// typeIn is the type of `judge` in a file: its own judges, and those of imports
// under their names.
func (j *judging) typeIn(m *load.Module) typ {
	if t, done := j.types[m]; done {
		return t
	}
	fields := j.namesIn(m)
	for _, imp := range m.Imports() {
		if imp.Module == nil || m.Declared(load.Judge, imp.Name) != nil {
			continue
		}
		if theirs := j.namesIn(imp.Module); len(theirs) > 0 {
			fields[imp.Name] = recordOf("set of judges", theirs)
		}
	}
	t := recordOf("set of judges", fields)
	j.types[m] = t
	return t
}

func (j *judging) namesIn(m *load.Module) map[string]typ {
	fields := map[string]typ{}
	for _, name := range m.Names(load.Judge) {
		reply := openType
		if k := j.of(m, m.Declared(load.Judge, name)); k.bound {
			reply = shapeType(k.replies)
			reply.Name = "verdict of " + name
		}
		fields[name] = recordOf("judge", map[string]typ{"reply": optional(reply)})
	}
	return fields
}

// of binds a judge's parameters, without a word: what is wrong with it is said
// where something reads it.
func (j *judging) of(m *load.Module, decl *ast.Decl) *judge {
	if k := j.known[decl]; k != nil {
		return k
	}
	k := &judge{m: m, decl: decl}
	j.known[decl] = k
	k.bound = j.b.c.attempt(func() { j.bind(k) })
	return k
}

// bind gives a judge its arguments and sorts its attributes.
func (j *judging) bind(k *judge) {
	c, d := j.b.c, k.decl.Judge
	what := "judge " + d.Name.Name
	c.unused(k.m, what, d.Params, d.Attrs)
	var ok bool
	if i := slices.IndexFunc(j.clauses, func(x *judgeClause) bool { return x.decl == k.decl }); i >= 0 {
		j.clauses[i].used = true
		k.sc, ok = c.bind(k.m, what, d.Params, j.b.s.sc, j.clauses[i].ref)
	} else {
		k.sc, ok = c.bindValues(k.m, what, d.Params, k.m, d.Name.Span, nil)
	}
	if !ok {
		return
	}
	k.attrs = map[string]*ast.Attr{}
	for _, a := range flatten(c, k.sc, d.Attrs, attrChoice) {
		if k.attrs[a.Key.Name] != nil {
			c.fail(k.m, diag.ClauseTwice, a.Key.Span, "", "%s stands twice", a.Key.Name)
		}
		k.attrs[a.Key.Name] = a
	}
	for _, due := range []struct{ word, hint string }{
		{"prompt", `write prompt "…${transcript}"`}, {"replies", "write replies { class: 1 | 2, why: string }"},
	} {
		if k.attrs[due.word] == nil {
			c.fail(k.m, diag.ClauseMissing, d.Name.Span, due.hint, "the judge %q has no %s", d.Name.Name, due.word)
		}
	}
	if r := k.attrs["replies"]; r != nil {
		k.replies, ok = c.shapeOf(k.sc, r.Type, j.b.unit.team.groupMembers())
		if ok && k.replies.Kind != shape.Record {
			c.fail(k.m, diag.WrongValue, r.Span, "write replies { class: 1 | 2, why: string }", "a judge replies with a record")
		}
	}
}

// use is the name under which the cell knows a judge that something reads.
func (j *judging) use(m *load.Module, decl *ast.Decl) string {
	k := j.of(m, decl)
	if k.id != "" {
		return k.id
	}
	j.b.c.used[decl] = true
	name := decl.Judge.Name.Name
	k.id = name
	for n := 2; slices.ContainsFunc(j.read, func(o *judge) bool { return o.id == k.id }); n++ {
		k.id = fmt.Sprintf("%s_%d", name, n)
	}
	if !k.bound {
		j.bind(k)
	}
	j.read = append(j.read, k)
	return k.id
}

// compile makes the judges that were read what a run asks. vars are what
// predicates see, without predicates.
func (j *judging) compile(vars map[string]typ) []score.Judge {
	var out []score.Judge
	for _, k := range j.read {
		if s, ok := j.judge(k, vars); ok {
			out = append(out, s)
		}
	}
	c := j.b.c
	for _, x := range j.clauses {
		if k := j.known[x.decl]; k == nil || k.id == "" {
			c.fail(j.b.s.sc.m, diag.ParamUnused, x.ref.Span, "", "no predicate and no score of the scenario reads the judge %q", refName(x.ref))
		}
	}
	j.checkChoices()
	return out
}

func (j *judging) judge(k *judge, vars map[string]typ) (score.Judge, bool) {
	c, d := j.b.c, k.decl.Judge
	if !k.bound {
		return score.Judge{}, false
	}
	out := score.Judge{ID: k.id, Name: d.Name.Name, At: k.m.At(d.Span.Start), Replies: k.replies}
	spec, ok := j.modelOf(k)
	out.Model = spec
	zero := 0.0
	out.Temperature, out.MaxTokens = &zero, spec.MaxTokens
	if spec.Temperature != nil {
		out.Temperature = spec.Temperature
	}
	if a := k.attrs["temperature"]; a != nil {
		out.Temperature, _ = c.temperature(k.sc, a.Value)
	}
	if a := k.attrs["max_tokens"]; a != nil {
		out.MaxTokens, _ = c.constantInt(k.sc, a.Value, "max_tokens", 1)
	}
	if a := k.attrs["about"]; a != nil {
		c.constantText(k.sc, a.Value, "about")
	}
	sees := copyVars(vars, nil)
	delete(sees, judgeWord)
	at := c.place(j.b.unit, k.sc, scoreFunctions, sees)
	if a := k.attrs["when"]; a != nil {
		var good bool
		out.When, _, good = c.expr(at, a.Value, wantBool, "when")
		ok = ok && good
	}
	if a := k.attrs["actually"]; a != nil {
		ok = j.actually(k, at, a, &out) && ok
	}
	shows := at.fork()
	shows.vars["transcript"] = textType
	if a := k.attrs["prompt"]; a != nil {
		x, _, good := c.expr(shows, a.Value, wantText, "a prompt")
		if good {
			x, good = c.quoteEvidence(k.m, a.Value, x)
		}
		out.Prompt = x
		ok = ok && good
	}
	out.Fields = j.fields(out)
	if ok && spec.Provider == "sim" {
		ok = j.checkConfusion(k, spec)
		if out.Actually.Absent() && j.b.su.test == nil {
			j.b.su.notes.add("judge "+out.Name, "knows nothing", "the simulator has no `actually` to go by")
		}
	}
	return out, ok
}

// actually types what the simulator takes for the truth: fields of the reply.
func (j *judging) actually(k *judge, at place, a *ast.Attr, out *score.Judge) bool {
	c := j.b.c
	x, t, ok := c.expr(at, a.Value, anyWanted, "actually")
	if !ok {
		return false
	}
	if t.Kind != typing.Record {
		c.fail(k.m, diag.ExprWanted, a.Value.Span, "write actually { class: … }", "actually must be a record of the reply's fields, and this is %s", t)
		return false
	}
	for _, name := range keysOf(t.Fields) {
		if !slices.ContainsFunc(k.replies.Fields, func(f shape.Field) bool { return f.Name == name }) {
			var names []string
			for _, f := range k.replies.Fields {
				names = append(names, f.Name)
			}
			c.fail(k.m, diag.NoSuchField, c.spanOf(a.Value, name), load.Suggest(name, names), "the judge's reply has no field %q; it has %s", name, list(names))
			ok = false
		}
	}
	out.Actually = x
	return ok
}

// fields are the task fields that a judge reads.
func (j *judging) fields(s score.Judge) []string {
	read := map[string]bool{}
	for _, src := range []string{s.Prompt.Src, s.When.Src, s.Actually.Src} {
		if src == "" {
			continue
		}
		for _, f := range j.b.c.readsOfTask(src) {
			if f != allFields {
				read[f] = true
				continue
			}
			for _, n := range j.b.tasks.names() {
				read[n] = true
			}
		}
	}
	return keysOf(read)
}

// checkConfusion holds the simulator's confusion matrix to the verdicts that the
// judge can give.
func (j *judging) checkConfusion(k *judge, spec model.Spec) bool {
	ok := true
	for _, f := range k.replies.Fields {
		values := map[string]bool{}
		for _, v := range f.Shape.Values {
			values[fmt.Sprint(v)] = true
		}
		if f.Shape.Kind == shape.Bool {
			values["true"], values["false"] = true, true
		}
		for _, name := range keysOf(spec.Params) {
			rest, matrix := strings.CutPrefix(name, "judges.")
			row, column, _ := strings.Cut(rest, ".")
			if matrix && values[row] && !values[column] {
				j.b.c.fail(k.m, diag.WrongValue, k.decl.Judge.Name.Span, "", "the model of the judge %q gives %q the verdict %q, and its %s is one of %s", k.decl.Judge.Name.Name, row, column, f.Name, list(keysOf(values)))
				ok = false
			}
		}
	}
	return ok
}

// modelOf chooses a judge's model: what the command line, the experiment, the test
// or the scenario says of this judge, then its own, then what is chosen for
// everybody, then the simulator: a plain one, since how a simulated pupil errs is no
// affair of the judge.
func (j *judging) modelOf(k *judge) (model.Spec, bool) {
	c, what := j.b.c, "model of judge "+k.id
	rules := j.b.rules()
	for i := range rules {
		if r := &rules[i]; r.judges(c, k) {
			j.b.su.notes.add(what, r.name, r.from)
			return r.spec, true
		}
	}
	if a := k.attrs["model"]; a != nil && a.Word != nil {
		spec, ok := c.modelNamed(k.m, a.Word)
		j.b.su.notes.add(what, a.Word.Name, "judge")
		return spec, ok
	}
	for i := range rules {
		if r := &rules[i]; r.judge == nil && r.agent == nil && r.who == "" && r.spec.Provider != "sim" {
			j.b.su.notes.add(what, r.name, r.from)
			return r.spec, true
		}
	}
	j.b.su.notes.add(what, DefaultModel, "default")
	return model.Spec{Provider: "sim", Name: "sim"}, true
}

// judges reports whether the rule chooses this judge's model.
func (r *modelRule) judges(c *Compiler, k *judge) bool {
	if r.judge != nil {
		_, decl := c.find(r.sc.m, load.Judge, r.judge.Path)
		return decl == k.decl
	}
	return r.who == judgeWord || r.who == judgeWord+"."+k.id
}

// checkChoices reports models chosen for judges that nothing reads.
func (j *judging) checkChoices() {
	c := j.b.c
	for _, who := range keysOf(j.b.su.models) {
		name, of := strings.CutPrefix(who, judgeWord+".")
		if of && !slices.ContainsFunc(j.read, func(k *judge) bool { return k.id == name }) || who == judgeWord && len(j.read) == 0 {
			c.option(diag.NoSuchDecl, "", "a model is chosen for %q, and no score reads the verdict of such a judge", who)
		}
	}
	for _, use := range j.b.s.models {
		if use.Judge == nil {
			continue
		}
		if _, decl := c.find(j.b.s.sc.m, load.Judge, use.Judge.Path); decl != nil && (j.known[decl] == nil || j.known[decl].id == "") {
			c.fail(j.b.s.sc.m, diag.ParamUnused, use.Span, "", "a model is chosen for a judge whose verdict nothing reads")
		}
	}
}

// judgeSpeaks is the name of a judge that a test scripts.
func (b *cellBuild) judgeSpeaks(name *ast.JudgeName) ([]string, bool) {
	c, m := b.c, b.su.test.sc.m
	owner, decl := c.find(m, load.Judge, name.Path)
	if decl == nil {
		return nil, false
	}
	k := c.judges.of(owner, decl)
	if k.id == "" {
		c.fail(m, diag.TestIncomplete, name.Span, "expect something of its verdict", "nothing in this test reads the verdict of the judge, so it is not asked")
		return nil, false
	}
	return []string{(&score.Judge{ID: k.id}).Speaker()}, true
}
