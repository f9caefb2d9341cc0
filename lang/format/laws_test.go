package format_test

import (
	"io/fs"
	"os"
	"path/filepath"
	"sort"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"parley/lang"
	"parley/lang/format"
	"parley/lang/lex"
	"parley/lang/parse"
	"parley/lang/source"
)

// corpus is every right .parley file of the project, and every example of the
// reference.
func corpus(t testing.TB) map[string]string {
	t.Helper()
	out := map[string]string{}
	for _, root := range []string{"../parse/testdata/whole", "../../stdlib", "../../scenarios", "testdata"} {
		err := filepath.WalkDir(root, func(path string, d fs.DirEntry, err error) error {
			if err != nil || d.IsDir() || filepath.Ext(path) != ".parley" {
				return err
			}
			text, err := os.ReadFile(path)
			out[path] = string(text)
			return err
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	for i, e := range examples(t) {
		out["SPEC.md example "+string(rune('A'+i))] = e
	}
	if len(out) < 30 {
		t.Fatalf("the corpus has %d files", len(out))
	}
	return out
}

func examples(t testing.TB) []string {
	t.Helper()
	page, err := os.ReadFile("../SPEC.md")
	if err != nil {
		t.Fatal(err)
	}
	var out []string
	for _, b := range strings.Split(string(page), "\n```parley\n")[1:] {
		text, _, _ := strings.Cut(b, "\n```\n")
		out = append(out, text+"\n")
	}
	return out
}

func sortedNames(files map[string]string) []string {
	var names []string
	for n := range files {
		names = append(names, n)
	}
	sort.Strings(names)
	return names
}

// formatted lays a text out that must be right, and checks that doing so again
// changes nothing. That tree and comments are kept, Source checks itself.
func formatted(t interface {
	Helper()
	Fatalf(string, ...any)
}, name, text string,
) string {
	t.Helper()
	out, found, err := format.Source(name, []byte(text))
	if err != nil || found.HasErrors() {
		t.Fatalf("%s: %v %v\n%s", name, err, found, text)
	}
	again, _, err := format.Source(name, out)
	if err != nil || string(again) != string(out) {
		t.Fatalf("%s: formatted twice: %v\n--- once\n%s\n--- twice\n%s", name, err, out, again)
	}
	return string(out)
}

func TestCorpus(t *testing.T) {
	for name, text := range corpus(t) {
		formatted(t, name, text)
	}
}

// One round is enough: what Source would repeat is a safety and no method.
func TestOneRound(t *testing.T) {
	for name, text := range corpus(t) {
		once := format.LayOut(name, text)
		if twice := format.LayOut(name, once); twice != once {
			t.Errorf("%s comes to rest later than at once:\n%s\n---\n%s", name, once, twice)
		}
	}
}

// Whatever white space and comments stand between the tokens of a file, it is
// laid out, and again with the same result.
func TestMangled(t *testing.T) {
	all := declarations(t)
	rapid.Check(t, func(t *rapid.T) {
		name := "x"
		text := mangled(t, all[rapid.IntRange(0, len(all)-1).Draw(t, "declaration")].text)
		if _, found := lang.Parse(name, []byte(text)); found.HasErrors() {
			t.Fatalf("mangled text is wrong: %v\n%s", found, text)
		}
		once := formatted(t, name, text)
		if got := format.LayOut(name, format.LayOut(name, text)); got != once {
			t.Fatalf("it comes to rest after more than one round:\n%s\n---\n%s", format.LayOut(name, text), once)
		}
	})
}

// declarations are those of all files, and the expressions in each.
func declarations(t testing.TB) []declaration {
	files := corpus(t)
	var out []declaration
	for _, name := range sortedNames(files) {
		text := files[name]
		l := parse.Outline(source.New(name, text))
		behind := 0
		for _, r := range l.Bodies[0].Items {
			d := declaration{start: l.Tokens[r.From].Start, end: l.Tokens[r.To-1].End}
			for ; behind < len(l.Exprs) && l.Exprs[behind].From < r.To; behind++ {
				e := l.Exprs[behind]
				d.exprs = append(d.exprs, [2]int{l.Tokens[e.From].Start - d.start, l.Tokens[e.To-1].End - d.start})
			}
			d.text = text[d.start:d.end]
			out = append(out, d)
		}
	}
	return out
}

type declaration struct {
	start, end int
	text       string
	exprs      [][2]int
}

var blanks = []string{
	" ", " ", " ", " ", " ", " ", " ", " ", "\n", "\n\n\n", "\t", "\r\n ", " // one\n", "\n// two\n", " //three // \n\n//four\n\n\n ",
}

// mangled puts other blanks and comments between the tokens of a text.
func mangled(t *rapid.T, text string) string {
	var b strings.Builder
	some := blanks
	switch rapid.IntRange(0, 3).Draw(t, "how") {
	case 0:
		some = blanks[:9] // no comments
	case 1:
		some = []string{" "} // one line
	}
	for _, tok := range lex.Scan(source.New("x", text)).Tokens {
		b.WriteString(tok.Text)
		b.WriteString(rapid.SampledFrom(some).Draw(t, "blank"))
	}
	return b.String()
}

// Expressions of any form stand in any place of any file.
func TestGenerated(t *testing.T) {
	all := declarations(t)
	rapid.Check(t, func(t *rapid.T) {
		name := "x"
		d := all[rapid.IntRange(0, len(all)-1).Draw(t, "declaration")]
		if len(d.exprs) == 0 {
			t.Skip("no expressions")
		}
		place := rapid.SampledFrom(d.exprs).Draw(t, "place")
		text := d.text[:place[0]] + generator{t}.expr(4) + d.text[place[1]:]
		if _, found := lang.Parse(name, []byte(text)); found.HasErrors() {
			t.Skip("not there")
		}
		formatted(t, name, text)
		formatted(t, name, mangled(t, text))
	})
}

// generator writes expressions.
type generator struct{ t *rapid.T }

func (g generator) pick(words ...string) string { return rapid.SampledFrom(words).Draw(g.t, "word") }

func (g generator) expr(depth int) string {
	if depth == 0 {
		return g.pick("a", "12", "1.5", "30s", `"text"`, "#", ".field", "nil", "self.name", "a_rather_long_name_that_takes_room", `"${a}"`)
	}
	e := func() string { return g.expr(rapid.IntRange(0, depth-1).Draw(g.t, "depth")) }
	switch rapid.IntRange(0, 12).Draw(g.t, "form") {
	case 0, 1:
		return e() + " " + g.pick("+", "-", "*", "&&", "||", "and", "==", "<", "in", "not in", "contains", "matches", "^", "|| not") + " " + e()
	case 2:
		return "[" + g.pick("", e(), e()+", "+e(), e()+","+e()+",\n", "\n"+e()+", "+e()) + "]"
	case 3:
		return "({ a: " + e() + g.pick("", ",", ", \"b c\": "+e(), "\n") + " })"
	case 4:
		return "f(" + g.pick("", e(), e()+", "+e(), "\n"+e()+", "+e()+",") + ")"
	case 5:
		return "(" + e() + ")" + g.pick("", ".x", "?.y[1]", "[0:2]")
	case 6:
		return "(" + e() + " ? " + e() + " : " + e() + ")"
	case 7:
		return g.pick("!", "-", "not ", "- -", "!-") + e()
	case 8:
		return "any(" + e() + ", let x = #; " + e() + ")"
	case 9:
		return `"one ${ ` + e() + `} two ${` + e() + `}"`
	case 10:
		return "\"\"\"\n   first\n     ${" + e() + "} second\n\n   third \"quoted\" " + g.pick("", "\n", "\n  ") + "\"\"\""
	case 11:
		return "(" + e() + " ?? " + e() + ")"
	}
	return e() + ".." + e()
}

// The examples of the reference are in their form.
func TestReferenceIsFormatted(t *testing.T) {
	for i, text := range examples(t) {
		if got := formatted(t, "SPEC.md", text); got != text {
			t.Errorf("example %d of SPEC.md should be laid out as\n%s", i+1, got)
		}
	}
}
