package format_test

import (
	"flag"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"parley/lang/format"
)

var update = flag.Bool("update", false, "write the golden files anew")

// What is laid out stands in NAME.in, and how in NAME.parley.
func TestForms(t *testing.T) {
	files, err := filepath.Glob("testdata/*.in")
	if err != nil || len(files) == 0 {
		t.Fatal("no files", err)
	}
	for _, path := range files {
		t.Run(filepath.Base(path), func(t *testing.T) {
			text, err := os.ReadFile(path)
			if err != nil {
				t.Fatal(err)
			}
			got := formatted(t, path, string(text))
			golden := strings.TrimSuffix(path, ".in") + ".parley"
			if *update {
				if err := os.WriteFile(golden, []byte(got), 0o644); err != nil {
					t.Fatal(err)
				}
			}
			want, err := os.ReadFile(golden)
			if err != nil {
				t.Fatal(err)
			}
			if got != string(want) {
				t.Errorf("laid out as\n%s\nwant\n%s", got, want)
			}
		})
	}
}

func TestLines(t *testing.T) {
	long := strings.Repeat("word ", 30)
	for _, c := range []struct{ name, text, want string }{
		{"nothing", "", ""},
		{"blanks alone", " \n\n\t\n", ""},
		{"comments alone", "\n\n// one\n\n\n  // two", "// one\n\n// two\n"},
		{"byte order mark and carriage returns", "\uFEFFuse \"a\"\r\nuse \"b\"\r\n", "use \"a\"\nuse \"b\"\n"},
		{"ranges", "experiment e { sweep f in [1 .. 3, -1.. .5, (a).. -b] }", "experiment e { sweep f in [1..3, -1 .. .5, (a)..-b] }\n"},
		{
			"signs", "verify v() { a = ! b && not c || - - 1 < - 1 x = any ( c , a ? . b : # . c ) y = a [ 1 : 2 ] . b ( c ) ?. d ?? e }",
			"verify v() { a = !b && not c || - -1 < -1 x = any(c, a ? .b : #.c) y = a[1:2].b(c)?.d ?? e }\n",
		},
		{"an empty line is kept once", "model a {\n\n\n provider sim\n\n\n\n knows 1\n\n}", "model a {\n  provider sim\n\n  knows 1\n}\n"},
		{
			"comments around a comma", "experiment e { scenario a() // one\n , // two\n b() }",
			"experiment e {\n  scenario a(), // one\n    // two\n    b()\n}\n",
		},
		{
			"names between commas keep their lines, and else fill them",
			"team t { agent a { tools " + strings.Repeat("some_tool, ", 9) + "\n" + strings.Repeat("some_tool, ", 19) + "x } }",
			"team t {\n  agent a {\n    tools " + strings.Repeat("some_tool, ", 8) + "some_tool,\n      " + strings.Repeat("some_tool, ", 11) + "some_tool,\n      " +
				strings.Repeat("some_tool, ", 7) + "x\n  }\n}\n",
		},
		{"names between commas that fit are put together", "team t {\n agent a { tools b,\n c } }", "team t {\n  agent a { tools b, c }\n}\n"},
		{
			"what belongs to things between commas stays with them",
			"scenario s { attack any lie(words: [\"one\", \"two\", \"three\", \"four\"]) on debater[1..3], poison(text: \"some text that takes room\") on [debater[1], debater[4]] }",
			"scenario s {\n  attack any lie(words: [\"one\", \"two\", \"three\", \"four\"]) on debater[1..3],\n    poison(text: \"some text that takes room\") on [debater[1], debater[4]]\n}\n",
		},
		{
			"a comment within an item documents what it did",
			"attack a() at L3 { add // one\n// two\n\n tool t() { return 1 } add // three\n// four\n tool u() { return 1 } }",
			"attack a() at L3 {\n  add // one\n    // two\n\n    tool t() {\n    return 1\n  }\n  add // three\n    // four\n    tool u() {\n    return 1\n  }\n}\n",
		},
		{
			"a comment before else", "team t { turns { if a {\n b: c {}\n} // one\n else { d: c {} } } }",
			"team t {\n  turns {\n    if a {\n      b: c {}\n    } // one\n    else {\n      d: c {}\n    }\n  }\n}\n",
		},
		{"the last comma", "model a { knows { easy: 1, hard: 0, } }", "model a { knows { easy: 1, hard: 0 } }\n"},
		{"a broken record", "model a { knows {\neasy: 1, hard: 0 } }", "model a {\n  knows {\n    easy: 1,\n    hard: 0,\n  }\n}\n"},
		{
			"a list in a list", "tasks a \"b\" { x = f([\n{ a: 1 }\n]) }",
			"tasks a \"b\" {\n  x = f([\n    { a: 1 },\n  ])\n}\n",
		},
		{
			"what cannot be broken stays long", `model a { name "` + long + long + `" }`,
			"model a {\n  name \"" + long + long + "\"\n}\n",
		},
		{
			"a text that begins beside its quotes", "model a { name \"\"\"one\n     two\n       three\"\"\" }",
			"model a {\n  name \"\"\"\n    one\n    two\n      three\n  \"\"\"\n}\n",
		},
		{
			"a text that cannot be moved", "model a { name \"\"\"  one\n  two\"\"\" }",
			"model a {\n  name \"\"\"\n      one\n    two\n  \"\"\"\n}\n",
		},
		{
			"a comment in a text", "model a { name \"\"\"\n x ${ // why\n b } y\n\"\"\" }",
			"model a {\n  name \"\"\"\n    x ${ // why\n b } y\n  \"\"\"\n}\n",
		},
	} {
		t.Run(c.name, func(t *testing.T) {
			if got := formatted(t, c.name, c.text); got != c.want {
				t.Errorf("laid out as\n%s\nwant\n%s", got, c.want)
			}
		})
	}
}

// Editing one thing changes one line: nothing is aligned.
func TestOneLineOfAttributes(t *testing.T) {
	before := formatted(t, "x", "model a {\nprovider sim knows 0.7\nconforms 0.5 stray 0 }")
	after := formatted(t, "x", "model a {\nprovider sim knows 0.75\nconforms 0.5 stray 0 }")
	b, a := strings.Split(before, "\n"), strings.Split(after, "\n")
	changed := 0
	for i := range b {
		if b[i] != a[i] {
			changed++
		}
	}
	if len(a) != len(b) || changed != 1 {
		t.Errorf("%d lines changed:\n%s\n%s", changed, before, after)
	}
}

func TestBrokenFilesAreLeft(t *testing.T) {
	for _, text := range []string{"team a {", "team a { agnt b {} }", "x", "verify v() { a = }", "\xff", `model a { name "x }`} {
		out, found, err := format.Source("x", []byte(text))
		if out != nil || !found.HasErrors() || err != nil {
			t.Errorf("%q: %q %v %v", text, out, found, err)
		}
	}
}

func FuzzSource(f *testing.F) {
	for name, text := range corpus(f) {
		if strings.Contains(name, "testdata") && len(text) < 2000 { // long seeds are shortened at length first
			f.Add(text)
		}
	}
	f.Add("model a { name \"\"\"one\n ${ a + f([1,\n2,]) }\"\"\" } // c")
	f.Add("verify v() { a = any(b, let c = #; c.d[1..2] ? !e : { f: -1, }) // d\n}")
	f.Add("attack a() at L3 { append hole(x) // c\n with \"y\" when a && b }")
	f.Fuzz(func(t *testing.T, text string) {
		out, found, err := format.Source("x", []byte(text))
		if found.HasErrors() {
			return
		}
		if err != nil {
			t.Fatalf("%v\n%q", err, text)
		}
		again, found, err := format.Source("x", out)
		if err != nil || found.HasErrors() || string(again) != string(out) {
			t.Fatalf("twice: %v %v\n%s\n---\n%s", err, found, out, again)
		}
	})
}

// A tree that is another one is noticed.
func TestSameTree(t *testing.T) {
	for _, pair := range [][2]string{
		{"model a { knows 1 }", "model a { knows 2 }"},
		{"model a { knows 1 }", "model b { knows 1 }"},
		{"model a { knows 1 }", "model a { knows 1 stray 0 }"},
		{"// a\nmodel a { knows 1 }", "// b\nmodel a { knows 1 }"},
		{"// a\nmodel a { knows 1 }", "// a\n\nmodel a { knows 1 }"},
		{"model a { knows 1 }", "model a { knows 1 } // c"},
	} {
		if format.Same(pair[0], pair[1]) {
			t.Errorf("taken for the same: %q", pair)
		}
	}
	if !format.Same("model a{knows 1}//x", "model a { knows 1 }   //x ") {
		t.Error("blanks make a difference")
	}
}
