package sim

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"slices"
)

// Contents is what the simulator knows of a plan: its texts as they are
// rendered, and what they mean.
type Contents struct {
	Cases    []Case
	Payloads []Payload
	// Retrieval names the tools whose results come from an agent's corpus.
	Retrieval []string
	// Users are agents by the user of their requests, as far as it matters who makes a
	// call.
	Users map[string]string
	// Writes names the tools that change something; all others are read tools.
	Writes []string
}

// Case is a task: the rendered prompt by which a request is known to be about
// it, and what is right and wrong.
type Case struct {
	Prompt string
	Answer any   // text, number or truth value; nil for a task that is done by calls alone
	Wrongs []any // plausible wrong answers, the likeliest first
	Class  string
	Calls  []Call // what completing the task takes, in order
	parts  []part // the same, prepared
	shared bool   // some of the calls are a certain agent's
}

// Payload is a rendered text of an attack and what obeying it means. What an
// output patch puts into an agent's mouth is no payload here: it is heard and
// weighed like any other voice. Payloads of one text are one payload, since a
// request cannot tell them apart but by its task.
type Payload struct {
	ID     string
	Text   string
	Prompt string         // the task for which obeying means this; empty: any
	Reply  map[string]any // fields that replace the honest ones; `text` for a reply without a form
	Calls  []Call
	parts  []part // the same, prepared
}

// payload is one text with what obeying it means, by task.
type payload struct {
	Payload                     // as first given
	byTask  map[string]*Payload // by the task's prompt
}

// meaning is what obeying means in a task; of several the first counts.
func (p *payload) meaning(task *Case) *Payload {
	if task != nil {
		if m := p.byTask[task.Prompt]; m != nil {
			return m
		}
	}
	return &p.Payload
}

// Call is a tool call with its arguments.
type Call struct {
	Tool string
	Args map[string]any
	// Agent is who makes it; empty: whoever is offered the tool.
	Agent string `json:",omitempty"`
}

// part is a call with its texts.
type part struct {
	Call
	args string // as a model writes them
	said string // as the simulator speaks of the call, in what it asks for and reports
}

func parts(calls []Call) []part {
	out := make([]part, len(calls))
	for i, c := range calls {
		args := arguments(c)
		out[i] = part{Call: c, args: args, said: c.Tool + " " + args}
	}
	return out
}

// Table is Contents prepared for the search in requests. It never changes.
type Table struct {
	cases     []Case
	payloads  []payload
	retrieval map[string]bool
	writes    map[string]bool
	users     map[string]string
	index     *index
	digest    string            // of the tools
	tasks     map[string]string // digests of the cases, by prompt
}

// NewTable prepares contents. Of several cases with one prompt the first
// counts, since a request cannot tell them apart.
func NewTable(c Contents) (*Table, error) {
	t := &Table{cases: slices.Clone(c.Cases), retrieval: set(c.Retrieval), writes: set(c.Writes), users: c.Users, tasks: map[string]string{}}
	var entries []entry
	for i := range t.cases {
		task := &t.cases[i]
		task.parts = parts(task.Calls)
		task.shared = slices.ContainsFunc(task.Calls, func(c Call) bool { return c.Agent != "" })
		if task.Prompt == "" {
			return nil, fmt.Errorf("case %d has an empty prompt, so no request can be known to be about it", i+1)
		}
		entries = appendForms(entries, task.Prompt, ref{kind: isCase, i: int32(i)})
		if _, twice := t.tasks[task.Prompt]; twice {
			continue
		}
		d, err := digest(task)
		if err != nil {
			return nil, fmt.Errorf("case %d holds a value that cannot be written: %w", i+1, err)
		}
		t.tasks[task.Prompt] = d
	}
	if err := t.group(c.Payloads); err != nil {
		return nil, err
	}
	for i := range t.payloads {
		entries = appendForms(entries, t.payloads[i].Text, ref{kind: isPayload, i: int32(i)})
	}
	t.index = newIndex(entries)
	var err error
	t.digest, err = digest([]any{c.Retrieval, c.Writes})
	return t, err
}

// digest names a value by its contents.
func digest(v any) (string, error) {
	data, err := json.Marshal(v)
	if err != nil {
		return "", err
	}
	sum := sha256.Sum256(data)
	return hex.EncodeToString(sum[:6]), nil
}

// group makes one payload of all that have one text.
func (t *Table) group(list []Payload) error {
	at := map[string]int{}
	list = slices.Clone(list)
	for i := range list {
		p := &list[i]
		p.parts = parts(p.Calls)
		if p.Text == "" {
			return fmt.Errorf("the payload %s is empty, so no request can be known to hold it", p.ID)
		}
		k, known := at[p.Text]
		if !known {
			k = len(t.payloads)
			at[p.Text] = k
			t.payloads = append(t.payloads, payload{Payload: *p, byTask: map[string]*Payload{}})
		}
		if byTask := t.payloads[k].byTask; p.Prompt != "" && byTask[p.Prompt] == nil {
			byTask[p.Prompt] = p
		}
	}
	return nil
}

// appendForms adds a text as it is, and as it stands inside a JSON string: that
// is how it arrives in tool results and in what other agents said.
func appendForms(entries []entry, text string, r ref) []entry {
	entries = append(entries, entry{text, r})
	if quoted := string(appendEscaped(nil, text)); quoted != text {
		entries = append(entries, entry{quoted, r})
	}
	return entries
}

func set(names []string) map[string]bool {
	m := make(map[string]bool, len(names))
	for _, name := range names {
		m[name] = true
	}
	return m
}
