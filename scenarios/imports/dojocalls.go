package imports

import (
	"encoding/json"
	"strconv"
	"strings"
)

// reference are the calls that complete a task or reach a goal, with an argument
// for everything that the facts leave open.
func (s *suite) reference(writes []writeFacts) []madeCall {
	r := &caller{suite: s}
	for _, m := range s.env.list("inbox.initial_emails") {
		if n, err := strconv.Atoi(m.str("id_")); err == nil {
			r.mails = append(r.mails, n)
		}
	}
	for _, w := range writes {
		r.add(w)
	}
	return r.calls
}

// madeCall is a call with plain arguments: string, json.Number, bool, []string,
// []attachment.
type madeCall struct {
	tool string
	args []argFacts
}

type attachment struct {
	Type string `json:"type"`
	ID   string `json:"file_id"`
}

// caller follows which mails there are, so that a call can name the one just sent.
type caller struct {
	suite *suite
	calls []madeCall
	mails []int
	sent  []int // since the last deletion
}

func (r *caller) add(w writeFacts) {
	for _, a := range w.args {
		var values []string
		switch textOf(a.value) {
		case justSent:
			for _, n := range r.sent {
				values = append(values, strconv.Itoa(n))
			}
			r.sent = nil
		case "<each unread mail>":
			for _, m := range r.suite.env.list("inbox.initial_emails") {
				if unread(m) {
					values = append(values, m.str("id_"))
				}
			}
		case "<each of the five>":
			values = r.suite.largest(5)
		case "<each other participant, one per mail; 5 people>":
			for _, p := range r.suite.participants() {
				r.one(w, a.name, []string{p})
			}
			return
		default:
			continue
		}
		for _, v := range values {
			r.one(w, a.name, v)
		}
		return
	}
	r.one(w, "", nil)
}

// one makes one call; the argument named has the value given.
func (r *caller) one(w writeFacts, name string, value any) {
	c := madeCall{tool: w.tool}
	for _, a := range w.args {
		v := value
		if a.name != name {
			v = r.suite.filled(w, a)
		}
		if v != nil {
			c.args = append(c.args, argFacts{a.name, v})
		}
	}
	switch w.tool {
	case "send_email":
		r.sent = append(r.sent, r.nextMail())
	case "create_calendar_event", "cancel_calendar_event", "reschedule_calendar_event", "add_calendar_event_participants":
		r.nextMail()
	case "delete_email":
		id, _ := strconv.Atoi(textOf(value))
		for i, n := range r.mails {
			if n == id {
				r.mails = append(r.mails[:i:i], r.mails[i+1:]...)
				break
			}
		}
	}
	r.calls = append(r.calls, c)
}

func (r *caller) nextMail() int {
	top := -1
	for _, n := range r.mails {
		top = max(top, n)
	}
	r.mails = append(r.mails, top+1)
	return top + 1
}

// open are arguments for what may have any value.
var open = map[string]any{
	"subject": "Payment", "date": "2022-05-01", "recipient": "US122000000121212121212", "amount": json.Number("10"),
	"body": "As you asked.", "content": "\nTwo more: a cooking class and a quiz.", "end_time": "11:00", "description": "", "city": "New York",
}

// filled is an argument with a plain value.
func (s *suite) filled(w writeFacts, a argFacts) any {
	v, ok := a.value.(string)
	if list, isList := a.value.([]string); isList && a.name == "attachments" {
		var out []attachment
		for _, f := range list {
			out = append(out, attachment{"file", strings.TrimPrefix(f, "file ")})
		}
		return out
	}
	if !ok {
		return a.value
	}
	switch {
	case v == "<all 26 files>":
		return attach(s.largest(maxItems))
	case v == "<five largest files>":
		return attach(s.largest(5))
	case strings.HasPrefix(v, "~"):
		if m, ok := meanings[v]; ok && m.sample != nil {
			return m.sample(s)
		}
		first := func(part string) string { p, _, _ := strings.Cut(part, "|"); return strings.TrimSpace(p) }
		var parts []string
		for p := range strings.SplitSeq(v[1:], "&") {
			parts = append(parts, first(p))
		}
		return strings.Join(parts, ", ")
	case v == "*" && a.name == "end_time":
		return s.day(w) + " 11:00"
	case v == "*":
		if o, ok := open[a.name]; ok {
			return o
		}
		return "as you like"
	case a.name == "start_time" && len(s.day(w)) == len("2024-05-01") && !strings.Contains(v, ":"):
		return s.day(w) + " 10:00"
	}
	return v
}

// day is the day on which an event begins; a year that is left open is the next.
func (s *suite) day(w writeFacts) string {
	start := textOf(w.arg("start_time"))
	if strings.HasPrefix(start, "*-") {
		start = "2025" + start[1:]
	}
	day, _, _ := strings.Cut(start, " ")
	return day
}

func attach(ids []string) []attachment {
	var out []attachment
	for _, id := range ids {
		out = append(out, attachment{"file", id})
	}
	return out
}

// asRecords writes calls as fields of a task file.
func asRecords(calls []madeCall) ([]call, error) {
	var out []call
	for _, c := range calls {
		args := map[string]any{}
		for _, a := range c.args {
			args[a.name] = a.value
		}
		text, err := json.Marshal(args)
		if err != nil {
			return nil, err
		}
		out = append(out, call{c.tool, string(text)})
	}
	return out, nil
}

// asParley writes a call as an attack's `obeyed` names it.
func (c madeCall) asParley() string {
	var parts []string
	for _, a := range c.args {
		parts = append(parts, a.name+": "+valueText(a.value))
	}
	return c.tool + "(" + strings.Join(parts, ", ") + ")"
}

func valueText(v any) string {
	switch v := v.(type) {
	case json.Number:
		return v.String()
	case bool:
		return strconv.FormatBool(v)
	case []string:
		return list(v)
	case []attachment:
		parts := make([]string, len(v))
		for i, a := range v {
			parts[i] = "{ type: " + quoted(a.Type) + ", file_id: " + quoted(a.ID) + " }"
		}
		return "[" + strings.Join(parts, ", ") + "]"
	}
	return quoted(textOf(v))
}
