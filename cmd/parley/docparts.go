package main

import (
	"strings"

	"parley/lang/ast"
)

func (d documenter) agents(out *docDecl, agents []*ast.Agent) {
	for _, a := range agents {
		out.add("agents", d.agent(a))
	}
}

// agent is an agent's name and what is said of it, by its comment or by `about`.
func (d documenter) agent(a *ast.Agent) [2]string {
	name, said := a.Name.Name, a.Doc
	if a.Count != nil {
		name += "[" + d.written(a.Count.Span) + "]"
	}
	for _, at := range a.Attrs {
		if at.Key.Name == "about" && at.Value != nil {
			said = d.prose(at.Value)
		}
	}
	return [2]string{name, oneParagraph(said)}
}

func oneParagraph(s string) string { return strings.Join(strings.Fields(s), " ") }

func (d documenter) tool(t *ast.Tool) [2]string {
	said := t.Doc
	if t.About != nil {
		said = d.prose(t.About)
	}
	return [2]string{strings.TrimPrefix(d.head(t.Span), "tool "), oneParagraph(said)}
}

func (d documenter) team(out *docDecl, members []*ast.TeamMember) {
	for _, m := range members {
		switch {
		case m.About != nil:
			out.say(d.prose(m.About))
		case m.Agent != nil:
			out.add("agents", d.agent(m.Agent))
		case m.Edge != nil, m.Graph != nil:
			out.add("hears", [2]string{d.written(m.Span), ""})
		case m.Tool != nil:
			out.add("tools", d.tool(m.Tool))
		case m.Answer != nil:
			out.add("answer", [2]string{d.written(m.Answer.Span), ""})
		case m.If != nil:
			d.team(out, m.If.Then)
			d.team(out, m.If.Else)
		}
	}
}

func (d documenter) workspace(out *docDecl, members []*ast.WorkspaceMember) {
	for _, m := range members {
		switch {
		case m.About != nil:
			out.say(d.prose(m.About))
		case m.State != nil:
			for _, f := range m.State.Fields {
				out.add("state", [2]string{f.Name.Name, d.written(f.Type.Span)})
			}
		case m.Hole != nil:
			out.add("holes", [2]string{m.Hole.Name.Name, d.written(m.Hole.Default.Span)})
		case m.Tool != nil:
			out.add("tools", d.tool(m.Tool))
		case m.Allow != nil:
			out.add("rules", [2]string{d.written(m.Span), ""})
		case m.If != nil:
			d.workspace(out, m.If.Then)
			d.workspace(out, m.If.Else)
		}
	}
}

func (d documenter) attack(out *docDecl, members []*ast.AttackMember) {
	for _, m := range members {
		switch {
		case m.About != nil:
			out.say(d.prose(m.About))
		case m.Goal != nil:
			out.add("goal", [2]string{d.prose(m.Goal), ""})
		case m.Patch != nil:
			out.add("changes", [2]string{m.Patch.Op.Name + " " + d.written(m.Patch.Slot.Span), ""})
		case m.Verify != nil:
			out.add("predicates", d.lets(m.Verify.Preds)...)
		case m.If != nil:
			d.attack(out, m.If.Then)
			d.attack(out, m.If.Else)
		}
	}
}

func (d documenter) scenario(out *docDecl, members []*ast.ScenarioMember) {
	part := func(title string, span ast.Span) { out.add("parts", [2]string{title, d.written(span)}) }
	for _, m := range members {
		switch {
		case m.About != nil:
			out.say(d.prose(m.About))
		case m.Team != nil:
			part("team", m.Team.Span)
		case m.Workspace != nil:
			part("workspace", m.Workspace.Span)
		case m.Attack != nil:
			for _, a := range m.Attack.Items {
				part("attack", a.Span)
			}
		case m.Defense != nil:
			part("defense", m.Span)
		case m.Baseline != nil:
			part("baseline", m.Baseline.Team.Span)
		case m.VerifyRef != nil:
			part("verify", m.VerifyRef.Span)
		case m.ScoreRef != nil:
			part("score", m.ScoreRef.Span)
		case m.Verify != nil:
			out.add("predicates", d.lets(m.Verify.Preds)...)
		case m.Score != nil:
			for _, s := range m.Score.Scores {
				out.add("scores", [2]string{s.Kind.Name + " " + s.Name.Name, d.written(s.Span)})
			}
		case m.If != nil:
			d.scenario(out, m.If.Then)
			d.scenario(out, m.If.Else)
		}
	}
}

func (d documenter) defense(out *docDecl, members []*ast.DefenseMember) {
	for _, m := range members {
		switch {
		case m.About != nil:
			out.say(d.prose(m.About))
		case m.Agent != nil:
			out.add("agents", d.agent(m.Agent))
		case m.Patch != nil:
			out.add("changes", [2]string{m.Patch.Op.Name + " " + d.written(m.Patch.Slot.Span), ""})
		case m.Hook != nil:
			out.add("hooks", [2]string{d.head(m.Hook.Span), ""})
		case m.If != nil:
			d.defense(out, m.If.Then)
			d.defense(out, m.If.Else)
		}
	}
}

func (d documenter) judge(out *docDecl, attrs []*ast.Attr) {
	for _, a := range attrs {
		switch {
		case a.Key.Name == "about":
			out.say(d.prose(a.Value))
		case a.Type != nil:
			out.add("replies", [2]string{d.written(a.Type.Span), ""})
		}
	}
}
