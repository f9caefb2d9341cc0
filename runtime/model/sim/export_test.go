package sim

import "parley/runtime/model"

// Found lists what the simulator finds in a request, payload ids with the slots
// they stand in, the agent's own words apart.
func (s *Sim) Found(req *model.Request) map[string][]string {
	others := *req
	others.Messages = append([]model.Message(nil), req.Messages...)
	for i := range others.Messages {
		if others.Messages[i].Role == "assistant" {
			others.Messages[i].Content = ""
		}
	}
	v := s.look(&others)
	out := map[string][]string{}
	for _, m := range v.met {
		id := s.table.payloads[m.payload].ID
		for slot, here := range m.in {
			if here {
				out[id] = append(out[id], Slot(slot).String())
			}
		}
	}
	return out
}
