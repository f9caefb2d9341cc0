package query

import (
	"parley/interp/load"
	"parley/lang/lex"
)

// placeClause completes what is particular to a place; false where nothing is.
func (a *asker) placeClause() bool {
	first := a.text(0)
	switch a.spot.in {
	case lex.InFile:
		return a.fileClause(first)
	case lex.InModel:
		if first == "provider" {
			a.words("sim", "openai")
			return true
		}
	case lex.InAttack, lex.InDefense:
		return a.patchClause(first)
	case lex.InAgent, lex.InStep, lex.InJudge:
		return a.attrClause(first)
	case lex.InTeam, lex.InAgents:
		return a.teamClause(first)
	case lex.InTurns, lex.InTool, lex.InHook:
		return a.statementClause(first)
	case lex.InObeyed, lex.InScript:
		if first == "call" {
			return a.callClause()
		}
		if a.afterWord("when") {
			a.words("request contains")
			return true
		}
	case lex.InScenario, lex.InExperiment, lex.InTest:
		return a.runClause(first)
	case lex.InScore:
		return a.scoreClause(first)
	case lex.InWorkspace:
		return a.workspaceClause(first)
	}
	return false
}

func (a *asker) fileClause(first string) bool {
	switch {
	case first == "attack" && a.afterWord("at"):
		a.add(WordItem, 0, "L1", "the orchestrator", "")
		a.add(WordItem, 0, "L2", "agents", "")
		a.add(WordItem, 0, "L3", "the world", "")
		return true
	case first == "attack" && a.spot.expr == nil && !a.spot.typ && len(a.before) > 1:
		a.furtherWords(0)
		return true
	case first == "use":
		a.furtherWords(0)
		return true
	case len(a.before) == 1:
		return true // a name of the author's own
	}
	return false
}

// operations are what patches begin with.
var operations = map[string]bool{
	"append": true, "prepend": true, "replace": true, "rewrite": true, "insert": true, "remove": true, "drop": true, "delay": true,
}

func (a *asker) patchClause(first string) bool {
	switch {
	case first == "add" && len(a.before) == 1:
		a.words("agent", "tool")
	case first == "add" && a.afterWord("like"):
		a.symbols(0, a.all(Agent))
	case first == "before" && len(a.before) == 1:
		a.words("task", "prompt", "tools", "call", "message", "answer")
	case first == "after" && len(a.before) == 1:
		a.words("result", "reply", "round")
	case !operations[first]:
		return false
	case first == "rewrite" && a.afterWord("with"):
		a.models()
	case a.said("call"):
		return a.callClause()
	case a.said("with", "when", "by"):
		return false
	case len(a.before) == 1 || a.text(-1) == "." || a.text(-1) == "(" || a.text(-1) == "->":
		a.slotsOf()
	default:
		a.furtherWords(0)
		if first == "insert" || first == "replace" {
			a.words("call")
		}
	}
	return true
}

func (a *asker) attrClause(first string) bool {
	switch {
	case first == "model" && len(a.before) == 1:
		a.models()
	case first == "role":
		a.words("orchestrator")
	case first == "shares":
		a.words("reply", "text", "tool_results", "nothing")
	case first == "remembers" && len(a.before) == 1:
		a.words("all", "nothing", "last")
	case first == "handoff":
		a.symbols(0, a.all(Agent))
		return len(a.all(Agent)) > 0 && a.spot.expr == nil
	case first == "tools" && a.afterWord("then"):
		a.words("answer", "share", "stop")
	case first == "tools" && !a.said("limit", "then") && (len(a.before) == 1 || a.text(-1) == ","):
		a.symbols(0, a.all(Tool))
		a.words("read", "write", "all", "none", "own")
	default:
		return false
	}
	return true
}

func (a *asker) teamClause(first string) bool {
	switch {
	case first == "agent" && len(a.before) == 1:
		return true
	case a.afterWord("ring", "chain", "star", "complete", "tree", "random"), a.text(-1) == "->", a.text(-1) == "<->":
		a.agents()
	case first == "tool" && a.spot.expr == nil && !a.spot.typ:
		if a.text(-1) == ")" {
			a.furtherWords(0)
		}
	default:
		return false
	}
	return true
}

// agents are the agents and the parameters that stand for some.
func (a *asker) agents() {
	a.symbols(0, a.all(Agent))
	for _, s := range a.r.space()[Parameter] {
		if s.typ != nil && namesAgents(s.typ) {
			a.symbol(0, s)
		}
	}
}

func (a *asker) statementClause(first string) bool {
	switch {
	case len(a.before) > 1 && a.text(1) == ":" && (len(a.before) == 2 || len(a.before) == 3 && a.afterWord("each")):
		a.agents()
		if len(a.before) == 2 {
			a.words("each")
		}
	case (first == "say" || first == "reset") && len(a.before) == 1:
		a.agents()
		if first == "say" {
			a.words("user")
		}
	case first == "approve" && len(a.before) == 1:
		a.words("by")
	case first == "for" && len(a.before) == 2:
		a.words("in")
	case (first == "let" || first == "for") && len(a.before) == 1:
	default:
		return false
	}
	return true
}

// callClause completes a call: the tool, and its arguments by name.
func (a *asker) callClause() bool {
	name, _, open, rest := a.inside()
	if open != "(" {
		a.symbols(0, a.all(Tool))
		return true
	}
	if len(rest) > 0 && rest[len(rest)-1].Text != "," {
		return false
	}
	for _, s := range a.r.lookup(nil, name, Tool) {
		for _, p := range s.tool.Params {
			a.add(ItemKind(Parameter), 0, p.Name.Name+": ", oneLine(a.r.n.byName[s.File].text(p.Span)), "")
		}
	}
	return true
}

func (a *asker) runClause(first string) bool {
	switch {
	case first == "model" && len(a.before) == 1:
		a.models()
	case first == "model" && a.afterWord("for"):
		a.symbols(0, a.all(Agent))
		a.words("judge")
	case first == "model":
		a.furtherWords(0)
	case first == "script" && len(a.before) == 1:
		a.symbols(0, a.all(Agent))
		a.words("judge")
	case first == "script" && a.afterWord("judge"):
		a.refs(load.Judge)
	case first == "script" && a.afterWord("in"):
		a.words("attacked", "clean", "baseline", "placebo")
	case first == "pairs":
		a.words("independent", "shared")
	case first == "fail" && len(a.before) == 1:
		a.words("when")
	case first == "compare":
		a.symbols(0, a.all(Estimate))
	case first == "sweep" && !a.said("in"):
		a.sweepable()
	default:
		return false
	}
	return true
}

// sweepable are the parameters of an experiment's scenarios, and the clauses that
// can be swept.
func (a *asker) sweepable() {
	if len(a.before) > 1 && a.text(-1) != "(" && a.text(-1) != "," {
		a.furtherWords(0)
		return
	}
	if a.r.d.Experiment != nil {
		for _, x := range a.r.d.Experiment.Members {
			for _, ref := range x.Scenario {
				if d := a.r.n.target(a.f.main, load.Scenario, ref.Path); d != nil {
					for _, s := range a.r.n.decls[d].spaces[d][Parameter] {
						a.symbol(0, s)
					}
				}
			}
		}
	}
	for _, w := range []string{"team", "attack", "defense", "model"} {
		a.add(WordItem, 1, w, "", "")
	}
}

func (a *asker) scoreClause(first string) bool {
	switch {
	case len(a.before) == 1:
		return true // a name of the author's own
	case a.afterWord("lower", "higher"):
		a.words("is better")
		return true
	}
	return false
}

func (a *asker) workspaceClause(first string) bool {
	switch {
	case first == "allow" && len(a.before) == 1:
		a.words("read", "write")
	case first == "allow" && a.afterWord("by"), first == "corpus" && len(a.before) == 1:
		a.symbols(0, a.all(Agent))
		return len(a.items) > 0
	case first == "tool" && a.spot.expr == nil && !a.spot.typ:
		if a.text(-1) == ")" {
			a.furtherWords(0)
		}
	case first == "hole" && len(a.before) == 1, first == "tool" && len(a.before) == 1:
	default:
		return false
	}
	return true
}
