package runtime

import (
	"slices"

	"parley/runtime/segment"
	"parley/runtime/trace"
)

// offerDescriptions is where what an agent is told of its tools is offered, in
// each turn: so a description can change while a run is on its way.
func (r *run) offerDescriptions(j *job) error {
	if len(r.program.patches) == 0 {
		return nil
	}
	for i, t := range j.attrs.tools {
		text := segment.Of(t.src.About, "tool:"+t.src.Name)
		if t.src.Payload != "" {
			text = text.Mark(t.src.Payload)
		}
		touched := t.src.Payload != ""
		for _, p := range r.program.patches {
			if p.src.Slot != SlotDescription || p.src.Name != t.src.Name {
				continue
			}
			f := j.within(p, nil)
			changed, payload, ok, err := r.changed(p, f, text)
			if err != nil {
				return err
			}
			if ok {
				text, touched = changed, true
				j.record(insertion(p, "tool:"+t.src.Name, payload, j.turn.ID))
			}
		}
		if touched {
			j.describe(i, text)
		}
	}
	return nil
}

// describe gives a tool another description for this turn.
func (j *job) describe(i int, text segment.Text) {
	if len(j.described) == 0 {
		j.offered = slices.Clone(j.offered)
	}
	j.offered[i].Description = text.String()
	j.described = append(j.described, trace.Described{Tool: j.offered[i].Name, Text: text})
}

// noteAdditions records the tools and agents that the attack has brought in.
func (r *run) noteAdditions() {
	for _, p := range r.program.patches {
		if p.src.Op != "add" {
			continue
		}
		var text segment.Text
		if t := r.program.tools[p.src.Name]; t != nil && p.src.Slot == SlotTool {
			text = segment.Of(t.src.About, "tool:"+t.src.Name)
		}
		r.record.Append(insertion(p, p.src.Name, text, -1))
	}
}
