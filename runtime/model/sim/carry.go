package sim

import "slices"

// carried returns the texts that the agent repeats word for word in what it
// says: of the payloads it met, those that it passes on, a trait for each. What
// stands in its own system prompt alone is its instruction and not news, so it
// is not passed on.
func (s *Sim) carried(v *view) []string {
	var out []string
	for i := range v.met {
		news := false
		for slot := Task; slot < slots; slot++ {
			news = news || v.met[i].in[slot]
		}
		p := &s.table.payloads[v.met[i].payload]
		if news && trait(v.req, "carries/"+p.ID) < s.params.Carries && !slices.Contains(out, p.Text) {
			out = append(out, p.Text)
		}
	}
	return out
}

// withCarried appends what is passed on to a text.
func withCarried(text string, carried []string, between string) string {
	for _, c := range carried {
		if text != "" {
			text += between
		}
		text += c
	}
	return text
}
