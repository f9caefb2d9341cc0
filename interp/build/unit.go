package build

import (
	"fmt"

	"parley/lang/ast"
	"parley/lang/diag"
	"parley/runtime"
	"parley/runtime/model"
	"parley/runtime/shape"
)

// unit is one program while it is compiled: a team in a world, on tasks.
type unit struct {
	c       *Compiler
	team    *team
	world   *workspace
	tasks   *taskSet
	choice  *modelChoice
	vars    map[string]typ // the environment of program expressions
	tools   []runtime.Tool
	decls   []toolDecl // as many as tools
	offered map[string]bool

	anyReply   typ
	answer     typ
	result     typ            // what any tool returns
	agent      map[string]typ // fields of an agent
	agentNames []string
	call       typ // one tool call
	resource   typ // one element of a call's reads and writes
	steps      typ // the vocabulary of labels
	toolWords  typ // the vocabulary of tools
	standIn    *standIn
	models     map[string]model.Spec
	labels     map[string]bool // step label → is a list
}

// standIn says whose store and whose place a baseline's agents take.
type standIn struct {
	roster *roster // of the team they are compared with
	corpus []string
}

type toolDecl struct {
	decl *ast.Tool
	sc   scope
}

// program compiles a team in a world on tasks into what one arm does, without
// any attack.
func (c *Compiler) program(t *team, w *workspace, tasks *taskSet, choice *modelChoice, stand *standIn) (*runtime.Program, *unit) {
	u := &unit{
		c: c, team: t, world: w, tasks: tasks, choice: choice, standIn: stand,
		offered: map[string]bool{}, models: map[string]model.Spec{}, labels: map[string]bool{},
	}
	u.agentNames = t.roster.all()
	u.declareTools()
	u.environment()
	p := &runtime.Program{Edges: t.edges, Models: u.models}
	for _, m := range t.roster.agents {
		p.Agents = append(p.Agents, m.Agent)
	}
	for _, g := range t.roster.order {
		p.Groups = append(p.Groups, runtime.Group{Name: g, Members: t.roster.groups[g]})
	}
	u.compileAgents(p)
	turns := c.place(u, t.sc, programFunctions, u.vars)
	delete(turns.vars, "heard") // it is what an agent heard, and here nobody speaks
	b := &body{c: c, u: u, lets: map[string]bool{}}
	p.Turns = b.block(turns, t.turns.Body, "")
	if t.turns.Limit != nil {
		p.TurnLimit, _ = c.constantInt(t.sc, t.turns.Limit, "the limit of turns", 1)
	}
	p.Answer, u.answer, _ = c.expr(turns, t.answer, anyWanted, "the answer")
	u.compileTools()
	u.lay()
	p.Tools = u.tools
	p.World = u.compileWorld()
	for _, st := range t.steps {
		u.labels[st.label] = st.many
	}
	return p, u
}

// compileAgents compiles each declaration once; the members of a group share it.
func (u *unit) compileAgents(p *runtime.Program) {
	compiled := map[*ast.Agent]runtime.Attrs{}
	for i, m := range u.team.roster.agents {
		attrs, done := compiled[m.decl]
		if !done {
			attrs = u.c.attrs(u, u.c.place(u, u.team.sc, turnFunctions, u.vars), m.decl.Attrs, nil)
			compiled[m.decl] = attrs
		}
		attrs.Model = u.choice.of(u, m)
		p.Agents[i].Attrs = attrs
		p.Agents[i].Honest = true
	}
}

// declareTools lists the workspace's tools, then the team's own.
func (u *unit) declareTools() {
	seen := map[string]bool{}
	declare := func(sc scope, decls []*ast.Tool) {
		for _, d := range decls {
			name := d.Name.Name
			if seen[name] {
				u.c.fail(sc.m, diag.DeclaredTwice, d.Name.Span, "", "a tool named %q exists already", name)
				continue
			}
			if set("read", "write", "all", "none")[name] || taken(name) {
				u.c.fail(sc.m, diag.NameTaken, d.Name.Span, "", "%q cannot be the name of a tool", name)
				continue
			}
			seen[name] = true
			params, _ := u.c.fieldShapes(sc, d.Params, u.team.groupMembers())
			u.tools = append(u.tools, runtime.Tool{Name: name, About: u.c.aboutTool(sc, d), Params: params, Class: classOf(d)})
			u.decls = append(u.decls, toolDecl{d, sc})
		}
	}
	declare(u.world.sc, u.world.tools)
	declare(u.team.sc, u.team.tools)
}

func (c *Compiler) aboutTool(sc scope, d *ast.Tool) string {
	if d.About == nil {
		return d.Doc
	}
	about, _ := c.constantText(sc, d.About, "a tool's about")
	return about
}

func (u *unit) hasTool(name string) bool { return u.toolNamed(name) != nil }

func (u *unit) toolNamed(name string) *runtime.Tool {
	for i := range u.tools {
		if u.tools[i].Name == name {
			return &u.tools[i]
		}
	}
	return nil
}

// compileTools compiles bodies and resources.
func (u *unit) compileTools() {
	var returned *typ
	defer func() {
		if returned != nil {
			u.result = optional(*returned)
		}
	}()
	for i := range u.tools {
		t, d := &u.tools[i], u.decls[i]
		p := u.c.place(u, d.sc, toolFunctions, u.vars)
		p.vars["args"] = recordOf("set of arguments", argTypes(t.Params))
		p.vars["agent"] = agentType
		p.vars["self"] = agentType
		delete(p.vars, "heard")
		for _, f := range t.Params {
			if toolReserved[f.Name] {
				u.c.fail(d.sc.m, diag.NameTaken, paramSpan(d.decl, f.Name), "", "%q cannot be the name of an argument: it has a meaning of its own here", f.Name)
			}
			p.vars[f.Name] = shapeType(f.Shape)
		}
		b := &body{c: u.c, u: u, tool: true, lets: map[string]bool{}}
		t.Body = b.block(p, d.decl.Body, "")
		header := p.fork()
		header.vars["result"] = openType
		if b.returns > 0 {
			header.vars["result"] = b.returned
			if returned == nil {
				returned = &b.returned
			} else {
				t := either(*returned, b.returned)
				returned = &t
			}
		}
		t.Reads = u.resources(header, d.decl.Reads)
		t.Writes = u.resources(header, d.decl.Writes)
	}
}

// toolReserved are the names that a tool's arguments may not hide.
var toolReserved = set("task", "args", "agent", "result", "state", "files", "hole", "self", "true", "false", "nil", "let", "if", "in", "and", "or", "not")

func paramSpan(d *ast.Tool, name string) ast.Span {
	for _, p := range d.Params {
		if p.Name.Name == name {
			return p.Name.Span
		}
	}
	return d.Name.Span
}

// resources compiles URIs: what they interpolate is percent-encoded.
func (u *unit) resources(p place, list []*ast.Expr) []runtime.Expr {
	var out []runtime.Expr
	for _, e := range list {
		x, _, ok := u.c.expr(p, e, wantURIs, "a resource")
		if ok {
			x.Src = asURI(x.Src)
			out = append(out, x)
		}
	}
	return out
}

// compileWorld compiles the workspace's data and authority.
func (u *unit) compileWorld() runtime.World {
	c, w := u.c, u.world
	var out runtime.World
	data := c.place(u, w.sc, noFunctions, map[string]typ{"task": u.vars["task"]})
	for _, p := range w.state {
		s, ok := u.stateField(p.Name.Name)
		if !ok || p.Default == nil {
			continue
		}
		init, _, _ := c.expr(data, p.Default, wantShape(s), fmt.Sprintf("the initial value of %q", p.Name.Name))
		out.State = append(out.State, runtime.StateField{Name: p.Name.Name, Shape: s, Init: init})
	}
	for _, h := range w.holes {
		text, _, _ := c.expr(data, h.Default, wantText, "the text of a hole")
		out.Holes = append(out.Holes, runtime.Hole{Name: h.Name.Name, Default: text})
	}
	data = data.fork()
	data.vars["hole"] = u.vars["hole"]
	for _, f := range w.files {
		path, _, _ := c.expr(data, f.Path, wantText, "the path of a file")
		text, _, _ := c.expr(data, f.Text, wantText, "the text of a file")
		out.Files = append(out.Files, runtime.File{Path: path, Text: text})
	}
	for _, decl := range w.corpus {
		if corpus, ok := u.corpus(data, decl); ok {
			out.Corpus = append(out.Corpus, corpus)
		}
	}
	for _, a := range w.allow {
		out.Allow = append(out.Allow, u.allow(w.sc, a))
	}
	return out
}

func (u *unit) stateField(name string) (shape.Shape, bool) {
	for _, f := range u.world.fields {
		if f.Name == name {
			return f.Shape, true
		}
	}
	return shape.Shape{}, false
}

// allow compiles one authority rule. A baseline's agents stand in for the agents
// that the rule names.
func (u *unit) allow(sc scope, a *ast.Allow) runtime.Allow {
	c := u.c
	out := runtime.Allow{Write: a.Write}
	p := c.place(u, sc, noFunctions, map[string]typ{"task": u.vars["task"], "agent": agentType, "args": u.anyArgs()})
	for name, t := range u.vars {
		if u.team.roster.taken(name) {
			p.vars[name] = t
		}
	}
	for _, e := range a.URIs {
		x, _, ok := c.expr(p, e, wantText, "a resource")
		if ok {
			x.Src = asURI(x.Src)
			out.URIs = append(out.URIs, x)
		}
	}
	if a.By != nil {
		out.By = u.owners(sc, a.By, "by")
	}
	if a.When != nil {
		out.When, _, _ = c.expr(p, a.When, wantBool, "when")
	}
	return out
}

// owners resolves agents that a workspace names; in a baseline its agents take
// the place of all of them.
func (u *unit) owners(sc scope, e *ast.Expr, what string) []string {
	r := u.team.roster
	if u.standIn != nil {
		if _, _, ok := u.c.pick(sc, u.standIn.roster, e, what); !ok {
			return nil
		}
		return r.all()
	}
	names, _, _ := u.c.pick(sc, r, e, what)
	return names
}

func (r *roster) all() []string {
	names := make([]string, len(r.agents))
	for i, m := range r.agents {
		names[i] = m.Name
	}
	return names
}

// corpus compiles the stores of documents.
func (u *unit) corpus(p place, decl *ast.Corpus) (runtime.Corpus, bool) {
	c := u.c
	out := runtime.Corpus{Owners: u.team.roster.all()}
	if decl.Owner != nil && !u.ownsCorpus(p.sc, decl.Owner, &out) {
		return out, false
	}
	if decl.Top != nil {
		out.Top, _ = c.constantInt(p.sc, decl.Top, "top", 1)
	}
	if decl.Truncate != nil {
		out.Truncate, _ = c.constantInt(p.sc, decl.Truncate, "truncate", 1)
	}
	switch {
	case decl.From == nil:
	case len(c.namesIn(decl.From)) == 0 || c.onlyParams(p.sc, decl.From):
		out.Docs = c.documents(p.sc, decl.From)
	default:
		out.From, _, _ = c.expr(p, decl.From, wantList, "the documents of a corpus")
	}
	return out, true
}

// ownsCorpus resolves whose store it is. A baseline gets the store of the agents
// that its corpus clause names, and no other.
func (u *unit) ownsCorpus(sc scope, owner *ast.Expr, out *runtime.Corpus) bool {
	if u.standIn == nil {
		names, _, ok := u.c.pick(sc, u.team.roster, owner, "a corpus")
		out.Owners = names
		return ok
	}
	names, _, ok := u.c.pick(sc, u.standIn.roster, owner, "a corpus")
	if !ok {
		return false
	}
	for _, n := range names {
		if contains(u.standIn.corpus, n) {
			return true
		}
	}
	return false
}

func (c *Compiler) onlyParams(sc scope, e *ast.Expr) bool {
	for _, n := range c.namesIn(e) {
		if _, ok := sc.params[n]; !ok {
			return false
		}
	}
	return true
}

// documents reads the documents of a file: records with text, and perhaps an id
// and a title.
func (c *Compiler) documents(sc scope, from *ast.Expr) []runtime.Document {
	v, ok := c.constant(sc, from, "where a corpus comes from")
	if !ok {
		return nil
	}
	var items []any
	switch x := v.(type) {
	case string:
		file := c.read(sc.m, x)
		if file.err != nil {
			c.fail(sc.m, dataCode(file.err), from.Span, "", "%s", dataMessage(x, file.err))
			return nil
		}
		for _, r := range file.records {
			items = append(items, r.Fields)
		}
	case []any:
		items = x
	default:
		c.fail(sc.m, diag.WrongValue, from.Span, "", "a corpus comes from a file or a list of documents")
		return nil
	}
	docs := make([]runtime.Document, 0, len(items))
	for i, item := range items {
		doc, why := document(item, i+1)
		if why != "" {
			c.fail(sc.m, diag.DataField, from.Span, "a document is a text, or a record { title: …, text: … }", "document %d %s", i+1, why)
			return docs
		}
		docs = append(docs, doc)
	}
	return docs
}

func document(item any, n int) (runtime.Document, string) {
	d := runtime.Document{ID: fmt.Sprint(n)}
	switch x := item.(type) {
	case string:
		d.Text = x
		return d, ""
	case map[string]any:
		for name, to := range map[string]*string{"id": &d.ID, "title": &d.Title, "text": &d.Text} {
			if v, has := x[name]; has && v != nil {
				*to = display(v)
			}
		}
		if _, has := x["text"]; !has {
			return d, "has no text"
		}
		return d, ""
	}
	return d, "is neither a text nor a record"
}

// stepOf is what is known of a step before it is compiled; nil where expanding
// the team refused it.
func (u *unit) stepOf(decl *ast.Step) *step {
	for _, st := range u.team.steps {
		if st.decl == decl {
			return st
		}
	}
	return nil
}
