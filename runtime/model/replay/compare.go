package replay

import (
	"fmt"
	"strconv"
	"strings"
	"unicode/utf8"

	"parley/runtime/model"
	"parley/runtime/trace"
)

// difference is the first thing in which a request differs from a stored one;
// empty: in nothing. depth says how much of it was equal.
type difference struct {
	what  string
	depth int
}

// compare holds a request against a stored call: the model's name, the
// messages, and the names of the tools. Ids of tool calls are made up, so only
// their order counts.
func compare(t *trace.Trial, m *trace.Model, req *model.Request) difference {
	if m.Model != req.Model {
		return difference{what: fmt.Sprintf("it was asked of model %q, and is asked of %q", m.Model, req.Model)}
	}
	for i := range req.Messages {
		if i >= len(m.Prompts) {
			return difference{fmt.Sprintf("%d messages were sent, and %d are now", len(m.Prompts), len(req.Messages)), i + 1}
		}
		if what := message(&t.Prompts[m.Prompts[i]], &req.Messages[i]); what != "" {
			return difference{fmt.Sprintf("message %d (%s) %s", i+1, req.Messages[i].Role, what), i + 1}
		}
	}
	if len(m.Prompts) > len(req.Messages) {
		return difference{fmt.Sprintf("%d messages were sent, and %d are now", len(m.Prompts), len(req.Messages)), len(req.Messages) + 1}
	}
	names := make([]string, len(req.Tools))
	for i := range req.Tools {
		names[i] = req.Tools[i].Name
	}
	if was, is := strings.Join(m.Tools, ", "), strings.Join(names, ", "); was != is {
		return difference{fmt.Sprintf("the tools offered were [%s], and are [%s]", was, is), len(req.Messages) + 1}
	}
	return difference{}
}

func message(was *trace.Prompt, is *model.Message) string {
	switch {
	case was.Role != is.Role:
		return fmt.Sprintf("was of role %s", was.Role)
	case model.WireName(was.Name) != is.Name:
		return fmt.Sprintf("came from %q, and comes from %q", was.Name, is.Name)
	case len(was.Calls) != len(is.ToolCalls):
		return fmt.Sprintf("made %d tool calls, and makes %d", len(was.Calls), len(is.ToolCalls))
	}
	for i, c := range was.Calls {
		if c.Name != is.ToolCalls[i].Name {
			return fmt.Sprintf("called %s, and calls %s", c.Name, is.ToolCalls[i].Name)
		}
		if d := texts(c.Args, is.ToolCalls[i].Args); d != "" {
			return fmt.Sprintf("differs in the arguments of %s %s", c.Name, d)
		}
	}
	if d := texts(was.Text.String(), is.Content); d != "" {
		return "differs " + d
	}
	return ""
}

// around is how much of a text is shown on each side of a difference.
const around = 30

// texts says where two texts part: the character, and what stands there.
func texts(was, is string) string {
	if was == is {
		return ""
	}
	at := 0
	for at < len(was) && at < len(is) && was[at] == is[at] {
		at++
	}
	for at > 0 && at < len(was) && !utf8.RuneStart(was[at]) {
		at--
	}
	return fmt.Sprintf("from character %d on: it was %s, and is %s", utf8.RuneCountInString(was[:at])+1, near(was, at), near(is, at))
}

func near(s string, at int) string {
	from, to := max(0, at-around), min(len(s), at+around)
	text := strings.ToValidUTF8(s[from:to], "")
	if from > 0 {
		text = "…" + text
	}
	if to < len(s) {
		text += "…"
	}
	return strconv.Quote(text)
}
