package imports

import (
	"embed"
	"fmt"
	"regexp"
	"strconv"
	"strings"

	"parley/lang"
	"parley/lang/ast"
	"parley/runtime/world"
)

// The workspaces are written by hand, with their tools; what is missing in them
// is the data. A comment `//= path` behind a state field says where its initial
// value stands in the environment; `//= holes` and `//= files path` stand for
// declarations, `//= part mail` for another file's middle.
//
//go:embed dojo/*.tmpl
var dojoTexts embed.FS

// suite is one of AgentDojo's four worlds, as it was read.
type suite struct {
	name    string
	file    string // of the environment, for messages
	env     *tree
	holes   []hole
	isHole  map[string]bool
	facts   suiteFacts
	prompts map[string]string // of tasks and goals, by id
	tools   map[string]toolArgs
}

// hole is a place where an outsider's text can stand.
type hole struct{ name, about, text string }

// workspace writes the suite's workspace with its data.
func (s *suite) workspace() (string, error) {
	src, err := dojoTemplate(s.name)
	if err != nil {
		return "", err
	}
	if src, err = s.fillState(src); err != nil {
		return "", err
	}
	var out []string
	for line := range strings.SplitSeq(src, "\n") {
		indent := line[:len(line)-len(strings.TrimLeft(line, " "))]
		word, path, _ := strings.Cut(strings.TrimPrefix(strings.TrimSpace(line), "//= "), " ")
		switch {
		case !strings.HasPrefix(strings.TrimSpace(line), "//= "):
			out = append(out, line)
		case word == "holes":
			out = append(out, s.holeLines(indent)...)
		case word == "files":
			lines, err := s.fileLines(indent, path)
			if err != nil {
				return "", err
			}
			out = append(out, lines...)
		}
	}
	return strings.Join(out, "\n"), nil
}

// dojoTemplate is a workspace's text with the parts that it shares.
func dojoTemplate(name string) (string, error) {
	data, err := dojoTexts.ReadFile("dojo/" + name + ".tmpl")
	if err != nil {
		return "", fmt.Errorf("there is no workspace for the suite %q", name)
	}
	src := string(data)
	if !strings.Contains(src, "//= part mail") {
		return src, nil
	}
	mail, err := dojoTexts.ReadFile("dojo/mail.tmpl")
	if err != nil {
		return "", err
	}
	_, middle, _ := strings.Cut(string(mail), "//= begin\n")
	middle, _, _ = strings.Cut(middle, "//= end")
	return strings.Replace(src, "  //= part mail\n", strings.TrimRight(middle, " \n")+"\n", 1), nil
}

var directive = regexp.MustCompile(`^,? //= (\S+)`)

// fillState puts the environment's values in the place of the initial values
// that have a directive behind them, and checks them against the declared types.
func (s *suite) fillState(src string) (string, error) {
	file, found := lang.Parse(s.name, []byte(src))
	if found.HasErrors() {
		return "", fmt.Errorf("the workspace of %s is wrong: %s", s.name, found[0].Message)
	}
	var b strings.Builder
	at := 0
	for _, d := range file.Decls {
		if d.Workspace == nil {
			continue
		}
		for _, m := range d.Workspace.Members {
			if m.State == nil {
				continue
			}
			for _, f := range m.State.Fields {
				end := f.Default.End
				m := directive.FindStringSubmatch(src[end:])
				if m == nil {
					continue
				}
				v, err := s.env.at(m[1])
				if err != nil {
					return "", &Problem{File: s.file, Field: m[1], Want: "a value", Got: "nothing"}
				}
				w := &valueWriter{suite: s}
				if err := w.write(f.Type, v, m[1], 2); err != nil {
					return "", err
				}
				b.WriteString(src[at:f.Default.Start] + w.b.String() + ",")
				at = end + len(m[0])
			}
		}
	}
	return b.String() + src[at:], nil
}

func (s *suite) holeLines(indent string) []string {
	var out []string
	for _, h := range s.holes {
		if about := comment(h.about); about != "" {
			out = append(out, indent+"// "+about)
		}
		out = append(out, indent+"hole "+h.name+" = "+quoted(h.text))
	}
	return out
}

func (s *suite) fileLines(indent, path string) ([]string, error) {
	v, err := s.env.at(path)
	if err != nil || v.kind != mapTree {
		return nil, &Problem{File: s.file, Field: path, Want: "a mapping of names to texts", Got: "something else"}
	}
	var out []string
	for i, name := range v.keys {
		if world.CleanPath(name) == "" {
			return nil, &Problem{File: s.file, Field: path, Want: "names of files", Got: fmt.Sprintf("%q", short(name))}
		}
		if v.vals[i].kind != scalarTree {
			return nil, &Problem{File: s.file, Field: path + "." + name, Want: "a text", Got: string(v.vals[i].kind)}
		}
		out = append(out, indent+"file "+quoted(name)+" = "+template(v.vals[i].text, s.isHole))
	}
	return out, nil
}

// valueWriter writes a value of the environment as a Parley literal of a type.
type valueWriter struct {
	suite *suite
	b     strings.Builder
}

func (w *valueWriter) problem(path, want string, v *tree) error {
	got := string(v.kind)
	if v.kind == scalarTree {
		got = fmt.Sprintf("%q", short(v.text))
	}
	return &Problem{File: w.suite.file, Field: path, Want: want, Got: got}
}

func (w *valueWriter) write(t *ast.Type, v *tree, path string, indent int) error {
	switch t.Kind {
	case ast.TypeOpt:
		if v.kind == nullTree {
			w.b.WriteString("nil")
			return nil
		}
		return w.write(t.Elem, v, path, indent)
	case ast.TypeList:
		return w.list(t.Elem, v, path, indent)
	case ast.TypeRecord:
		return w.record(t, v, path, indent)
	case ast.TypeUnion:
		for _, l := range t.Literals {
			if l.Text == quoted(v.text) {
				w.b.WriteString(l.Text)
				return nil
			}
		}
		return w.problem(path, "one of a few words", v)
	}
	return w.scalar(t.Name.Name, v, path)
}

func (w *valueWriter) scalar(name string, v *tree, path string) error {
	if v.kind != scalarTree {
		return w.problem(path, map[string]string{"string": "a text", "bool": "true or false", "int": "a whole number", "number": "a number"}[name], v)
	}
	switch name {
	case "string":
		w.b.WriteString(template(v.text, w.suite.isHole))
		return nil
	case "bool":
		if low := strings.ToLower(v.text); low == "true" || low == "false" {
			w.b.WriteString(low)
			return nil
		}
		return w.problem(path, "true or false", v)
	case "int":
		if n, err := strconv.Atoi(v.text); err == nil {
			w.b.WriteString(strconv.Itoa(n))
			return nil
		}
		return w.problem(path, "a whole number", v)
	}
	n, err := strconv.ParseFloat(v.text, 64)
	if err != nil || n != n || n > 1e15 || n < -1e15 {
		return w.problem(path, "a number", v)
	}
	w.b.WriteString(strconv.FormatFloat(n, 'f', -1, 64))
	return nil
}

// list writes a list. A mapping where records are due becomes one record a key:
// the key is the first field, and the value the second or the other fields.
func (w *valueWriter) list(elem *ast.Type, v *tree, path string, indent int) error {
	if v.kind == nullTree || len(v.vals) == 0 {
		w.b.WriteString("[]")
		return nil
	}
	if len(v.vals) > maxItems {
		return w.problem(path, "at most 10,000 elements", v)
	}
	keyed := v.kind == mapTree
	if v.kind == scalarTree || keyed && elem.Kind != ast.TypeRecord {
		return w.problem(path, "a list", v)
	}
	// Records of a workspace stand on lines of their own; what is inside of them does not.
	inner, outer, between := "", "", ", "
	if elem.Kind == ast.TypeRecord && indent == 2 {
		inner, outer = "\n"+strings.Repeat(" ", indent+4), "\n"+strings.Repeat(" ", indent+2)
		between = "," + inner
	}
	w.b.WriteString("[" + inner)
	for i, x := range v.vals {
		if i > 0 {
			w.b.WriteString(between)
		}
		at := fmt.Sprintf("%s[%d]", path, i+1)
		if keyed {
			at, x = path+"."+v.keys[i], keyedRecord(elem, v.keys[i], x)
		}
		if err := w.write(elem, x, at, indent+2); err != nil {
			return err
		}
	}
	w.b.WriteString(outer + "]")
	return nil
}

func keyedRecord(t *ast.Type, key string, v *tree) *tree {
	out := &tree{kind: mapTree, keys: []string{t.Fields[0].Name.Name}, vals: []*tree{{kind: scalarTree, text: key}}}
	if len(t.Fields) == 2 {
		out.keys, out.vals = append(out.keys, t.Fields[1].Name.Name), append(out.vals, v)
		return out
	}
	out.keys, out.vals = append(out.keys, v.keys...), append(out.vals, v.vals...)
	return out
}

func (w *valueWriter) record(t *ast.Type, v *tree, path string, indent int) error {
	if v.kind != mapTree {
		return w.problem(path, "a mapping", v)
	}
	w.b.WriteString("{ ")
	for i, f := range t.Fields {
		if i > 0 {
			w.b.WriteString(", ")
		}
		name := f.Name.Name
		w.b.WriteString(name + ": ")
		x := v.get(name)
		switch {
		case x == nil && f.Default != nil:
			w.b.WriteString(f.Default.Text)
			continue
		case x == nil:
			x = &tree{kind: nullTree}
		}
		if err := w.write(f.Type, x, path+"."+name, indent+2); err != nil {
			return err
		}
	}
	w.b.WriteString(" }")
	return nil
}
