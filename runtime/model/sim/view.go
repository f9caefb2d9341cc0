package sim

import (
	"slices"
	"strings"

	"parley/runtime/model"
)

// view is what the simulator sees in a request.
type view struct {
	req   *model.Request
	task  *Case   // nil where no known prompt stands in the request
	met   []met   // payloads in the request, in order of appearance
	told  []int32 // of these, those that stand in what it says of tools and nowhere else
	voice tally   // the newest answer of each agent heard, equal ones together
	heard []said  // the newest answer of each agent heard
	own   string  // the agent's own newest answer
	spoke bool    // whether there is one
	agent string  // who asks, where that is known
	turn  int     // index of the first message after the last one of a user
	plan  *agenda // nil until it is asked for
}

// met is a payload and the slots in which it stands.
type met struct {
	payload int32
	in      [slots]bool
	at      int // the message in which it stands first
}

// look reads a request.
func (s *Sim) look(req *model.Request) *view {
	v := &view{req: req, agent: s.table.users[req.User]}
	asked := false // the task was found outside of tool results
	newest := -1   // the message of nobody else's in which it was found
	for i := range req.Messages {
		m := &req.Messages[i]
		var parts []block
		if m.Role == "user" {
			v.turn = i + 1
			parts = v.listen(m)
		} else if m.Role == "assistant" {
			if answer, ok := answerOf(m.Content); ok {
				v.own, v.spoke = answer, true
			}
		}
		covered := 0
		s.table.index.find(m.Content, func(e entry, at int) {
			if e.ref.kind == isPayload {
				// A payload inside a longer one is a part of it, and not met by itself.
				if end := at + len(e.text); end > covered {
					covered = end
					v.meet(e.ref.i, s.slot(req, i, at, parts), i)
				}
				return
			}
			// The longest prompt is the task; what a tool brought counts least. In a
			// session an agent remembers earlier tasks: what it was asked last goes first.
			task := &s.table.cases[e.ref.i]
			fromTool := m.Role == "tool"
			if m.Role == "user" && i > newest && s.slot(req, i, at, parts) == Task {
				if newest >= 0 && v.task != task && !strings.Contains(m.Content, v.task.Prompt) {
					// What was said before was about another one.
					v.task, v.own, v.spoke, v.heard = nil, "", false, nil
					v.listen(m)
				}
				newest = i
			}
			if v.task == nil || !asked && !fromTool || asked != fromTool && len(task.Prompt) > len(v.task.Prompt) {
				v.task, asked = task, asked || !fromTool
			}
		})
	}
	s.lookAtTools(v)
	for _, h := range v.heard {
		v.voice.add(h.answer)
	}
	return v
}

// lookAtTools finds payloads in what the request says of its tools.
func (s *Sim) lookAtTools(v *view) {
	for i := range v.req.Tools {
		covered := 0
		s.table.index.find(v.req.Tools[i].Description, func(e entry, at int) {
			if end := at + len(e.text); e.ref.kind == isPayload && end > covered {
				covered = end
				if !slices.ContainsFunc(v.met, func(m met) bool { return m.payload == e.ref.i }) {
					v.told = append(v.told, e.ref.i)
				}
				v.meet(e.ref.i, Tool, 0)
			}
		})
	}
}

func (v *view) meet(payload int32, slot Slot, at int) {
	for i := range v.met {
		if v.met[i].payload == payload {
			v.met[i].in[slot] = true
			return
		}
	}
	m := met{payload: payload, at: at}
	m.in[slot] = true
	v.met = append(v.met, m)
}

// slot says where byte at of message i stands. An agent's own words are not a
// slot of their own: what it said earlier came to it as a message does.
func (s *Sim) slot(req *model.Request, i, at int, parts []block) Slot {
	m := &req.Messages[i]
	switch m.Role {
	case "system":
		return System
	case "tool":
		if s.table.retrieval[toolOf(req, i)] {
			return Corpus
		}
		return Tool
	case "assistant":
		return Message
	}
	if fromAgent(m.Name) {
		return Message
	}
	for _, b := range parts {
		if at >= b.start && at < b.end {
			return Message
		}
	}
	return Task
}

// toolOf names the tool whose result message i is.
func toolOf(req *model.Request, i int) string {
	id := req.Messages[i].ToolCallID
	for j := i - 1; j >= 0; j-- {
		for _, c := range req.Messages[j].ToolCalls {
			if c.ID == id {
				return c.Name
			}
		}
	}
	return ""
}

// said is an agent's newest answer.
type said struct{ sender, answer string }

// listen notes the answers in a user's message and returns the blocks of other
// agents' words in it.
func (v *view) listen(m *model.Message) []block {
	if fromAgent(m.Name) {
		v.note(m.Name, m.Content)
		return nil
	}
	parts := blocks(m.Content)
	for _, b := range parts {
		if fromAgent(b.sender) {
			v.note(b.sender, m.Content[b.start:b.end])
		}
	}
	return parts
}

// note keeps a sender's newest answer, in the order of these.
func (v *view) note(sender, body string) {
	answer, ok := answerOf(body)
	if !ok {
		return
	}
	sender = model.WireName(sender)
	for i := range v.heard {
		if v.heard[i].sender == sender {
			v.heard = append(v.heard[:i], v.heard[i+1:]...)
			break
		}
	}
	v.heard = append(v.heard, said{sender, answer})
}

// fromAgent reports whether a sender is another agent: a task comes from none.
func fromAgent(name string) bool { return name != "" && name != "user" }

// block is what one agent said, inside a prompt that shows it.
type block struct {
	sender     string
	start, end int // of the body
}

// blocks finds what a prompt shows of others: lines [NAME], each followed by a
// body. A body that is a JSON object ends with it, any other with the next
// header or the message.
func blocks(content string) []block {
	var out []block
	for at := 0; at < len(content); {
		i := strings.IndexByte(content[at:], '[')
		if i < 0 {
			break
		}
		i += at
		at = i + 1
		name, start, ok := header(content, i)
		if !ok {
			continue
		}
		if n := len(out); n > 0 && out[n-1].end > i {
			out[n-1].end = i
		}
		end := len(content)
		if start < len(content) && content[start] == '{' {
			if _, _, stop := answerIn(content, start); stop > 0 {
				end, at = stop, stop
			}
		}
		out = append(out, block{name, start, end})
	}
	return out
}

// header reads a line that is [NAME] or [NAME[2]] and nothing else.
func header(s string, i int) (name string, body int, ok bool) {
	if i > 0 && s[i-1] != '\n' {
		return "", 0, false
	}
	k := i + 1
	for k < len(s) && nameByte(s[k], k == i+1) {
		k++
	}
	if k == i+1 {
		return "", 0, false
	}
	if k < len(s) && s[k] == '[' {
		digits := k + 1
		for k = digits; k < len(s) && s[k] >= '0' && s[k] <= '9'; k++ {
		}
		if k == digits || k >= len(s) || s[k] != ']' {
			return "", 0, false
		}
		k++
	}
	if k+1 >= len(s) || s[k] != ']' || s[k+1] != '\n' {
		return "", 0, false
	}
	return s[i+1 : k], k + 2, true
}

func nameByte(c byte, first bool) bool {
	return c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c == '_' || !first && (c >= '0' && c <= '9' || c == '-')
}
