package main

import (
	"strings"

	"parley/lang/ast"
	"parley/lang/lex"
	"parley/lang/source"
)

// docFile is what a file says of itself: its first comment, and its declarations
// with their comments.
type docFile struct {
	name  string
	intro string
	decls []docDecl
	tests []string
}

// docDecl is one declaration: how it is written up to its block, what its
// comment says, and lists of what is in it.
type docDecl struct {
	kind, name, head string
	doc, about       string
	lists            []docList
}

// docList is a titled list of names with what is said of them.
type docList struct {
	title string
	rows  [][2]string
}

// documenter reads what documentation needs from a file's tree.
type documenter struct{ src *source.Source }

// document collects what a right file says of itself.
func document(name string, src *source.Source, file *ast.File) docFile {
	d := documenter{src}
	out := docFile{name: name, intro: d.intro(file)}
	for _, decl := range file.Decls {
		if decl.Test != nil {
			out.tests = append(out.tests, decl.Test.Title)
			continue
		}
		one := docDecl{doc: decl.Doc, head: d.head(decl.Span)}
		d.fill(&one, decl)
		out.decls = append(out.decls, one)
	}
	return out
}

// intro is the first comment of a file, where an empty line or an import parts
// it from the declarations.
func (d documenter) intro(file *ast.File) string {
	var lines []string
	line := 0
	for _, c := range file.Comments {
		at := d.src.LineOf(c.Start)
		if line > 0 && at != line+1 {
			break
		}
		lines, line = append(lines, strings.TrimRight(strings.TrimPrefix(c.Text, " "), " \t")), at
	}
	for _, decl := range file.Decls {
		if d.src.LineOf(decl.Start) <= line+1 {
			return "" // it is the declaration's own, or stands further down
		}
	}
	return strings.Join(lines, "\n")
}

// written is how a stretch of the file is written, on one line.
func (d documenter) written(s ast.Span) string {
	return strings.Join(strings.Fields(d.src.Text[s.Start:s.End]), " ")
}

// head is how a declaration is written up to its block.
func (d documenter) head(s ast.Span) string {
	text := d.src.Text[s.Start:s.End]
	tokens := lex.Scan(source.New(d.src.Name, text)).Tokens
	for i := 0; i < len(tokens); i++ {
		switch t := tokens[i]; {
		case t.Is("{"):
			text = text[:t.Start]
			return strings.Join(strings.Fields(text), " ")
		case t.Kind == lex.Open:
			i = t.Match
		}
	}
	return strings.Join(strings.Fields(text), " ")
}

// prose is an expression's text without its quotes.
func (d documenter) prose(e *ast.Expr) string {
	if e == nil {
		return ""
	}
	return strings.Trim(d.written(e.Span), `"`)
}

// fill reads the parts of one declaration.
func (d documenter) fill(out *docDecl, decl *ast.Decl) {
	name := func(kind string, id *ast.Ident) { out.kind, out.name = kind, id.Name }
	switch {
	case decl.Model != nil:
		name("model", decl.Model.Name)
		d.settings(out, "settings", decl.Model.Attrs)
	case decl.AgentSet != nil:
		name("agents", decl.AgentSet.Name)
		d.agents(out, decl.AgentSet.Agents)
	case decl.Team != nil:
		name("team", decl.Team.Name)
		d.params(out, decl.Team.Params)
		d.team(out, decl.Team.Members)
	case decl.Workspace != nil:
		name("workspace", decl.Workspace.Name)
		d.params(out, decl.Workspace.Params)
		d.workspace(out, decl.Workspace.Members)
	case decl.Tasks != nil:
		name("tasks", decl.Tasks.Name)
	case decl.Task != nil:
		name("task", decl.Task.Name)
		out.add("fields", d.lets(decl.Task.Fields)...)
	case decl.Attack != nil:
		name("attack", decl.Attack.Name)
		d.params(out, decl.Attack.Params)
		d.attack(out, decl.Attack.Members)
	case decl.Defense != nil:
		name("defense", decl.Defense.Name)
		d.params(out, decl.Defense.Params)
		d.defense(out, decl.Defense.Members)
	case decl.Judge != nil:
		name("judge", decl.Judge.Name)
		d.params(out, decl.Judge.Params)
		d.judge(out, decl.Judge.Attrs)
	case decl.Verify != nil:
		name("verify", decl.Verify.Name)
		d.params(out, decl.Verify.Params)
		out.add("predicates", d.lets(decl.Verify.Preds)...)
	case decl.Score != nil:
		name("score", decl.Score.Name)
		d.params(out, decl.Score.Params)
		for _, s := range decl.Score.Scores {
			out.add("scores", [2]string{s.Kind.Name + " " + s.Name.Name, d.written(s.Span)})
		}
	case decl.Scenario != nil:
		name("scenario", decl.Scenario.Name)
		d.params(out, decl.Scenario.Params)
		d.scenario(out, decl.Scenario.Members)
	case decl.Experiment != nil:
		name("experiment", decl.Experiment.Name)
		for _, m := range decl.Experiment.Members {
			out.say(d.prose(m.About))
			if m.Sweep != nil {
				out.add("sweeps", [2]string{d.written(m.Sweep.Names[0].Span), d.written(m.Span)})
			}
		}
	}
}

// add puts rows into a list, which is made when its first row comes.
func (o *docDecl) add(title string, rows ...[2]string) {
	for i := range o.lists {
		if o.lists[i].title == title {
			o.lists[i].rows = append(o.lists[i].rows, rows...)
			return
		}
	}
	if len(rows) > 0 {
		o.lists = append(o.lists, docList{title, rows})
	}
}

func (o *docDecl) say(about string) {
	if about != "" && o.about == "" {
		o.about = about
	}
}

func (d documenter) params(out *docDecl, params []*ast.Param) {
	for _, p := range params {
		what := d.written(p.Type.Span)
		if p.Default != nil {
			what += " = " + d.written(p.Default.Span)
		}
		out.add("parameters", [2]string{p.Name.Name, what})
	}
}

func (d documenter) lets(lets []*ast.Let) (rows [][2]string) {
	for _, l := range lets {
		rows = append(rows, [2]string{l.Name.Name, d.written(l.Value.Span)})
	}
	return rows
}

func (d documenter) settings(out *docDecl, title string, attrs []*ast.ModelAttr) {
	for _, a := range attrs {
		out.add(title, [2]string{a.Key.Name, d.written(a.Value.Span)})
	}
}
