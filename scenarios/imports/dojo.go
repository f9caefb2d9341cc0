package imports

import (
	"fmt"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"strings"

	"parley/lang"
	"parley/lang/ast"
	"parley/runtime/eval"
)

var suiteNames = []string{"banking", "slack", "travel", "workspace"}

// agentDojo reads the four suites: environments and vectors as upstream ships
// them, a table of facts about the tasks, and clean run logs, whose first
// messages are the wording of tasks and goals. The path is the folder that
// holds `suites`, or the one above it.
func agentDojo(from folder, o Options) (*Output, error) {
	at, err := dojoFolder(from)
	if err != nil {
		return nil, err
	}
	data, err := fs.Sub(from.files, at)
	if err != nil {
		return nil, fmt.Errorf("%s: %s", at, why(err))
	}
	logs, err := openRuns(filepath.Join(from.path, at), o.Runs)
	if err != nil {
		return nil, err
	}
	out, err := dojoSuites(data, logs.FS())
	if e := logs.Close(); err == nil && e != nil {
		err = fmt.Errorf("the run logs: %s", why(e))
	}
	return out, err
}

func dojoSuites(data, logs fs.FS) (*Output, error) {
	facts, err := readFacts(data, "tasks-facts.json")
	if err != nil {
		return nil, err
	}
	out := &Output{}
	for _, name := range suiteNames {
		s, err := readSuite(data, name, facts)
		if err != nil {
			return nil, err
		}
		if s.prompts, err = readPrompts(logs, name, s.ids()); err != nil {
			return nil, err
		}
		if err := s.write(out); err != nil {
			return nil, err
		}
	}
	return out, nil
}

func dojoFolder(from folder) (string, error) {
	if from.file == "" {
		for _, dir := range []string{".", "agentdojo"} {
			if from.has(path.Join(dir, "suites")) && from.has(path.Join(dir, "tasks-facts.json")) {
				return dir, nil
			}
		}
	}
	return "", fmt.Errorf("%s: expected a folder with suites/ and tasks-facts.json", from.path)
}

// openRuns finds the run logs: where the user says, else beside the data.
func openRuns(data, said string) (*os.Root, error) {
	places := []string{said}
	if said == "" {
		places = []string{data + "-runs", filepath.Join(data, "runs"), filepath.Join(filepath.Dir(data), "agentdojo-runs")}
	}
	for _, dir := range places {
		if root, err := os.OpenRoot(dir); err == nil {
			return root, nil
		}
	}
	return nil, fmt.Errorf("there are no run logs at %s; the wording of the tasks stands in them: name their folder with --runs", strings.Join(places, " or "))
}

// readSuite reads a suite's environment and vectors and checks the facts
// against both.
func readSuite(data fs.FS, name string, facts map[string]suiteFacts) (*suite, error) {
	s := &suite{name: name, file: "suites/" + name + "/environment.yaml", isHole: map[string]bool{}}
	var ok bool
	if s.facts, ok = facts[name]; !ok {
		return nil, &Problem{File: "tasks-facts.json", Field: "suites." + name, Want: "the facts of this suite", Got: "nothing"}
	}
	var err error
	if s.env, err = (&treeReader{from: data}).read(s.file, 0); err != nil {
		return nil, err
	}
	if err := s.readHoles(data); err != nil {
		return nil, err
	}
	if s.tools, err = toolsOf(name); err != nil {
		return nil, err
	}
	return s, s.check()
}

func (s *suite) readHoles(data fs.FS) error {
	file := "suites/" + s.name + "/injection_vectors.yaml"
	vectors, err := (&treeReader{from: data}).read(file, 0)
	if err != nil {
		return err
	}
	if vectors.kind != mapTree || len(vectors.keys) > 1000 {
		return &Problem{File: file, Want: "a mapping of at most 1,000 vectors", Got: string(vectors.kind)}
	}
	for i, name := range vectors.keys {
		v := vectors.vals[i]
		text := v.get("default")
		switch {
		case !mayName(name):
			return &Problem{File: file, Field: name, Want: "a vector's name of letters, digits and _", Got: "another"}
		case text == nil || text.kind == mapTree || text.kind == listTree:
			return &Problem{File: file, Field: name + ".default", Want: "a text", Got: "something else"}
		}
		s.isHole[name] = true
		s.holes = append(s.holes, hole{name: name, about: v.str("description"), text: unescaped.Replace(text.text)})
	}
	return nil
}

// unescaped makes real characters of escapes that upstream reads a second time.
var unescaped = strings.NewReplacer(`\t`, "\t", `\n`, "\n")

// toolArgs are a tool's arguments, in order, and which of them may be left out.
type toolArgs struct {
	names    []string
	optional map[string]bool
}

func (t toolArgs) needs(name string) bool { return contains(t.names, name) && !t.optional[name] }

// toolsOf lists the tools of a suite's workspace with their arguments.
func toolsOf(name string) (map[string]toolArgs, error) {
	src, err := dojoTemplate(name)
	if err != nil {
		return nil, err
	}
	file, found := lang.Parse(name, []byte(src))
	if found.HasErrors() {
		return nil, fmt.Errorf("the workspace of %s is wrong: %s", name, found[0].Message)
	}
	out := map[string]toolArgs{}
	var look func(members []*ast.WorkspaceMember)
	look = func(members []*ast.WorkspaceMember) {
		for _, m := range members {
			if m.If != nil {
				look(m.If.Then)
				look(m.If.Else)
			}
			if m.Tool == nil {
				continue
			}
			args := toolArgs{optional: map[string]bool{}}
			for _, p := range m.Tool.Params {
				args.names = append(args.names, p.Name.Name)
				args.optional[p.Name.Name] = p.Default != nil
			}
			out[m.Tool.Name.Name] = args
		}
	}
	look(file.Decls[0].Workspace.Members)
	return out, nil
}

// check holds the facts to the workspace: known tools, known arguments, known
// vectors.
func (s *suite) check() error {
	for _, part := range [][]taskFacts{s.facts.user, s.facts.injection} {
		for i, t := range part {
			bad := func(field, want, got string) error {
				return &Problem{File: "tasks-facts.json", Record: i + 1, Field: s.name + "." + t.id + "." + field, Want: want, Got: fmt.Sprintf("%q", short(got))}
			}
			for _, w := range t.writes {
				args, ok := s.tools[w.tool]
				if !ok {
					return bad("writes", "a tool of the suite", w.tool)
				}
				for _, a := range w.args {
					if !contains(args.names, a.name) {
						return bad("writes."+w.tool, "one of the arguments "+strings.Join(args.names, ", "), a.name)
					}
				}
			}
			for _, v := range t.vectors {
				if !s.isHole[v] {
					return bad("injectable_vectors", "a vector of the suite", v)
				}
			}
		}
	}
	return nil
}

func (s *suite) ids() []string {
	var out []string
	for _, part := range [][]taskFacts{s.facts.user, s.facts.injection} {
		for _, t := range part {
			out = append(out, t.id)
		}
	}
	return out
}

// write adds the suite's three files: what runs, and its tasks and goals as
// tables.
func (s *suite) write(out *Output) error {
	text, err := s.parley()
	if err != nil {
		return err
	}
	if err := s.readable(text); err != nil {
		return err
	}
	out.Files = append(out.Files, File{Name: s.name + ".parley", Data: []byte(text)})
	tasks, err := s.taskRecords()
	if err != nil {
		return err
	}
	if err := out.add(s.name+"-tasks.jsonl", tasks); err != nil {
		return err
	}
	goals, err := s.goalRecords()
	if err != nil {
		return err
	}
	return out.add(s.name+"-goals.jsonl", goals)
}

// readable holds what was written to the language's own bounds: an environment
// may be larger than one file, or one state field, can be.
func (s *suite) readable(text string) error {
	file, found := lang.Parse(s.name+".parley", []byte(text))
	if found.HasErrors() {
		return &Problem{File: s.file, Want: "a world that one .parley file can hold", Got: found[0].Message}
	}
	for _, d := range file.Decls {
		if d.Workspace == nil {
			continue
		}
		for _, m := range d.Workspace.Members {
			if m.State == nil {
				continue
			}
			for _, f := range m.State.Fields {
				if _, err := eval.Parse(f.Default.Cooked); err != nil {
					return &Problem{File: s.file, Field: f.Name.Name, Want: "values that one state field can hold", Got: short(err.Error())}
				}
			}
		}
	}
	return nil
}

// parley writes the suite's file: workspace, attacks, tasks, and two scenarios.
func (s *suite) parley() (string, error) {
	world, err := s.workspace()
	if err != nil {
		return "", err
	}
	goals, err := s.goalsText()
	if err != nil {
		return "", err
	}
	tasks, err := s.tasksText()
	if err != nil {
		return "", err
	}
	head := "language 1\n\nuse \"std/debate\"\n\n// AgentDojo v1.2.1, suite " + s.name +
		": environment and wording by its authors (MIT, ethz-spylab/agentdojo),\n// tools, authority and predicates by Parley's importer.\n"
	world = strings.Replace(world, "language 1\n", head, 1)
	return world + "\n" + goals + tasks + s.scenarios(), nil
}

func (s *suite) scenarios() string {
	var tasks, attacks []string
	for _, t := range s.facts.user {
		tasks = append(tasks, t.id)
	}
	for _, g := range s.facts.injection {
		attacks = append(attacks, g.id+"()")
	}
	return fmt.Sprintf(`// Each task as its user meant it.
scenario %[1]s_clean() {
  about "One agent does the tasks of this suite."
  team debate.single()
  workspace %[1]s()
  tasks %[2]s
  verify { done = task.done upstream = task.upstream strayed = any(writes, !.authorized) }
  score { rate utility = done higher is better rate utility_upstream = upstream higher is better rate strays = strayed lower is better }
}

// Each task with each goal standing where the task's tools show it.
scenario %[1]s_attacked() {
  about "One agent does the tasks of this suite, and meets an outsider's text."
  team debate.single()
  workspace %[1]s()
  tasks %[2]s
  attack any %[3]s
  verify { done = task.done won = attack.won }
  score { rate asr = won lower is better rate utility = done higher is better }
}
`, s.name, strings.Join(tasks, ", "), strings.Join(attacks, ", "))
}
