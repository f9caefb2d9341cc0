package build_test

import (
	"io/fs"
	"strings"
	"testing"
	"testing/fstest"

	"parley/interp/build"
	"parley/interp/load"
	"parley/lang"
	"parley/stdlib"
)

// FuzzCheck: whatever parses is compiled or refused, without a panic, and twice
// with the same words.
func FuzzCheck(f *testing.F) {
	for _, m := range mistakes {
		f.Add(m.src)
	}
	for _, m := range slotMistakes {
		f.Add(strings.NewReplacer("⟦", "", "⟧", "").Replace(m.src))
	}
	for _, p := range parts {
		f.Add(p)
	}
	for _, name := range []string{"debate.parley", "world.parley", "attacks/madbench.parley", "measures/madbench.parley"} {
		if text, err := fs.ReadFile(stdlib.FS, name); err == nil {
			f.Add(string(text))
		}
	}
	f.Fuzz(func(t *testing.T, src string) {
		root := fstest.MapFS{"m.parley": {Data: []byte(src)}, "facts.jsonl": {Data: []byte(facts)}}
		say := func() string {
			prog, found := load.Load(load.Files{Root: root, Std: stdlib.FS, Parse: lang.Parse, Cache: library}, "m.parley")
			if prog == nil || found.HasErrors() {
				return ""
			}
			c := build.New(prog, nil)
			c.Check()
			return c.Diagnostics().Error()
		}
		if a, b := say(), say(); a != b {
			t.Errorf("two checks of one file differ:\n%s\n%s", a, b)
		}
	})
}

// TestCutSources compiles sources with a piece cut out at every word.
func TestCutSources(t *testing.T) {
	if testing.Short() {
		t.Skip("long")
	}
	src := debate
	for _, p := range parts {
		src += "\n" + p
	}
	src += `
experiment e { scenario main() sweep f in [1, 2] runs 2 }
test "t" { scenario main() task { prompt: "P", answer: "A", wrong: "W", documents: [] } script lead { reply "x" repeat } expect !correct }`
	var cuts []int
	word := false
	for i := range len(src) {
		now := src[i] > ' '
		if now && !word {
			cuts = append(cuts, i)
		}
		word = now
	}
	compiled := 0
	for i, from := range cuts {
		for _, n := range []int{1, 2, 4} {
			if i+n >= len(cuts) {
				continue
			}
			cut := src[:from] + src[cuts[i+n]:]
			root := fstest.MapFS{"m.parley": {Data: []byte(cut)}, "facts.jsonl": {Data: []byte(facts)}}
			prog, found := load.Load(load.Files{Root: root, Std: stdlib.FS, Parse: lang.Parse, Cache: library}, "m.parley")
			if found.HasErrors() {
				continue
			}
			compiled++
			c := build.New(prog, nil)
			c.Check()
			for _, d := range c.Diagnostics() {
				if d.Message == "" || d.Code.Title() == "" {
					t.Errorf("%+v", d)
				}
			}
		}
	}
	t.Logf("%d sources parsed", compiled)
}
