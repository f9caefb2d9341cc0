package runtime

import (
	"slices"
	"strings"

	"parley/runtime/model"
	"parley/runtime/segment"
	"parley/runtime/shape"
)

// HandoffPrefix begins the names of the tools by which an agent hands over.
const HandoffPrefix = "transfer_to_"

// handoffTool is the name of the tool that hands over to an agent: in lower case,
// a member of a group by its number.
func handoffTool(agent string) string {
	return HandoffPrefix + strings.ToLower(strings.NewReplacer("[", "_", "]", "").Replace(agent))
}

// offerHandoffs offers one tool for each agent that this one may hand over to. It
// never hands over to itself.
func (j *job) offerHandoffs() error {
	if j.attrs.handoff == nil {
		return nil
	}
	v, err := j.attrs.handoff.value(j.frame)
	if err != nil {
		return err
	}
	for _, m := range distinct(j.run.speakers(v)) {
		if m != j.member {
			j.targets = append(j.targets, m)
		}
	}
	j.offered = slices.Clone(j.offered)
	for _, m := range j.targets {
		about := "Hands over to " + m.agent.Name + "."
		if m.agent.About != "" {
			about += " " + m.agent.About
		}
		j.offered = append(j.offered, model.Tool{
			Name: handoffTool(m.agent.Name), Description: about, Params: shape.Shape{Kind: shape.Record},
		})
	}
	return nil
}

// handOver is what becomes of a call that hands over: the first one of a turn
// counts. It reports false for any other call.
func (j *job) handOver(tool string) (segment.Text, bool) {
	for _, m := range j.targets {
		if handoffTool(m.agent.Name) != tool {
			continue
		}
		if j.handoff != nil {
			j.note("handoff", "a second handoff in one answer, to "+m.agent.Name+", does not count")
			return segment.Of("error: only the first handoff of an answer counts", "tool:"+tool), true
		}
		j.handoff = m
		j.turn.Handoff = m.agent.Name
		return transferred(m), true
	}
	return nil, false
}

func transferred(to *member) segment.Text {
	return segment.Of("Transferred to "+to.agent.Name+".", "handoff")
}

// sayHandoff makes the turn's text: what the other calls of the answer returned,
// then who takes over. The agent remembers it as calls and results.
func (j *job) sayHandoff() {
	j.text = joined(append(j.results[:len(j.results):len(j.results)], transferred(j.handoff)))
}
