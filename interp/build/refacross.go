package build

import (
	"parley/interp/load"
	"parley/lang/diag"
)

// acrossRow gives a row to the scores over several configurations that it is about,
// and reports whether it is about such: all its values are theirs, and its labels are
// those of one combination.
func (r *reference) acrossRow(rec load.Record, taken map[*Across]int) bool {
	var values []*refScore
	for _, s := range r.scores {
		if cellText(rec, s.value) != "" {
			values = append(values, s)
		}
	}
	said := 0
	for _, k := range r.keys {
		if cellText(rec, k) != "" {
			said++
		}
	}
	var fit, exact []*Across
	for _, a := range r.across {
		if len(values) == 0 || !a.has(values) || !r.fits(rec, a.Labels) {
			continue
		}
		fit = append(fit, a)
		if len(a.Labels)+r.fixedKeys() == said {
			exact = append(exact, a)
		}
	}
	if len(exact) > 0 {
		fit = exact
	}
	switch {
	case len(fit) == 0:
		return false
	case len(fit) > 1:
		r.fail(diag.ReferenceRow, "add a column for the label that tells them apart", "row %d (%s) fits %d combinations", rec.N, r.say(rec), len(fit))
		return true
	case taken[fit[0]] > 0:
		r.fail(diag.ReferenceRow, "", "rows %d and %d are about the same combination (%s)", taken[fit[0]], rec.N, r.say(rec))
		return true
	}
	taken[fit[0]] = rec.N
	for _, s := range values {
		p, ok := r.published(rec, s, cellText(rec, s.value))
		if !ok {
			break
		}
		fit[0].Published = append(fit[0].Published, p)
	}
	return true
}

// fixedKeys counts the label columns that the command line decides.
func (r *reference) fixedKeys() int {
	n := 0
	for _, k := range r.keys {
		if _, fixed := r.fixed[k]; fixed {
			n++
		}
	}
	return n
}

// has reports whether all the values are of these scores.
func (a *Across) has(values []*refScore) bool {
	for _, s := range values {
		found := false
		for _, it := range a.Items {
			found = found || it.Name == s.name && s.by == ""
		}
		if !found {
			return false
		}
	}
	return true
}
