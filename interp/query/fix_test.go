package query_test

import (
	"strings"
	"testing"

	"parley/interp/query"
)

// Each mistake is mended by its own fix.
func TestFixes(t *testing.T) {
	for _, c := range []struct{ was, is, title string }{
		{"same(run.answer, task.answer)", "same(run.anwser, task.answer)", "Change to answer"},
		{"same(run.answer, task.answer)", "smae(run.answer, task.answer)", "Change to same"},
		{"team desk(n: n)", "team dsek(n: n)", "Change to desk"},
		{"workspace shop()\n", "worksapce shop()\n", "Change to workspace"},
		{`.tool == "look"`, `.tool == "lok"`, "Change to look"},
		{"use \"std/debate\"", "use \"std/debats\"", "Change to std/debate"},
		{"on clerk[1]", "on clrek[1]", "Change to clerk"},
		{"tools look", "tools loook", "Change to look"},
		{"provider sim", "provdier sim", "Change to provider"},
		{"team desk(n: n)", "team world.desk(n: n)", `Add use "std/world"`},
		{"use \"std/debate\"\n", "use \"std/debate\"\nuse \"std/world\"\n", "Remove the import"},
	} {
		text := strings.Replace(world, c.was, c.is, 1)
		found, f, err := query.Diagnose(project(map[string]string{"main.parley": text}), "main.parley")
		if err != nil {
			t.Fatal(err)
		}
		var titles []string
		mended := false
		for _, d := range found {
			fixes, err := f.Fixes(d)
			if err != nil {
				t.Fatal(err)
			}
			for _, x := range fixes {
				titles = append(titles, x.Title)
				if x.Title != c.title {
					continue
				}
				e := x.Edits[0]
				got := text[:e.Span.Start] + e.Text + text[e.Span.End:]
				switch {
				case strings.HasPrefix(c.title, "Add "):
					mended = strings.Contains(got, "use \"std/debate\"\nuse \"std/world\"\n")
				default:
					mended = got == world
				}
			}
		}
		if !mended {
			t.Errorf("%s is not mended: %v\n%s", c.is, titles, found.Error())
		}
	}
}
