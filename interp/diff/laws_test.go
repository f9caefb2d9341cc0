package diff_test

import (
	"os"
	"reflect"
	"slices"
	"sort"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/rogpeppe/go-internal/txtar"
	"pgregory.net/rapid"

	"parley/interp/diff"
	"parley/interp/score"
	"parley/runtime"
)

// spots are places of the bank scenario with what may stand there.
var spots = map[string][]string{
	`allow write "payment:UK1" when args.amount <= 98.70`: {
		`allow write "payment:UK1"`, `allow write "payment:*" when args.amount < 50`, `allow write "payment:UK1" by clerk`, ``, `allow write "payment:UK1", "payment:UK2" when args.amount <= 10 || agent == clerk`,
	},
	`on checker[1]`:           {`on checker`, `on checker[2]`, `on checker[1..2]`},
	`when chance(0.5)`:        {``, `when chance(0.7)`},
	`!.authorized`:            {`!.authorized && .tool == "pay"`, `true`, `!.authorized || .uri == "file:bill"`},
	`any(writes`:              {`all(writes`, `any(reads`},
	`given clean.correct`:     {``, `given clean.correct && !clean.strayed`},
	`asr.high > 0.5`:          {`asr.high > 0.4`, `asr.low > 0.5`, `asr.high > 0.5 || wrong.value > 0.9`},
	`teams.desk()`:            {`teams.desk(checkers: 3)`, `teams.desk(rounds: 2, checkers: 5)`},
	`lower is better`:         {``, `higher is better`},
	`attack note() at L3`:     {`attack memo() at L3`},
	`clerk -> checker`:        {`clerk -> checker[1]`, `clerk <-> checker`, `complete(checker) clerk -> checker`},
	`tools pay, look`:         {`tools pay`, `tools look`, `tools none`, `tools all limit 2 then answer`},
	`tool look(path: string)`: {`tool look(path: string, deep: bool = false)`},
	`append state.paid`:       {`set hidden = 1 append state.paid`},
}

// Exchanging the two sides exchanges what widens and what narrows, and a side
// beside itself shows nothing.
func TestExchangedSides(t *testing.T) {
	ar, err := txtar.ParseFile("testdata/pairs/01-write-set.txtar")
	if err != nil {
		t.Fatal(err)
	}
	base := fstest.MapFS{}
	for _, f := range ar.Files {
		if name, ok := strings.CutPrefix(f.Name, "before/"); ok {
			base[name] = &fstest.MapFile{Data: f.Data}
		}
	}
	tried, changes := 0, 0
	rapid.Check(t, func(rt *rapid.T) {
		before, ok := variation(rt, base, "before")
		after, good := variation(rt, base, "after")
		if !ok || !good {
			return
		}
		there := diff.Compare(before, after)
		tried, changes = tried+1, changes+len(there.Changes)
		mirrored(rt, there, diff.Compare(after, before))
		if alone := diff.Compare(before, before); len(alone.Changes) > 0 || !alone.Same {
			rt.Fatalf("a side differs from itself: %v", alone.Changes)
		}
	})
	least := 20
	if testing.Short() {
		least = 3 // of a fifth as many
	}
	if tried < least || changes < tried {
		t.Errorf("%d pairs with %d changes: too few to say anything", tried, changes)
	}
}

// variation draws a version of the files. It answers false where they have
// mistakes together.
func variation(rt *rapid.T, base fstest.MapFS, name string) (*diff.Side, bool) {
	root := fstest.MapFS{}
	for file, data := range base {
		root[file] = &fstest.MapFile{Data: slices.Clone(data.Data)}
	}
	places := make([]string, 0, len(spots))
	for old := range spots {
		places = append(places, old)
	}
	sort.Strings(places)
	for _, old := range rapid.SliceOfNDistinct(rapid.SampledFrom(places), 0, 3, rapid.ID[string]).Draw(rt, name) {
		now := rapid.SampledFrom(spots[old]).Draw(rt, name+": "+old)
		for file := range root {
			root[file].Data = []byte(strings.ReplaceAll(string(root[file].Data), old, now))
		}
	}
	s, err := compileSide(root)
	return s, err == nil
}

// What nothing looks at would change an experiment unseen: every field of a plan
// that enters a key is a fact, or is named here with the reason why it is none.
func TestEveryFieldOfAPlanIsAFact(t *testing.T) {
	source := ""
	for _, file := range []string{"facts.go", "world.go", "side.go"} {
		b, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		source += string(b)
	}
	told := map[string]string{
		"Case.Row": "a place", "Plan.Arms": "each arm is walked", "Plan.CaseFields": "follows from what is read", "Arm.Stream": "follows from pairs",
		"Arm.Fields": "follows from what is read", "Arm.Scripts": "tests only", "Agent.Index": "is in the name", "ToolUse.Names": "a set",
		"Plan.Scenario": "a name", "Patch.Placebo": "placebo arms only", "Stmt.Many": "follows from who speaks", "Stmt.Attrs": "steps",
		"Spec.TaskVerify": "in the tasks' own words", "Spec.Groups": "the team's", "Spec.Labels": "the team's", "Spec.Published": "others' values",
		"Spec.Attack": "a name", "Spec.Goal": "for people", "Spec.Level": "the patches'", "Pred.Text": "as written", "Item.Text": "as written", "Item.At": "a place",
	}
	for _, v := range []any{
		runtime.Plan{},
		runtime.Case{},
		runtime.Arm{},
		runtime.Program{},
		runtime.Agent{},
		runtime.Group{},
		runtime.Edge{},
		runtime.Attrs{},
		runtime.Remember{},
		runtime.ToolUse{},
		runtime.Tool{},
		runtime.Stmt{},
		runtime.World{},
		runtime.StateField{},
		runtime.File{},
		runtime.Mail{},
		runtime.Hole{},
		runtime.Corpus{},
		runtime.Allow{},
		runtime.Patch{},
		runtime.Obeyed{},
		runtime.ScriptCall{},
		score.Spec{},
		score.Pred{},
		score.Item{},
	} {
		typ := reflect.TypeOf(v)
		for i := range typ.NumField() {
			f := typ.Field(i)
			name := typ.Name() + "." + f.Name
			if f.Tag.Get("key") == "-" || told[name] != "" || strings.Contains(source, "."+f.Name) {
				continue
			}
			t.Errorf("%s is no fact: a change of it would not show", name)
		}
	}
}
