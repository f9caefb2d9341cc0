package build_test

import (
	"fmt"
	"strings"
	"testing"

	"parley/interp/build"
	"parley/runtime"
	"parley/runtime/key"
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

// What a team does with its agents is typed, and reaches the plan by names alone.
func TestAgentsInExpressions(t *testing.T) {
	src := desks + `
team panel(members: agents, lead: agent, flow: [{ from: agent, to: agent, when: string = "" }] = []) {
  agent chair { system "${lead.about} leads ${names(members)}" }
  complete(members)
  chair <-> lead
  tool ask(whom: members) { return whom }
  turns {
    let i = 2
    at: (members[i]) { }
    let next = members[1]
    set next = members[2]
    then: (next) { replies { next: members } }
    named: (then.reply.next) { }
    each_one: each members[1..2] { prompt "${len(members)} ${lead == members[1]}" }
    for f in flow { go: (f.to) { prompt "${f.from.name} ${f.when}" } }
  }
  answer go.text
}
scenario s(who: agents = finance, lead: agent = finance.trader) {
  team panel(members: [who, legal], lead: lead, flow: [{ from: trader, to: clerk[2], when: "x" }])
  tasks "facts.jsonl"
  attack lie() on [lead, finance[1], members[3]]
  verify { known = any(who, .honest) && lead.honest && all(finance, len(.turns) == 0 || last(.turns).agent == identity) }
  score { rate r = known rate q per members = self.honest }
}
`
	s := suite(t, src, "s", build.Options{})
	p := arm(t, s.Cells[0], runtime.Attacked).Program
	var who []string
	var walk func([]runtime.Stmt)
	walk = func(list []runtime.Stmt) {
		for _, st := range list {
			if st.Kind == runtime.StepStmt {
				who = append(who, st.Who.Src)
			}
			if st.Kind == runtime.ForStmt {
				who = append(who, "for "+st.Expr.Src)
			}
			walk(st.Body)
		}
	}
	walk(p.Turns)
	want := `members[i] | next | then.reply.next | members[1 .. 2] | for [{from: trader, to: clerk[2], when: "x"}] | f.to`
	if got := strings.Join(who, " | "); got != want {
		t.Errorf("speakers:\n%s\nwant\n%s", got, want)
	}
	if got := strings.Join(p.Patches[0].Agents, " "); got != "trader identity lawyer" {
		t.Errorf("the attack is on %s", got)
	}
	if got := p.Agents[0].Attrs.System.Src; got != `render(trader.about, " leads ", names(members))` {
		t.Errorf("the chair's system prompt is %s", got)
	}
}

// A scenario's own parameter can be a set: from the command line, and swept.
func TestScenariosPassSetsOn(t *testing.T) {
	src := desks + `
scenario s(who: agents = finance) { team round(members: who) tasks "facts.jsonl" verify { spoke = len(who) > 1 } score { rate r = spoke } }
experiment e { scenario s sweep who in [finance, legal, [legal.lawyer, finance]] }
`
	members := func(c *build.Cell) string {
		return strings.Join(arm(t, c, runtime.Clean).Program.Groups[0].Members, " ")
	}
	var got []string
	for _, c := range suite(t, src, "e", build.Options{}).Cells {
		got = append(got, c.Labels[0].Name+"="+c.Labels[0].Value+": "+members(c))
	}
	want := "who=finance: identity trader; who=legal: lawyer clerk[1] clerk[2]; who=[lawyer, identity, trader]: lawyer identity trader"
	if strings.Join(got, "; ") != want {
		t.Errorf("swept: %s\nwant %s", strings.Join(got, "; "), want)
	}
	s := suite(t, src, "s", build.Options{Params: map[string]string{"who": "[legal.lawyer, finance]"}})
	if got := members(s.Cells[0]); got != "lawyer identity trader" {
		t.Errorf("from the command line: %s", got)
	}
}

// A twin joins every group of its model, and a parameter that names nobody leaves
// its step without speakers.
func TestATwinJoinsSetAndParameter(t *testing.T) {
	src := desks + `
team hub(members: agents, boss: agent? = nil) {
  complete(members)
  turns { say_it: each members { } close: boss { } }
  answer majority(map(say_it, .text))
}
attack twin() at L2 { goal "g" add agent shadow like trader { system "Shadow." } }
scenario s() { team hub(members: [legal.lawyer, finance]) tasks "facts.jsonl" attack twin() verify { spoke = shadow.name in map(agents, .name) } score { rate r = spoke } }
`
	s := suite(t, src, "s", build.Options{})
	got := written(arm(t, s.Cells[0], runtime.Attacked).Program)
	for _, want := range []string{"shadow finance/3", "members = lawyer identity trader shadow", "finance = identity trader shadow", "trader>shadow", "shadow>lawyer"} {
		if !strings.Contains(got, want) {
			t.Errorf("no %q in\n%s", want, got)
		}
	}
	p := arm(t, s.Cells[0], runtime.Attacked).Program
	if who := p.Turns[1].Who.Src; who != "nil" {
		t.Errorf("the step for nobody asks %s", who)
	}
}

// The plan hangs on what is written alone, however often it is compiled.
func TestSetsCompileTheSame(t *testing.T) {
	src := desks + `
team panel(members: agents, flow: [{ from: agent, to: agent }]) {
  turns { for f in flow { go: (f.from) { prompt "${f.to.name} ${names(members)}" } } }
  answer go.text
}
scenario s() {
  team panel(members: [legal, finance], flow: [{ to: trader, from: clerk[2] }, { from: identity, to: lawyer }])
  tasks "facts.jsonl"
  attack lie() on [legal, finance[1]]
  verify { v = run.answer == nil }
  score { rate r = v }
}
`
	var first key.Key
	for i := range 20 {
		k := key.Of(*suite(t, src, "s", build.Options{}).Cells[0].Plan)
		if i == 0 {
			first = k
		} else if k != first {
			t.Fatalf("compiled a %dth time, the plan is another one", i+1)
		}
	}
}
