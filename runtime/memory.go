package runtime

// exchange is what one turn left in its agent's memory: what it heard and was
// asked, its tool calls and their results, and its last answer.
type exchange []*message

// recall returns the messages of the past that a turn is to see.
func (m *member) recall(how Remember) []*message {
	past := m.past
	if !how.All {
		keep := min(max(how.Last, 0), len(past))
		past = past[len(past)-keep:]
	}
	var out []*message
	for _, x := range past {
		out = append(out, x...)
	}
	return out
}

// remember stores a finished turn. An aside leaves nothing behind, and what had
// been heard before it stays to be heard.
func (m *member) remember(j *job) {
	if j.attrs.aside {
		return
	}
	m.inbox = m.inbox[j.heard:]
	m.past = append(m.past, exchange(j.own))
}
