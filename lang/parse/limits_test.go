package parse_test

import (
	"fmt"
	"strings"
	"testing"

	"parley/lang/diag"
	"parley/lang/parse"
	"parley/lang/source"
)

// TestLimitsOnNumbers: one body, one file and one list of parameters hold only so
// much, and more of it is one finding.
func TestLimitsOnNumbers(t *testing.T) {
	many := func(n int, form, sep string) string {
		list := make([]string, n)
		for i := range list {
			list[i] = fmt.Sprintf(form, i)
		}
		return strings.Join(list, sep)
	}
	for _, c := range []struct {
		name, src, want string
	}{
		{"members", "team t() { " + many(2001, "agent a%d { }", " ") + " }", "a team holds at most 2000 things, and this one holds more"},
		{"steps", "team t() { turns { " + many(2001, "let x%d = 1", " ") + " } }", "a turn program holds at most 2000 things, and this one holds more"},
		{"declarations", many(5001, "model m%d { provider sim }", "\n"), "a file holds at most 5000 things, and this one holds more"},
		{"parameters", "team t(" + many(201, "p%d: int = 1", ", ") + ") { }", "a declaration takes at most 200 parameters"},
		{"as many as may be", "team t(" + many(200, "p%d: int = 1", ", ") + ") { " + many(2000, "agent a%d { }", " ") + many(3000, "a%d -> a1", " ") + " }", ""},
	} {
		_, found := parse.File(source.New("x.parley", c.src))
		switch {
		case c.want == "" && len(found) > 0:
			t.Errorf("%s: %v", c.name, found)
		case c.want != "" && (len(found) != 1 || found[0].Code != diag.TooLong || found[0].Message != c.want):
			t.Errorf("%s: %d findings, %v", c.name, len(found), found)
		}
	}
}
