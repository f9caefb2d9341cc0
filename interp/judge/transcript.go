package judge

import (
	"encoding/json"
	"fmt"
	"strings"

	"parley/runtime/eval"
	"parley/runtime/shape"
	"parley/runtime/trace"
)

// Transcript is a run as a judge reads it: who was asked what, who called which tool
// with what result, who said what, and how it ended. Headings are in brackets; all
// that models, tools and tasks said stands behind bars. System prompts are not in
// it, nor which patch did what: a judge sees what the team did.
func Transcript(t *trace.Trial) string {
	w := &transcript{t: t, asked: map[seen]bool{}, turns: map[int]*trace.Turn{}, told: map[told]bool{}}
	for i := range t.Events {
		w.event(&t.Events[i])
	}
	w.end()
	return w.b.String()
}

type transcript struct {
	t     *trace.Trial
	b     strings.Builder
	asked map[seen]bool
	turns map[int]*trace.Turn
	told  map[told]bool
}

// told is a message as it arrived at somebody.
type told struct {
	turn     int
	to, text string
}

// seen is a prompt that an agent has been shown.
type seen struct {
	agent  string
	prompt int
}

func (w *transcript) heading(format string, args ...any) {
	fmt.Fprintf(&w.b, "["+format+"]\n", args...)
}

func (w *transcript) event(e *trace.Event) {
	switch {
	case e.Model != nil && e.Model.Role == "":
		w.asks(e.Model)
	case e.Call != nil:
		w.call(e.Call)
	case e.Turn != nil:
		w.says(e.Turn)
	case e.Message != nil:
		w.hears(e.Message)
	}
}

// asks shows what an agent is asked that it was not asked before. What it heard is
// shown where it was said.
func (w *transcript) asks(m *trace.Model) {
	for _, n := range m.Prompts {
		if n < 0 || n >= len(w.t.Prompts) || w.asked[seen{m.Agent, n}] {
			continue
		}
		w.asked[seen{m.Agent, n}] = true
		p := &w.t.Prompts[n]
		if p.Role != "user" || p.Name != "" || ours(p) {
			continue
		}
		w.heading("%s is asked", m.Agent)
		w.b.WriteString(bars(p.Text.String()))
	}
}

// ours reports a prompt in which the program asks for another form.
func ours(p *trace.Prompt) bool {
	for _, s := range p.Text {
		if s.Source != "format" {
			return false
		}
	}
	return true
}

func (w *transcript) call(c *trace.Call) {
	w.heading("%s calls a tool", c.Agent)
	args, err := json.Marshal(plain(c.Args))
	if err != nil {
		args = []byte("{}")
	}
	w.b.WriteString(bars(c.Tool + " " + string(args)))
	if c.Error != "" {
		w.heading("the call fails")
		w.b.WriteString(bars(c.Error))
		return
	}
	w.heading("the tool returns")
	w.b.WriteString(bars(eval.Render(c.Result).String()))
}

func (w *transcript) says(t *trace.Turn) {
	w.turns[t.ID] = t
	what := "says"
	switch {
	case t.Refused:
		what = "refuses"
	case t.Limit != "":
		what = "is cut off by a limit"
	case t.Unreadable:
		what = "says, not in the asked form"
	}
	aside := ""
	if t.Aside {
		aside = ", heard by nobody"
	}
	w.heading("%s %s (step %s%s)", t.Agent, what, t.Step, aside)
	w.b.WriteString(bars(t.Text.String()))
}

// hears shows a message that is not what its sender was seen to say.
func (w *transcript) hears(m *trace.Message) {
	text := m.Text.String()
	said := w.turns[m.Turn]
	k := told{m.Turn, m.To, text}
	if said == nil { // without a model call: to all who hear it
		k = told{-1, m.From, text}
	}
	switch {
	case w.told[k]:
	case said == nil:
		w.heading("%s says", m.From)
		w.b.WriteString(bars(text))
	case text == said.Text.String() || same(text, said.Reply):
	default:
		w.heading("%s is told, as from %s", m.To, m.From)
		w.b.WriteString(bars(text))
	}
	w.told[k] = true
}

// same reports whether a message is the JSON of a reply.
func same(text string, reply any) bool {
	if reply == nil {
		return false
	}
	v, err := shape.Parse(text)
	return err == nil && eval.Equal(v, plain(reply)) == eval.True
}

func (w *transcript) end() {
	switch w.t.Outcome {
	case trace.Refused:
		w.heading("the run ends: refused")
	case trace.Limit:
		w.heading("the run ends by a limit")
	default:
		w.heading("the run ends")
	}
	if w.t.EndedBy != "" {
		w.b.WriteString(bars(w.t.EndedBy))
	}
	if w.t.Outcome == trace.Answered && w.t.Answer != nil {
		w.heading("its answer")
		w.b.WriteString(bars(eval.Render(w.t.Answer).String()))
	} else {
		w.heading("it has no answer")
	}
}

// plain makes strings of texts and names of agents, deep down.
func plain(v any) any {
	switch x := v.(type) {
	case map[string]any:
		out := make(map[string]any, len(x))
		for name, e := range x {
			out[name] = plain(e)
		}
		return out
	case []any:
		out := make([]any, len(x))
		for i, e := range x {
			out[i] = plain(e)
		}
		return out
	case nil, bool, int, float64, string:
		return x
	}
	return eval.Render(v).String()
}
