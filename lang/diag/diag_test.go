package diag_test

import (
	"encoding/json"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"parley/lang/ast"
	"parley/lang/diag"
	"parley/lang/source"
)

func TestNearest(t *testing.T) {
	words := []string{"agent", "about", "answer", "tool", "turns", "if", "temperature"}
	for _, c := range []struct{ word, want string }{
		{"agnet", "agent"},
		{"agents", "agent"},
		{"Agent", "agent"},
		{"anwser", "answer"},
		{"tol", "tool"},
		{"temprature", "temperature"},
		{"wibble", ""},
		{"x", ""},
		{"fi", "if"},
		{"team", ""},
		{strings.Repeat("a", 1000), ""},
	} {
		if got := diag.Nearest(c.word, words); got != c.want {
			t.Errorf("%s is taken for %q, want %q", c.word, got, c.want)
		}
	}
}

func print(t *testing.T, p diag.Printer, d diag.Diagnostic, text string) string {
	t.Helper()
	var out strings.Builder
	src := source.New(d.File, text)
	if err := p.Print(&out, diag.List{d}, func(string) *source.Source { return src }); err != nil {
		t.Fatal(err)
	}
	return out.String()
}

func TestPrint(t *testing.T) {
	d := diag.Diagnostic{
		Code: diag.UnknownWord, Severity: diag.Error, File: "a.parley", Span: ast.Span{Start: 10, End: 15},
		Message: "no such word", Hint: "another",
	}
	want := `a.parley:2:3: error P0121: no such word
     名agnet {
       ^^^^^
    hint: another
`
	d.Span = ast.Span{Start: 11, End: 16}
	if got := print(t, diag.Printer{}, d, "team {\n\t名agnet {\nx"); got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
	if got := print(t, diag.Printer{Color: true}, d, "team {\n\t名agnet {\nx"); !strings.Contains(got, "\x1b[31merror P0121\x1b[0m") {
		t.Errorf("no colour in %q", got)
	}
}

// A long line is cut around the place, which stays underlined.
func TestPrintCutsLongLines(t *testing.T) {
	text := strings.Repeat("é", 500) + "HERE" + strings.Repeat("x", 500)
	d := diag.Diagnostic{Code: diag.UnknownWord, File: "a", Span: ast.Span{Start: 1000, End: 1004}}
	lines := strings.Split(print(t, diag.Printer{}, d, text), "\n")
	shown, under := lines[1], lines[2]
	at := strings.Index(under, "^")
	if n := len([]rune(shown)); n > 120 {
		t.Errorf("%d characters are shown", n)
	}
	if got := string([]rune(shown)[at : at+4]); got != "HERE" {
		t.Errorf("%q is underlined in\n%s\n%s", got, shown, under)
	}
}

// Whatever stands in a file, no control character reaches the terminal.
func TestPrintIsSafe(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		text := string(rapid.SliceOf(rapid.Byte()).Draw(t, "text"))
		at := rapid.IntRange(0, len(text)).Draw(t, "at")
		d := diag.Diagnostic{
			Code: diag.IllegalChar, Severity: diag.Error, File: text, Span: ast.Span{Start: at, End: len(text)}, Message: text, Hint: text,
		}
		var out strings.Builder
		src := source.New("x", text)
		if err := (diag.Printer{}).Print(&out, diag.List{d}, func(string) *source.Source { return src }); err != nil {
			t.Fatal(err)
		}
		for _, r := range out.String() {
			if r != '\n' && (r < 0x20 || r >= 0x7f && r < 0xa0 || r >= 0x202a && r <= 0x202e || r >= 0x2066 && r <= 0x2069) {
				t.Fatalf("%U is printed for %q", r, text)
			}
		}
	})
}

func TestJSON(t *testing.T) {
	src := source.New("a.parley", "é\nteam")
	d := diag.Diagnostic{Code: diag.UnknownDecl, Severity: diag.Warning, File: "a.parley", Span: ast.Span{Start: 3, End: 7}, Message: "m", Hint: "h"}
	var out strings.Builder
	if err := diag.JSON(&out, diag.List{d}, func(string) *source.Source { return src }); err != nil {
		t.Fatal(err)
	}
	var got []map[string]any
	if err := json.Unmarshal([]byte(out.String()), &got); err != nil {
		t.Fatal(err)
	}
	want := map[string]any{
		"code": "P0120", "severity": "warning", "file": "a.parley", "line": 2.0, "column": 1.0, "end_line": 2.0, "end_column": 5.0,
		"start": 3.0, "end": 7.0, "message": "m", "hint": "h",
	}
	for k, v := range want {
		if got[0][k] != v {
			t.Errorf("%s is %v, want %v", k, got[0][k], v)
		}
	}
	if len(got[0]) != len(want) {
		t.Errorf("%d members, want %d", len(got[0]), len(want))
	}
}

func TestTitles(t *testing.T) {
	if len(diag.Codes()) < 40 {
		t.Errorf("%d codes", len(diag.Codes()))
	}
	for _, c := range diag.Codes() {
		if c.Title() == "" || c[0] != 'P' || len(c) != 5 {
			t.Errorf("code %s has the title %q", c, c.Title())
		}
	}
}
