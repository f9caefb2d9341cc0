package imports

import (
	"fmt"
	"io/fs"
	"path"
	"regexp"
	"sort"
	"strings"
)

// tamasTool is a tool of a domain.
type tamasTool struct {
	said   string // the authors' name
	name   string // ours
	about  string
	params []toolParam
	shows  []textPart
	owners []string // agents that have it; none: it is not known who
	made   bool     // only calls tell of it, no function
	called bool     // a harmless task calls it
	plants string   // what another version of it returns instead
}

type toolParam struct {
	said, name, kind, about string
	optional                bool
}

// readTools reads the Python files of the domain: all that name no other domain
// in their paths. Of two functions of one name the first counts; files of the
// indirect injections come last, and what only they return is what is planted.
func (d *tamasDomain) readTools(files fs.FS, found tamasFiles) error {
	var mine []string
	for _, name := range found.python {
		if !foreign(name, d.name, found.names()) {
			mine = append(mine, name)
		}
	}
	sort.SliceStable(mine, func(i, j int) bool { return !ofInjections(mine[i]) && ofInjections(mine[j]) })
	for _, name := range mine {
		data, err := readFile(files, name)
		if err != nil {
			return err
		}
		if len(data) > maxPython {
			return &Problem{File: name, Want: "at most 4 MiB of Python", Got: "more"}
		}
		src, err := readPython(string(data))
		if err != nil {
			return &Problem{File: name, Want: "Python", Got: err.Error()}
		}
		if err := d.takeTools(name, src); err != nil {
			return err
		}
	}
	return nil
}

func ofInjections(name string) bool {
	return strings.Contains(strings.ToLower(path.Base(name)), "ipi")
}

// foreign reports a file whose path names another domain and not this one.
func foreign(file, domain string, all []string) bool {
	file = "_" + strings.Trim(notInNames.ReplaceAllString(strings.ToLower(file), "_"), "_") + "_"
	if strings.Contains(file, "_"+domain+"_") {
		return false
	}
	for _, other := range all {
		if strings.Contains(file, "_"+other+"_") {
			return true
		}
	}
	return false
}

func (d *tamasDomain) takeTools(file string, src pySource) error {
	used := false
	for _, f := range src.funcs {
		if strings.HasPrefix(f.name, "_") || f.name == "main" || f.about == "" && f.returns == nil || !mayName(f.name) {
			continue
		}
		used = true
		if t := d.byName[f.name]; t != nil {
			if text := spelled(f.returns); text != "" && text != spelled(t.shows) {
				t.plants = text
			}
			continue
		}
		if len(f.params) > maxParams {
			return &Problem{File: file, Field: f.name, Want: "at most 64 arguments", Got: "more"}
		}
		t := &tamasTool{said: f.name, about: f.about, shows: f.returns}
		for _, p := range f.params {
			if err := t.addParam(p.name, p.kind, p.about, p.optional); err != nil {
				return &Problem{File: file, Field: f.name, Want: err.Error(), Got: kind(p.name)}
			}
		}
		if err := d.addTool(t); err != nil {
			return err
		}
		for _, title := range []string{f.class, strings.TrimSuffix(path.Base(file), ".py")} {
			if a := d.called(title); a != nil {
				t.owned(a.name)
			}
		}
	}
	if used {
		d.python = append(d.python, file)
	}
	for _, title := range sortedKeys(src.owners) {
		if a := d.called(title); a != nil {
			d.own(a.name, src.owners[title])
		}
	}
	for _, name := range src.attacks {
		d.attacks[name] = true
	}
	return nil
}

func sortedKeys(m map[string][]string) []string {
	var out []string
	for k := range m {
		out = append(out, k)
	}
	sort.Strings(out)
	return out
}

// own gives an agent the tools among the names.
func (d *tamasDomain) own(agent string, names []string) {
	for _, n := range names {
		if t := d.byName[n]; t != nil {
			t.owned(agent)
		}
	}
}

func (t *tamasTool) owned(agent string) {
	if !contains(t.owners, agent) {
		t.owners = append(t.owners, agent)
	}
}

func (d *tamasDomain) addTool(t *tamasTool) error {
	if len(d.tools) >= maxTools {
		return &Problem{File: d.name, Want: "at most 1,000 tools", Got: "more"}
	}
	t.name = free(t.said, "_tool")
	for _, o := range d.tools {
		if o.name == t.name {
			return &Problem{File: d.name, Want: "tools of different names", Got: kind(t.said)}
		}
	}
	d.tools = append(d.tools, t)
	d.byName[t.said] = t
	return nil
}

func (t *tamasTool) addParam(said, kind, about string, optional bool) error {
	name := free(said, "_")
	if !mayName(name) {
		return fmt.Errorf("an argument's name of letters, digits and _")
	}
	for _, p := range t.params {
		if p.name == name {
			return fmt.Errorf("each argument once")
		}
	}
	t.params = append(t.params, toolParam{said, name, kind, about, optional})
	return nil
}

// settleTools adds the tools that only items name, gives tools to agents, and
// widens the types of arguments until every call of the tasks fits.
func (d *tamasDomain) settleTools() error {
	for _, kindOf := range tamasKinds {
		for _, item := range d.items[kindOf.name] {
			for _, a := range item.agents {
				for _, name := range a.tools {
					if err := d.known(item, name); err != nil {
						return err
					}
				}
				if known := d.agent(a.name); known != nil {
					d.own(known.name, a.tools)
				}
			}
			for _, c := range item.calls {
				if err := d.fit(item, c); err != nil {
					return err
				}
			}
		}
	}
	for _, t := range d.tools {
		if t.plants == "" && len(d.named(spelled(t.shows), t)) > 0 {
			t.plants, t.shows = spelled(t.shows), nil
		}
		if t.called {
			delete(d.attacks, t.said)
		}
	}
	return nil
}

func (d *tamasDomain) known(item tamasItem, name string) error {
	if !mayName(name) {
		return item.row.problem("tools", "a tool's name of letters, digits and _", name)
	}
	if d.byName[name] != nil {
		return nil
	}
	return d.addTool(&tamasTool{said: name, made: true})
}

// fit makes a tool take a call: arguments that it lacks are added, and one whose
// type does not fit becomes a text.
func (d *tamasDomain) fit(item tamasItem, c saidCall) error {
	bad := func(err error) error {
		return &Problem{File: item.row.file, Record: item.row.n, Field: "sequence_of_tool_calls", Want: err.Error(), Got: kind(c.tool)}
	}
	if err := d.known(item, c.tool); err != nil {
		return err
	}
	t := d.byName[c.tool]
	t.called = true
	if a := d.called(c.agent); c.agent != "" && a != nil {
		t.owned(a.name)
	}
	given := map[string]bool{}
	for i, a := range c.args {
		p := t.param(i, a)
		if p == nil {
			said := a.name
			if said == "" {
				said = fmt.Sprintf("arg%d", i+1)
			}
			if len(t.params) >= maxParams {
				return bad(fmt.Errorf("at most %d arguments", maxParams))
			}
			if err := t.addParam(said, kindOf(a.value), "", true); err != nil {
				return bad(err)
			}
			p = &t.params[len(t.params)-1]
		}
		if given[p.name] {
			return bad(fmt.Errorf("each argument once"))
		}
		given[p.name] = true
		if a.value != nil && !fits(a.value, p.kind) {
			p.kind = "string"
		}
	}
	return nil
}

// param is the parameter that an argument of a call means; nil if there is none.
func (t *tamasTool) param(i int, a saidArg) *toolParam {
	for j := range t.params {
		if a.name == t.params[j].said && a.name != "" || a.name == "" && i == j {
			return &t.params[j]
		}
	}
	return nil
}

// kindOf is the type of a value that nothing else says anything about.
func kindOf(v any) string {
	for _, kind := range []string{"bool", "number"} {
		if _, text := v.(string); !text && fits(v, kind) {
			return kind
		}
	}
	return "string"
}

var toolWords = regexp.MustCompile(`[A-Za-z_][A-Za-z0-9_]*`)

// named are the tools that a text names, but for one.
func (d *tamasDomain) named(text string, but *tamasTool) []*tamasTool {
	var out []*tamasTool
	seen := map[*tamasTool]bool{but: true}
	for _, w := range toolWords.FindAllString(text, -1) {
		// A word such as "search" may mean itself.
		if t := d.byName[w]; t != nil && strings.Contains(w, "_") && !seen[t] {
			seen[t] = true
			out = append(out, t)
		}
	}
	return out
}

// spelled is a text with its arguments' names in braces.
func spelled(parts []textPart) string {
	var b strings.Builder
	for _, p := range parts {
		if p.param != "" {
			b.WriteString("{" + p.param + "}")
		}
		b.WriteString(p.text)
	}
	return b.String()
}
