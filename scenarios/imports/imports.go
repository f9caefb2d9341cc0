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
		{"truthfulqa", "questions with true and false answers, CSV", truthfulQA},
	}
}

// Import reads the source at a path, a file or a folder. A *Problem says what is
// wrong with the data.
func Import(source, path string, o Options) (*Output, error) {
	for _, s := range Sources() {
		if s.Name != source {
			continue
		}
		from, err := openFolder(path)
		if err != nil {
			return nil, err
		}
		out, err := s.read(from, o)
		return out, from.close(err)
	}
	var names []string
	for _, s := range Sources() {
		names = append(names, s.Name)
	}
	return nil, fmt.Errorf("there is no importer for %q; there are %s", source, strings.Join(names, ", "))
}

// folder is where a source is read from; nothing outside of it is. file is set
// where the path named one file.
type folder struct {
	root *os.Root
	path string // of the folder, as the user wrote it
	file string
}

func openFolder(path string) (folder, error) {
	info, err := os.Stat(path)
	if err != nil {
		return folder{}, fmt.Errorf("%s: %s", path, why(err))
	}
	dir, file := path, ""
	if !info.IsDir() {
		dir, file = filepath.Dir(path), filepath.Base(path)
	}
	root, err := os.OpenRoot(dir)
	if err != nil {
		return folder{}, fmt.Errorf("%s: %s", dir, why(err))
	}
	return folder{root: root, path: dir, file: file}, nil
}

// close releases the folder and passes an error on.
func (f folder) close(err error) error {
	if e := f.root.Close(); err == nil {
		err = e
	}
	return err
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
	_, err := f.root.Stat(name)
	return err == nil
}

func (f folder) fs() fs.FS { return f.root.FS() }
