package typing_test

import (
	"sync"
	"testing"

	"parley/interp/typing"
	"parley/lang/ast"
)

// What a memo gives is what is worked out without one, whatever was put in before,
// and from many goroutines at once.
func TestMemo(t *testing.T) {
	memo := typing.NewMemo()
	values := []map[string]any{
		nil, {"n": 1}, {"n": 1.0}, {"n": "1"}, {"n": true}, {"n": nil}, {"n": []any{1}}, {"n": []any{1.0}}, {"m": 2, "n": 3}, {"other": 1},
	}
	sources := []string{`n == 1`, `n`, ` ( n )`, `let m = n; m`, `render("a", n, "b")`, `[1, 2, 3][n]`, `a.b + n > m`}
	check := func(src string, put map[string]any, m *typing.Memo) (string, int) {
		names := map[string]typing.Type{"n": typing.OpenType, "m": typing.OpenType, "a": typing.OpenType}
		c, problems := typing.Check(&ast.Expr{Cooked: src, Text: src}, &typing.Env{Names: names, Values: put, Memo: m}, typing.OpenType)
		text, err := c.Canonical(put)
		if err != nil {
			text = err.Error()
		}
		return text, len(problems)
	}
	var all sync.WaitGroup
	for range 3 {
		all.Go(func() {
			for range 2 {
				for _, src := range sources {
					for _, put := range values {
						want, problems := check(src, put, nil)
						got, found := check(src, put, memo)
						if got != want || found != problems {
							t.Errorf("%s with %v is %q with %d problems, and without a memo %q with %d", src, put, got, found, want, problems)
						}
					}
				}
			}
		})
	}
	all.Wait()
}

// A source that cannot be read is refused again in the same words.
func TestMemoKeepsErrors(t *testing.T) {
	memo := typing.NewMemo()
	_, first := memo.Parse("a +")
	_, second := memo.Parse("a +")
	if first == nil || second == nil || first.Error() != second.Error() {
		t.Errorf("the errors are %v and %v", first, second)
	}
}
