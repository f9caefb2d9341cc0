package build_test

import (
	"fmt"
	"strings"
	"testing"

	"parley/interp/build"
	"parley/runtime"
)

// desks is a file with two sets, and a team that takes sets.
const desks = `
agents finance {
  // Checks who the customer is.
  agent identity { system "You check, ${self.name}." }
  agent trader { about "Places orders." system "You trade after ${identity.name}." }
}
agents legal { agent lawyer { system "Law." } agent clerk[2] { system "Clerk ${self.index}." } }
team round(members: agents) {
  complete(members)
  turns { for a in members { speak: a { prompt "${task.prompt}" } } }
  answer speak.text
}
attack lie() at L2 { goal "g" append agent.system with "Lie." }
`

// written shows agents with group and place, groups, and edges.
func written(p *runtime.Program) string {
	var b strings.Builder
	for _, a := range p.Agents {
		fmt.Fprintf(&b, "%s %s/%d %q\n", a.Name, a.Group, a.Index, a.About)
	}
	for _, g := range p.Groups {
		fmt.Fprintf(&b, "%s = %s\n", g.Name, strings.Join(g.Members, " "))
	}
	for _, e := range p.Edges {
		fmt.Fprintf(&b, "%s>%s ", e.From, e.To)
	}
	return strings.TrimSpace(b.String())
}

// One team, three sets of agents, in one file.
func TestATeamTakesSets(t *testing.T) {
	src := desks
	uses := []struct{ args, want string }{
		{"finance", `identity finance/1 "Checks who the customer is."
trader finance/2 "Places orders."
members = identity trader
finance = identity trader
identity>trader trader>identity`},
		{"[legal.lawyer, finance]", `lawyer legal/1 ""
identity finance/1 "Checks who the customer is."
trader finance/2 "Places orders."
members = lawyer identity trader
finance = identity trader
lawyer>identity lawyer>trader identity>lawyer identity>trader trader>lawyer trader>identity`},
		{"legal", `lawyer legal/1 ""
clerk[1] clerk/1 ""
clerk[2] clerk/2 ""
members = lawyer clerk[1] clerk[2]
clerk = clerk[1] clerk[2]
legal = lawyer clerk[1] clerk[2]
lawyer>clerk[1] lawyer>clerk[2] clerk[1]>lawyer clerk[1]>clerk[2] clerk[2]>lawyer clerk[2]>clerk[1]`},
	}
	for i, use := range uses {
		src += fmt.Sprintf("scenario s%d() { team round(members: %s) tasks \"facts.jsonl\" verify { spoke = all(members, len(.turns) > 0) } score { rate r = spoke } }\n", i, use.args)
	}
	for i, use := range uses {
		s := suite(t, src, fmt.Sprintf("s%d", i), build.Options{})
		if got := written(arm(t, s.Cells[0], runtime.Clean).Program); got != use.want {
			t.Errorf("%s:\n%s\nwant\n%s", use.args, got, use.want)
		}
	}
}
