package query_test

import (
	"strings"
	"testing"

	"parley/interp/query"
)

// other imports main and uses what it declares.
const other = `use "main" as shop
scenario elsewhere() {
  team shop.desk(n: 3)
  workspace shop.shop()
  tasks "facts.jsonl"
  attack shop.flatter() on clerk[2]
  verify { asked = any(calls, .tool == "look" and .step != "close") open_ok = "🦜" != "" && open.reply.sure }
}
`

// workspace opens both files, and finds a mark in main.
func workspace(t *testing.T, around string) (*query.Workspace, int) {
	t.Helper()
	marked := mark(t, world, around)
	w, err := query.OpenWorkspace(project(map[string]string{"main.parley": world, "other.parley": other}))
	if err != nil {
		t.Fatal(err)
	}
	return w, strings.Index(marked, cursor)
}

func TestReferences(t *testing.T) {
	for _, c := range []struct {
		at       string
		here, by int
	}{
		{"team de¦sk(n: n)", 2, 1},
		{"cl¦erk -> boss", 7, 1},
		{"tools lo¦ok", 4, 1},
		{"op¦en: clerk", 4, 1},
		{"close: bo¦ss", 4, 0},
		{"clo¦se: boss", 2, 1},
		{"attack flat¦ter(times: 2)", 2, 1},
		{"hole.no¦te", 2, 0},
		{"loo¦ked or", 2, 0},
		{"first(each_¦one)", 3, 0},
		{"let be¦st", 2, 0},
		{"model pup¦il {", 2, 0},
		{"desk(n¦: n)", 4, 1},
	} {
		w, at := workspace(t, c.at)
		found, err := w.References("main.parley", at)
		if err != nil {
			t.Fatal(err)
		}
		here, by := 0, 0
		for _, l := range found {
			switch l.File {
			case "main.parley":
				here++
			case "other.parley":
				by++
			}
		}
		if here != c.here || by != c.by {
			t.Errorf("%s: %d here and %d in the other file, want %d and %d", c.at, here, by, c.here, c.by)
		}
	}
}

func TestRename(t *testing.T) {
	for _, c := range []struct {
		at, name string
		want     []string // what then stands somewhere, main first
	}{
		{"cl¦erk -> boss", "seller", []string{"agent seller[n]", "seller -> boss", "open: seller[1]", "on seller[1]", "by seller", "script seller", "attack shop.flatter() on seller[2]"}},
		{"tools lo¦ok", "peek", []string{"tool peek(thing", "tools peek", `.tool == "peek" && .step`, "call peek(thing", `.tool == "peek" and`}},
		{"clo¦se: boss", "final", []string{"final: boss", "answer final.reply.answer", `.step != "final"`}},
		{"op¦en: clerk", "begin", []string{"begin: clerk[1]", `.step == "begin"`, "&& begin.reply.sure"}},
		{"team de¦sk(n: n)", "stall", []string{"team stall(n: int", "team stall(n: n)", "team shop.stall(n: 3)"}},
		{"desk(n¦: n)", "size", []string{"desk(size: int", "clerk[size]", "${size}\" tools", "desk(size: n)", "shop.desk(size: 3)"}},
		{"let be¦st", "top", []string{"let top = first", "${top.text}"}},
		{"as gu¦ests", "folk", []string{`use "lib/guests" as folk`}},
		{"flatter(ti¦mes: 2)", "how_often", []string{"how_often: int = 1", "${how_often} ${task", "flatter(how_often: 2)"}},
	} {
		w, at := workspace(t, c.at)
		edits, err := w.Rename("main.parley", at, c.name)
		if err != nil {
			t.Errorf("%s: %v", c.at, err)
			continue
		}
		texts, err := w.Apply(edits)
		if err != nil {
			t.Fatal(err)
		}
		all := texts["main.parley"] + texts["other.parley"]
		for _, want := range c.want {
			if !strings.Contains(all, want) {
				t.Errorf("%s: %q stands nowhere in\n%s", c.at, want, all)
			}
		}
	}
}

// A second emoji before the cursor moves no edit, and the alias of an import gets
// its `as`.
func TestRenameOfAnImport(t *testing.T) {
	w, err := query.OpenWorkspace(project(map[string]string{
		"x.parley": "use \"lib/guests\"\nscenario s() { about \"🦜🦜\" team guests.table(members: guests.family, first: aunt) tasks \"facts.jsonl\" verify { v = any(dish, .text == \"a\") } }\n",
	}))
	if err != nil {
		t.Fatal(err)
	}
	text := w.Source("x.parley").Text
	edits, err := w.Rename("x.parley", strings.Index(text, "guests.table")+2, "folk")
	if err != nil {
		t.Fatal(err)
	}
	texts, err := w.Apply(edits)
	if err != nil {
		t.Fatal(err)
	}
	if got := texts["x.parley"]; !strings.HasPrefix(got, "use \"lib/guests\" as folk\n") || !strings.Contains(got, "🦜🦜\" team folk.table(members: folk.family") {
		t.Error(got)
	}
}

func TestRenameRefuses(t *testing.T) {
	for _, c := range []struct{ at, name, says string }{
		{"cl¦erk -> boss", "boss", "boss"},
		{"clo¦se: boss", "open", "open"},
		{"tools lo¦ok", "all", "all"},
		{"desk(n¦: n)", "loud", "loud"},
		{"let be¦st", "turns", "turns"},
		{"let be¦st", "open", "open"},
		{"cl¦erk -> boss", "two words", "is no name"},
		{"cl¦erk -> boss", "in", "word of the language"},
		{"cl¦erk -> boss", "task", "task"},
		{"open.reply.su¦re", "certain", "field that models answer with"},
		{"sa¦me(run.answer, task.answer)", "x", "nothing that can be renamed"},
		{"correct = same(ru¦n", "x", "nothing that can be renamed"},
	} {
		w, at := workspace(t, c.at)
		edits, err := w.Rename("main.parley", at, c.name)
		if err == nil {
			t.Errorf("%s may be called %s: %v", c.at, c.name, edits)
		} else if !strings.Contains(err.Error(), c.says) {
			t.Errorf("%s as %s: %v", c.at, c.name, err)
		}
	}
}

func TestFind(t *testing.T) {
	w, _ := workspace(t, "cl¦erk -> boss")
	found, err := w.Find("CLK")
	if err != nil || len(found) != 1 || found[0].Name != "clerk" || found[0].File != "main.parley" {
		t.Errorf("%+v %v", found, err)
	}
}
