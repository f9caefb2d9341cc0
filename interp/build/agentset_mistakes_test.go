package build_test

import (
	"strings"
	"testing"

	"parley/lang/diag"
)

// passed is a scenario that passes something on to a team of sets.
func passed(args string) string {
	return desks + `agents doubled { agent identity { } agent other { } }
` + "scenario s() { team round(" + args + ") tasks \"facts.jsonl\" verify { silent = run.answer == nil } score { rate r = silent } }"
}

// taking is a team with a body of its own, to which the set finance is passed.
func taking(params, body, args string) string {
	return "agents finance { agent identity { } agent trader { } }\nteam own(" + params + ") {\n" + body + "\n}\n" +
		"scenario s() { team own(" + args + ") tasks \"facts.jsonl\" verify { silent = run.answer == nil } score { rate r = silent } }"
}

const oneTurn = ` turns { t: members[1] { prompt "x" } } answer t.text`

var setMistakes = []mistake{
	{"no such set", passed(`members: ⟦finace⟧`), diag.NoSuchAgent, `the argument "members" must be known before anything runs, and "finace" is no parameter, set or agent here`, "did you mean finance?"},
	{"agent without its set", passed(`members: ⟦lawyer⟧`), diag.NoSuchAgent, `the argument "members" must be known before anything runs, and "lawyer" is no parameter, set or agent here`, "write legal.lawyer"},
	{"no such agent of a set", passed(`members: ⟦finance.traider⟧`), diag.NoSuchAgent, `the set "finance" has no agent "traider"`, "did you mean trader?"},
	{"a number", passed(`members: ⟦3⟧`), diag.ParamType, `the argument "members" of team round must be a set of agents, or a list of sets and agents, and it is 3`, ""},
	{"names as texts", passed(`members: ⟦["identity"]⟧`), diag.ParamType, `the argument "members" of team round must be a set of agents, or a list of sets and agents, and it is a list`, ""},
	{"nobody", passed(`members: ⟦[]⟧`), diag.ParamType, `the argument "members" of team round must name at least one agent, and it names none`, ""},
	{"one name in two sets", passed(`⟦members: [finance, doubled]⟧`), diag.NameTaken, `the agent "identity" of the set "doubled" cannot join the team "round": the set "finance" has an agent of that name`, "rename one of the two"},
	{"bare name of two sets", passed(`members: [finance, doubled, ⟦identity⟧]`), diag.NameTaken, `two sets have an agent named "identity"`, "write the set before it, as in doubled.identity"},
	{"a part of a group", passed(`⟦members: [finance, legal.clerk[1]]⟧`), diag.WrongValue, `only a part of the group "clerk" of the set "legal" takes part in the team "round"`, "pass all of clerk"},
	{"the team has such an agent", taking("members: agents", "agent trader { }"+oneTurn, "⟦members: finance⟧"), diag.NameTaken, `the agent "trader" of the set "finance" cannot join the team "own": the team has an agent of that name`, "rename one of the two"},
	{"the team has such a label", taking("members: agents", `turns { trader: members[1] { prompt "x" } } answer trader.text`, "⟦members: finance⟧"), diag.NameTaken, `the agent "trader" of the set "finance" cannot join the team "own": its turns have a label or a variable of that name`, "rename one of the two"},
	{"the team has such a parameter", taking("members: agents, trader: int = 1", `turns { t: members[trader] { prompt "x" } } answer t.text`, "⟦members: finance⟧"), diag.NameTaken, `the agent "trader" of the set "finance" cannot join the team "own": the team has a parameter of that name`, "rename one of the two"},
	{"a group for an agent", taking("lead: agent", `turns { t: lead { prompt "x" } } answer t.text`, "lead: ⟦finance⟧"), diag.ParamType, `the argument "lead" of team own must be an agent, and it is the agents finance`, ""},
	{"a text for an agent", taking("lead: agent", `turns { t: lead { prompt "x" } } answer t.text`, `lead: ⟦"trader"⟧`), diag.ParamType, `the argument "lead" of team own must name agents themselves, not a text with the name of one`, ""},
	{"unknown agent in a record", taking("members: agents, flow: [{ from: agent }]", `turns { for f in flow { t: (f.from) { prompt "x ${len(members)}" } } } answer t.text`, `members: finance, flow: [{ from: ⟦tradr⟧ }]`), diag.NoSuchAgent, `the argument "flow" must be known before anything runs, and "tradr" is no parameter, set or agent here`, "did you mean trader?"},
	{"field missing in a record", taking("members: agents, flow: [{ from: agent, to: agent }]", `turns { for f in flow { t: (f.from) { prompt "x ${len(members)} ${f.to.name}" } } } answer t.text`, `members: finance, flow: ⟦[{ from: trader }]⟧`), diag.ParamType, `the argument "flow" of team own has an element (number 1) that lacks the field "to"`, ""},
	{"member outside", taking("members: agents", `turns { t: ⟦members[3]⟧ { prompt "x" } } answer t.text`, "members: finance"), diag.BadReference, `a step reaches members[3], and members has 2`, "members count from 1"},
	{"attack on somebody else", strings.Replace(passed(`members: finance`), "verify", "attack lie() on ⟦lawyer⟧ verify", 1), diag.NoSuchAgent, `the team has no agent or group "lawyer"`, "the team has members, finance, identity and trader"},
	{"attack on a set that is not there whole", strings.Replace(passed(`members: [legal.lawyer, finance]`), "verify", "attack lie() on ⟦legal⟧ verify", 1), diag.NoSuchAgent, `the team has no agent or group "legal"`, "only a part of the set takes part, and is no group; the team has members, finance, lawyer, identity and trader"},
	{"a layer of nobody", taking("members: agents", "layers(members, ⟦0⟧)"+oneTurn, "members: finance"), diag.WrongValue, "a layer holds a whole number of agents, at least one, and it is 0", ""},
	{"a member's field", taking("members: agents", `turns { t: members[1] { prompt "${members[1].⟦nme⟧}" } } answer t.text`, "members: finance"), diag.ExprUnknownField, `an agent has no field "nme"`, "did you mean name?"},
	{"a step with another's name", taking("members: agents", `turns { t: members[1] { prompt "${t.agent == ⟦"lawyer"⟧}" } } answer t.text`, "members: finance"), diag.ExprVocabulary, `no agent is called "lawyer"`, "there is identity, trader"},
	{"set of the name of its agent", `agents finance { agent ⟦finance⟧ { } } scenario s() { team round(members: finance) tasks "facts.jsonl" verify { x = run.answer == nil } score { rate r = x } }` + strings.Replace(desks, "agents finance", "agents other", 1), diag.NameTaken, `"finance" is the name of the set already`, ""},
	{"empty set", `agents ⟦nobody⟧ { }` + passed("members: finance"), diag.ClauseMissing, `the set "nobody" has no agents`, "declare one: agent reader { … }"},
	{"agent twice in a set", `agents nobody { agent a { } agent ⟦a⟧ { } }` + passed("members: finance"), diag.DeclaredTwice, `the agent "a" is declared twice`, ""},
	{"set as a team", passed("members: finance") + ` scenario t() { team ⟦finance⟧() tasks "facts.jsonl" }`, diag.WrongKindOfDecl, "finance is declared as a set of agents, not as a team", ""},
	{"attribute of a set's agent", `agents nobody { agent a { system "${⟦lowr⟧(self.name)}" } }` + passed("members: finance"), diag.ExprUnknownFunc, `there is no function "lowr"`, "did you mean lower?"},
	{"tool of a set's agent", `agents hands { agent thief { tools ⟦grab⟧ } }` + passed("members: hands"), diag.NoSuchTool, `no tool is named "grab"`, "neither the workspace nor the team declares tools"},
}

func TestSetMistakes(t *testing.T) { checkMistakes(t, setMistakes) }
