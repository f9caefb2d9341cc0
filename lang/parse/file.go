package parse

import (
	"strconv"

	"parley/lang/ast"
	"parley/lang/diag"
	"parley/lang/lex"
)

type languageNode struct {
	place
	Version string `parser:"'language' @Number"`
}

type useNode struct {
	place
	Path text  `parser:"'use' @@"`
	As   *word `parser:"( 'as' @@ )?"`
}

var (
	languages = grammarOf[languageNode]()
	uses      = grammarOf[useNode]()
)

// Language is the version of the language that this program reads.
const Language = 1

// declarations reads the whole file.
func (p *parser) declarations() {
	b := &body{in: lex.InFile, title: titles[lex.InFile]}
	to := len(p.tokens) - 1
	b.item = func(at int, word string) int { return p.declaration(b, at, to, word) }
	p.items(b, 0, to)
}

// foreign reports a file of a later language, of which nothing else is read.
func (p *parser) foreign() bool {
	if len(p.tokens) < 3 || !p.tokens[0].Is("language") || p.tokens[1].Kind != lex.Number {
		return false
	}
	version, err := strconv.Atoi(p.tokens[1].Text)
	if err == nil && version == Language {
		return false
	}
	p.report(diag.BadLanguage, p.tokens[1].Span(), "this file is written in language "+p.tokens[1].Text+", and this program reads language 1",
		"a newer parley may read it")
	return true
}

func (p *parser) declaration(b *body, at, to int, word string) int {
	switch word {
	case "language":
		n, next := take(p, b, languages, at, to)
		if n == nil {
			return next
		}
		if at != 0 {
			p.report(diag.LanguageFirst, p.tokens[at].Span(), "the language version stands at the top of a file", "move it above everything else")
			return next
		}
		version := Language
		p.file.Language = &version
		return next
	case "use":
		n, next := take(p, b, uses, at, to)
		if n != nil {
			p.file.Uses = append(p.file.Uses, &ast.Use{Span: p.spanOf(n.place), Path: p.plain(n.Path), As: p.identOpt(n.As)})
		}
		return next
	}
	d := &ast.Decl{Doc: p.doc(at)}
	next := p.declare(b, d, at, to, word)
	if d.Span != (ast.Span{}) { // something was read
		p.file.Decls = append(p.file.Decls, d)
	}
	return next
}

// declare reads one declaration into d.
func (p *parser) declare(b *body, d *ast.Decl, at, to int, word string) (next int) {
	switch word {
	case "model":
		d.Model, next = p.model(b, at, to)
		setSpan(d, d.Model)
	case "agents":
		d.AgentSet, next = p.agentSet(b, at, to)
		setSpan(d, d.AgentSet)
	case "team":
		d.Team, next = p.team(b, at, to)
		setSpan(d, d.Team)
	case "workspace":
		d.Workspace, next = p.workspace(b, at, to)
		setSpan(d, d.Workspace)
	case "tasks":
		d.Tasks, next = p.namedTasks(b, at, to)
		setSpan(d, d.Tasks)
	case "task":
		d.Task, next = p.task(b, at, to)
		setSpan(d, d.Task)
	case "attack":
		d.Attack, next = p.attack(b, at, to)
		setSpan(d, d.Attack)
	case "defense":
		d.Defense, next = p.defense(b, at, to)
		setSpan(d, d.Defense)
	case "verify":
		d.Verify, next = p.namedVerify(b, at, to)
		setSpan(d, d.Verify)
	case "score":
		d.Score, next = p.namedScore(b, at, to)
		setSpan(d, d.Score)
	case "scenario":
		d.Scenario, next = p.scenario(b, at, to)
		setSpan(d, d.Scenario)
	case "experiment":
		d.Experiment, next = p.experiment(b, at, to)
		setSpan(d, d.Experiment)
	case "test":
		d.Test, next = p.test(b, at, to)
		setSpan(d, d.Test)
	case "judge":
		d.Judge, next = p.judge(b, at, to)
		setSpan(d, d.Judge)
	default:
		next = stuck
	}
	return next
}

// setSpan gives a declaration the extent of what it holds, where it holds it.
func setSpan[T any, P interface {
	*T
	ast.Node
}](d *ast.Decl, held P) {
	if held != nil {
		d.Span = held.Range()
	}
}
