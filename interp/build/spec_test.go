package build

import (
	"os"
	"regexp"
	"strings"
	"testing"

	"parley/interp/typing"
)

// specPage is the page that has to say what expressions can name.
func specPage(t *testing.T) string {
	t.Helper()
	page, err := os.ReadFile("../../lang/SPEC.md")
	if err != nil {
		t.Fatal(err)
	}
	return string(page)
}

// rows are the rows of the page's table under a head: what stands first in them,
// and the rest.
func rows(t *testing.T, head string) map[string]string {
	t.Helper()
	_, rest, ok := strings.Cut(specPage(t), "\n"+head+"\n")
	if !ok {
		t.Fatalf("the table %s is gone", head)
	}
	found := map[string]string{}
	for _, line := range strings.Split(rest, "\n")[1:] {
		if !strings.HasPrefix(line, "| ") {
			break
		}
		first, others, _ := strings.Cut(strings.TrimPrefix(line, "| "), " | ")
		found[first] = others
	}
	return found
}

// spelled writes a type as the reference does; a record as its name.
func spelled(t typ) string {
	text := map[typing.Kind]string{
		typing.Bool: "bool", typing.Int: "int", typing.Number: "number", typing.String: "string", typing.Agent: "agent",
		typing.Table: "texts", typing.Open: "value", typing.Unknown: "value",
	}[t.Kind]
	switch t.Kind {
	case typing.List:
		text = "[" + spelled(*t.Elem) + "]"
	case typing.Record:
		text = t.Name
		if short, ok := shortNames[text]; ok {
			text = short
		}
	}
	if t.Optional {
		text += "?"
	}
	return text
}

// shortNames are what the reference calls records that messages call otherwise.
var shortNames = map[string]string{"task of a session": "part", "set of arguments": "arguments"}

// bare is a unit of which nothing but the language is known.
func bare() *unit {
	u := &unit{
		c: &Compiler{}, world: &workspace{}, tasks: &taskSet{open: true, sessions: true}, labels: map[string]bool{},
		team: &team{roster: &roster{byName: map[string]*member{}, groups: map[string][]string{}}},
	}
	u.answer = openType
	u.environment()
	return u
}

var typedName = regexp.MustCompile("`([a-z_]+): ([^`]+)`")

// agree holds the typed names in a row of the reference to those of the code.
func agree(t *testing.T, where, row string, code map[string]typ) {
	t.Helper()
	said := map[string]string{}
	for _, m := range typedName.FindAllStringSubmatch(row, -1) {
		said[m[1]] = m[2]
	}
	for name, of := range code {
		if want := spelled(of); said[name] != want {
			t.Errorf("%s: of %s the reference should say `%s: %s`, and says %q", where, name, name, want, said[name])
		}
	}
	for name := range said {
		if _, ok := code[name]; !ok {
			t.Errorf("%s: the reference names %s, which does not exist", where, name)
		}
	}
}

// TestReferenceNamesEveryField holds the reference's tables of what predicates see
// to the types that check them.
func TestReferenceNamesEveryField(t *testing.T) {
	u := bare()
	vars := u.verdictVars()
	agent := *u.vars["agents"].Elem
	if agent.Kind != typing.Agent {
		t.Fatal("agents are no list of agents")
	}
	things := map[string]map[string]typ{
		"agent":        u.agent,
		"turn":         vars["turns"].Elem.Fields,
		"message":      vars["messages"].Elem.Fields,
		"call":         vars["calls"].Elem.Fields,
		"resource":     vars["reads"].Elem.Fields,
		"run":          vars["run"].Fields,
		"part":         vars["run"].Fields["parts"].Elem.Fields,
		"intervention": vars["interventions"].Elem.Fields,
		"world":        vars["before"].Fields,
		"mail":         mailIn.Fields,
		"attack":       u.attackType(nil).Fields,
		"document":     typing.DocumentFields(),
		"score":        estimateFields(),
	}
	table := rows(t, "| thing | fields |")
	for name, fields := range things {
		row, ok := table[name]
		if !ok {
			t.Errorf("the table of things lacks %s", name)
			continue
		}
		agree(t, name, row, fields)
	}
	for name := range table {
		if things[name] == nil {
			t.Errorf("the table of things has %s, which no expression sees", name)
		}
	}
}

// TestReferenceNamesEveryName does so for the names that every predicate has.
func TestReferenceNamesEveryName(t *testing.T) {
	table := rows(t, "| name in predicates | what it is |")
	vars := bare().verdictVars()
	vars["task"] = recordOf("task", nil)
	all := ""
	for first, rest := range table {
		all += first + " " + rest
	}
	agree(t, "predicates", all, vars)
}

// TestReferenceNamesEveryFunction wants each function in the section on
// expressions; render and uri are what templates and headers become.
func TestReferenceNamesEveryFunction(t *testing.T) {
	_, rest, _ := strings.Cut(specPage(t), "\n### Functions\n")
	section, _, ok := strings.Cut(rest, "\n### Names, by place\n")
	if !ok {
		t.Fatal("the section on functions is gone")
	}
	words := map[string]bool{}
	for _, code := range regexp.MustCompile("`[^`]+`").FindAllString(section, -1) {
		for _, w := range regexp.MustCompile(`[A-Za-z_]+`).FindAllString(code, -1) {
			words[w] = true
		}
	}
	for _, name := range typing.Functions() {
		if name != "render" && name != "uri" && !words[name] {
			t.Errorf("the reference does not name the function %s", name)
		}
	}
}
