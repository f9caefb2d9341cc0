package build

import (
	"fmt"

	"parley/interp/load"
	"parley/lang/ast"
	"parley/lang/diag"
	"parley/runtime"
	"parley/runtime/shape"
)

// compileWorld compiles the workspace's data and authority.
func (u *unit) compileWorld() runtime.World {
	c, w := u.c, u.world
	var out runtime.World
	data := c.place(u, w.sc, noFunctions, map[string]typ{"task": u.vars["task"]})
	for _, h := range w.holes {
		text, _, _ := c.expr(data, h.Default, wantText, "the text of a hole")
		out.Holes = append(out.Holes, runtime.Hole{Name: h.Name.Name, Default: text})
	}
	data = data.fork()
	data.vars["hole"] = u.vars["hole"]
	for _, p := range w.state {
		s, ok := u.stateField(p.Name.Name)
		if !ok || p.Default == nil {
			continue
		}
		init, _, _ := c.expr(data, p.Default, wantShape(s), fmt.Sprintf("the initial value of %q", p.Name.Name))
		out.State = append(out.State, runtime.StateField{Name: p.Name.Name, Shape: s, Init: init})
	}
	for _, f := range w.files {
		path, _, _ := c.expr(data, f.Path, wantText, "the path of a file")
		text, _, _ := c.expr(data, f.Text, wantText, "the text of a file")
		out.Files = append(out.Files, runtime.File{Path: path, Text: text})
	}
	for _, f := range w.pages {
		path, _, _ := c.expr(data, f.Path, wantText, "the address of a page")
		text, _, _ := c.expr(data, f.Text, wantText, "the text of a page")
		out.Pages = append(out.Pages, runtime.File{Path: path, Text: text})
	}
	for _, m := range w.mails {
		out.Mails = append(out.Mails, c.mail(data, m))
	}
	u.unreadStores()
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

// mail compiles one mail; a part that is not written is empty.
func (c *Compiler) mail(p place, m *ast.MailItem) runtime.Mail {
	var out runtime.Mail
	out.ID, _, _ = c.expr(p, m.ID, wantText, "the name of a mail")
	parts := map[string]*runtime.Expr{"from": &out.From, "subject": &out.Subject, "body": &out.Body}
	for _, f := range m.Fields {
		if f.Name == nil {
			c.fail(p.sc.m, diag.NoSuchParam, f.Span, "write name: value", "the parts of a mail are named")
			continue
		}
		to := parts[f.Name.Name]
		if to == nil {
			c.fail(p.sc.m, diag.NoSuchField, f.Name.Span, load.Suggest(f.Name.Name, keysOf(parts)), "a mail has from, subject and body, and no %q", f.Name.Name)
			continue
		}
		if !to.Absent() {
			c.fail(p.sc.m, diag.ClauseTwice, f.Name.Span, "", "%s stands twice", f.Name.Name)
		}
		*to, _, _ = c.expr(p, f.Value, wantText, "the "+f.Name.Name+" of a mail")
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
		x, _, ok := c.expr(p, e, wantURIs, "a resource")
		if ok {
			x.Src = asURI(x.Src)
			out.URIs = append(out.URIs, x)
			u.rule(sc, a, e, x)
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
