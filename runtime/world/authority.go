package world

import "slices"

// Rule allows some resources to be read, or to be written. Authority is
// recorded and not enforced: a call outside it runs and is marked.
type Rule struct {
	Write    bool
	Patterns []string // as Clean returns them; a `*` that was interpolated is escaped and no wildcard
	By       []string // agent names; empty: anybody
	// When looks at the call; nil always holds. A rule whose condition is
	// unknown must answer false: what is not known to be allowed is not.
	When func(agent string, args map[string]any) (bool, error)
}

// Authority is a set of rules. The zero value allows nothing.
type Authority []Rule

// Authorized reports whether a rule allows agent to read or write the clean
// URI by a call with these arguments. The error is the first condition's that
// failed where no other rule allowed the access.
func (a Authority) Authorized(write bool, uri, agent string, args map[string]any) (bool, error) {
	var failed error
	for _, rule := range a {
		if rule.Write != write || !rule.covers(uri) || len(rule.By) > 0 && !slices.Contains(rule.By, agent) {
			continue
		}
		if rule.When == nil {
			return true, nil
		}
		ok, err := rule.When(agent, args)
		if ok && err == nil {
			return true, nil
		}
		if err != nil && failed == nil {
			failed = err
		}
	}
	return false, failed
}

func (r Rule) covers(uri string) bool {
	for _, pattern := range r.Patterns {
		if Match(pattern, uri) {
			return true
		}
	}
	return false
}
