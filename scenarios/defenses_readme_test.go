package scenarios

import (
	"flag"
	"fmt"
	"os"
	"strings"
	"testing"

	"parley/interp"
	"parley/interp/score"
)

var update = flag.Bool("update", false, "write the tables of pages anew")

// TestDefenseReadme: the table of the page is what the experiment gives.
func TestDefenseReadme(t *testing.T) {
	if testing.Short() {
		t.Skip("the whole table takes a while")
	}
	const page, begin, end = "defenses/README.md", "<!-- table -->\n", "<!-- end -->"
	text, err := os.ReadFile(page)
	if err != nil {
		t.Fatal(err)
	}
	before, rest, ok := strings.Cut(string(text), begin)
	was, after, ends := strings.Cut(rest, end)
	if !ok || !ends {
		t.Fatalf("%s has no place for its table", page)
	}
	now := defenseTable(t, play(t, open(t, "defenses/table.parley"), "table", interp.Options{}, inMemory))
	if was == now {
		return
	}
	if !*update {
		t.Fatalf("the table of %s is not what the experiment gives (-update writes it):\n%s", page, now)
	}
	if err := os.WriteFile(page, []byte(before+begin+now+end+after), 0o644); err != nil {
		t.Fatal(err)
	}
}

// defenseTable is a row for each defense, in the order of the sweep.
func defenseTable(t *testing.T, cells []*played) string {
	t.Helper()
	columns := []struct{ title, attack, score string }{
		{"irw m1", "m1", "irw"},
		{"asr m3", "m3", "asr"},
		{"asr m5", "m5", "asr"},
		{"utility", "", "utility"},
		{"lost", "", "utility_lost"},
		{"overhead", "", "overhead"},
		{"false alarms", "", "false_alarms"},
	}
	var names []string
	values := map[string]string{}
	for _, p := range cells {
		name := p.label("defense")
		if p.label("scenario") == "benign" {
			names = append(names, name)
		}
		for _, c := range columns {
			attack := ""
			if p.label("scenario") == "attacked" {
				attack = p.label("attack")
			}
			if attack == c.attack {
				values[name+" "+c.title] = percent(p.estimate(t, c.score), c.score)
			}
		}
	}
	var b strings.Builder
	b.WriteString("\n| defense |")
	for _, c := range columns {
		b.WriteString(" " + c.title + " |")
	}
	b.WriteString("\n| --- |" + strings.Repeat(" --- |", len(columns)) + "\n")
	for _, name := range names {
		b.WriteString("| " + name + " |")
		for _, c := range columns {
			b.WriteString(" " + values[name+" "+c.title] + " |")
		}
		b.WriteString("\n")
	}
	return b.String() + "\n"
}

func percent(e score.Estimate, of string) string {
	switch {
	case !e.Value.Defined():
		return "n/a"
	case of == "overhead":
		return fmt.Sprintf("%.2f", float64(e.Value))
	}
	return fmt.Sprintf("%.0f %%", 100*float64(e.Value))
}
