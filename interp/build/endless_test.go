package build_test

import (
	"strings"
	"testing"
	"time"

	"parley/interp/build"
	"parley/runtime"
)

// TestExpressionsThatCannotHang: what would take for ever or fill the memory, in a
// predicate is checked and in a prompt also played in moments.
func TestExpressionsThatCannotHang(t *testing.T) {
	const most = 20 * time.Second // a bound for slow machines; it takes a fraction
	double := `"x"`
	for range 8 {
		double = `join(map(1..100, ` + double + `))`
	}
	for name, hard := range map[string]string{
		"loops in loops":  `all(1..1000000, all(1..1000000, true))`,
		"loops of loops":  `len(filter(1..1000000, len(filter(1..1000000, # > 3)) > 2)) > 0`,
		"a text of texts": `len(` + double + `) > 0`,
		"a list of lists": `len(map(1..1000000, map(1..1000000, #))) > 0`,
		"a range alone":   `len(1..1000000000) > 0`,
		"brackets":        strings.Repeat("(", 60) + "run.refused" + strings.Repeat(")", 60),
		"a reduced text":  `len(reduce(1..1000000, "x" + #acc + #acc, "y")) > 0`,
	} {
		t.Run(name, func(t *testing.T) {
			inPrompt := strings.ReplaceAll(hard, "run.refused", "true")
			start := time.Now()
			for _, src := range []string{
				in("verify { x = " + hard + " } score { rate r = x }"),
				teamed(`agent a { } turns { t: a { prompt "${` + inPrompt + `}" } } answer t.text`),
			} {
				c := compiler(t, src)
				c.Check()
				if s := c.Suite("", build.Options{}); s != nil && !c.Diagnostics().HasErrors() && strings.HasPrefix(src, "team own") {
					played(t, s.Cells[0].Plan, runtime.Clean)
				}
			}
			if took := time.Since(start); took > most {
				t.Errorf("took %s", took)
			}
		})
	}
}
