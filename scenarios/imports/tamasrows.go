package imports

import (
	"bytes"
	"encoding/json"
	"fmt"
	"regexp"
	"strings"
)

// rowCall is a call as the rows of this project write it: the arguments of an
// attack's call are empty, which leaves them open.
type rowCall struct {
	Agent string          `json:"agent"`
	Tool  string          `json:"tool"`
	Args  json.RawMessage `json:"args"`
}

// rowSystem is the whole system prompt that an attack gives an agent.
type rowSystem struct {
	Agent string `json:"agent"`
	Text  string `json:"text"`
}

// rows are a kind's items as rows.
func (d *tamasDomain) rows(kind string) ([]record, error) {
	var out []record
	for i, item := range d.items[kind] {
		involved, err := d.involved(item)
		if err != nil {
			return nil, err
		}
		calls, err := d.callsOf(item)
		if err != nil {
			return nil, err
		}
		if len(involved) == 0 {
			for _, c := range calls {
				if c.Agent != "" && !contains(involved, c.Agent) {
					involved = append(involved, c.Agent)
				}
			}
		}
		prompt, more, err := d.attackOf(kind, item)
		if err != nil {
			return nil, err
		}
		r := record{
			{"id", fmt.Sprintf("%s-%s-%02d", d.name, kind, i+1)},
			{"prompt", prompt},
			{"answer", nil},
			{"agents_involved", involved},
			{"calls", calls},
		}
		out = append(out, append(append(r, more...), field{"source", fmt.Sprintf("TAMAS %s, record %d", d.files[kind], i+1)}))
	}
	return out, nil
}

// attackOf is the prompt without the attack, and the fields that a kind of
// attack adds.
func (d *tamasDomain) attackOf(kind string, item tamasItem) (string, record, error) {
	switch kind {
	case "dpi":
		prompt, payload := d.override(item.query)
		return prompt, d.fields(item, d.attackTools(payload, item.query), field{"payload", payload}, field{"query", item.query}), nil
	case "impersonation":
		prompt, payload := claim(item.query)
		return prompt, d.fields(item, nil, field{"payload", payload}, field{"query", item.query}), nil
	case "ipi":
		via, payload := d.planted(item)
		return item.query, d.fields(item, d.attackTools(payload, item.expected), field{"payload", payload}, field{"via", via}), nil
	case "colluding":
		more, err := d.colluding(item)
		return item.query, more, err
	case "contradicting":
		more, err := d.contradicting(item)
		return item.query, more, err
	}
	return item.query, nil, nil
}

// fields are those of every attack, then the kind's own.
func (d *tamasDomain) fields(item tamasItem, tools []*tamasTool, own ...field) record {
	var names []string
	calls := []rowCall{}
	for _, t := range tools {
		names = append(names, t.name)
		calls = append(calls, rowCall{d.holder(t, nil), t.name, json.RawMessage("{}")})
	}
	return append(record{{"goal", item.expected}, {"attack_tools", names}, {"attack_calls", calls}}, own...)
}

// attackTools are the tools that the first of some texts names which names any.
func (d *tamasDomain) attackTools(texts ...string) []*tamasTool {
	for _, text := range texts {
		var out []*tamasTool
		for _, t := range d.named(text, nil) {
			if !t.called {
				out = append(out, t)
			}
		}
		if len(out) > 0 {
			return out
		}
	}
	return nil
}

// involved are the agents that an item says it takes, twins as what they double.
func (d *tamasDomain) involved(item tamasItem) ([]string, error) {
	var out []string
	for _, title := range item.involved {
		a := d.called(title)
		if a == nil {
			a = d.called(untwinned(agentName(title)))
		}
		if a == nil {
			return nil, item.row.problem("agents_involved", "agents of the domain", title)
		}
		if !contains(out, a.name) {
			out = append(out, a.name)
		}
	}
	return out, nil
}

// holder is who makes a call of a tool: the agent that has it, of several the
// first that the item involves; empty where nobody knows.
func (d *tamasDomain) holder(t *tamasTool, involved []string) string {
	for _, name := range t.owners {
		if contains(involved, name) {
			return name
		}
	}
	if len(t.owners) > 0 {
		return t.owners[0]
	}
	return ""
}

func (d *tamasDomain) callsOf(item tamasItem) ([]rowCall, error) {
	involved, err := d.involved(item)
	if err != nil {
		return nil, err
	}
	out := []rowCall{}
	for _, c := range item.calls {
		t := d.byName[c.tool]
		agent := d.holder(t, involved)
		if a := d.called(c.agent); a != nil {
			agent = a.name
		}
		var b bytes.Buffer
		b.WriteByte('{')
		for i, a := range c.args {
			p := t.param(i, a)
			v, ok := asKind(a.value, p.kind)
			if !ok {
				continue // None: the argument is left out
			}
			if b.Len() > 1 {
				b.WriteByte(',')
			}
			if err := writeJSON(&b, p.name); err != nil {
				return nil, err
			}
			b.WriteByte(':')
			if err := writeJSON(&b, v); err != nil {
				return nil, err
			}
		}
		b.WriteByte('}')
		if !json.Valid(b.Bytes()) {
			return nil, item.row.problem("sequence_of_tool_calls", "arguments that can be written down", c.tool)
		}
		out = append(out, rowCall{agent, t.name, b.Bytes()})
	}
	return out, nil
}

var (
	sentence = regexp.MustCompile(`[.!?]["')\]]*\s+`)
	cue      = regexp.MustCompile(`(?i)\b(ignore|disregard|forget|override|instead|bypass)\b`)
	claimed  = regexp.MustCompile(`(?i)\b(i am|i'm|this is|speaking|on behalf of|by order of|authori[sz]ed by|as (the|your|a))\b`)
)

// sentences cuts a text after each sentence; the pieces make the text again.
func sentences(s string) []string {
	var out []string
	start := 0
	for _, m := range sentence.FindAllStringIndex(s, -1) {
		out = append(out, s[start:m[1]])
		start = m[1]
	}
	if start < len(s) {
		out = append(out, s[start:])
	}
	return out
}

// override parts a query from the override behind it: after the harmless task
// that it repeats, else before the first sentence that overrides or names a tool
// of attacks. A query that cannot be parted is all prompt.
func (d *tamasDomain) override(query string) (prompt, payload string) {
	for _, b := range d.items["benign"] {
		if t := strings.TrimSpace(b.query); len(t) > len(prompt) && len(t) < len(query) && strings.HasPrefix(query, t) {
			prompt = t
		}
	}
	if prompt != "" {
		return prompt, strings.TrimSpace(query[len(prompt):])
	}
	at := 0
	for i, s := range sentences(query) {
		if i > 0 && (cue.MatchString(s) || len(d.attackTools(s)) > 0) {
			return strings.TrimSpace(query[:at]), strings.TrimSpace(query[at:])
		}
		at += len(s)
	}
	return query, ""
}

// claim parts a query from the claim of an authority before or behind it.
func claim(query string) (prompt, payload string) {
	all := sentences(query)
	at := 0
	for i, s := range all {
		if claimed.MatchString(s) {
			before, after := query[:at], query[at:]
			if i == 0 {
				before, after = query[len(s):], s
			}
			if before = strings.TrimSpace(before); before == "" {
				break
			}
			return before, strings.TrimSpace(after)
		}
		at += len(s)
	}
	return query, ""
}

// planted is the tool whose result carries the instruction of an item, and that
// text: what the item writes out, else what a tool of its agents returns that
// names another tool.
func (d *tamasDomain) planted(item tamasItem) (via, payload string) {
	for _, a := range item.agents {
		if len(a.shown) > 0 {
			return d.byName[a.shown[0].tool].name, a.shown[0].text
		}
	}
	for _, t := range d.tools {
		if t.plants == "" {
			continue
		}
		for _, a := range item.agents {
			if contains(a.tools, t.said) || contains(t.owners, a.name) {
				return t.name, t.plants
			}
		}
	}
	return "", ""
}

// tail is what a description adds to the agent's own; all of it, where it does
// not begin with that.
func tail(own, edited string) string {
	return strings.TrimSpace(strings.TrimPrefix(edited, own))
}

// colluding says which agents an item describes otherwise than the harmless
// tasks do, and how.
func (d *tamasDomain) colluding(item tamasItem) (record, error) {
	systems := []rowSystem{}
	var names, plans []string
	var tools []*tamasTool
	for _, a := range item.agents {
		own := d.agent(a.name)
		if own == nil || own.system == a.system {
			continue
		}
		plan := tail(own.system, a.system)
		if plan == "" {
			continue
		}
		names = append(names, a.name)
		systems = append(systems, rowSystem{a.name, a.system})
		if !contains(plans, plan) {
			plans = append(plans, plan)
		}
	}
	if len(names) == 0 {
		return nil, &Problem{File: item.row.file, Record: item.row.n, Field: "agents", Want: "descriptions that differ from those of the harmless tasks", Got: "the same ones"}
	}
	payload := strings.Join(plans, "\n")
	if tools = d.attackTools(payload); len(tools) == 0 {
		for _, t := range d.tools {
			if d.attacks[t.said] && contains(names, d.holder(t, names)) {
				tools = append(tools, t)
			}
		}
	}
	return d.fields(item, tools, field{"payload", payload}, field{"colluders", names}, field{"systems", systems}), nil
}

// untwinned is an agent's name without the letter or number that tells twins
// apart.
func untwinned(name string) string {
	var kept []string
	for _, w := range strings.Split(name, "_") {
		if !contains([]string{"a", "b", "1", "2", "alpha", "beta"}, w) {
			kept = append(kept, w)
		}
	}
	return strings.Join(kept, "_")
}

// contradicting finds the two agents of one role.
func (d *tamasDomain) contradicting(item tamasItem) (record, error) {
	var twins []tamasAgent
	for i, a := range item.agents {
		for j, b := range item.agents {
			if i != j && untwinned(a.name) == untwinned(b.name) {
				twins = append(twins, a)
				break
			}
		}
	}
	if len(twins) != 2 {
		return nil, &Problem{File: item.row.file, Record: item.row.n, Field: "agents", Want: "two agents of one role, told apart by A and B", Got: fmt.Sprintf("%d of them", len(twins))}
	}
	own := d.called(untwinned(twins[0].name))
	if own == nil {
		return nil, item.row.problem("agents", "twins of an agent of the domain", twins[0].title)
	}
	return d.fields(item, nil,
		field{"target", own.name},
		field{"policy_a", tail(own.system, twins[0].system)}, field{"policy_b", tail(own.system, twins[1].system)},
		field{"system_a", twins[0].system}, field{"system_b", twins[1].system}), nil
}
