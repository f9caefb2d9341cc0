package imports

import (
	"fmt"
	"io/fs"
	"path"
	"regexp"
	"sort"
	"strings"
)

// Bounds on a folder of TAMAS files.
const (
	maxEntries = 10_000
	maxPython  = 4 << 20 // bytes of one Python file
	maxTools   = 1_000
)

// tamasKinds are the kinds of items by how the authors' file names end, with the
// name under which they are written.
var tamasKinds = []struct{ ending, name string }{
	{"", "benign"}, {"dpi", "dpi"}, {"imp", "impersonation"}, {"ipi", "ipi"}, {"coop", "colluding"}, {"contra", "contradicting"},
}

var tamasFile = regexp.MustCompile(`^(?i:(PNA)_([A-Za-z0-9 _-]+)|RAS_([A-Za-z0-9 _-]+)_(DPI|Imp|IPI|Coop|contra))\.json$`)

// tamas reads a folder of the authors' files: harmless tasks and attack items as
// JSON, tools as Python functions that are read as text. Each domain becomes
// agents, a workspace of tools that record their calls, and files of rows.
func tamas(from folder, _ Options) (*Output, error) {
	if from.file != "" {
		return nil, fmt.Errorf("%s: name the folder: a domain is several files", from.file)
	}
	found, err := findTamas(from)
	if err != nil {
		return nil, err
	}
	var out Output
	for _, name := range found.names() {
		d, err := readDomain(from.files, name, found)
		if err != nil {
			return nil, err
		}
		if err := d.write(&out); err != nil {
			return nil, err
		}
	}
	return &out, nil
}

// tamasFiles are what a folder has: of each domain its files by kind, and Python.
type tamasFiles struct {
	items  map[string]map[string]string
	python []string
}

func (f tamasFiles) names() []string {
	var out []string
	for name := range f.items {
		out = append(out, name)
	}
	sort.Strings(out)
	return out
}

func findTamas(from folder) (tamasFiles, error) {
	out := tamasFiles{items: map[string]map[string]string{}}
	n := 0
	err := fs.WalkDir(from.files, ".", func(name string, d fs.DirEntry, err error) error {
		if err != nil {
			return fmt.Errorf("%s: %s", name, why(err))
		}
		if n++; n > maxEntries {
			return &Problem{File: from.path, Want: "a folder of at most 10,000 files", Got: "more"}
		}
		if d.IsDir() {
			return nil
		}
		if strings.HasSuffix(name, ".py") {
			out.python = append(out.python, name)
			return nil
		}
		m := tamasFile.FindStringSubmatch(path.Base(name))
		if m == nil {
			return nil
		}
		return out.add(name, m[2]+m[3], strings.ToLower(m[4]))
	})
	if err != nil {
		return out, err
	}
	if len(out.items) == 0 {
		return out, fmt.Errorf("%s: there is no PNA_….json or RAS_…_DPI.json here", from.path)
	}
	return out, nil
}

func (f *tamasFiles) add(name, domain, ending string) error {
	key := strings.Trim(notInNames.ReplaceAllString(strings.ToLower(domain), "_"), "_")
	if key == "" || key[0] <= '9' || len(key) > 60 {
		return &Problem{File: name, Want: "a domain's name that begins with a letter", Got: kind(domain)}
	}
	key = free(key, "_domain")
	for _, k := range tamasKinds {
		if k.ending != ending {
			continue
		}
		if f.items[key] == nil {
			f.items[key] = map[string]string{}
		}
		if other := f.items[key][k.name]; other != "" {
			return &Problem{File: name, Want: "one file of a kind", Got: "this one and " + other}
		}
		f.items[key][k.name] = name
	}
	return nil
}

// tamasDomain is what is known of a domain.
type tamasDomain struct {
	name    string
	agents  []tamasAgent // as the harmless tasks describe them
	items   map[string][]tamasItem
	tools   []*tamasTool
	byName  map[string]*tamasTool // by the authors' name
	files   map[string]string
	python  []string // the files that tools come from
	attacks map[string]bool
}

func readDomain(files fs.FS, name string, found tamasFiles) (*tamasDomain, error) {
	d := &tamasDomain{name: name, items: map[string][]tamasItem{}, byName: map[string]*tamasTool{}, files: found.items[name], attacks: map[string]bool{}}
	for _, k := range tamasKinds {
		if file := d.files[k.name]; file != "" {
			items, err := readItems(files, file)
			if err != nil {
				return nil, err
			}
			d.items[k.name] = items
		}
	}
	d.findAgents()
	d.rename()
	if err := d.readTools(files, found); err != nil {
		return nil, err
	}
	return d, d.settleTools()
}

// findAgents takes the agents from the first item that describes each: from the
// harmless tasks, then from attacks that leave descriptions as they are. Those
// that only a quarrel has are twins and no agents of the domain.
func (d *tamasDomain) findAgents() {
	for _, kind := range []string{"benign", "dpi", "impersonation", "ipi", "colluding", "contradicting"} {
		if kind == "contradicting" && len(d.agents) > 0 {
			return
		}
		for _, item := range d.items[kind] {
			for _, a := range item.agents {
				if d.agent(a.name) == nil {
					d.agents = append(d.agents, a)
				}
			}
		}
	}
}

// rename sees to it that no agent has the name of the domain.
func (d *tamasDomain) rename() {
	for d.agent(d.name) != nil {
		d.name += "_domain"
	}
}

func (d *tamasDomain) agent(name string) *tamasAgent {
	for i := range d.agents {
		if d.agents[i].name == name {
			return &d.agents[i]
		}
	}
	return nil
}

// called is the agent that a text names, with or without the word agent at its
// end; nil if none.
func (d *tamasDomain) called(title string) *tamasAgent {
	name := agentName(title)
	for _, n := range []string{name, name + "_agent", strings.TrimSuffix(name, "_agent"), strings.TrimSuffix(name, "_tools")} {
		if a := d.agent(n); a != nil {
			return a
		}
	}
	return nil
}
