// Package script answers for agents in tests: with what a test's author wrote,
// request after request, and with an error where that does not suffice. A test
// whose team speaks more often than its script is not the test it claims to be.
package script

import (
	"encoding/json"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"sync"

	"parley/runtime/model"
)

// Script is what some agents say. Each of them goes through the entries on its
// own.
type Script struct {
	Agents  []string
	Entries []Entry
	Repeat  bool // begin again where no entry is left that fits
}

// Entry is one answer: a reply or tool calls.
type Entry struct {
	Reply    string
	Calls    []model.ToolCall // without ids; these are given out in order
	Contains string           // answers only requests that contain this text; empty: any
}

// Player gives one trial's agents their scripted answers. It is safe for
// concurrent use: each agent has its own place in its script, so the order in
// which agents are asked does not matter.
type Player struct {
	mu    sync.Mutex
	parts map[string]*part
}

// part is one agent's place in its script.
type part struct {
	entries []Entry
	used    []bool
	repeat  bool
	calls   int
}

// NewPlayer begins scripts. Several scripts that name one agent are one script
// to it, in their order; it repeats if the last of them does.
func NewPlayer(scripts []Script) *Player {
	p := &Player{parts: map[string]*part{}}
	for _, s := range scripts {
		for _, agent := range s.Agents {
			a := p.parts[agent]
			if a == nil {
				a = &part{}
				p.parts[agent] = a
			}
			a.entries = append(a.entries, s.Entries...)
			a.used = append(a.used, make([]bool, len(s.Entries))...)
			a.repeat = s.Repeat
		}
	}
	return p
}

// Speaks reports whether a script names the agent.
func (p *Player) Speaks(agent string) bool {
	return p.parts[agent] != nil
}

// Answer gives the agent's next answer: the first unused entry whose condition
// holds. Where there is none and the script repeats, all entries count as unused
// again. The error names the agent and which of its calls found no answer.
func (p *Player) Answer(agent string, req *model.Request) (*model.Response, error) {
	a := p.parts[agent]
	if a == nil {
		return nil, fmt.Errorf("no script speaks for %s", agent)
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	a.calls++
	i := a.next(req)
	if i < 0 && a.repeat {
		clear(a.used)
		i = a.next(req)
	}
	if i < 0 {
		return nil, a.exhausted(agent)
	}
	a.used[i] = true
	return respond(a.entries[i], req), nil
}

func (a *part) next(req *model.Request) int {
	for i, e := range a.entries {
		if !a.used[i] && contains(req, e.Contains) {
			return i
		}
	}
	return -1
}

func (a *part) exhausted(agent string) error {
	var waiting []string
	for i, e := range a.entries {
		if !a.used[i] {
			waiting = append(waiting, strconv.Quote(e.Contains))
		}
	}
	if len(waiting) == 0 {
		return fmt.Errorf("the script of %s is too short: its call %d has no answer", agent, a.calls)
	}
	return fmt.Errorf("the script of %s has no answer for its call %d: the request contains none of %s",
		agent, a.calls, strings.Join(waiting, ", "))
}

// contains looks for a text in the messages of a request and in what it says of
// tools, also in the form that it has inside a JSON string, since that is how
// replies are shared.
func contains(req *model.Request, text string) bool {
	if text == "" {
		return true
	}
	quoted := inJSON(text)
	if slices.ContainsFunc(req.Tools, func(t model.Tool) bool { return strings.Contains(t.Description, text) }) {
		return true
	}
	return slices.ContainsFunc(req.Messages, func(m model.Message) bool {
		return strings.Contains(m.Content, text) || quoted != text && strings.Contains(m.Content, quoted)
	})
}

func inJSON(text string) string {
	var b strings.Builder
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	if err := enc.Encode(text); err != nil {
		return text
	}
	quoted := strings.TrimSuffix(b.String(), "\n")
	return quoted[1 : len(quoted)-1]
}

// respond writes an entry as a model would send it. It counts no tokens: nobody
// has read or written any.
func respond(e Entry, req *model.Request) *model.Response {
	if len(e.Calls) == 0 {
		return &model.Response{Content: e.Reply, Finish: "stop", Model: "script"}
	}
	id := 0
	for i := range req.Messages {
		id += len(req.Messages[i].ToolCalls)
	}
	calls := slices.Clone(e.Calls)
	for i := range calls {
		calls[i].ID = "call_" + strconv.Itoa(id+i+1)
	}
	return &model.Response{Content: e.Reply, ToolCalls: calls, Finish: "tool_calls", Model: "script"}
}
