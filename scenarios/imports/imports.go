// Package imports turns task sets that people hold into files that Parley reads:
// task files as JSON lines with our field names and, for AgentDojo, workspaces
// with tools, tasks with their own authority and predicates, and attacks. What
// is read comes from elsewhere and is not trusted: sizes are bounded, no path is
// taken from it, and every text is escaped where it is written.
package imports

import (
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
)

// Options are what an import may need beside its path.
type Options struct {
	// Runs is the folder of AgentDojo's run logs, which hold the wording of
	// tasks and goals; empty looks beside the path.
	Runs string
}

// Source is one task set that can be imported.
type Source struct {
	Name  string
	About string
	read  func(from folder, o Options) (*Output, error)
}

// Sources lists what can be imported, by name.
func Sources() []Source {
	return []Source{
		{"agentdojo", "four suites of tasks with tools, as workspaces, tasks and attacks", agentDojo},
		{"gsm8k", "grade school mathematics, JSON lines", gsm8k},
		{"injecagent", "tool answers that carry an instruction", injecAgent},
		{"jailbreakbench", "requests to be declined, and harmless twins", jailbreakBench},
		{"sealqa", "questions with conflicting search results, JSON lines", sealQA},
		{"strategyqa", "yes/no questions of several steps, with facts", strategyQA},
		{"tamas", "domains of four agents: harmless tasks and attack items, with tools from Python", tamas},
		{"truthfulqa", "questions with true and false answers, CSV", truthfulQA},
	}
}

// Import reads the source at a path, a file or a folder. A *Problem says what is
// wrong with the data.
func Import(source, path string, o Options) (out *Output, err error) {
	for _, s := range Sources() {
		if s.Name != source {
			continue
		}
		from, root, err := openFolder(path)
		if err != nil {
			return nil, err
		}
		out, err = s.read(from, o)
		if e := root.Close(); err == nil && e != nil {
			err = fmt.Errorf("%s: %s", path, why(e))
		}
		return out, err
	}
	var names []string
	for _, s := range Sources() {
		names = append(names, s.Name)
	}
	return nil, fmt.Errorf("there is no importer for %q; there are %s", source, strings.Join(names, ", "))
}

// folder is where a source is read from. file is set where the path named one
// file.
type folder struct {
	files fs.FS
	path  string // of the folder, as the user wrote it
	file  string
}

// openFolder opens the folder that a path is, or lies in. Nothing outside of it
// can be reached through what it returns.
func openFolder(path string) (folder, *os.Root, error) {
	info, err := os.Stat(path)
	if err != nil {
		return folder{}, nil, fmt.Errorf("%s: %s", path, why(err))
	}
	dir, file := path, ""
	if !info.IsDir() {
		dir, file = filepath.Dir(path), filepath.Base(path)
	}
	root, err := os.OpenRoot(dir)
	if err != nil {
		return folder{}, nil, fmt.Errorf("%s: %s", dir, why(err))
	}
	return folder{files: root.FS(), path: dir, file: file}, root, nil
}

// pick is the file that the user named, else the first of the usual names that
// is there.
func (f folder) pick(usual ...string) (string, error) {
	if f.file != "" {
		return f.file, nil
	}
	for _, name := range usual {
		if f.has(name) {
			return name, nil
		}
	}
	return "", fmt.Errorf("%s: no %s in this folder; name the file itself", f.path, strings.Join(usual, " and no "))
}

func (f folder) has(name string) bool {
	_, err := fs.Stat(f.files, name)
	return err == nil
}

// rows reads all records of a file and makes a task of each.
func (f folder) rows(read func(fs.FS, string) ([]row, error), task func(row) (record, error), usual ...string) ([]record, error) {
	name, err := f.pick(usual...)
	if err != nil {
		return nil, err
	}
	rows, err := read(f.files, name)
	if err != nil {
		return nil, err
	}
	var out []record
	for _, r := range rows {
		t, err := task(r)
		if err != nil {
			return nil, err
		}
		out = append(out, t)
	}
	return out, nil
}

// tasksFile is an output of one task file.
func tasksFile(tasks []record, err error) (*Output, error) {
	if err != nil {
		return nil, err
	}
	var out Output
	return &out, out.add("tasks.jsonl", tasks)
}
