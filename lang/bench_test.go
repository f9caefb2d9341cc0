package lang_test

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"parley/lang"
)

// mistakes is every file of parse/testdata/mistakes.
func mistakes(t testing.TB) map[string]string {
	t.Helper()
	paths, err := filepath.Glob("parse/testdata/mistakes/*.parley")
	if err != nil {
		t.Fatal(err)
	}
	out := map[string]string{}
	for _, path := range paths {
		text, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		out[path] = string(text)
	}
	return out
}

// generated repeats the corpus' whole file until it has about that many lines.
func generated(t testing.TB, lines int) string {
	t.Helper()
	whole := corpus(t)["parse/testdata/whole/debate.parley"]
	whole = strings.TrimPrefix(whole, "language 1\n")
	var b strings.Builder
	for n := 0; strings.Count(b.String(), "\n") < lines; n++ {
		fmt.Fprintf(&b, "// Part %d.\n%s", n, whole)
	}
	return b.String()
}

func BenchmarkParse(b *testing.B) {
	small := corpus(b)["parse/testdata/whole/debate.parley"]
	cut := strings.Index(small, "workspace bank")
	for _, c := range []struct {
		name, text string
	}{
		{"2KB", small[:cut][:strings.LastIndex(small[:cut][:2400], "\n\n")] + "\n}"},
		{"5000lines", generated(b, 5000)},
	} {
		b.Run(c.name, func(b *testing.B) {
			b.SetBytes(int64(len(c.text)))
			b.ReportAllocs()
			for b.Loop() {
				lang.Parse("bench.parley", []byte(c.text))
			}
		})
	}
}
