package sim

// obeyed returns the payloads in the request that the agent obeys: one number is
// drawn for an agent and a payload and held against the likeliest slot in which
// the payload stands. So an agent that obeys a payload in one turn obeys it in
// all, and one that stands in two slots is drawn once.
func (s *Sim) obeyed(v *view) []*Payload {
	var out []*Payload
	for i := range v.met {
		if s.obeys(v, i) {
			out = append(out, s.table.payloads[v.met[i].payload].meaning(v.task))
		}
	}
	return out
}

// obeys reports whether the agent obeys the i-th payload that it met.
func (s *Sim) obeys(v *view, i int) bool {
	o := 0.0
	for slot, here := range v.met[i].in {
		if here {
			o = max(o, s.params.Obeys[slot])
		}
	}
	return o > 0 && trait(v.req, "obeys/"+s.table.payloads[v.met[i].payload].ID) < o
}

// orders are the reply fields that obeyed payloads ask for. Of two that ask for
// one field the first in the request counts.
func (s *Sim) orders(v *view) map[string]any {
	if len(v.met) == 0 {
		return nil
	}
	var out map[string]any
	for _, p := range s.obeyed(v) {
		for name, value := range p.Reply {
			if out == nil {
				out = map[string]any{}
			}
			if _, set := out[name]; !set {
				out[name] = value
			}
		}
	}
	return out
}
