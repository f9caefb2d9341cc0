package runtime

import (
	"slices"
	"strings"

	"parley/runtime/segment"
)

// offerSpeakers is where the order of turns is offered: whom a step asks, before
// it asks anybody.
func (sc *scene) offerSpeakers(s *stmt, speakers []*member) ([]*member, error) {
	for _, p := range sc.run.program.patches {
		if p.src.Slot != SlotSpeaker {
			continue
		}
		var err error
		if p.src.Op == "drop" {
			speakers, err = sc.dropSpeakers(p, s, speakers)
		} else {
			speakers, err = sc.otherSpeakers(p, s, speakers)
		}
		if err != nil {
			return nil, err
		}
	}
	return speakers, nil
}

// otherSpeakers asks whom the patch names, in its order.
func (sc *scene) otherSpeakers(p *patch, s *stmt, speakers []*member) ([]*member, error) {
	f := sc.choosing(p, s, speakers)
	if ok, err := p.due(f); !ok || err != nil {
		return speakers, err
	}
	v, err := p.value.value(f)
	if err != nil {
		return nil, err
	}
	chosen := sc.run.speakers(v)
	if slices.Equal(chosen, speakers) {
		return speakers, nil
	}
	sc.run.record.Append(insertion(p, "step "+s.src.Name, namesOf(chosen), -1))
	return chosen, nil
}

// dropSpeakers leaves out those for whom the condition holds.
func (sc *scene) dropSpeakers(p *patch, s *stmt, speakers []*member) ([]*member, error) {
	var left, dropped []*member
	for _, m := range speakers {
		f := sc.choosing(p, s, speakers)
		f.place += "/" + m.agent.Name
		f.vars["speaker"] = m.agent
		ok, err := p.due(f)
		if err != nil {
			return nil, err
		}
		if ok {
			dropped = append(dropped, m)
		} else {
			left = append(left, m)
		}
	}
	if len(dropped) > 0 {
		sc.run.record.Append(insertion(p, "step "+s.src.Name, namesOf(dropped), -1))
	}
	return left, nil
}

// choosing is the frame in which a patch decides who speaks; self is the
// orchestrator.
func (sc *scene) choosing(p *patch, s *stmt, speakers []*member) *frame {
	f := &frame{run: sc.run, place: sc.path + s.src.Name + "/" + p.src.ID + sc.loopCounts()}
	f.step, f.self = s.src.Name, sc.run.members[p.src.Agents[0]]
	list := make([]any, len(speakers))
	for i, m := range speakers {
		list[i] = m.agent
	}
	f.vars = map[string]any{"speakers": list}
	return f
}

func namesOf(list []*member) segment.Text {
	names := make([]string, len(list))
	for i, m := range list {
		names[i] = m.agent.Name
	}
	return segment.Of(strings.Join(names, ", "), "speaker")
}

// withTwins puts each twin right after its model, wherever that one is asked.
func (r *run) withTwins(speakers []*member) []*member {
	if len(r.program.twins) == 0 {
		return speakers
	}
	var out []*member
	for _, m := range speakers {
		model := m.actor.src.Like
		if model != "" && slices.Contains(speakers, r.members[model]) {
			continue
		}
		out = append(out, m)
		for _, twin := range r.program.twins[m.agent.Name] {
			out = append(out, r.members[twin])
		}
	}
	return out
}

// withoutTwins leaves the twins of agents out of a list in which these stand too: a
// pass that asks the model asks its twin right after it.
func (r *run) withoutTwins(list []any) []any {
	if len(r.program.twins) == 0 {
		return list
	}
	named := map[string]bool{}
	for _, x := range list {
		named[agentName(x)] = true
	}
	return slices.DeleteFunc(slices.Clone(list), func(x any) bool {
		m := r.members[agentName(x)]
		return m != nil && named[m.actor.src.Like]
	})
}
