package lang_test

import (
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"parley/lang"
	"parley/lang/ast"
	"parley/lang/lex"
	"parley/lang/source"
)

// corpus is every right .parley file of the project, by path.
func corpus(t testing.TB) map[string]string {
	t.Helper()
	out := map[string]string{}
	for _, root := range []string{"parse/testdata/whole", "../stdlib", "../scenarios"} {
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
	if len(out) < 3 {
		t.Fatalf("the corpus has %d files", len(out))
	}
	return out
}

func TestCorpusIsRight(t *testing.T) {
	for path, text := range corpus(t) {
		if _, found := lang.Parse(path, []byte(text)); len(found) > 0 {
			t.Errorf("%s:\n%v", path, found)
		}
	}
}

// White space has no meaning: a file parses to the same tree as one line,
// without its comments and with its strings untouched.
func TestOneLine(t *testing.T) {
	for path, text := range corpus(t) {
		t.Run(path, func(t *testing.T) {
			want, found := lang.Parse(path, []byte(text))
			if len(found) > 0 {
				t.Skip("not a right file")
			}
			line := oneLine(path, text)
			got, found := lang.Parse(path, []byte(line))
			if len(found) > 0 {
				t.Fatalf("as one line: %v", found)
			}
			if d := cmp.Diff(want, got, withoutPlaces()); d != "" {
				t.Errorf("another tree as one line (-file +line):\n%s", d)
			}
		})
	}
}

// oneLine joins the tokens of a file with single spaces.
func oneLine(name, text string) string {
	var words []string
	for _, tok := range lex.Scan(source.New(name, text)).Tokens {
		if tok.Kind != lex.EOF {
			words = append(words, tok.Text)
		}
	}
	return strings.Join(words, " ")
}

// withoutPlaces compares trees without spans, comments and written layout.
func withoutPlaces() cmp.Option {
	return cmp.FilterPath(func(p cmp.Path) bool {
		f, ok := p.Last().(cmp.StructField)
		if !ok {
			return false
		}
		switch f.Name() {
		case "Span", "Comments", "Doc", "Map":
			return true
		case "Text":
			return p.Index(-2).Type() == typeOf[ast.Expr]()
		}
		return false
	}, cmp.Ignore())
}
