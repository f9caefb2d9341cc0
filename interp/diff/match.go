package diff

import (
	"slices"
	"strings"
)

// twoOf is one target on both sides.
type twoOf struct{ before, after *target }

// match pairs targets: of one name in one file, then of one name in another
// file, then renamed ones that do the same.
func match(before, after []*target) (pairs []twoOf, gone, came []*target) {
	gone, came = slices.Clone(before), slices.Clone(after)
	rules := []func(a, b *target) bool{
		func(a, b *target) bool { return a.kind == b.kind && a.name == b.name && a.file == b.file },
		func(a, b *target) bool { return a.kind == b.kind && a.name == b.name },
		func(a, b *target) bool { return a.kind == b.kind && len((twoOf{a, b}).changes()) == 0 },
	}
	for _, fits := range rules {
		for i := 0; i < len(gone); i++ {
			k := slices.IndexFunc(came, func(b *target) bool { return fits(gone[i], b) })
			if k < 0 {
				continue
			}
			pairs = append(pairs, twoOf{gone[i], came[k]})
			gone, came = slices.Delete(gone, i, i+1), slices.Delete(came, k, k+1)
			i--
		}
	}
	order := func(t *target) int { return slices.Index(before, t) }
	slices.SortFunc(pairs, func(a, b twoOf) int { return order(a.before) - order(b.before) })
	return pairs, gone, came
}

// changes compares the target as it is without any choice, and then under the
// other choices what is seen only there.
func (p twoOf) changes() []Change {
	seen := map[string]bool{}
	var out []Change
	note := func(where string, list []Change) {
		for _, c := range list {
			if what := c.ID + c.Subject + c.Before + c.After; !seen[what] {
				seen[what] = true
				c.Scenario, c.Where = p.after.name, where
				out = append(out, c)
			}
		}
	}
	note("", compare(renamed(p.before.facts, p.after.facts), p.after.facts))
	for _, v := range p.before.variants {
		i := slices.IndexFunc(p.after.variants, func(w variant) bool { return w.where == v.where })
		if i >= 0 {
			note(v.where, compare(renamed(v.facts, p.after.variants[i].facts), p.after.variants[i].facts))
		}
	}
	return out
}

// renamed gives what only has another name on the new side its new name, so that
// a rename shows nothing: predicates that say the same.
func renamed(before, after *Facts) *Facts {
	names := map[string]string{}
	for _, x := range before.list {
		old, is := strings.CutPrefix(x.Subject, "predicate ")
		if !is || after.hasSubject(x.Subject) {
			continue
		}
		for _, y := range after.list {
			now, is := strings.CutPrefix(y.Subject, "predicate ")
			if is && y.Value == x.Value && !before.hasSubject(y.Subject) && !taken(names, now) {
				names[old] = now
				break
			}
		}
	}
	if len(names) == 0 {
		return before
	}
	out := &Facts{}
	for _, x := range before.list {
		if now, is := names[strings.TrimPrefix(x.Subject, "predicate ")]; is && strings.HasPrefix(x.Subject, "predicate ") {
			x.Subject = "predicate " + now
		}
		if x.kind == counts {
			x.Value = withNames(x.Value, names)
		}
		out.put(x)
	}
	return out
}

func (f *Facts) hasSubject(subject string) bool {
	return slices.ContainsFunc(f.list, func(x Fact) bool { return x.Subject == subject })
}

func taken(names map[string]string, now string) bool {
	for _, n := range names {
		if n == now {
			return true
		}
	}
	return false
}
