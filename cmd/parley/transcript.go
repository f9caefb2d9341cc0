package main

import (
	"fmt"
	"io"
	"strings"

	"parley/lang/diag"
	"parley/runtime/eval"
	"parley/runtime/segment"
	"parley/runtime/trace"
)

// transcript prints a trial for people: what each agent was sent, said and did,
// with payload spans marked.
type transcript struct {
	w     io.Writer
	color bool
	full  bool // whole requests instead of what is new in them
	test  bool // of a test, where scripts answer
	shown map[seen]bool
	tools map[string]string // what each agent was offered last
}

// seen is a message that an agent's requests have held before.
type seen struct {
	agent  string
	prompt int
}

func (p *transcript) print(t *trace.Trial) {
	p.shown, p.tools = map[seen]bool{}, map[string]string{}
	if p.test {
		p.line("the run %s  %s", t.Arm, t.Outcome)
	} else {
		p.line("trial %s  arm %s  row %d  repeat %d  %s", shorten(t.Key, 12), t.Arm, t.Row, t.Repeat, t.Outcome)
	}
	if t.EndedBy != "" {
		p.line("ended by: %s", oneLine(t.EndedBy))
	}
	if t.Simulated && !p.test {
		p.line("%s", simulatedWarning)
	}
	for i := 0; i < len(t.Events); i++ {
		if t.Events[i].Kind == trace.KindMessage {
			i += p.messages(t.Events[i:]) - 1
			continue
		}
		p.event(t, &t.Events[i])
	}
	p.line("")
	p.line("answer: %s", answerText(t.Answer))
	p.line("model calls %d, tokens in %d, out %d", t.Usage.Calls, t.Usage.Input, t.Usage.Output)
	if a := t.Attacker; a != nil {
		p.line("the attacker's model calls %d, tokens in %d, out %d", a.Calls, a.Input, a.Output)
	}
}

func (p *transcript) line(format string, args ...any) { fmt.Fprintf(p.w, format+"\n", args...) }

func (p *transcript) event(t *trace.Trial, e *trace.Event) {
	switch e.Kind {
	case trace.KindModel:
		p.model(t, e.Model)
	case trace.KindCall:
		p.call(e.Call)
	case trace.KindTurn:
		p.turn(e.Turn)
	case trace.KindInsert:
		p.line("  ! payload %s: %s %s at %s: %s", oneLine(e.Insert.Payload), oneLine(e.Insert.Op), oneLine(e.Insert.Slot), oneLine(e.Insert.Where), shorten(e.Insert.Text, 100))
	case trace.KindExposure:
		p.line("  ! %s met payload %s in %s", oneLine(e.Exposure.Agent), oneLine(e.Exposure.Payload), oneLine(e.Exposure.Slot))
	case trace.KindCarry:
		p.line("  ! %s passed payload %s on", oneLine(e.Carry.Agent), oneLine(e.Carry.Payload))
	case trace.KindState:
		p.line("  state %s = %s", oneLine(e.State.Target), shorten(valueText(e.State.Value), 100))
	case trace.KindGuard:
		p.line("  the guard %s says in %s: %s", oneLine(e.Guard.Agent), oneLine(e.Guard.Step), shorten(e.Guard.Text.String(), 200))
	case trace.KindDefense:
		p.line("  # %s", intervention(e.Defense))
	case trace.KindReset:
		p.line("  %s forgets", oneLine(e.Reset.Agent))
	case trace.KindPart:
		p.line("")
		p.line("a task of the session is done, %s: %s", e.Part.Outcome, answerText(e.Part.Answer))
	case trace.KindNote:
		p.line("  note (%s): %s", oneLine(e.Note.Code), oneLine(e.Note.Text))
	}
}

// intervention is what a defense did, in a line.
func intervention(i *trace.Intervention) string {
	line := i.Action
	if i.Defense != "" {
		line = i.Defense + " " + i.Hook + ": " + line
	}
	if i.Agent != "" {
		line += ", " + i.Agent
	}
	if i.Tool != "" {
		line += ", " + i.Tool
	}
	if i.Why != "" {
		line += ": " + i.Why
	}
	return oneLine(line)
}

// offered prints which tools a request offers, where that is news of the agent.
func (p *transcript) offered(m *trace.Model) {
	names := oneLine(strings.Join(m.Tools, ", "))
	if p.tools[m.Agent] == names {
		return
	}
	p.tools[m.Agent] = names
	if names == "" {
		names = "none any more"
	}
	p.line("  tools: %s", names)
}

// model prints what is new in a request, then the answer.
func (p *transcript) model(t *trace.Trial, m *trace.Model) {
	p.line("")
	if p.test {
		p.line("%s asks %s", oneLine(m.Position), oneLine(m.Agent))
	} else {
		p.line("%s asks %s for %s", oneLine(m.Position), oneLine(m.Model), oneLine(m.Agent))
	}
	p.offered(m)
	for _, n := range m.Prompts {
		if n < 0 || n >= len(t.Prompts) || p.shown[seen{m.Agent, n}] && !p.full {
			continue
		}
		p.shown[seen{m.Agent, n}] = true
		msg := t.Prompts[n]
		who := msg.Role
		if msg.Name != "" {
			who += " (" + msg.Name + ")"
		}
		p.line("  %s:", oneLine(who))
		p.line("%s", p.marked(msg.Text, "    | "))
		for _, c := range msg.Calls {
			p.line("    | calls %s(%s)", oneLine(c.Name), oneLine(c.Args))
		}
	}
	for _, d := range m.Described {
		p.line("  told of %s:", oneLine(d.Tool))
		p.line("%s", p.marked(d.Text, "    | "))
	}
	if m.Refusal != "" {
		p.line("  refuses: %s", oneLine(m.Refusal))
	}
	if m.Text != "" {
		p.line("  answers:")
		p.line("%s", lines(m.Text, "    > "))
	}
	for _, c := range m.Calls {
		p.line("  calls %s(%s)", oneLine(c.Name), oneLine(c.Args))
	}
}

func (p *transcript) call(c *trace.Call) {
	result := shorten(valueText(c.Result), 200)
	if c.Error != "" {
		result = "error: " + shorten(c.Error, 200)
	}
	p.line("  tool %s by %s: %s", oneLine(c.Tool), oneLine(c.Agent), result)
	for _, r := range c.Reads {
		p.resource("read", r)
	}
	for _, r := range c.Writes {
		p.resource("write", r)
	}
}

func (p *transcript) resource(what string, r trace.Resource) {
	mark := "authorized"
	if !r.Authorized {
		mark = "NOT AUTHORIZED"
	}
	p.line("    %s %s (%s)", what, oneLine(r.URI), mark)
}

// answerText shows a run's answer, and says so where there is none.
func answerText(v any) string {
	if v == nil {
		return "none"
	}
	return oneLine(valueText(v))
}

// valueText shows a value the way a template writes it.
func valueText(v any) string {
	switch x := v.(type) {
	case nil:
		return "nothing"
	case []any:
		if len(x) == 0 {
			return "[]"
		}
	}
	return eval.Render(v).String()
}

// messages prints deliveries from the first event on, recipients of one body
// together, and says how many events that were.
func (p *transcript) messages(events []trace.Event) int {
	first := events[0].Message
	body := first.Text.String()
	to := []string{oneLine(first.To)}
	n := 1
	for ; n < len(events) && events[n].Kind == trace.KindMessage; n++ {
		m := events[n].Message
		if m.From != first.From || m.Turn != first.Turn || m.Text.String() != body {
			break
		}
		to = append(to, oneLine(m.To))
	}
	p.line("%s is heard by %s:", oneLine(first.From), strings.Join(to, ", "))
	p.line("%s", p.marked(first.Text, "    | "))
	return n
}

func (p *transcript) turn(t *trace.Turn) {
	p.line("turn %d: %s by %s%s", t.ID, oneLine(t.Path), oneLine(t.Agent), turnEnd(t))
}

func turnEnd(t *trace.Turn) string {
	switch {
	case t.Refused:
		return " (refused)"
	case t.Unreadable:
		return " (no readable reply)"
	case t.Limit != "":
		return " (limit: " + oneLine(t.Limit) + ")"
	case t.Handoff != "":
		return ", who hands over to " + oneLine(t.Handoff)
	}
	return ""
}

// marked shows text with the spans of payloads between marks, in reverse video
// where colours are allowed.
func (p *transcript) marked(text segment.Text, margin string) string {
	var b strings.Builder
	for _, s := range text {
		safe := safeLines(s.Text)
		if len(s.Payloads) == 0 {
			b.WriteString(safe)
			continue
		}
		open, end := "⟦"+oneLine(strings.Join(s.Payloads, " "))+": ", "⟧"
		if p.color {
			open, end = "\x1b[7m"+open, end+"\x1b[0m"
		}
		b.WriteString(open + safe + end)
	}
	return margin + strings.ReplaceAll(b.String(), "\n", "\n"+margin)
}

// safeLines is safe text that keeps its line breaks.
func safeLines(s string) string {
	parts := strings.Split(s, "\n")
	for i, part := range parts {
		parts[i] = diag.Safe(part)
	}
	return strings.Join(parts, "\n")
}

// verdict prints what a judge said of the trial.
func (p *transcript) verdict(v *trace.Verdict) {
	p.line("")
	if p.full {
		for i := range v.Calls {
			p.exchange(v, &v.Calls[i])
		}
	}
	if !v.Readable() {
		p.line("the judge %s %s", oneLine(v.Judge), oneLine(v.Lack()))
	} else {
		p.line("the judge %s says: %s", oneLine(v.Judge), oneLine(valueText(v.Reply)))
	}
	if v.Usage.Calls > 0 && !p.test {
		p.line("its model calls %d, tokens in %d, out %d", v.Usage.Calls, v.Usage.Input, v.Usage.Output)
	}
}

// exchange prints what a judge was shown and what it answered.
func (p *transcript) exchange(v *trace.Verdict, m *trace.Model) {
	p.line("%s asks %s", oneLine(m.Position), oneLine(m.Model))
	for _, n := range m.Prompts {
		if n >= 0 && n < len(v.Prompts) {
			p.line("  %s:", oneLine(v.Prompts[n].Role))
			p.line("%s", p.marked(v.Prompts[n].Text, "    | "))
		}
	}
	p.line("  answers:")
	p.line("%s", lines(m.Text+m.Refusal, "    > "))
}
