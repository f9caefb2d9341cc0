package diff

import (
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/expr-lang/expr/ast"

	"parley/runtime/eval"
)

// one compares one attribute of a subject that both sides have.
func one(subject, name string, before, after []Fact, old, now map[string]ast.Node) []Change {
	x, had := named(before, name)
	y, has := named(after, name)
	if had && has && x.Value == y.Value && x.kind != counts {
		return nil
	}
	base := Change{Subject: subject, Before: x.Value, After: y.Value}
	kind := x.kind
	if !had {
		kind = y.kind
	}
	switch kind {
	case grants:
		return setChanges(base, name, x.conds, y.conds)
	case counts:
		return countChanges(base, name, old, now)
	case holds:
		return []Change{conditionChange(base, Conditions(orFalse(x.Value), orFalse(y.Value)))}
	case guards: // who is guarded in more cases has less reach
		c := conditionChange(base, Conditions(orTrue(x.Value), orTrue(y.Value)))
		c.Mark = reversed(c.Mark)
		return []Change{c}
	case level:
		return []Change{levelChange(base)}
	case records:
		return []Change{rowsChange(base)}
	case size:
		base.ID, base.Mark = "group-size-changed", Alters
		base.Sentence = fmt.Sprintf("%s %s → %s", strings.TrimPrefix(subject, "group "), x.Value, y.Value)
		return []Change{base}
	case strike:
		base.ID, base.Mark = slug(subject, name)+"-changed", Redefines
	default:
		base.ID, base.Mark = slug(subject, name)+"-changed", Alters
	}
	base.Sentence = changed(subject, name, kind, x, y, had, has)
	return []Change{base}
}

// slug names a kind of change: step-prompt.
func slug(subject, name string) string {
	word, _, _ := strings.Cut(subject, " ")
	return word + "-" + strings.ReplaceAll(name, " ", "-")
}

func changed(subject, name string, kind factKind, x, y Fact, had, has bool) string {
	head := fmt.Sprintf("%s of %s", name, thing(subject))
	switch {
	case !had:
		return fmt.Sprintf("%s is set now: %s", head, shown(y.Value))
	case !has:
		return fmt.Sprintf("%s is not set any more; it was %s", head, shown(x.Value))
	}
	a, b := x.Value, y.Value
	if kind == list || kind == text {
		a, b = eval.Written(a), eval.Written(b)
		if strings.Contains(a+b, "\n") || len(a)+len(b) > 120 {
			gone, came := lineDiff(strings.Split(a, "\n"), strings.Split(b, "\n"))
			if len(gone) != 1 || len(came) != 1 {
				return fmt.Sprintf("%s changed: %s", head, lineWords(gone, came))
			}
			a, b = gone[0], came[0]
		}
	}
	a, b = aroundChange(a, b)
	return fmt.Sprintf("%s changed: %s → %s", head, shown(a), shown(b))
}

// lineDiff takes away what both texts have in common at both ends.
func lineDiff(a, b []string) (gone, came []string) {
	for len(a) > 0 && len(b) > 0 && a[0] == b[0] {
		a, b = a[1:], b[1:]
	}
	for len(a) > 0 && len(b) > 0 && a[len(a)-1] == b[len(b)-1] {
		a, b = a[:len(a)-1], b[:len(b)-1]
	}
	return a, b
}

// aroundChange leaves of two long lines what differs, with a few words around it.
func aroundChange(a, b string) (string, string) {
	if len(a)+len(b) < 120 {
		return a, b
	}
	const around = 3
	x, y := strings.Fields(a), strings.Fields(b)
	head, tail := 0, 0
	for head < min(len(x), len(y)) && x[head] == y[head] {
		head++
	}
	for tail < min(len(x), len(y))-head && x[len(x)-1-tail] == y[len(y)-1-tail] {
		tail++
	}
	cut := func(words []string) string {
		from, to := max(0, head-around), min(len(words), len(words)-tail+around)
		text := strings.Join(words[from:to], " ")
		if from > 0 {
			text = "… " + text
		}
		if to < len(words) {
			text += " …"
		}
		return text
	}
	return cut(x), cut(y)
}

func lineWords(gone, came []string) string {
	switch {
	case len(gone) == 0:
		return "added " + shown(strings.Join(came, " ⏎ "))
	case len(came) == 0:
		return "dropped " + shown(strings.Join(gone, " ⏎ "))
	}
	return shown(strings.Join(gone, " ⏎ ")) + " → " + shown(strings.Join(came, " ⏎ "))
}

// setChanges words what came into a set, what left it, and whose condition moved.
func setChanges(base Change, name string, before, after map[string]string) []Change {
	var grew, shrank []string
	var out []Change
	for _, e := range slices.Sorted(maps.Keys(after)) {
		if _, had := before[e]; !had {
			grew = append(grew, whenever(e, after[e]))
		}
	}
	for _, e := range slices.Sorted(maps.Keys(before)) {
		cond, has := after[e]
		if !has {
			shrank = append(shrank, whenever(e, before[e]))
			continue
		}
		if cond != before[e] {
			c := base
			c.Before, c.After = whenever(e, before[e]), whenever(e, cond)
			c.ID = slug(base.Subject, name) + "-condition"
			dir := Conditions(orTrue(before[e]), orTrue(cond))
			c.Mark = directed(dir, Alters)
			c.Sentence = fmt.Sprintf("%s: `%s` %s (was %s, is %s)", setName(base.Subject, name), e,
				map[Direction]string{Wider: "now holds in more cases", Narrower: "now holds in fewer cases", Unclear: "has another condition", Same: "is written in another way"}[dir],
				shown(orAlways(before[e])), shown(orAlways(cond)))
			out = append(out, c)
		}
	}
	out = append(out, moved(base, name, grew, true)...)
	return append(out, moved(base, name, shrank, false)...)
}

func moved(base Change, name string, elements []string, came bool) (out []Change) {
	if len(elements) == 0 {
		return nil
	}
	c := base
	defer func() {
		if strings.HasPrefix(c.Subject, "defense") && strings.HasSuffix(name, "guards") {
			out[0].Mark = reversed(out[0].Mark)
		}
	}()
	joined := strings.Join(elements, ", ")
	c.Before, c.After, c.Mark, c.ID = joined, "", Narrows, slug(base.Subject, name)+"-shrank"
	verb := "shrank by"
	if came {
		c.Before, c.After, c.Mark, c.ID = "", joined, Widens, slug(base.Subject, name)+"-grew"
		verb = "grew by"
	}
	c.Sentence = fmt.Sprintf("%s %s %s", setName(base.Subject, name), verb, shown(strings.Join(ranges(elements), ", ")))
	return []Change{c}
}

// setName is how a reviewer would call a set.
func setName(subject, name string) string {
	switch {
	case subject == "authority":
		return "the authorized " + name + " set"
	case subject == "edges":
		return "who hears whom"
	case subject == "tasks":
		return "what tasks authorize themselves"
	case name == "fails when":
		return "what makes the run fail"
	}
	return name + " of " + thing(subject)
}

func orTrue(cond string) string {
	if cond == "" {
		return "true"
	}
	return cond
}

func orFalse(cond string) string {
	if cond == "" {
		return "false"
	}
	return cond
}

func orAlways(cond string) string {
	if cond == "" || cond == "true" {
		return "always"
	}
	return cond
}

func directed(d Direction, otherwise Mark) Mark {
	switch d {
	case Wider:
		return Widens
	case Narrower:
		return Narrows
	case Same:
		return Cosmetic
	}
	return otherwise
}

func reversed(m Mark) Mark {
	switch m {
	case Widens:
		return Narrows
	case Narrows:
		return Widens
	}
	return m
}

func conditionChange(c Change, d Direction) Change {
	c.ID, c.Mark = c.Subject+"-condition-changed", directed(d, Redefines)
	verb := "is made"
	switch {
	case c.Subject == "run":
		verb = "fails"
	case strings.HasPrefix(c.Subject, "defense"):
		verb, c.ID = "looks", "defense-condition-changed"
	default:
		c.ID = "patch-condition-changed"
	}
	how := map[Direction]string{Wider: "in more cases", Narrower: "in fewer cases", Unclear: "in other cases", Same: "in the same cases, written in another way"}[d]
	c.Sentence = fmt.Sprintf("%s now %s %s (was %s, is %s)", thing(c.Subject), verb, how, shown(orNever(c.Before)), shown(orNever(c.After)))
	return c
}

// orNever names conditions that are always the same.
func orNever(cond string) string {
	switch cond {
	case "", "false":
		return "never"
	case "true":
		return "always"
	}
	return cond
}

// rowsChange counts the tasks that came and went.
func rowsChange(c Change) Change {
	gone, came := 0, 0
	left := map[string]int{}
	for _, row := range strings.Split(c.Before, "\n") {
		left[row]++
	}
	before, after := strings.Count(c.Before, "\n")+1, strings.Count(c.After, "\n")+1
	for _, row := range strings.Split(c.After, "\n") {
		if left[row] > 0 {
			left[row]--
		} else {
			came++
		}
	}
	for _, n := range left {
		gone += n
	}
	c.ID, c.Mark = "tasks-changed", Alters
	c.Before, c.After = digest(c.Before), digest(c.After)
	switch {
	case gone == 0 && came == 0:
		c.Sentence = "the tasks come in another order"
	default:
		c.Sentence = fmt.Sprintf("the tasks changed: %d → %d (%d gone or changed, %d new or changed)", before, after, gone, came)
	}
	return c
}

// levelChange words an attack's move: L1 reaches further than L2, that than L3.
func levelChange(c Change) Change {
	c.ID, c.Mark = "attack-level-moved", Narrows
	if c.After < c.Before {
		c.Mark = Widens
	}
	c.Sentence = fmt.Sprintf("the attack moved from %s to %s", c.Before, c.After)
	return c
}

// ranges writes neighbours of one group as a range: debater[1..3].
func ranges(elements []string) []string {
	var out []string
	from, last, group := "", 0, ""
	flush := func() {
		if from == "" {
			return
		}
		if first := member(from); last > first {
			out = append(out, fmt.Sprintf("%s[%d..%d]", group, first, last))
		} else {
			out = append(out, from)
		}
		from = ""
	}
	slices.SortStableFunc(elements, func(a, b string) int {
		g, h := strings.SplitN(a, "[", 2)[0], strings.SplitN(b, "[", 2)[0]
		if g != h {
			return strings.Compare(g, h)
		}
		return member(a) - member(b)
	})
	for _, e := range elements {
		n, g := member(e), strings.SplitN(e, "[", 2)[0]
		if n > 0 && from != "" && g == group && n == last+1 {
			last = n
			continue
		}
		flush()
		if n == 0 {
			out = append(out, e)
			continue
		}
		from, last, group = e, n, g
	}
	flush()
	return out
}

// member is the index of a group's member, 0 for anything else.
func member(name string) int {
	_, rest, ok := strings.Cut(name, "[")
	if !ok || !strings.HasSuffix(rest, "]") {
		return 0
	}
	n, err := strconv.Atoi(strings.TrimSuffix(rest, "]"))
	if err != nil {
		return 0
	}
	return n
}
