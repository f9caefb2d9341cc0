package build

// Note is one resolved default or choice and its source.
type Note struct{ What, Value, From string }

// notes collects each choice once, in order.
type notes struct {
	list []Note
	seen map[Note]bool
}

func newNotes() *notes { return &notes{seen: map[Note]bool{}} }

func (n *notes) add(what, value, from string) {
	note := Note{what, value, from}
	if n == nil || n.seen[note] {
		return
	}
	n.seen[note] = true
	n.list = append(n.list, note)
}
