package sim

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
)

// Contents is what the simulator knows of a plan: its texts as they are
// rendered, and what they mean.
type Contents struct {
	Cases    []Case
	Payloads []Payload
	// Retrieval names the tools whose results come from an agent's corpus.
	Retrieval []string
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
	Calls  []Call // what completing the task takes, in order; reads among them come first
}

// Payload is a rendered text of an attack and what obeying it means. What an
// output patch puts into an agent's mouth is no payload here: it is heard and
// weighed like any other voice.
type Payload struct {
	ID    string
	Text  string
	Reply map[string]any // fields that replace the honest ones; `text` for a reply without a form
	Call  *Call
}

// Call is a tool call with its arguments.
type Call struct {
	Tool string
	Args map[string]any
}

// Table is Contents prepared for the search in requests. It never changes.
type Table struct {
	cases     []Case
	payloads  []Payload
	retrieval map[string]bool
	writes    map[string]bool
	index     *index
	digest    string
}

// NewTable prepares contents. Of several cases with one prompt the first
// counts, since a request cannot tell them apart.
func NewTable(c Contents) (*Table, error) {
	t := &Table{cases: c.Cases, payloads: c.Payloads, retrieval: set(c.Retrieval), writes: set(c.Writes)}
	var entries []entry
	for i, task := range c.Cases {
		if task.Prompt == "" {
			return nil, fmt.Errorf("case %d has an empty prompt, so no request can be known to be about it", i+1)
		}
		entries = appendForms(entries, task.Prompt, ref{kind: isCase, i: int32(i)})
	}
	for i, p := range c.Payloads {
		if p.Text == "" {
			return nil, fmt.Errorf("the payload %s is empty, so no request can be known to hold it", p.ID)
		}
		entries = appendForms(entries, p.Text, ref{kind: isPayload, i: int32(i)})
	}
	t.index = newIndex(entries)
	digest, err := json.Marshal([]any{c.Cases, c.Retrieval, c.Writes})
	if err != nil {
		return nil, fmt.Errorf("a case holds a value that cannot be written: %w", err)
	}
	sum := sha256.Sum256(digest)
	t.digest = hex.EncodeToString(sum[:6])
	return t, nil
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
