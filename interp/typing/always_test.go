package typing

import (
	"testing"

	"parley/lang/ast"
)

func TestAlways(t *testing.T) {
	for text, want := range map[string]string{
		`true`: "true", `!true`: "false", `1 < 2`: "true", `"a" == "b"`: "false", `2 > 3 || false`: "false",
		`x == x`: "true", `x.y != x.y`: "false", `x <= x`: "true", `x < y`: "", `x`: "", `!x`: "",
		`x == "a" && x == "b"`: "false", `x != "a" || x != "b"`: "true", `x == "a" || x == "b"`: "", `x != "a" && x != "b"`: "",
		`"a" == x && y && x == "b"`: "false", `x == "a" && y == "b"`: "", `x && !x`: "false", `x || y || !x`: "true", `x && !y`: "",
		`x && false`: "false", `x || true`: "true", `x && true`: "", `true && 1 == 1`: "true",
		`chance(0)`: "false", `chance(1)`: "true", `chance(0.5)`: "", `chance(0.5) && !chance(0.5)`: "", `x && chance(0)`: "false",
		`any(x, true)`: "", `len(x) == 1 && len(x) == 2`: "false", `x == nil && x == 1`: "",
	} {
		value, same := NewMemo().Always(&ast.Expr{Cooked: text})
		got := ""
		if same {
			got = map[bool]string{true: "true", false: "false"}[value]
		}
		if got != want {
			t.Errorf("%s: %q, want %q", text, got, want)
		}
	}
}
