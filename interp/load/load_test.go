package load_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/fstest"

	"parley/interp/load"
	"parley/lang"
	"parley/lang/ast"
	"parley/lang/diag"
)

func files(texts map[string]string) fstest.MapFS {
	fs := fstest.MapFS{}
	for name, text := range texts {
		fs[name] = &fstest.MapFile{Data: []byte(text)}
	}
	return fs
}

const tiny = `team one() { agent a { } turns { t: a { prompt "x" } } answer t.text }`

func TestImportsResolve(t *testing.T) {
	root := files(map[string]string{
		"exp/main.parley":  `use "std/debate" use "../lib/teams" as own use "near.parley"`,
		"lib/teams.parley": tiny + ` use "deep/more"`, "lib/deep/more.parley": tiny, "exp/near.parley": tiny,
	})
	std := files(map[string]string{"debate.parley": `use "std/world" use "attacks/a" ` + tiny, "world.parley": tiny, "attacks/a.parley": tiny})
	prog, found := load.Load(load.Files{Root: root, Std: std, Parse: lang.Parse}, "exp/main.parley")
	if found.HasErrors() {
		t.Fatal(found)
	}
	var names []string
	for _, m := range prog.Modules {
		names = append(names, m.Name)
	}
	got := strings.Join(names, " ")
	want := "std/world.parley std/attacks/a.parley std/debate.parley lib/deep/more.parley lib/teams.parley exp/near.parley exp/main.parley"
	if got != want {
		t.Errorf("modules\n got %s\nwant %s", got, want)
	}
	word := func(s string) *ast.Ident { return &ast.Ident{Name: s} }
	for _, path := range [][]*ast.Ident{{word("debate"), word("one")}, {word("own"), word("one")}, {word("near"), word("one")}} {
		if _, d, missing := prog.Main.Find(load.Team, path); d == nil || missing.Code != "" {
			t.Errorf("%s.%s: %+v", path[0].Name, path[1].Name, missing)
		}
	}
	if unused := prog.Main.Unused(); len(unused) != 0 {
		t.Error(unused)
	}
}

func TestImportMistakes(t *testing.T) {
	std := files(map[string]string{"debate.parley": tiny, "world.parley": tiny})
	for name, c := range map[string]struct {
		files map[string]string
		code  diag.Code
		say   string
	}{
		"not there":        {map[string]string{"m.parley": `use "teams"`}, diag.ImportNotFound, `there is no file "teams"`},
		"near the library": {map[string]string{"m.parley": `use "std/debte"`}, diag.ImportNotFound, `there is no file "std/debte"`},
		"above the root":   {map[string]string{"m.parley": `use "../secret"`}, diag.ImportEscapes, "outside the project"},
		"up and down":      {map[string]string{"a/m.parley": `use "../../a/x"`}, diag.ImportEscapes, "outside the project"},
		"absolute":         {map[string]string{"m.parley": `use "/etc/passwd"`}, diag.ImportEscapes, "relative"},
		"drive letter":     {map[string]string{"m.parley": `use "C:/x"`}, diag.ImportEscapes, "relative"},
		"library escapes":  {map[string]string{"m.parley": `use "std/../../x"`}, diag.ImportEscapes, "outside the project"},
		"itself":           {map[string]string{"m.parley": `use "m"`}, diag.ImportCycle, "m.parley → m.parley"},
		"circle": {
			map[string]string{"m.parley": `use "a"`, "a.parley": `use "b"`, "b.parley": `use "a"`},
			diag.ImportCycle,
			"a.parley → b.parley → a.parley",
		},
		"two of a name": {map[string]string{"m.parley": `use "std/debate" use "std/world" as debate`}, diag.ImportNameTaken, `named "debate"`},
		"twice":         {map[string]string{"m.parley": tiny + "\n" + tiny}, diag.DeclaredTwice, "line 1"},
	} {
		t.Run(name, func(t *testing.T) {
			main := "m.parley"
			if c.files[main] == "" {
				main = "a/m.parley"
			}
			_, found := load.Load(load.Files{Root: files(c.files), Std: std, Parse: lang.Parse}, main)
			if len(found) != 1 || found[0].Code != c.code || !strings.Contains(found[0].Message, c.say) {
				t.Errorf("got %v, want %s with %q", found, c.code, c.say)
			}
		})
	}
}

func TestNearLibraryFileIsProposed(t *testing.T) {
	std := files(map[string]string{"debate.parley": tiny})
	_, found := load.Load(load.Files{Root: files(map[string]string{"m.parley": `use "std/debte"`}), Std: std, Parse: lang.Parse}, "m.parley")
	if len(found) != 1 || found[0].Hint != "did you mean std/debate?" {
		t.Errorf("%+v", found)
	}
}

func TestSymbolicLinksStayInside(t *testing.T) {
	outside, root := t.TempDir(), t.TempDir()
	write(t, filepath.Join(outside, "x.parley"), tiny)
	write(t, filepath.Join(root, "in", "y.parley"), tiny)
	for link, to := range map[string]string{
		"out.parley": filepath.Join(outside, "x.parley"), "dir": outside, "up.parley": "../x.parley", "ok.parley": "in/y.parley", "okdir": "in",
	} {
		if err := os.Symlink(to, filepath.Join(root, link)); err != nil {
			t.Skip("no symbolic links here:", err)
		}
	}
	for use, fine := range map[string]bool{"out": false, "dir/x": false, "up": false, "ok": true, "okdir/y": true} {
		write(t, filepath.Join(root, "m.parley"), `use "`+use+`" as other`)
		_, found := load.Load(load.Files{Root: os.DirFS(root), Parse: lang.Parse}, "m.parley")
		if found.HasErrors() == fine {
			t.Errorf("use %q: %v", use, found)
		}
	}
}

func TestMainFileStaysInside(t *testing.T) {
	for _, path := range []string{"../x.parley", "/x.parley", "a/../../x.parley", ""} {
		if prog, found := load.Load(load.Files{Root: files(nil), Parse: lang.Parse}, path); prog != nil || !found.HasErrors() {
			t.Errorf("%q was read", path)
		}
	}
}

func TestFindSaysWhatIsMeant(t *testing.T) {
	root := files(map[string]string{"m.parley": `use "lib" ` + tiny, "lib.parley": `attack hit() at L2 { goal "x" }`})
	prog, found := load.Load(load.Files{Root: root, Parse: lang.Parse}, "m.parley")
	if found.HasErrors() {
		t.Fatal(found)
	}
	word := func(s ...string) (p []*ast.Ident) {
		for _, w := range s {
			p = append(p, &ast.Ident{Name: w})
		}
		return p
	}
	for _, c := range []struct {
		kind load.Kind
		path []*ast.Ident
		say  string
		hint string
	}{
		{load.Team, word("onn"), `no team is named "onn"`, "did you mean one?"},
		{load.Attack, word("one"), `one is declared as a team, not as an attack`, ""},
		{load.Attack, word("hit"), `no attack is named "hit"`, "did you mean lib.hit?"},
		{load.Attack, word("lob", "hit"), `no import is named "lob"`, "did you mean lib?"},
		{load.Attack, word("lib", "hits"), `no attack is named "lib.hits"`, "did you mean hit?"},
	} {
		_, d, missing := prog.Main.Find(c.kind, c.path)
		if d != nil || missing.Message != c.say || missing.Hint != c.hint {
			t.Errorf("got %q (%q), want %q (%q)", missing.Message, missing.Hint, c.say, c.hint)
		}
	}
}

func write(t *testing.T, name, text string) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(name), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(name, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
}
