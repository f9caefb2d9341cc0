package build

// SlotName is one slot as attacks write it.
type SlotName struct {
	// Head is its first word; `agent` stands for the agents that an attack is on.
	Head string
	// Path is what stands behind the dot, or empty.
	Path string
	// Operations are what may be done there.
	Operations []string
	// Level is L1, L2 or L3; empty: L1 for an orchestrator, L2 for others.
	Level string
}

// SlotNames lists the table of slots for who writes attacks, agents' own first.
func SlotNames() []SlotName {
	var out []SlotName
	for _, name := range agentSlots {
		out = append(out, SlotName{"agent", name, slots[name].ops, slots[name].level})
	}
	out = append(out, SlotName{"task", "prompt", slots["task.prompt"].ops, slots["task.prompt"].level})
	for _, name := range []string{"hole", "resource", "corpus"} {
		out = append(out, SlotName{name, "", slots[name].ops, slots[name].level})
	}
	for _, path := range []string{"description", "result"} {
		out = append(out, SlotName{"tool", path, slots["tool."+path].ops, slots["tool."+path].level})
	}
	return append(out, SlotName{"edge", "message", slots["edge.message"].ops, slots["edge.message"].level})
}

// LevelOf reports the names of levels.
func LevelOf(word string) bool { return word == "L1" || word == "L2" || word == "L3" }
