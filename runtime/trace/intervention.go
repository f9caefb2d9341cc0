package trace

import "strconv"

// Intervention is one thing that a defense did.
type Intervention struct {
	Defense string `json:"defense"`
	Hook    string `json:"hook"`   // before call, after result, …
	Action  string `json:"action"` // one of the actions below
	Agent   string `json:"agent,omitempty"`
	Step    string `json:"step,omitempty"`
	Tool    string `json:"tool,omitempty"`
	Turn    int    `json:"turn"` // -1 outside of turns
	Why     string `json:"why,omitempty"`
	Text    string `json:"text,omitempty"` // what it was about, before
	// Payloads stood in what it was about, whether the defense knew or not.
	Payloads []string `json:"payloads,omitempty"`

	agent *Agent
}

// What a defense can do.
const (
	Blocked     = "blocked"     // something did not come to pass
	Dropped     = "dropped"     // something disappeared
	Replaced    = "replaced"    // something stands in its place
	Quarantined = "quarantined" // nobody hears an agent any more
	Withheld    = "withheld"    // a message of a quarantined agent
	Approved    = "approved"    // a person let it pass
	Denied      = "denied"      // a person did not
)

// Actions lists what a defense can do.
var Actions = []string{Blocked, Dropped, Replaced, Quarantined, Withheld, Approved, Denied}

// Field gives the intervention's fields: defense, hook, action, agent (nil where
// it was about nobody's doing), step, tool, why, text, payload (whether one stood
// in what it was about).
func (i *Intervention) Field(name string) (any, bool) {
	switch name {
	case "defense":
		return i.Defense, true
	case "hook":
		return i.Hook, true
	case "action":
		return i.Action, true
	case "agent":
		if i.agent == nil {
			return nil, true
		}
		return i.agent, true
	case "step":
		return i.Step, true
	case "tool":
		return i.Tool, true
	case "why":
		return i.Why, true
	case "text":
		return i.Text, true
	case "payload":
		return len(i.Payloads) > 0, true
	}
	return nil, false
}

// InterventionList returns the *Intervention values in order.
func (t *Trial) InterventionList() []any { return clip(t.links.interventions) }

func (t *Trial) bindIntervention(i *Intervention) {
	i.agent = t.links.byName[i.Agent]
	t.links.interventions = append(t.links.interventions, i)
}

// bindGuard links the turn of a defense's agent, which is none of the team's.
func (t *Trial) bindGuard(u *Turn) { u.trial, u.agent, u.calls = t, t.links.byName[u.Agent], nil }

// LinkGuard links a guard's turn before its event stands in the record.
func (t *Trial) LinkGuard(u *Turn) { t.bindGuard(u) }

// blocked counts what was kept from happening.
func (t *Trial) blocked() int {
	n := 0
	for _, v := range t.links.interventions {
		switch v.(*Intervention).Action {
		case Blocked, Dropped, Denied:
			n++
		}
	}
	return n
}

// guards is what the defense's own calls took.
func (t *Trial) guards() Usage {
	if t.Guards == nil {
		return Usage{}
	}
	return *t.Guards
}

// guardKey identifies a guard's turn by its place.
func (u *Turn) guardKey() string {
	return "guard/" + trialKey(u.trial) + "/" + u.Path + "/" + strconv.Itoa(u.Round)
}
