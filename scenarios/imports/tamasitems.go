package imports

import (
	"io/fs"
	"regexp"
	"strings"

	"parley/interp/typing"
)

// Bounds on what one item and one tool may have.
const (
	maxAgents = 50
	maxParams = 64
)

// tamasItem is one record of the authors' files.
type tamasItem struct {
	row      row
	query    string
	agents   []tamasAgent
	involved []string // agents, as the item writes them
	calls    []saidCall
	expected string // what an IPI item names as the harm
}

// tamasAgent is an agent as an item describes it.
type tamasAgent struct {
	title, name, system string
	tools               []string
	shown               []shownText
}

// shownText is what a tool returns in an item that writes it out.
type shownText struct{ tool, text string }

func readItems(files fs.FS, name string) ([]tamasItem, error) {
	rows, err := readArray(files, name)
	if err != nil {
		return nil, err
	}
	var out []tamasItem
	for _, r := range rows {
		item, err := readItem(r)
		if err != nil {
			return nil, err
		}
		out = append(out, item)
	}
	return out, nil
}

func readItem(r row) (tamasItem, error) {
	item := tamasItem{row: r}
	// The authors spell the key in two ways.
	key := "user_query"
	if !r.has(key) && r.has("user query") {
		key = "user query"
	}
	var err error
	if item.query, err = r.text(key, false); err != nil {
		return item, err
	}
	if r.has("agents_involved") {
		if item.involved, err = r.texts("agents_involved"); err != nil {
			return item, err
		}
	}
	for _, key := range []string{"expected output", "expected_output"} {
		if r.has(key) {
			if item.expected, err = r.text(key, true); err != nil {
				return item, err
			}
		}
	}
	if r.has("sequence_of_tool_calls") {
		if item.calls, err = readSequence(r); err != nil {
			return item, err
		}
	}
	item.agents, err = readAgents(r)
	return item, err
}

func readSequence(r row) ([]saidCall, error) {
	lines, err := r.texts("sequence_of_tool_calls")
	if err != nil {
		return nil, err
	}
	var out []saidCall
	for _, line := range lines {
		c, err := readSaid(line)
		if err != nil {
			return nil, &Problem{File: r.file, Record: r.n, Field: "sequence_of_tool_calls", Want: err.Error(), Got: kind(line)}
		}
		out = append(out, c)
	}
	return out, nil
}

func readAgents(r row) ([]tamasAgent, error) {
	list, ok := r.fields["agents"].([]any)
	if !ok || len(list) == 0 || len(list) > maxAgents {
		return nil, r.problem("agents", "a list of 1 to 50 agents", r.fields["agents"])
	}
	var out []tamasAgent
	seen := map[string]bool{}
	for _, v := range list {
		fields, ok := v.(map[string]any)
		if !ok {
			return nil, r.problem("agents", "records of agents", v)
		}
		a, err := readAgent(row{file: r.file, n: r.n, fields: fields})
		if err != nil {
			return nil, err
		}
		if seen[a.name] {
			return nil, &Problem{File: r.file, Record: r.n, Field: "agent_name", Want: "each agent once", Got: kind(a.title) + " twice"}
		}
		seen[a.name] = true
		out = append(out, a)
	}
	return out, nil
}

func readAgent(r row) (tamasAgent, error) {
	var a tamasAgent
	var err error
	if a.title, err = r.text("agent_name", false); err != nil {
		return a, err
	}
	if a.name = agentName(a.title); a.name == "" {
		return a, r.problem("agent_name", "a name with letters, of at most 60 characters", a.title)
	}
	key := "agent_description"
	if !r.has(key) && r.has("backstory") {
		key = "backstory"
	}
	if a.system, err = r.text(key, false); err != nil {
		return a, err
	}
	switch tools := r.fields["tools"].(type) {
	case nil:
	case string:
		a.tools = strings.FieldsFunc(tools, func(c rune) bool { return strings.ContainsRune(", ;\n\t", c) })
	case []any:
		if len(tools) > 1000 {
			return a, &Problem{File: r.file, Record: r.n, Field: "tools", Want: "at most 1,000 tools", Got: "more"}
		}
		for _, v := range tools {
			if err := a.addTool(r, v); err != nil {
				return a, err
			}
		}
	default:
		return a, r.problem("tools", "a list of tools", tools)
	}
	return a, nil
}

// addTool takes up a tool's name, or a record with its name and what it returns.
func (a *tamasAgent) addTool(r row, v any) error {
	if s, ok := v.(string); ok {
		a.tools = append(a.tools, s)
		return nil
	}
	fields, ok := v.(map[string]any)
	if !ok {
		return r.problem("tools", "names or records of tools", v)
	}
	first := func(keys ...string) string {
		for _, k := range keys {
			if s, ok := fields[k].(string); ok && len(s) <= maxText {
				return s
			}
		}
		return ""
	}
	name := first("tool_name", "name", "tool")
	if name == "" {
		return r.problem("tools", "a tool with a name", v)
	}
	a.tools = append(a.tools, name)
	if text := first("tool_output", "output", "response", "result"); text != "" {
		a.shown = append(a.shown, shownText{name, text})
	}
	return nil
}

var notInNames = regexp.MustCompile(`[^a-z0-9]+`)

// agentName is an agent's name as the authors' scripts form it, in lower case
// with underscores; empty where none can be formed.
func agentName(title string) string {
	name := strings.Trim(notInNames.ReplaceAllString(strings.ToLower(title), "_"), "_")
	if name == "" || len(name) > 60 {
		return ""
	}
	if name[0] <= '9' {
		name = "agent_" + name
	}
	return free(name, "_agent")
}

// ownMeaning are names with a meaning of their own where tools and agents stand.
var ownMeaning = strings.Fields(`task self heard turns messages calls agents state files mails pages hole args agent result reply step to run reads
	writes groups labels before after attack clean baseline placebo user row request judge env render uri read write all none members act who want twin
	index name about group role honest same fold lines names mentions latest majority exposed carried chance retrieve distance`)

// free is a name that may stand where agents, tools and arguments are named: one
// that the language uses itself gets an ending.
func free(name, ending string) string {
	if contains(ownMeaning, name) || typing.Taken(name) != "" {
		return name + ending
	}
	return name
}
