package lang_test

import (
	"reflect"
	"strings"
	"testing"

	"parley/lang"
	"parley/lang/ast"
	"parley/lang/diag"
	"parley/lang/source"
)

func typeOf[T any]() reflect.Type { return reflect.TypeFor[T]() }

// Every node that the tree has a field for comes out of the test corpus.
func TestWholeTreeIsCovered(t *testing.T) {
	met := map[string]bool{}
	for path, text := range corpus(t) {
		if !strings.HasPrefix(path, "parse/testdata/whole") {
			continue
		}
		file, _ := lang.Parse(path, []byte(text))
		meet(reflect.ValueOf(file), met)
	}
	for _, field := range []reflect.Type{
		typeOf[ast.File](), typeOf[ast.Decl](), typeOf[ast.TeamMember](), typeOf[ast.Attr](), typeOf[ast.ToolUse](), typeOf[ast.Stmt](),
		typeOf[ast.Repeat](), typeOf[ast.WorkspaceMember](), typeOf[ast.Corpus](), typeOf[ast.Allow](), typeOf[ast.Tasks](),
		typeOf[ast.Task](), typeOf[ast.AttackMember](), typeOf[ast.Patch](), typeOf[ast.Slot](), typeOf[ast.Obeyed](),
		typeOf[ast.ScoreItem](), typeOf[ast.ScenarioMember](), typeOf[ast.Baseline](), typeOf[ast.ExperimentMember](),
		typeOf[ast.TestMember](), typeOf[ast.Script](), typeOf[ast.ScriptEntry](), typeOf[ast.Type](), typeOf[ast.Tool](),
	} {
		for i := range field.NumField() {
			name := field.Name() + "." + field.Field(i).Name
			if name == "Slot.Edge" { // the slot edge(a -> b) is of a later version
				continue
			}
			if !met[name] {
				t.Errorf("no file of testdata/whole fills %s", name)
			}
		}
	}
}

// meet notes which fields of which nodes are filled.
func meet(v reflect.Value, met map[string]bool) {
	switch v.Kind() {
	case reflect.Pointer:
		if !v.IsNil() {
			meet(v.Elem(), met)
		}
	case reflect.Slice:
		for i := range v.Len() {
			meet(v.Index(i), met)
		}
	case reflect.Struct:
		for i := range v.NumField() {
			if !v.Field(i).IsZero() {
				met[v.Type().Name()+"."+v.Type().Field(i).Name] = true
			}
			meet(v.Field(i), met)
		}
	}
}

// Every node lies within the file, and every expression's text is what stands
// at its span.
func TestSpans(t *testing.T) {
	for path, text := range corpus(t) {
		file, _ := lang.Parse(path, []byte(text))
		checkSpans(t, path, text, reflect.ValueOf(file))
	}
}

func checkSpans(t *testing.T, path, text string, v reflect.Value) {
	switch v.Kind() {
	case reflect.Pointer:
		if v.IsNil() {
			return
		}
		if n, ok := v.Interface().(ast.Node); ok {
			s := n.Range()
			if s.Start < 0 || s.End <= s.Start || s.End > len(text) {
				t.Errorf("%s: a %s spans %d..%d of %d", path, v.Type().Elem().Name(), s.Start, s.End, len(text))
				return
			}
		}
		if e, ok := v.Interface().(*ast.Expr); ok && text[e.Start:e.End] != e.Text {
			t.Errorf("%s: expression %q at a span that reads %q", path, e.Text, text[e.Start:e.End])
		}
		checkSpans(t, path, text, v.Elem())
	case reflect.Slice:
		for i := range v.Len() {
			checkSpans(t, path, text, v.Index(i))
		}
	case reflect.Struct:
		for i := range v.NumField() {
			checkSpans(t, path, text, v.Field(i))
		}
	}
}

func TestDocs(t *testing.T) {
	const text = `// not this

// One.
//
//   Two.
team t() {
  // About a.
  agent a { system "x" } // not this
  agent b { system "y" }
}
`
	file, found := lang.Parse("doc.parley", []byte(text))
	if len(found) > 0 {
		t.Fatal(found)
	}
	team := file.Decls[0]
	if want := "One.\n\n  Two."; team.Doc != want {
		t.Errorf("the team's comment is %q, want %q", team.Doc, want)
	}
	if got := team.Team.Members[0].Agent.Doc; got != "About a." {
		t.Errorf("the agent's comment is %q", got)
	}
	if got := team.Team.Members[1].Agent.Doc; got != "" {
		t.Errorf("the second agent has the comment %q of another line", got)
	}
}

func TestRefusedFiles(t *testing.T) {
	for _, c := range []struct {
		name string
		src  []byte
		code diag.Code
	}{
		{"too large", make([]byte, source.MaxBytes+1), diag.TooLarge},
		{"UTF-16", []byte{0xff, 0xfe, 't', 0}, diag.NotUTF8},
		{"broken UTF-8", []byte("team t() { about \"\xff\" }"), diag.NotUTF8},
	} {
		file, found := lang.Parse("x.parley", c.src)
		if file == nil || len(found) != 1 || found[0].Code != c.code {
			t.Errorf("%s: %v", c.name, found)
		}
	}
	if _, found := lang.Parse("bom.parley", []byte("\ufefflanguage 1\nteam t() { }")); len(found) > 0 {
		t.Errorf("a byte order mark is refused: %v", found)
	}
}

// One mistake hides no other: what stands before and after is still read.
func TestRestIsRead(t *testing.T) {
	const text = `verify a() { x = }
scenario s() { team t( tasks "x" }
verify b() { y = any(turns, ) z = true }
team t() {
  agent one { system "x" }
  agnet two { }
  agent three { system "never closed }
  agent four { system "y" }
}
`
	file, found := lang.Parse("x.parley", []byte(text))
	if len(found) < 4 {
		t.Errorf("%d findings: %v", len(found), found)
	}
	last := file.Decls[len(file.Decls)-1].Team
	if last == nil {
		t.Fatal("the team is not read")
	}
	var names []string
	for _, m := range last.Members {
		if m.Agent != nil {
			names = append(names, m.Agent.Name.Name)
		}
	}
	if got := strings.Join(names, " "); got != "one three four" {
		t.Errorf("agents read: %s", got)
	}
}

// Bombs: inputs made to exhaust stack, memory or time.
func TestBombs(t *testing.T) {
	const n = 100_000
	for name, text := range map[string]string{
		"brackets":           "verify v() { a = " + strings.Repeat("(", n),
		"closers":            strings.Repeat("}", n),
		"pairs":              strings.Repeat("([{", n/3),
		"templates":          "team t() { about " + strings.Repeat(`"${`, n),
		"quotes":             strings.Repeat(`"`, n),
		"triple quotes":      strings.Repeat("\"\"\"\nuse ", n/8),
		"template lines":     strings.Repeat("\"${ \"\"\" x \n", n/8),
		"prefixes":           "verify v() { a = " + strings.Repeat("!", n) + "x }",
		"ternaries":          "verify v() { a = " + strings.Repeat("x ? y : ", n/8) + "z }",
		"else if":            "team t() { turns { if a { }" + strings.Repeat(" else if a { }", n/14) + " } }",
		"types":              "team t(x: " + strings.Repeat("[", n) + "int",
		"optional types":     "team t(x: int" + strings.Repeat("?", n) + ") { }",
		"paths":              "scenario s() { team " + strings.Repeat("a.", n/2) + "b }",
		"powers":             "verify v() { a = " + strings.Repeat("x ** ", n/5) + "1 }",
		"lets":               "verify v() { a = (" + strings.Repeat("let x = 1; ", n/11) + "x) }",
		"unclosed brackets":  strings.Repeat("verify v() { a = (\n", n/20),
		"unknown words":      strings.Repeat("wibble ", n/7),
		"comments":           strings.Repeat("//\n", n/3) + "team t() { }",
		"items":              "verify v() {" + strings.Repeat(" a = 1", n/6) + " }",
		"wrong items":        "verify v() {" + strings.Repeat("\n a = +", n/7) + " }",
		"wrong line":         "verify v() {" + strings.Repeat(" a = +", n/7) + " }",
		"unclosed strings":   strings.Repeat("about \"x\n", n/9),
		"one line of agents": "team t() {" + strings.Repeat(" agent a {}", n/11) + " }",
		"reported already":   "team t() { agent a {" + strings.Repeat(" temperature § =", n/16) + " } }",
		"one wrong line":     "team t() { agent a {" + strings.Repeat(" temperature = 1 system", n/23) + " } }",
		"blanks and closers": strings.Repeat(" ", n) + strings.Repeat("} ", n),
		"deep stairs":        strings.Repeat("team t() { a (\n", n/15),
		"illegal":            strings.Repeat("§", n/2),
	} {
		t.Run(name, func(t *testing.T) {
			if file, _ := lang.Parse("bomb.parley", []byte(text)); file == nil {
				t.Error("no tree")
			}
		})
	}
}

func FuzzParse(f *testing.F) {
	for _, text := range corpus(f) {
		f.Add(text)
	}
	for _, text := range mistakes(f) {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		file, found := lang.Parse("fuzz.parley", []byte(text))
		if file == nil {
			t.Fatal("no tree")
		}
		for _, d := range found {
			if d.Message == "" || d.Code.Title() == "" || d.Span.Start < 0 || d.Span.End < d.Span.Start || d.Span.End > len(text)+1 {
				t.Fatalf("finding %+v of a file of %d bytes", d, len(text))
			}
			if strings.Contains(d.Message, "not known") {
				t.Fatalf("a reader panicked on %q", text)
			}
		}
	})
}
