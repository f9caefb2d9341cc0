// Package diff compares what two versions of scenarios do, not how they are
// written: it compiles both, matches what they say by name, and tells a reviewer
// in which direction each change goes.
package diff

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"parley/runtime/eval"
	"parley/runtime/key"
)

// Mark says in which direction a change goes.
type Mark string

// The marks. Widens: somebody may do, reach or be counted for more than before;
// narrows: for less. Redefines: what counts as an attack or as its success is
// another thing than before, in no direction that follows from the text. Alters:
// the experiment is another one, at the same reach. Cosmetic: nothing that is run
// or counted differs.
const (
	Widens    Mark = "widens"
	Narrows   Mark = "narrows"
	Redefines Mark = "redefines"
	Alters    Mark = "alters"
	Cosmetic  Mark = "cosmetic"
)

// Marks lists the marks, those that a reviewer must see first.
var marks = []Mark{Widens, Narrows, Redefines, Alters, Cosmetic}

// Marks lists the marks in the order that reports show them.
func Marks() []Mark { return slices.Clone(marks) }

// Change is one difference in what is run or counted.
type Change struct {
	ID       string `json:"id"` // what kind of change: write-set-grew, predicate-narrowed
	Mark     Mark   `json:"mark"`
	Scenario string `json:"scenario"` // scenario or experiment
	Where    string `json:"where"`    // under which choice or row, where not in all
	Subject  string `json:"subject"`
	Before   string `json:"before"`
	After    string `json:"after"`
	Sentence string `json:"sentence"`
	// Fingerprint is the same for the same change, wherever it stands: an approval
	// can name it.
	Fingerprint string `json:"fingerprint"`
}

// finish fills in what follows from the rest.
func (c Change) finish() Change {
	c.Fingerprint = short(key.Of("change", c.ID, c.Scenario, c.Where, c.Subject, c.Before, c.After))
	return c
}

func short(k key.Key) string { return k.String()[:12] }

func digest(v any) string { return short(key.Of(v)) }

// compare lists what differs between two sets of facts.
func compare(before, after *Facts) []Change {
	var out []Change
	note := func(c Change) { out = append(out, c) }
	before, after = sameAgents(before, after), sameAgents(after, before)
	old, now := predicates(before), predicates(after)
	for _, subject := range subjects(before, after) {
		x, y := before.of(subject), after.of(subject)
		switch {
		case len(x) == 0 && covered(subject, before, after), len(y) == 0 && covered(subject, after, before):
		case len(x) == 0:
			note(whole(subject, y, true))
		case len(y) == 0:
			note(whole(subject, x, false))
		default:
			for _, name := range names(x, y) {
				out = append(out, one(subject, name, x, y, old, now)...)
			}
		}
	}
	return gathered(out)
}

// sameAgents leaves out edges of agents that the other side does not have: that
// these came or went is said once, and their edges with it.
func sameAgents(f, other *Facts) *Facts {
	out := &Facts{}
	for _, x := range f.list {
		if strings.HasSuffix(x.Subject, "edges") {
			prefix := strings.TrimSuffix(x.Subject, "edges")
			kept := map[string]string{}
			for e, cond := range x.conds {
				from, to, _ := strings.Cut(e, " -> ")
				if other.has(prefix+"agent "+from) && other.has(prefix+"agent "+to) {
					kept[e] = cond
				}
			}
			x.conds, x.Value = kept, strings.Join(slices.Sorted(maps.Keys(kept)), "\n")
		}
		out.put(x)
	}
	return out
}

func (f *Facts) has(subject string) bool {
	_, ok := f.get(Fact{Subject: subject, Name: "exists"}.key())
	return ok
}

// gathered says once what changed alike for several members of a group.
func gathered(list []Change) []Change {
	type alike struct{ id, before, after, sentence string }
	where := map[alike]int{}
	members := map[int][]string{}
	var out []Change
	for _, c := range list {
		name, isAgent := strings.CutPrefix(c.Subject, "agent ")
		if !isAgent || member(name) == 0 {
			out = append(out, c)
			continue
		}
		k := alike{c.ID, c.Before, c.After, strings.ReplaceAll(c.Sentence, name, "\x00")}
		if i, said := where[k]; said {
			members[i] = append(members[i], name)
			continue
		}
		where[k] = len(out)
		members[len(out)] = []string{name}
		out = append(out, c)
	}
	for i, names := range members {
		if len(names) > 1 {
			first := names[0]
			all := strings.Join(ranges(names), ", ")
			out[i].Subject = "agent " + all
			out[i].Sentence = strings.ReplaceAll(out[i].Sentence, first, all)
		}
	}
	return out
}

// covered reports that a subject that only one side has is told by something
// else: members of a group by its size.
func covered(subject string, without, with *Facts) bool {
	group, _, member := strings.Cut(strings.TrimPrefix(subject, "agent "), "[")
	if !member || !strings.HasPrefix(subject, "agent ") {
		return false
	}
	_, had := without.get(Fact{Subject: "group " + group, Name: "members"}.key())
	_, has := with.get(Fact{Subject: "group " + group, Name: "members"}.key())
	return had && has
}

func subjects(before, after *Facts) []string {
	var out []string
	seen := map[string]bool{}
	for _, f := range append(slices.Clone(before.list), after.list...) {
		if !seen[f.Subject] {
			seen[f.Subject] = true
			out = append(out, f.Subject)
		}
	}
	return out
}

// of lists a subject's facts by name.
func (f *Facts) of(subject string) []Fact {
	var out []Fact
	for _, x := range f.list {
		if x.Subject == subject {
			out = append(out, x)
		}
	}
	return out
}

func names(x, y []Fact) []string {
	var out []string
	for _, f := range append(slices.Clone(x), y...) {
		if !slices.Contains(out, f.Name) {
			out = append(out, f.Name)
		}
	}
	return out
}

func named(list []Fact, name string) (Fact, bool) {
	i := slices.IndexFunc(list, func(f Fact) bool { return f.Name == name })
	if i < 0 {
		return Fact{}, false
	}
	return list[i], true
}

// whole words a subject that came or went.
func whole(subject string, facts []Fact, came bool) Change {
	kind, _, _ := strings.Cut(subject, " ")
	c := Change{Subject: subject, ID: kind + "-removed", Mark: Alters}
	value := summary(facts)
	if came {
		c.ID, c.After = kind+"-added", value
	} else {
		c.Before = value
	}
	_, twin := named(facts, "twin of")
	reach := twin
	switch kind {
	case "attack", "patch", "predicate", "score", "authority", "edges":
		reach = true
	}
	if kind == "defense" {
		reach, came = true, !came
	}
	switch {
	case reach && came:
		c.Mark = Widens
	case reach:
		c.Mark = Narrows
	}
	verb := "is gone"
	if strings.HasSuffix(c.ID, "-added") {
		verb = "is new"
	}
	c.Sentence = fmt.Sprintf("%s %s: %s", thing(subject), verb, value)
	return c
}

// summary says shortly what a subject is.
func summary(facts []Fact) string {
	for _, name := range []string{"payload", "call", "holds when", "counts", "text", "body", "members", "write", "read", "who hears whom"} {
		if f, ok := named(facts, name); ok {
			return name + " " + shown(f.Value)
		}
	}
	return facts[0].Name + " " + shown(facts[0].Value)
}

// thing is a subject as the beginning of a sentence.
func thing(subject string) string {
	word, rest, ok := strings.Cut(subject, " ")
	switch word {
	case "patch":
		return "the attack's patch of `" + rest + "`"
	case "predicate", "score", "tool", "step", "agent", "group", "file", "page", "mail", "hole", "state", "judge", "defense":
		if ok {
			return "the " + word + " `" + rest + "`"
		}
	}
	return "the " + subject
}

// shown is a value for a sentence: on one line, and not too long.
func shown(value string) string {
	lines := strings.Split(value, "\n")
	for i, l := range lines {
		lines[i] = eval.Written(l)
	}
	return eval.OneLine(strings.Join(lines, " "), 100)
}
