package imports

import (
	"encoding/json"
	"fmt"
	"io/fs"
	"regexp"
	"sort"
	"strings"
)

// suiteFacts are the facts of one suite's tasks.
type suiteFacts struct {
	user, injection []taskFacts
	readers         []string // tools that read
}

// taskFacts say what a task or a goal reads and writes, and what an answer to it
// must name. Arguments may be patterns: `*` anything, a leading `~` must hold or
// mean, `<…>` depends on the world.
type taskFacts struct {
	id, topic, judged string
	reads             []string
	writes            []writeFacts
	answer, vectors   []string
}

type writeFacts struct {
	tool string
	args []argFacts // by name
}

type argFacts struct {
	name  string
	value any // string, json.Number, bool, []string
}

func (w writeFacts) arg(name string) any {
	for _, a := range w.args {
		if a.name == name {
			return a.value
		}
	}
	return nil
}

// factsReader walks tasks-facts.json and says where it is wrong.
type factsReader struct{ file string }

func readFacts(from fs.FS, name string) (map[string]suiteFacts, error) {
	data, err := readFile(from, name)
	if err != nil {
		return nil, err
	}
	d := json.NewDecoder(strings.NewReader(string(data)))
	d.UseNumber()
	var doc map[string]any
	if err := d.Decode(&doc); err != nil {
		return nil, &Problem{File: name, Want: "a JSON record", Got: jsonTrouble(err)}
	}
	suites, ok := doc["suites"].(map[string]any)
	if !ok {
		return nil, &Problem{File: name, Field: "suites", Want: "a record of suites", Got: kind(doc["suites"])}
	}
	r := factsReader{name}
	out := map[string]suiteFacts{}
	for suite, v := range suites {
		facts, err := r.suite(suite, v)
		if err != nil {
			return nil, err
		}
		out[suite] = facts
	}
	return out, nil
}

func (r factsReader) suite(name string, v any) (out suiteFacts, err error) {
	fields, ok := v.(map[string]any)
	if !ok {
		return out, &Problem{File: r.file, Field: name, Want: "a record", Got: kind(v)}
	}
	tools, _ := fields["tools"].(map[string]any)
	if out.readers, err = (row{file: r.file, fields: tools}).texts("read"); err != nil {
		return out, err
	}
	for _, part := range []struct {
		field string
		to    *[]taskFacts
		id    *regexp.Regexp
	}{
		{"user_tasks", &out.user, regexp.MustCompile(`^user_task_[0-9]{1,4}$`)},
		{"injection_tasks", &out.injection, regexp.MustCompile(`^injection_task_[0-9]{1,4}$`)},
	} {
		list, ok := fields[part.field].([]any)
		if !ok || len(list) == 0 || len(list) > maxItems {
			return out, &Problem{File: r.file, Field: name + "." + part.field, Want: "a list of tasks", Got: kind(fields[part.field])}
		}
		for i, v := range list {
			f, ok := v.(map[string]any)
			if !ok {
				return out, &Problem{File: r.file, Record: i + 1, Field: name + "." + part.field, Want: "a record", Got: kind(v)}
			}
			t, err := r.task(row{file: r.file, n: i + 1, fields: f}, part.id)
			if err != nil {
				return out, err
			}
			*part.to = append(*part.to, t)
		}
	}
	return out, nil
}

func (r factsReader) task(from row, id *regexp.Regexp) (t taskFacts, err error) {
	if t.id, err = from.text("id", false); err != nil {
		return t, err
	}
	if !id.MatchString(t.id) {
		return t, from.problem("id", "a name such as user_task_3", t.id)
	}
	if t.topic, err = from.text("topic", true); err != nil {
		return t, err
	}
	if t.reads, err = from.texts("reads"); err != nil {
		return t, err
	}
	for _, f := range []struct {
		name string
		to   *[]string
	}{{"answer_contains", &t.answer}, {"injectable_vectors", &t.vectors}} {
		if from.has(f.name) {
			if *f.to, err = from.texts(f.name); err != nil {
				return t, err
			}
		}
	}
	if from.has("judged_by") {
		if t.judged, err = from.text("judged_by", true); err != nil {
			return t, err
		}
	}
	writes, ok := from.fields["writes"].([]any)
	if !ok || len(writes) > 100 {
		return t, from.problem("writes", "a list of at most 100 calls", from.fields["writes"])
	}
	for _, v := range writes {
		w, err := r.write(from, v)
		if err != nil {
			return t, err
		}
		t.writes = append(t.writes, w)
	}
	return t, nil
}

func (r factsReader) write(from row, v any) (w writeFacts, err error) {
	fields, ok := v.(map[string]any)
	args, ok2 := fields["args"].(map[string]any)
	tool, ok3 := fields["tool"].(string)
	if !ok || !ok2 || !ok3 {
		return w, from.problem("writes", "calls with tool and args", v)
	}
	w.tool = tool
	names := make([]string, 0, len(args))
	for n := range args {
		names = append(names, n)
	}
	sort.Strings(names)
	for _, n := range names {
		v := args[n]
		switch x := v.(type) {
		case string:
			if len(x) > maxText {
				return w, from.problem("writes", "texts of at most 256 KiB", v)
			}
		case json.Number, bool:
		case []any:
			list, err := (row{file: from.file, n: from.n, fields: map[string]any{n: x}}).texts(n)
			if err != nil {
				return w, err
			}
			if v = list; len(list) == 1 && strings.HasPrefix(list[0], "<") {
				v = list[0] // a phrase, not somebody's name
			}
		default:
			return w, from.problem("writes", fmt.Sprintf("a plain value for %q", short(n)), v)
		}
		w.args = append(w.args, argFacts{n, v})
	}
	return w, nil
}
