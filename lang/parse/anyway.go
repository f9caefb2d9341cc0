package parse

import (
	"parley/lang/ast"
	"parley/lang/lex"
)

// readAnyway reads the block of an item whose beginning could not be read, so
// that a mistake before a block hides none in it. What it finds is reported,
// and what it reads belongs to nothing. mistake is where the item went wrong.
func (p *parser) readAnyway(b *body, at, mistake, to int) {
	bl, ok := p.blockBehind(b, at, mistake, to)
	if !ok {
		return
	}
	word := p.tokens[at].Text
	if b.shape != nil && b.shape(at) {
		word = ""
	}
	switch b.in {
	case lex.InFile:
		p.declarationAnyway(word, bl)
	case lex.InTeam, lex.InAgents:
		p.teamAnyway(word, bl)
	case lex.InTurns, lex.InTool:
		if word == "" {
			p.attrs(lex.InStep, bl)
		} else {
			p.statements(b.in, bl)
		}
	case lex.InWorkspace:
		switch word {
		case "tool":
			p.teamAnyway(word, bl)
		case "corpus":
			p.settings(lex.InCorpus, bl)
		case "if":
			p.workspaceMembers(bl)
		}
	case lex.InAttack:
		if word == "if" {
			p.attackMembers(bl)
		}
	case lex.InAgent, lex.InStep, lex.InJudge:
		if word == "if" {
			p.attrs(b.in, bl)
		}
	case lex.InScenario:
		if word == "if" {
			p.scenarioMembers(bl)
		}
	case lex.InTest:
		switch word {
		case "if":
			p.testMembers(bl)
		case "script":
			p.entries(&ast.Script{}, bl)
		}
	}
}

func (p *parser) declarationAnyway(word string, bl block) {
	switch word {
	case "model":
		p.settings(lex.InModel, bl)
	case "agents":
		p.agentsOf(bl)
	case "team":
		p.teamMembers(bl)
	case "workspace":
		p.workspaceMembers(bl)
	case "tasks":
		p.bindings(bl, "a mapping")
	case "task":
		p.taskBody(&ast.Task{}, bl)
	case "attack":
		p.attackMembers(bl)
	case "verify":
		p.bindings(bl, titleOfVerify)
	case "score":
		p.scores(bl)
	case "scenario":
		p.scenarioMembers(bl)
	case "experiment":
		p.experimentMembers(bl)
	case "test":
		p.testMembers(bl)
	case "judge":
		p.attrs(lex.InJudge, bl)
	}
}

func (p *parser) teamAnyway(word string, bl block) {
	switch word {
	case "agent":
		p.attrs(lex.InAgent, bl)
	case "tool":
		from, to := p.inner(bl)
		p.statementList(lex.InTool, from, to, func(*ast.Expr) {})
	case "turns":
		p.statements(lex.InTurns, bl)
	case "if":
		p.teamMembers(bl)
	}
}

// blockBehind finds the block of an item that went wrong at mistake: the first
// { … } outside other brackets that does not end before it.
func (p *parser) blockBehind(b *body, at, mistake, to int) (block, bool) {
	for i, steps := at+1, 0; i < to && steps < maxPiece; i, steps = i+1, steps+1 {
		t := p.tokens[i]
		if i > mistake && p.heads(b, at, i) {
			return block{}, false // the next item's
		}
		if t.Kind != lex.Open {
			continue
		}
		if t.Text == "{" && t.Match >= mistake-1 { // or just before it: taken for a map
			return block{from: i, to: t.Match + 1}, true
		}
		i = t.Match
	}
	return block{}, false
}
