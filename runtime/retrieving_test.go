package runtime

import (
	"strings"
	"testing"
)

// TestCorpusTools has tools that look into a store by what their header says, and
// by what their body does, however deep.
func TestCorpusTools(t *testing.T) {
	back := func(src string) []Stmt { return []Stmt{{Kind: ReturnStmt, Expr: expr(src)}} }
	p := &Program{Tools: []Tool{
		{Name: "by_header", Reads: []Expr{expr(`uri("corpus:", agent.name)`)}, Body: back(`"nothing"`)},
		{Name: "by_body", Reads: []Expr{expr(`map(result, "document:" + .id)`)}, Body: back(`retrieve(query)`)},
		{Name: "within", Body: []Stmt{{Kind: IfStmt, Expr: expr(`query != ""`), Body: back(`""`), Elses: back(`len(retrieve("all"))`)}}},
		{Name: "asked_first", Body: []Stmt{{Kind: RequireStmt, Expr: expr(`len(retrieve(query)) > 0`), Else: expr(`"none"`)}}},
		{Name: "other", Reads: []Expr{expr(`uri("file:", path)`)}, Body: back(`files[path]`)},
		{Name: "says_so", Body: back(`"I retrieve(it)"`)},
	}}
	if got, want := strings.Join(p.CorpusTools(), " "), "by_header by_body within asked_first"; got != want {
		t.Errorf("%s, want %s", got, want)
	}
}
